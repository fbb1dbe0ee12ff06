// Elements made by hand. What data says becomes text, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (name === "style") {
      for (const [property, to] of Object.entries(value)) element.style.setProperty(property, to);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

export const h = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);
export const svg = (tag, properties, ...children) => fill(document.createElementNS(SVG, tag), properties, children);

export const button = (text, click, properties) => h("button", { type: "button", on: { click }, ...properties }, text);
export const badge = (kind, text) => h("span", { class: `badge ${kind}` }, text);
export const userLink = (id, name) => h("a", { href: `#/user/${id}` }, name ? `${name} ` : "", name ? h("span", { class: "id" }, id) : id);

// `columns`: {head, cell(row), number, hidden, about}: `hidden` is a heading that only readers of the screen hear,
// `about` says what the column tells, below the table for whoever asks.
export function table(caption, columns, rows, empty) {
  if (rows.length === 0) return notice(empty);
  const heads = columns.map((column) => h("th", { scope: "col", class: column.number && "number" },
    column.hidden ? h("span", { class: "unseen" }, column.head) : column.head));
  const line = (row) => h("tr", null, columns.map((column, at) =>
    h(at === 0 ? "th" : "td", { scope: at === 0 && "row", class: column.number && "number" }, column.cell(row))));
  const shown = h("div", { class: "scrolled", tabindex: 0, role: "region", "aria-label": caption },
    h("table", null, h("caption", { class: "unseen" }, caption), h("thead", null, h("tr", null, heads)), h("tbody", null, rows.map(line))));
  const told = columns.filter((column) => column.about);
  if (told.length === 0) return shown;
  return h("div", null, shown, h("details", { class: "about", "data-keep": caption }, h("summary", { "data-focus": `about ${caption}` }, "What the columns say"),
    h("dl", { class: "facts" }, told.map((column) => [h("dt", null, column.head), h("dd", null, prose(column.about))]))));
}

// A sentence with its commands, `fanfold …`, as such.
export const prose = (text) => text.split("`").map((part, at) => (at % 2 === 1 ? h("code", null, part) : part));

export const notice = (text, ...more) => h("div", { class: "notice" }, h("p", null, prose(text)), more);

// An error, and what to do.
export function failure(error, again) {
  const does = { 401: "Show a token that is good.", 403: "Ask for a token with the scope that is named.", 404: "There is nothing of that name." };
  return h("div", { class: "notice failed", role: "alert" },
    h("p", null, h("strong", null, prose(error.message || String(error)))),
    h("p", null, prose(does[error.status] ?? "See that Fanfold runs, then try again; `fanfold doctor` says what is wrong.")),
    again && button("Try again", again));
}

// What has the focus, by the name it keeps when it is drawn anew.
export const focusName = (element) => element?.dataset?.focus ?? element?.getAttribute?.("aria-label");
// Gives the focus to what has that name now, else to the view's heading.
export function focusOn(name, root = document) {
  const named = name && [...root.querySelectorAll("[data-focus], [aria-label]")].find((element) => focusName(element) === name);
  (named || document.querySelector("h1"))?.focus({ preventScroll: true });
}

// Shows `children` in `root`. What had the focus there has it again, and what was open stays open.
export function replace(root, ...children) {
  const held = root.contains(document.activeElement) && document.activeElement !== root ? focusName(document.activeElement) : undefined;
  const open = [...root.querySelectorAll("details[open]")].map((one) => one.dataset.keep);
  root.replaceChildren(...children);
  for (const one of root.querySelectorAll("details")) one.open = open.includes(one.dataset.keep);
  if (held !== undefined) focusOn(held, root);
}

// Draws again what has changed; where that fails, why, and the way to try again, in its place.
export function redrawing(content, refresh, signal) {
  const again = async () => {
    if (signal.aborted) return;
    try {
      await refresh();
    } catch (error) {
      if (!signal.aborted) replace(content, failure(error, again));
    }
  };
  return again;
}

export const section = (title, ...children) => h("section", null, h("h2", null, title), children);

const NUMBER = new Intl.NumberFormat("en");
export const count = (value) => NUMBER.format(value);

export const time = (ms) => {
  const at = new Date(ms);
  if (Number.isNaN(at.getTime())) return h("span", null, `${ms} ms`);
  const iso = at.toISOString();
  return h("time", { datetime: iso, title: iso }, `${iso.slice(0, 19).replace("T", " ")} UTC`);
};

export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const s = Math.round(ms / 1000);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")} min`;
  return s < 86400 ? `${(s / 3600).toFixed(1)} h` : `${(s / 86400).toFixed(1)} d`;
}

// For whoever hears the page.
export const tell = (text) => { document.getElementById("told").textContent = text; };

// The heading of a view, which gets the focus, so that keys go on from there.
export function heading(text, ...more) {
  document.title = `${text} – Fanfold`;
  const title = h("h1", { tabindex: -1 }, text);
  queueMicrotask(() => { if (document.activeElement?.id !== "search-text") title.focus({ preventScroll: true }); });
  return h("div", { class: "heading" }, title, more);
}
