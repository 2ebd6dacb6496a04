// Elements, their colors, and messages with input in backticks.

/** An element with attributes (`on…` are listeners) and children; null and undefined children are left out. */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

/** A sentence; what is in backticks is code. */
export function sentence(text) {
  return text.split("`").map((part, index) => (index % 2 ? h("code", {}, part) : part));
}

/** `1 warning`, `2 warnings`. */
export function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** A color of style.css. */
export const color = (name) => `var(--${name})`;

/** A part that can be opened. */
export function fold(title, attributes, ...children) {
  return h("details", attributes, h("summary", {}, title), ...children);
}

/** A table with a caption for screen readers. */
export function table(caption, heads, rows) {
  const head = h("tr", {}, heads.map((cell) => h("th", { scope: "col" }, cell)));
  const body = rows.map((cells) => h("tr", {}, cells.map((cell) => h("td", {}, cell))));
  const whole = h("table", {}, h("caption", { class: "quiet" }, caption), h("thead", {}, head), h("tbody", {}, body));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, whole);
}

/** Text to copy. */
export function copyable(label, text) {
  const button = h("button", { type: "button", class: "small" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Copy failed";
    }
  });
  return h("div", { class: "copyable" }, h("pre", { tabindex: "0", role: "region", "aria-label": label }, text), button);
}
