// Makes the pages quicker to use. Everything works without it: forms and links come first.
(() => {
  "use strict";
  const body = document.body;
  const form = document.getElementById("search");
  const found = document.getElementById("found");
  const status = document.getElementById("status");

  // What only works with script is hidden until here.
  const reveal = (root) => {
    for (const button of root.querySelectorAll("button[hidden]")) button.hidden = false;
  };
  reveal(document);

  // Copying.
  const copy = async (button, text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    const label = button.textContent;
    button.textContent = body.dataset.copied;
    if (status) status.textContent = body.dataset.copied;
    setTimeout(() => { button.textContent = label; }, 1600);
  };

  // Reading more of a case inside the list.
  const expand = async (button) => {
    const open = button.getAttribute("aria-expanded") === "true";
    const brief = button.nextElementSibling;
    if (!brief) {
      const response = await fetch(button.dataset.brief);
      if (!response.ok) { location.assign(button.dataset.brief.replace("/brief", "")); return; }
      button.insertAdjacentHTML("afterend", await response.text());
    } else {
      brief.hidden = open;
    }
    button.setAttribute("aria-expanded", String(!open));
    const label = button.textContent;
    button.textContent = button.dataset.open;
    button.dataset.open = label;
  };

  body.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.copy) copy(button, button.dataset.copy);
    else if ("copyLink" in button.dataset) copy(button, (document.querySelector("link[hreflang=x-default]") || location).href);
    else if (button.dataset.brief) expand(button);
  });

  // A slash leads to the search from everywhere, as in many tools.
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    const field = document.getElementById("q");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && field) {
      event.preventDefault();
      field.focus();
      field.select();
    }
  });

  if (!form || !found) return;
  const field = document.getElementById("q");
  const site = " – incident-like";
  let request = null;
  let timer = 0;
  let last = location.search;

  // Examples are for whoever has not begun.
  const asked = () => form.classList.toggle("asked", query() !== "");

  // The query that the form stands for.
  const query = () => {
    const parameters = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      if (value.trim()) parameters.append(name, value.trim());
    }
    const text = parameters.toString();
    return text ? `?${text}` : "";
  };

  // Shows what a query finds. A newer one stops the one before.
  const show = async (search, history) => {
    if (request) request.abort();
    const own = new AbortController();
    request = own;
    found.classList.add("busy");
    try {
      const response = await fetch(`/results${search}`, { signal: own.signal, headers: { accept: "text/html" } });
      // The page says what is wrong with a filter; what passes by itself must not take the words away.
      if (response.status === 400) { location.assign(`/${search}`); return; }
      if (!response.ok) throw new Error(response.statusText);
      const text = await response.text();
      if (own.signal.aborted) return;
      const open = [...found.querySelectorAll("details[open]")].map((details) => details.dataset.keep);
      const focused = found.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
      const label = focused === null ? "" : document.activeElement.textContent;
      found.innerHTML = text;
      reveal(found);
      for (const details of found.querySelectorAll("details")) details.open = open.includes(details.dataset.keep);
      if (focused !== null) {
        // The link that was used is gone or leads back now; the one of the same name stands for it.
        const words = label.replace("×", "").trim();
        const same = [...found.querySelectorAll("a[data-live]")].find((link) => link.textContent.trim().startsWith(words));
        (same || field).focus({ preventScroll: true });
      }
      const count = found.firstElementChild.dataset.total;
      status.className = "out";
      status.textContent = count;
      document.title = (field.value.trim() || count) + site;
      const address = `/${search}`;
      if (history === "push") window.history.pushState(null, "", address);
      else if (history === "replace") window.history.replaceState(null, "", address);
      last = search;
      languages(search);
      asked();
    } catch (error) {
      if (error.name !== "AbortError") {
        status.textContent = body.dataset.failed;
        status.className = "note";
      }
    } finally {
      if (request === own) { request = null; found.classList.remove("busy"); }
    }
  };

  // Switching the language keeps what was asked.
  const languages = (search) => {
    for (const link of document.querySelectorAll("a[data-lang]")) {
      const parameters = new URLSearchParams(search);
      parameters.set("lang", link.dataset.lang);
      link.href = `/?${parameters}`;
    }
  };

  const soon = (delay) => {
    clearTimeout(timer);
    timer = setTimeout(() => { if (query() !== last) show(query(), "replace"); }, delay);
  };
  // Half-composed syllables find little; give them time.
  field.addEventListener("input", (event) => soon(event.isComposing ? 260 : 110));
  field.addEventListener("compositionend", () => soon(60));
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") {
      const first = found.querySelector(".hits h3 a");
      if (first) { event.preventDefault(); first.focus(); }
    }
  });
  found.addEventListener("keydown", (event) => {
    const links = [...found.querySelectorAll(".hits h3 a")];
    const at = links.indexOf(document.activeElement);
    if (at < 0 || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
    event.preventDefault();
    const next = event.key === "ArrowDown" ? links[at + 1] : links[at - 1];
    (next || (event.key === "ArrowUp" ? field : links[at])).focus();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    show(query(), "push");
  });
  found.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-live]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    clearTimeout(timer);
    const far = link.rel === "next" || link.rel === "prev";
    show(new URL(link.href).search, "push").then(() => {
      if (far) document.getElementById("results-title").scrollIntoView();
    });
  });
  window.addEventListener("popstate", () => {
    field.value = new URLSearchParams(location.search).get("q") || "";
    show(location.search, "");
  });
})();
