// Block Kit as HTML. Words from outside become text nodes only, never markup; links lead to http and https only.

export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name === "class") node.className = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== undefined && child !== null));
  return node;
}

function safe(url) {
  try {
    const parsed = new URL(url);
    return ["http:", "https:"].includes(parsed.protocol) ? parsed.href : undefined;
  } catch {
    return undefined;
  }
}

function link(url, label) {
  const href = safe(url);
  if (!href) return element("span", {}, label || url);
  return element("a", { href, target: "_blank", rel: "noopener noreferrer" }, label || url);
}

const STYLES = [["code", "code"], ["strike", "s"], ["italic", "em"], ["bold", "strong"]];

function inline(piece) {
  let node;
  switch (piece.type) {
    case "link":
      node = link(piece.url, piece.text);
      break;
    case "user":
      node = element("span", { class: "mention" }, piece.user_id === "U0BOT" ? "@incident-like" : `@${piece.user_id.startsWith("U0YOU") ? "you" : piece.user_id}`);
      break;
    case "channel":
      node = element("span", { class: "mention" }, `#${piece.channel_id}`);
      break;
    case "emoji":
      node = document.createTextNode(piece.unicode ? String.fromCodePoint(...piece.unicode.split("-").map((code) => parseInt(code, 16))) : `:${piece.name}:`);
      break;
    case "date":
      node = document.createTextNode(piece.fallback ?? "");
      break;
    default:
      node = document.createTextNode(piece.text ?? "");
  }
  for (const [style, tag] of STYLES) {
    if (piece.style?.[style]) node = element(tag, {}, node);
  }
  return node;
}

function rich(part) {
  const pieces = () => (part.elements ?? []).map(inline);
  switch (part.type) {
    case "rich_text_section":
      return element("p", {}, ...pieces());
    case "rich_text_quote":
      return element("blockquote", {}, ...pieces());
    case "rich_text_preformatted":
      return element("pre", {}, ...pieces());
    case "rich_text_list":
      return element(part.style === "ordered" ? "ol" : "ul", {}, ...part.elements.map((item) => element("li", {}, ...(item.elements ?? []).map(inline))));
    default:
      return unknown(part);
  }
}

// Slack's own markup, as far as a reader needs it: links, names and escaped signs.
export function markup(text) {
  const fragment = document.createDocumentFragment();
  const plain = (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  for (const part of (text ?? "").split(/(<[^<>]*>)/)) {
    const inner = part.startsWith("<") && part.endsWith(">") ? part.slice(1, -1) : undefined;
    if (inner === undefined) {
      fragment.append(plain(part));
    } else if (/^[@#!]/.test(inner)) {
      const [id, label] = inner.split("|");
      fragment.append(element("span", { class: "mention" }, label ? plain(label) : id === "@U0BOT" ? "@incident-like" : id.startsWith("@U0YOU") ? "@you" : id));
    } else {
      const [url, label] = inner.split("|");
      fragment.append(link(plain(url), label && plain(label)));
    }
  }
  return fragment;
}

function textObject(object) {
  return object?.type === "mrkdwn" ? markup(object.text) : document.createTextNode(object?.text ?? "");
}

function unknown(part) {
  return element("p", { class: "unknown" }, `[${part.type}]`);
}

function control(part, block, press) {
  if (part.type !== "button") return unknown(part);
  return element(
    "button",
    {
      type: "button",
      class: part.style ?? "",
      "data-action": part.action_id,
      "aria-label": part.accessibility_label,
      onclick: () => {
        const url = part.url && safe(part.url);
        if (url) window.open(url, "_blank", "noopener");
        press({ action_id: part.action_id ?? "", block_id: block.block_id ?? "", value: part.value ?? "" });
      },
    },
    part.text?.text ?? "",
  );
}

// Draws a block; `press` takes what a button says.
export function block(part, press) {
  switch (part.type) {
    case "rich_text":
      return element("div", { class: "rich" }, ...part.elements.map(rich));
    case "divider":
      return element("hr");
    case "header":
      return element("h3", {}, textObject(part.text));
    case "section":
      return element(
        "div",
        { class: "section" },
        part.text && element("p", {}, textObject(part.text)),
        ...(part.fields ?? []).map((field) => element("p", { class: "field" }, textObject(field))),
        part.accessory && control(part.accessory, part, press),
      );
    case "context":
      return element("p", { class: "context" }, ...(part.elements ?? []).map((item) => (item.type === "image" ? element("span", {}, item.alt_text ?? "") : textObject(item))));
    case "actions":
      return element("div", { class: "actions" }, ...part.elements.map((item) => control(item, part, press)));
    default:
      return unknown(part);
  }
}

export function attachment(part) {
  const color = /^[0-9a-f]{6}$/i.test(part.color ?? "") ? part.color.toLowerCase() : "888888";
  const node = element(
    "div",
    { class: "attachment" },
    part.pretext && element("p", {}, markup(part.pretext)),
    part.title && element("p", { class: "title" }, markup(part.title)),
    part.text && element("p", {}, markup(part.text)),
  );
  node.style.borderLeftColor = `#${color}`;
  return node;
}
