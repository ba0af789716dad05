// The playground: shows what the demo's Slack holds, and sends what is done on the page.

import { attachment, block, element, markup } from "./blocks.js";
import { form, home } from "./forms.js";
import { WORDS } from "./words.js";

const $ = (id) => document.getElementById(id);
const stored = (key) => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

let lang = stored("lang") ?? (navigator.language.startsWith("ko") ? "ko" : "en");
let state = { version: 0, channels: [], views: [], homes: {}, wire: [] };
const DIRECT = "D0BOT";
// What of the bot's own place is shown.
let tab = "home";
let current = location.hash.slice(1) || "C0GENERAL";
// When something was done here last: what comes of it is scrolled to.
let acted = 0;
// A channel to open as soon as it is there.
let wanted = null;
let thread = null;
// Channels with something that was not looked at, and how far each was read.
const seen = new Map();
const drawn = new Map();

const words = () => WORDS[lang];
const channel = () => state.channels.find((channel) => channel.id === current) ?? state.channels[0];

async function act(request) {
  problem(null);
  acted = Date.now();
  let response;
  try {
    response = await fetch("/do", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
    });
  } catch {
    problem(words().lost);
    return { ok: false };
  }
  const answer = await response.json().catch(() => ({ ok: false, error: `status ${response.status}` }));
  if (!answer.ok) problem(words().problems[answer.error] ?? answer.error);
  return answer;
}

function problem(text) {
  $("problem").hidden = !text;
  $("problem").textContent = text ?? "";
}

function say(text) {
  return act({ do: "say", channel: current, text, thread: thread ?? undefined, lang });
}

function time(ts) {
  return new Date(Number(ts) * 1000).toLocaleTimeString(lang, { hour: "2-digit", minute: "2-digit" });
}

function notice(entry) {
  const own = entry.user.startsWith("U0YOU");
  const who = own ? words().you : words().bot;
  switch (entry.subtype) {
    case "channel_topic":
      return `${who} · ${words().topicSet} ${entry.text.replace(/^set the topic: /, "")}`;
    case "channel_join":
      return `${who} · ${own ? words().createdBy : words().joined}`;
    default:
      return entry.text;
  }
}

function drawEntry(entry, replies) {
  if (entry.author === "slack") {
    return element("li", { class: "notice", "data-ts": entry.ts }, notice(entry));
  }
  const press = (button) => act({ do: "press", channel: current, ts: entry.ts, button, lang });
  const body = entry.blocks.length && entry.author === "bot" ? entry.blocks.map((part) => block(part, press)) : entry.text ? [element("p", {}, markup(entry.text))] : [];
  const isApp = entry.author !== "you";
  const tools = [];
  if (!entry.ephemeral) {
    tools.push(
      element("button", { type: "button", onclick: () => act({ do: "find_similar", channel: current, ts: entry.ts, lang }) }, words().similar),
    );
    if (!entry.thread_ts || entry.thread_ts === entry.ts) {
      tools.push(element("button", { type: "button", onclick: () => enterThread(entry.ts) }, words().reply));
    }
  }
  return element(
    "li",
    { class: `message ${entry.author}${entry.ephemeral ? " ephemeral" : ""}`, "data-ts": entry.ts },
    element("div", { class: "avatar", "aria-hidden": "true" }, words()[entry.author].slice(0, 2)),
    element(
      "article",
      {},
      entry.ephemeral && entry.author === "bot" ? element("p", { class: "only-you" }, `👁 ${words().onlyYou}`) : null,
      element(
        "header",
        {},
        element("strong", {}, words()[entry.author]),
        isApp ? element("span", { class: "badge" }, words().app) : null,
        element("time", {}, time(entry.ts)),
      ),
      element("div", { class: "body" }, ...body, ...entry.attachments.map(attachment)),
      tools.length ? element("div", { class: "tools" }, ...tools) : null,
      replies.length ? element("ol", { class: "thread" }, ...replies.map((reply) => drawEntry(reply, []))) : null,
    ),
  );
}

function enterThread(ts) {
  thread = ts;
  $("thread-bar").hidden = false;
  $("text").focus();
}

function leaveThread() {
  thread = null;
  $("thread-bar").hidden = true;
}

function drawMessages() {
  const list = $("messages");
  const now = channel();
  if (!now) return;
  const parents = now.messages.filter((entry) => !entry.thread_ts || entry.thread_ts === entry.ts || !now.messages.some((other) => other.ts === entry.thread_ts));
  const repliesOf = (entry) => now.messages.filter((reply) => reply !== entry && reply.thread_ts === entry.ts);
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  const key = `${lang}/${current}`;
  if (list.dataset.key !== key) {
    list.replaceChildren();
    drawn.clear();
    list.dataset.key = key;
  }
  // Only what changed is drawn anew, so that focus and selection stay.
  const kept = new Set();
  let fresh;
  for (const entry of parents) {
    const replies = repliesOf(entry);
    const form = JSON.stringify([entry, replies]);
    kept.add(entry.ts);
    const known = drawn.get(entry.ts);
    if (known?.form === form) continue;
    const node = drawEntry(entry, replies);
    if (known) known.node.replaceWith(node);
    else list.append(node);
    fresh ??= known ? (node.querySelector(".thread > :last-child") ?? node) : node;
    drawn.set(entry.ts, { form, node });
  }
  for (const [ts, known] of drawn) {
    if (!kept.has(ts)) {
      known.node.remove();
      drawn.delete(ts);
    }
  }
  list.classList.toggle("empty", parents.length === 0);
  list.dataset.empty = words().empty;
  seen.set(current, now.messages.length);
  const isOpened = list.dataset.scrolled !== key;
  if (fresh && (atEnd || isOpened || Date.now() - acted < 5000)) {
    // What is new is read from its beginning.
    const first = isOpened ? list.lastElementChild : fresh;
    list.scrollTop = first.getBoundingClientRect().top - list.getBoundingClientRect().top + list.scrollTop - 12;
  }
  list.dataset.scrolled = key;
}

// The topmost form, drawn anew only when it shows something else, so that what is being typed stays.
function drawView() {
  const dialog = $("view");
  const top = state.views.at(-1);
  const key = top ? `${top.id}/${top.hash}` : "";
  if (dialog.dataset.key === key) return;
  dialog.dataset.key = key;
  if (!top) {
    dialog.close();
    dialog.replaceChildren();
    return;
  }
  const drawn = form(top, {
    press: (button) => act({ do: "press_in_view", view: top.id, button, lang }),
    options: async (menu, text) => {
      const answer = await act({ do: "options", view: top.id, menu, text, lang });
      return answer.result?.options ?? (answer.result?.option_groups ?? []).flatMap((group) => group.options);
    },
    submit: async (values) => (await act({ do: "submit", view: top.id, values, lang })).result,
    close: () => act({ do: "close_view", view: top.id }),
  });
  dialog.replaceChildren(drawn.node);
  if (!dialog.open) dialog.showModal();
  drawn.focus?.focus();
}

function drawPlace(now) {
  const isHome = now.direct && tab === "home";
  $("tabs").hidden = !now.direct;
  for (const button of document.querySelectorAll("[data-tab]")) button.setAttribute("aria-pressed", String(button.dataset.tab === tab));
  $("home").hidden = !isHome;
  $("messages").hidden = isHome;
  $("tries").hidden = now.direct;
  $("composer").hidden = isHome;
  const view = state.homes[lang === "ko" ? "U0YOUKO" : "U0YOUEN"];
  const form = JSON.stringify(view ?? null) + lang;
  if ($("home").dataset.form !== form) {
    $("home").dataset.form = form;
    $("home").replaceChildren(view ? home(view, (button) => act({ do: "press_in_view", view: "", button, lang })) : words().homeEmpty);
  }
}

function draw() {
  if (state.channels.some((one) => one.id === wanted)) {
    const id = wanted;
    wanted = null;
    open(id);
    return;
  }
  const now = channel();
  if (!now) return;
  current = now.id;
  const entries = (direct) =>
    state.channels
      .filter((one) => one.direct === direct)
      .map((one) => {
        const unread = one.id !== current && one.messages.length > (seen.get(one.id) ?? 0);
        return element(
          "li",
          {},
          element(
            "button",
            {
              type: "button",
              class: `${unread ? "unread" : ""}${one.archived ? " archived" : ""}`,
              "aria-current": one.id === current ? "page" : undefined,
              "data-channel": one.id,
              onclick: () => open(one.id),
            },
            direct ? one.name : `# ${one.name}`,
          ),
        );
      });
  $("channels").replaceChildren(...entries(false));
  $("apps").replaceChildren(...entries(true));
  drawPlace(now);
  drawView();
  $("channel-name").textContent = now.direct ? now.name : `# ${now.name}`;
  $("channel-topic").textContent = now.archived ? words().archived : now.member ? now.topic : [now.topic, words().notMember].filter(Boolean).join(" · ");
  $("text").placeholder = now.direct ? words().direct : words().placeholder(now.name);
  $("wire-list").replaceChildren(
    ...[...state.wire].reverse().map((one) =>
      element(
        "li",
        { class: one.to_service ? "in" : "out" },
        element("span", { class: "what" }, `${one.to_service ? "Slack → " : "→ Slack "}${one.what}`),
        element("span", { class: "figures" }, `${one.status} · ${one.millis.toFixed(1)} ms`),
      ),
    ),
  );
  drawMessages();
}

function open(id) {
  current = id;
  location.hash = id;
  leaveThread();
  problem(null);
  if (id === DIRECT && tab === "home") act({ do: "open_home", lang });
  draw();
  $("text").focus();
}

function speak() {
  document.documentElement.lang = lang;
  for (const node of document.querySelectorAll("[data-word]")) node.textContent = words()[node.dataset.word] ?? "";
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", words()[node.dataset.label] ?? "");
  for (const button of document.querySelectorAll("[data-lang]")) button.setAttribute("aria-pressed", String(button.dataset.lang === lang));
  $("new-channel").textContent = words().newChannel;
  $("search").textContent = words().search;
  $("create-name").placeholder = words().nameExample;
  $("create-topic").placeholder = words().topicExample;
  $("tries").replaceChildren(
    ...words().tryList.map((one) =>
      element(
        "button",
        {
          type: "button",
          onclick: () => (one.alert ? act({ do: "alert", channel: current, title: one.alert[0], text: one.alert[1] }) : say(one.say)),
        },
        one.label,
      ),
    ),
  );
  draw();
}

$("composer").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = $("text").value;
  if (!text.trim()) return;
  $("text").value = "";
  const answer = await say(text);
  if (!answer.ok && answer.error !== "not_in_channel") $("text").value = text;
});

$("text").addEventListener("keydown", (event) => {
  // While Korean letters are being put together Enter belongs to them.
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    $("composer").requestSubmit();
  }
});

$("thread-leave").addEventListener("click", leaveThread);

$("wire-toggle").addEventListener("click", () => {
  const wire = $("wire");
  wire.hidden = !wire.hidden;
  $("wire-toggle").setAttribute("aria-expanded", String(!wire.hidden));
});

$("search").addEventListener("click", () => act({ do: "search", lang }));

$("view").addEventListener("cancel", (event) => {
  event.preventDefault();
  const top = state.views.at(-1);
  if (top) act({ do: "close_view", view: top.id });
});

for (const button of document.querySelectorAll("[data-tab]")) {
  button.addEventListener("click", () => {
    tab = button.dataset.tab;
    if (tab === "home") act({ do: "open_home", lang });
    draw();
  });
}

$("new-channel").addEventListener("click", () => {
  $("create-problem").hidden = true;
  $("create").showModal();
  $("create-name").focus();
});
$("create-cancel").addEventListener("click", () => $("create").close());
$("create-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const answer = await act({ do: "create", name: $("create-name").value, topic: $("create-topic").value, lang });
  if (answer.ok) {
    $("create").close();
    $("create-form").reset();
    wanted = answer.result;
    draw();
  } else {
    $("create-problem").hidden = false;
    $("create-problem").textContent = $("problem").textContent;
    problem(null);
  }
});

for (const button of document.querySelectorAll("[data-lang]")) {
  button.addEventListener("click", () => {
    lang = button.dataset.lang;
    try {
      localStorage.setItem("lang", lang);
    } catch {
      // Remembering is a comfort only.
    }
    speak();
    if (current === DIRECT && tab === "home") act({ do: "open_home", lang });
  });
}

async function follow() {
  let after;
  for (;;) {
    try {
      const response = await fetch(after === undefined ? "/state" : `/state?after=${after}`);
      state = await response.json();
      if (after === undefined) for (const one of state.channels) seen.set(one.id, one.messages.length);
      after = state.version;
      draw();
    } catch {
      problem(words().lost);
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
}

speak();
follow();
