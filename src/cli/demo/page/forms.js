// Forms as Slack shows them: inputs, boxes, menus that are filled while one types.

import { block, element } from "./blocks.js";

// A menu of several choices whose options come from the service.
function menu(part, name, options) {
  const chosen = new Map((part.initial_options ?? []).map((option) => [option.value, option]));
  const chips = element("ul", { class: "chips" });
  const list = element("ul", { class: "options", role: "listbox", id: `options-${name}`, hidden: true });
  const input = element("input", {
    id: `field-${name}`,
    role: "combobox",
    "aria-expanded": "false",
    "aria-controls": `options-${name}`,
    autocomplete: "off",
    placeholder: part.placeholder?.text,
  });
  const draw = () => {
    chips.replaceChildren(
      ...[...chosen.values()].map((option) =>
        element(
          "li",
          {},
          option.text.text,
          element("button", { type: "button", "aria-label": `✕ ${option.text.text}`, onclick: () => (chosen.delete(option.value), draw()) }, "✕"),
        ),
      ),
    );
  };
  const show = (open) => {
    list.hidden = !open;
    input.setAttribute("aria-expanded", String(open));
  };
  const choose = (option) => {
    if (chosen.size < (part.max_selected_items ?? Infinity)) chosen.set(option.value, option);
    input.value = "";
    show(false);
    draw();
    input.focus();
  };
  let asked = 0;
  const ask = async () => {
    asked += 1;
    const mine = asked;
    // What was found for other letters must not be chosen.
    list.options = [];
    show(false);
    const found = await options(part.action_id, input.value);
    // A slower answer to fewer letters must not come last.
    if (mine !== asked || document.activeElement !== input) return;
    list.replaceChildren(
      ...found
        .filter((option) => !chosen.has(option.value))
        .map((option) => element("li", { role: "option", tabindex: "-1", onmousedown: (event) => (event.preventDefault(), choose(option)) }, option.text.text)),
    );
    list.firstElementChild?.classList.add("first");
    list.options = found.filter((option) => !chosen.has(option.value));
    show(list.childElementCount > 0);
    list.scrollIntoView({ block: "nearest" });
  };
  input.addEventListener("input", ask);
  input.addEventListener("focus", ask);
  input.addEventListener("blur", () => show(false));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      if (!list.hidden && list.options?.length) choose(list.options[0]);
    } else if (event.key === "Backspace" && !input.value && chosen.size) {
      chosen.delete([...chosen.keys()].at(-1));
      draw();
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      event.stopPropagation();
      show(false);
    }
  });
  draw();
  return {
    node: element("div", { class: "menu" }, chips, input, list),
    value: () => ({ type: part.type, selected_options: [...chosen.values()] }),
  };
}

function control(part, name, options) {
  const id = `field-${name}`;
  switch (part.type) {
    case "plain_text_input": {
      const field = element(part.multiline ? "textarea" : "input", {
        id,
        rows: part.multiline ? "3" : undefined,
        maxlength: part.max_length ?? "3000",
        placeholder: part.placeholder?.text,
      });
      field.value = part.initial_value ?? "";
      return { node: field, value: () => ({ type: part.type, value: field.value || null }), focus: part.focus_on_load ? field : undefined };
    }
    case "checkboxes": {
      const on = new Set((part.initial_options ?? []).map((option) => option.value));
      const boxes = part.options.map((option) => {
        const box = element("input", { type: "checkbox" });
        box.checked = on.has(option.value);
        return { option, box };
      });
      return {
        node: element("div", { class: "boxes", id }, ...boxes.map(({ option, box }) => element("label", {}, box, " ", option.text.text))),
        value: () => ({ type: part.type, selected_options: boxes.filter(({ box }) => box.checked).map(({ option }) => option) }),
      };
    }
    case "static_select": {
      const field = element("select", { id }, element("option", { value: "" }, part.placeholder?.text ?? ""), ...part.options.map((option) => element("option", { value: option.value }, option.text.text)));
      field.value = part.initial_option?.value ?? "";
      return {
        node: field,
        value: () => ({ type: part.type, selected_option: part.options.find((option) => option.value === field.value) ?? null }),
      };
    }
    case "multi_external_select":
      return menu(part, name, options);
    default:
      return { node: element("p", { class: "unknown" }, `[${part.type}]`), value: () => null };
  }
}

// Draws a view. `does` holds what can be done with it: press, options, submit, close.
export function form(open, does) {
  const view = open.content;
  const fields = new Map();
  let focus;
  const parts = view.blocks.map((part) => {
    if (part.type !== "input") return block(part, does.press);
    const drawn = control(part.element, part.block_id, does.options);
    focus ??= drawn.focus;
    const problem = element("p", { class: "problem", role: "alert", hidden: true });
    fields.set(part.block_id, { part, drawn, problem });
    return element(
      "div",
      { class: "field", "data-block": part.block_id },
      element("label", { for: `field-${part.block_id}` }, part.label?.text ?? ""),
      drawn.node,
      problem,
      part.hint && element("p", { class: "hint" }, part.hint.text),
    );
  });
  const node = element(
    "form",
    {
      method: "dialog",
      onsubmit: async (event) => {
        event.preventDefault();
        const values = {};
        for (const [name, { part, drawn, problem }] of fields) {
          problem.hidden = true;
          values[name] = { [part.element.action_id]: drawn.value() };
        }
        const wrong = await does.submit(values);
        for (const [name, text] of Object.entries(wrong ?? {})) {
          const field = fields.get(name);
          if (field) {
            field.problem.hidden = false;
            field.problem.textContent = text;
          }
        }
      },
    },
    element("h2", {}, view.title?.text ?? ""),
    element("div", { class: "body" }, ...parts),
    element(
      "div",
      { class: "row" },
      element("button", { type: "button", onclick: does.close }, view.close?.text ?? "✕"),
      view.submit && element("button", { type: "submit", class: "primary" }, view.submit.text),
    ),
  );
  return { node, focus };
}

// Draws the bot's home.
export function home(view, press) {
  return element("div", { class: "body home" }, ...view.blocks.map((part) => block(part, press)));
}
