// Moves, enlarges and searches the graph, and shows the lines of one node.
(() => {
  "use strict";
  const box = document.getElementById("graph");
  const svg = box && box.querySelector("svg");
  if (!svg) return;
  const live = document.querySelector(".graph-live");
  live.hidden = false;
  const whole = svg.viewBox.baseVal;
  const size = { width: whole.width, height: whole.height };
  const view = { x: 0, y: 0, width: size.width, height: size.height };
  box.classList.add("live");
  svg.removeAttribute("width");
  svg.removeAttribute("height");

  // The style gives the box the same height before: nothing below it may jump.
  const stand = () => { box.style.height = `${Math.min(Math.max(size.height + 2, 320), window.innerHeight * 0.84)}px`; };
  stand();

  const place = () => svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  const ratio = () => box.clientHeight / box.clientWidth;

  // Begins as large as can be read; the rest is a drag away.
  const fit = (readable) => {
    const all = Math.max(size.width, size.height / ratio());
    // A phone shows part of it at full size.
    const least = box.clientWidth / (box.clientWidth < 600 ? 1 : 0.72);
    // What nearly fits is better seen whole.
    view.width = readable && all > least * 1.25 ? Math.min(Math.max(size.width, least), least * (box.clientWidth < 600 ? 1 : 1.25)) : all;
    view.height = view.width * ratio();
    view.x = view.width >= size.width ? (size.width - view.width) / 2 : 0;
    const centre = svg.querySelector(".nodes .centre rect");
    view.y = view.height >= size.height ? (size.height - view.height) / 2 : 0;
    if (centre && readable) {
      const at = centre.getBBox();
      if (view.width < size.width) view.x = Math.max(0, Math.min(size.width - view.width, at.x + at.width / 2 - view.width / 2));
      if (view.height < size.height) view.y = Math.max(0, Math.min(size.height - view.height, at.y - view.height / 2));
    }
    place();
  };
  const zoom = (factor, px = 0.5, py = 0.5) => {
    const width = Math.min(Math.max(view.width * factor, 240), Math.max(size.width, size.height / ratio()) * 1.5);
    const real = width / view.width;
    view.x += view.width * (1 - real) * px;
    view.y += view.height * (1 - real) * py;
    view.width = width;
    view.height = width * ratio();
    place();
  };
  fit(true);
  window.addEventListener("resize", () => { stand(); view.height = view.width * ratio(); place(); });

  live.addEventListener("click", (event) => {
    const kind = event.target.dataset.zoom;
    if (kind === "in") zoom(0.75);
    else if (kind === "out") zoom(1 / 0.75);
    else if (kind === "reset") fit(false);
  });
  box.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const frame = box.getBoundingClientRect();
    zoom(Math.exp(event.deltaY * 0.004), (event.clientX - frame.x) / frame.width, (event.clientY - frame.y) / frame.height);
  }, { passive: false });
  box.addEventListener("keydown", (event) => {
    if (event.target !== box) return;
    const step = view.width / 12;
    if (event.key === "ArrowLeft") view.x -= step;
    else if (event.key === "ArrowRight") view.x += step;
    else if (event.key === "ArrowUp") view.y -= step;
    else if (event.key === "ArrowDown") view.y += step;
    else if (event.key === "+" || event.key === "=") { zoom(0.75); return; }
    else if (event.key === "-") { zoom(1 / 0.75); return; }
    else return;
    event.preventDefault();
    place();
  });

  // Dragging with one finger or the mouse, zooming with two fingers. A drag is no click on the node below it.
  const pointers = new Map();
  let moved = 0;
  let spread = 0;
  box.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    pointers.set(event.pointerId, event);
    moved = 0;
    spread = 0;
  });
  box.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    pointers.set(event.pointerId, event);
    if (pointers.size === 2) {
      const [a, b] = [...pointers.values()];
      const now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      if (spread) zoom(spread / now);
      spread = now;
      moved = 99;
      return;
    }
    const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
    moved += Math.abs(dx) + Math.abs(dy);
    if (moved > 4) {
      box.classList.add("drag");
      if (!box.hasPointerCapture(event.pointerId)) box.setPointerCapture(event.pointerId);
    }
    const scale = view.width / box.clientWidth;
    view.x -= dx * scale;
    view.y -= dy * scale;
    place();
  });
  const end = (event) => {
    pointers.delete(event.pointerId);
    spread = 0;
    box.classList.remove("drag");
  };
  box.addEventListener("pointerup", end);
  box.addEventListener("pointercancel", end);
  box.addEventListener("click", (event) => { if (moved > 4) { event.preventDefault(); moved = 0; } }, true);
  box.addEventListener("dragstart", (event) => event.preventDefault());

  // The lines of one node.
  const nodes = [...svg.querySelectorAll(".nodes a")];
  const lines = [...svg.querySelectorAll(".lines path")];
  const focus = (chosen) => {
    box.classList.toggle("focus", chosen.size > 0);
    const near = new Set(chosen);
    for (const line of lines) {
      const [a, b] = [line.dataset.a, line.dataset.b];
      const on = chosen.has(a) || chosen.has(b);
      line.classList.toggle("on", on);
      if (on) { near.add(a); near.add(b); }
    }
    for (const node of nodes) node.classList.toggle("on", near.has(node.dataset.n));
  };
  // Brings a node into sight.
  const bring = (node) => {
    const at = node.querySelector("rect").getBBox();
    const inside = at.x >= view.x && at.x + at.width <= view.x + view.width && at.y >= view.y && at.y + at.height <= view.y + view.height;
    if (inside) return;
    view.x = at.x + at.width / 2 - view.width / 2;
    view.y = at.y - view.height / 2;
    place();
  };

  // Looking for a name, in either language: shows and tells what fits as one types; Enter goes from one to the next. What
  // the picture does not hold is looked for by the service.
  const find = document.getElementById("graph-find");
  const said = document.getElementById("graph-said");
  const plain = (text) => text.normalize("NFKC").toLowerCase().replace(/[\s_·-]+/g, "");
  const names = nodes.map((node) => plain(`${node.dataset.name}\n${node.dataset.also || ""}`));
  let matches = [];
  let next = 0;
  const searched = () => new Set(matches.map((node) => node.dataset.n));
  const search = () => {
    const words = plain(find.value);
    // Names that begin so come first.
    const rank = (node) => (plain(node.dataset.name).startsWith(words) || plain(node.dataset.also || "").startsWith(words) ? 0 : 1);
    matches = words ? nodes.filter((_, at) => names[at].includes(words)).sort((a, b) => rank(a) - rank(b)) : [];
    next = 0;
    focus(searched());
    for (const node of nodes) node.classList.toggle("found", matches.includes(node));
    if (matches.length > 0) bring(matches[0]);
    const { none, one, many } = said.dataset;
    if (!words) said.textContent = "";
    else if (matches.length === 0) said.textContent = none;
    else if (matches.length === 1) said.textContent = one.replace("{}", matches[0].dataset.name);
    else said.textContent = many.replace("{}", matches.length);
  };
  find.addEventListener("input", search);
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !find.value) return;
    event.preventDefault();
    find.value = "";
    search();
  });
  const onward = (event) => {
    if (matches.length === 0) return;
    event.preventDefault();
    const node = matches[next % matches.length];
    next += 1;
    bring(node);
    node.focus({ preventScroll: true, focusVisible: true });
    box.scrollIntoView({ block: "nearest" });
  };
  find.form.addEventListener("submit", onward);
  // From a found name, `n` leads to the next one and Escape back to the words.
  box.addEventListener("keydown", (event) => {
    if (event.target === box || matches.length === 0) return;
    if (event.key === "n") onward(event);
    else if (event.key === "Escape") { event.preventDefault(); find.focus(); find.select(); }
  });
  for (const node of nodes) {
    const one = () => focus(new Set([node.dataset.n]));
    const none = () => focus(searched());
    node.addEventListener("pointerenter", one);
    node.addEventListener("pointerleave", none);
    node.addEventListener("focus", () => {
      one();
      if (node.matches(":focus-visible")) bring(node);
    });
    node.addEventListener("blur", none);
  }
  find.addEventListener("input", () => focus(searched()));
})();
