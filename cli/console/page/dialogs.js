// What is asked in front of the page. Each gives a promise of the answer.

import { button, focusName, focusOn, h } from "./dom.js";

function open(title, content, actions, properties) {
  const before = document.activeElement;
  const name = focusName(before);
  const dialog = h("dialog", { "aria-labelledby": "dialog-title", ...properties },
    h("h2", { id: "dialog-title" }, title), content, h("div", { class: "actions" }, actions));
  document.body.append(dialog);
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (before?.isConnected && before !== document.body) before.focus(); else focusOn(name);
  });
  dialog.showModal();
  return dialog;
}

// True when it is wished. `does` names it: "Promote".
export function confirmed(title, content, does, kind = "primary") {
  return new Promise((answer) => {
    const close = (value) => () => { answer(value); dialog.close(); };
    const no = button("Leave it", close(false), { class: "quiet" });
    const dialog = open(title, content, [no, button(does, close(true), { class: kind, id: "confirm" })]);
    dialog.addEventListener("cancel", () => answer(false));
    no.focus();
  });
}

export function askForToken(why) {
  return new Promise((answer) => {
    const token = h("input", { type: "password", autocomplete: "off", id: "token", required: true,
      pattern: "\\s*[\\w.~+\\/=\\-]+\\s*", title: "Letters, digits and -._~+/= alone" });
    const give = (event) => {
      event.preventDefault();
      answer(token.value.trim());
      dialog.close();
    };
    const form = h("form", { on: { submit: give }, id: "token-form" },
      h("p", null, `Fanfold asks who you are (${why}). `, "It is kept in this tab, until you close it."),
      h("label", { for: "token" }, "Token"), token,
      h("p", { class: "dim" }, "One is made by ", h("code", null, "fanfold token make --scopes operate,relations:read,profiles:read,posts:read,feed:read"), "."));
    const dialog = open("Show a token", form, [
      button("Leave it", () => { answer(null); dialog.close(); }, { class: "quiet" }),
      h("button", { type: "submit", form: "token-form", class: "primary" }, "Show it")]);
    dialog.addEventListener("cancel", () => answer(null));
    token.focus();
  });
}

// Nothing is asked.
export function say(title, content) {
  const dialog = open(title, content, [button("Close", () => dialog.close(), { class: "primary" })]);
}

export function showKeys(keys) {
  const rows = keys.map(([key, what]) => h("div", null, h("dt", null, key.split(" ").map((one) => h("kbd", null, one))), h("dd", null, what)));
  say("Keys", h("dl", { class: "keys" }, rows));
}
