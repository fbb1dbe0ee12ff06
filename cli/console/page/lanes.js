// Lanes: how far each is, whether it runs, and what to do where one stands.

import { look } from "./api.js";
import { confirmed } from "./dialogs.js";
import { badge, button, count, duration, h, heading, notice, prose, redrawing, replace, section, table, time } from "./dom.js";
import { run } from "./dock.js";

const LOOK_EVERY_MS = 2000;
const STATES = { running: "good", paused: "warn", halted: "bad" };

// Of a lane, or of all of a projection.
const nameOf = (of) => (of.partition === undefined ? of.projection : `${of.projection}/${of.partition}`);
const keyOf = (lane) => `${lane.projection}/${lane.generation}/${lane.shard}/${lane.partition}`;
const adviceOf = (lanes, lane) => lanes.find((one) => keyOf(one) === keyOf(lane))?.advice;

async function order(what, of, changed, more = []) {
  await run(`${what} ${nameOf(of)}`, ["lane", what, nameOf(of), "--generation", String(of.generation), ...more]);
  changed();
}

async function pause(of, changed) {
  const why = h("input", { id: "why", size: 40, placeholder: "moving the disk", maxlength: 200 });
  const content = h("div", null, h("p", null, "It folds nothing, through restarts, until it is resumed; writes are taken meanwhile."), h("label", { for: "why" }, "Reason, for whoever looks "), why);
  if (!(await confirmed(`Pause ${nameOf(of)}?`, content, "Pause"))) return;
  const reason = why.value.trim();
  await order("pause", of, changed, reason ? ["--reason", reason] : []);
}

// Which lanes stand why; those that stand alike together.
function standing(lanes, { status, lanes: advised }) {
  const alike = new Map();
  for (const lane of lanes) {
    const why = JSON.stringify([lane.state, lane.reason, adviceOf(advised, lane) ?? ""]);
    alike.set(why, [...(alike.get(why) ?? []), status.shards > 1 ? `${nameOf(lane)} of shard ${lane.shard}` : nameOf(lane)]);
  }
  return [...alike].map(([why, names]) => {
    const [state, reason, advice] = JSON.parse(why);
    return h("div", null, h("p", null, badge(STATES[state], state), ` ${names.join(", ")}${reason ? `: ${reason}` : ""}`), advice && h("p", { class: "do" }, prose(advice)));
  });
}

// An order to a lane is to those of every shard.
async function resume(of, seen, changed) {
  const meant = seen.status.lanes.filter((lane) => lane.state !== "running" && lane.projection === of.projection && lane.generation === of.generation
    && (of.partition === undefined || lane.partition === of.partition));
  const halted = meant.some((lane) => lane.state === "halted");
  const content = h("div", null, h("p", null, `${meant.length === 1 ? "It goes" : "They go"} on from where ${meant.length === 1 ? "it stands" : "they stand"}.`,
    halted && " One that is halted halts again, unless what is said of it was done."), standing(meant, seen));
  if (!(await confirmed(`Resume ${nameOf(of)}?`, content, "Resume", halted ? "danger" : "primary"))) return;
  await order("resume", of, changed);
}

// It keeps the focus whichever of the two it is. `where`: a lane that stands is shown twice.
const actions = (runs, of, seen, changed, where) => [
  runs ? button("Pause", () => pause(of, changed), { class: "quiet", "aria-label": `Pause ${nameOf(of)}`, "data-focus": `order ${where} ${nameOf(of)}` })
    : button("Resume", () => resume(of, seen, changed), { class: "primary", "aria-label": `Resume ${nameOf(of)}`, "data-focus": `order ${where} ${nameOf(of)}` })];

function projectionsTable(seen, changed) {
  const rate = (one) => (one.events_per_second === undefined ? "–" : `${count(Math.round(one.events_per_second))}/s`);
  return table("Projections", [
    { head: "Projection", cell: (one) => one.projection },
    { head: "Generation", about: "Which making of the tables: a rebuild makes the next one.", number: true, cell: (one) => one.generation },
    { head: "Read", about: "Whether readers answer from this generation.", cell: (one) => (one.read ? badge("info", "read") : "–") },
    { head: "Lanes running", about: "Lanes that run, of all there are: a lane is the work on one partition and shard.", number: true, cell: (one) => `${one.running}/${one.lanes_expected}` },
    { head: "Halted", about: "Lanes that met what they must not pass; each says why, and what to do.", number: true, cell: (one) => (one.halted ? badge("bad", one.halted) : "0") },
    { head: "Lag, events", about: "Events of the log that are not in the tables yet.", number: true, cell: (one) => count(one.lag_events) },
    { head: "Lag, age", about: "The age of the oldest of them.", number: true, cell: (one) => duration(one.lag_ms) },
    { head: "Rate", about: "How fast it falls, told while something lags.", number: true, cell: rate },
    { head: "Left", about: "When it is over at that rate.", number: true, cell: (one) => (one.eta_ms > 0 ? duration(one.eta_ms) : "–") },
    { head: "Open", about: "Work beside the lanes that is begun and not done.", cell: (one) => (one.open ? `${count(one.open.count)} ${one.open.what}` : "") },
    { head: "Orders", hidden: true, cell: (one) => one.lanes > 0 && actions(one.running === one.lanes, one, seen, changed, "projection") },
  ], seen.status.projections, "There is no projection.");
}

// A cell a lane, marked where it lags; `opened` is shown below the row of the one that is chosen.
function grid(status, chosen, choose, opened) {
  const groups = new Map();
  for (const lane of status.lanes) {
    const row = `${lane.projection} ${lane.generation} ${lane.shard}`;
    groups.set(row, [...(groups.get(row) ?? []), lane]);
  }
  const cell = (lane) => h("button", {
    type: "button", class: `lane ${lane.state} ${lane.lag_events > 0 ? "lags" : ""}`, "aria-pressed": String(keyOf(lane) === chosen),
    "aria-expanded": String(keyOf(lane) === chosen), "data-focus": `lane ${keyOf(lane)}`,
    "aria-label": `${nameOf(lane)}, ${lane.state}, lag ${lane.lag_events}`, title: `${nameOf(lane)} · ${lane.state} · lag ${lane.lag_events}`,
    on: { click: () => choose(keyOf(lane)) } }, lane.partition);
  const rows = [...groups.values()].map((lanes) => h("div", { class: "lanes-row" },
    h("span", { class: "label" }, lanes[0].projection, h("small", null, ` generation ${lanes[0].generation}${status.shards > 1 ? `, shard ${lanes[0].shard}` : ""}`)),
    h("span", { class: "cells" }, lanes.sort((a, b) => a.partition - b.partition).map(cell)),
    lanes.some((lane) => keyOf(lane) === chosen) && opened));
  return h("div", { class: "lanes-grid" }, rows);
}

function details(lane, seen, changed, where) {
  const advice = adviceOf(seen.lanes, lane);
  const entry = (term, value) => [h("dt", null, term), h("dd", null, value)];
  return h("article", { class: "card" },
    h("div", { class: "head" }, h("strong", null, `${nameOf(lane)}, generation ${lane.generation}, shard ${lane.shard}`), badge(STATES[lane.state], lane.state), actions(lane.state === "running", lane, seen, changed, where)),
    lane.reason ? h("p", null, lane.reason) : null,
    advice ? h("p", { class: "do" }, prose(advice)) : null,
    h("dl", { class: "facts" }, entry("Role", lane.role), entry("Position", `${count(lane.position)} of ${count(lane.end)}`),
      entry("Lag", `${count(lane.lag_events)} events, ${duration(lane.lag_ms)}`), entry("Owner", `${lane.owner || "–"}, epoch ${lane.owner_epoch}`),
      entry("Moved", time(lane.updated_ms))));
}

export async function showLanes(main, _, signal) {
  let chosen = null;
  let seen = null;
  let drawn = "";
  let pressed = false;
  const follow = h("input", { type: "checkbox", id: "follow", checked: true });
  const content = h("div", { on: { pointerdown: () => { pressed = true; } } });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => { pressed = false; }, { signal });

  const draw = () => {
    const { status } = seen;
    const stand = status.lanes.filter((lane) => lane.state !== "running");
    const one = status.lanes.find((lane) => keyOf(lane) === chosen);
    replace(content,
      projectionsTable(seen, changed),
      ...status.failures.map((text) => notice(text)),
      section("Lanes that stand", stand.length === 0 ? h("p", { class: "dim" }, "None: every lane runs.") : stand.map((lane) => details(lane, seen, changed, "standing"))),
      section("Every lane", h("p", { class: "dim" }, "A cell a partition; choose one for its position and owner, once more to close it."),
        grid(status, chosen, (key) => { chosen = key === chosen ? null : key; draw(); }, one && details(one, seen, changed, "chosen"))));
  };

  async function refresh() {
    try {
      const [{ answer: status }, { answer: { lanes } }] = await Promise.all([look(["status", "--all"], signal), look(["lane", "list"], signal)]);
      const text = JSON.stringify([status, lanes]);
      if (text === drawn) return;  // what is looked at, or about to be clicked, stays where it is
      drawn = text;
      seen = { status, lanes };
    } catch (error) {
      drawn = "";
      if (error.status === 401) follow.checked = false;  // whoever left the question is not asked again
      throw error;
    }
    draw();
  }

  const changed = redrawing(content, refresh, signal);

  await refresh();
  main.replaceChildren(heading("Lanes", h("label", { class: "quiet" }, follow, " Look again every 2 s")), content);
  const again = async () => {
    if (signal.aborted) return;
    if (follow.checked && !document.hidden && !pressed) await changed();
    setTimeout(again, LOOK_EVERY_MS);
  };
  setTimeout(again, LOOK_EVERY_MS);
}
