// Which view is shown, by what stands behind the #; keys, search, light and dark.

import { takeTokenFromAddress } from "./api.js";
import { showKeys } from "./dialogs.js";
import { failure, h, notice, tell } from "./dom.js";
import { showEdge } from "./edge.js";
import { showGenerations } from "./generations.js";
import { showGraph } from "./graph.js";
import { showHome } from "./home.js";
import { showLanes } from "./lanes.js";
import { showParked } from "./parked.js";
import { showUser } from "./user.js";

const ID = "([1-9][0-9]{0,18})";
const VIEWS = [
  [/^\/?$/, showHome, "home"],
  [new RegExp(`^/user/${ID}(?:/(following|fans|friends|feed|posts))?$`), showUser, "user"],
  [new RegExp(`^/edge/${ID}/${ID}$`), showEdge, "edge"],
  [/^\/lanes$/, showLanes, "lanes"],
  [/^\/generations$/, showGenerations, "generations"],
  [/^\/parked(?:\/([0-9]+:[0-9]+))?$/, showParked, "parked"],
  [new RegExp(`^/graph/${ID}$`), showGraph, "graph"],
];
const NAV = [["home", "Overview", "#/", "h"], ["lanes", "Lanes", "#/lanes", "l"],
  ["generations", "Generations", "#/generations", "g"], ["parked", "Parked", "#/parked", "p"]];
const KEYS = [["/", "search: a user's id, or two for the story of an edge"], ["g h", "overview"], ["g l", "lanes"],
  ["g g", "generations"], ["g p", "parked records"], ["g u", "the user shown last"], ["g r", "their surroundings"],
  ["t", "light or dark"], ["?", "these keys"], ["Esc", "leave a dialog or the search"]];

let left = new AbortController();
let lastUser = "1";

function showNav(current) {
  document.getElementById("nav").replaceChildren(...NAV.map(([view, text, href, key]) =>
    h("a", { href, "aria-current": view === current && "page", title: `${text} (g ${key})` }, text)));
}

// With a broken escape it is of no view.
function place() {
  const told = location.hash.slice(1);
  try {
    return decodeURIComponent(told);
  } catch {
    return told;
  }
}

async function show() {
  left.abort();
  left = new AbortController();
  const { signal } = left;
  const main = document.getElementById("main");
  const path = place();
  const found = VIEWS.map(([pattern, view, name]) => ({ match: pattern.exec(path), view, name })).find(({ match }) => match);
  showNav(found?.name);
  tell("");
  if (!found) {
    main.replaceChildren(notice("There is no such view.", h("p", null, "Ids are whole numbers from 1 on; ", h("a", { href: "#/" }, "the overview"), " leads on.")));
    return;
  }
  if (found.name === "user" || found.name === "graph" || found.name === "edge") [, lastUser] = found.match;
  main.setAttribute("aria-busy", "true");
  try {
    await found.view(main, found.match.slice(1), signal);
  } catch (error) {
    if (!signal.aborted) main.replaceChildren(failure(error, show));
  }
  if (!signal.aborted) main.removeAttribute("aria-busy");
}

function go(hash) {
  if (location.hash === hash) show(); else location.hash = hash;
}

function search(event) {
  event.preventDefault();
  const input = document.getElementById("search-text");
  const text = input.value.trim();
  const ids = text.match(/[0-9]+/g) ?? [];
  const why = document.getElementById("search-why");
  why.textContent = "";
  if (/^[0-9]+:[0-9]+$/.test(text)) go(`#/parked/${text}`);
  else if (ids.length === 1 && /^[0-9]+$/.test(text)) go(`#/user/${ids[0]}`);
  else if (ids.length === 2 && !/[a-z]/i.test(text)) go(`#/edge/${ids[0]}/${ids[1]}`);
  else {
    why.textContent = "One id, two ids, or a position like 3:1042";
    return;
  }
  input.blur();
}

// Chosen: kept on this machine. Not chosen: as the system says.
function showTheme() {
  const chosen = localStorage.getItem("fanfold-theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
  const dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = document.getElementById("theme");
  theme.textContent = dark ? "☀" : "☾";
  theme.setAttribute("aria-label", dark ? "Light" : "Dark");
  return dark;
}

function turnTheme() {
  localStorage.setItem("fanfold-theme", showTheme() ? "light" : "dark");
  showTheme();
}

const AFTER_G = { h: () => "#/", l: () => "#/lanes", g: () => "#/generations", p: () => "#/parked",
  u: () => `#/user/${lastUser}`, r: () => `#/graph/${lastUser}` };
let afterG = false;

function key(event) {
  const typing = event.target.closest?.("input, textarea, select");
  if (event.key === "Escape" && typing) typing.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const leads = afterG ? AFTER_G[event.key] : null;
  afterG = !afterG && event.key === "g";
  if (leads) go(leads());
  else if (event.key === "/") document.getElementById("search-text").focus();
  else if (event.key === "?") showKeys(KEYS);
  else if (event.key === "t") turnTheme();
  else return;
  event.preventDefault();
}

takeTokenFromAddress();
showTheme();
document.getElementById("theme").addEventListener("click", turnTheme);
document.getElementById("help").addEventListener("click", () => showKeys(KEYS));
document.getElementById("search").addEventListener("submit", search);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);
addEventListener("keydown", key);
addEventListener("hashchange", show);
show();
