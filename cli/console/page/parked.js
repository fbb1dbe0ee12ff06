// Records that nobody could decide or apply: look at them, replay or drop them.

import { look, verb } from "./api.js";
import { confirmed, say } from "./dialogs.js";
import { badge, button, failure, h, heading, redrawing, replace, section, table, time } from "./dom.js";
import { run } from "./dock.js";

const LIMIT = 200;

const of = (item) => [item.position, "--projection", item.projection];

function replayText(answer, said) {
  const lines = (answer?.items ?? []).map((item) => `${item.position}: ${item.type ? `${item.type} ${item.subject} → ${item.object}` : ""} ${item.result.replace("_", " ")}${item.detail ? ` (${item.detail})` : ""}`);
  return [...lines, ...said].join("\n") || "Nothing is parked that could be replayed.";
}

// What it would do is told before it is asked.
async function replay(which, title, changed) {
  let tried;
  try {
    tried = await verb(["parked", "replay", ...which, "--dry-run"]);
  } catch (error) {
    say(`${title}: nothing was replayed`, failure(error));
    return;
  }
  const content = h("div", null, h("p", null, "Each becomes a new event of its subject, with the time it was meant for; the record and its row stay."), h("pre", null, replayText(tried.out[0], tried.said)));
  if (!(await confirmed(`Replay ${title}?`, content, "Replay"))) return;
  await run(`replay ${title}`, ["parked", "replay", ...which]);
  changed();
}

async function drop(item, changed) {
  const content = h("p", null, "Its row is forgotten; its bytes stay in the topic, and what was decided about it stays decided.");
  if (!(await confirmed(`Drop ${item.position}?`, content, "Drop", "danger"))) return;
  await run(`drop ${item.position}`, ["parked", "drop", ...of(item)]);
  changed(item.position);
}

function listTable(items, more, changed) {
  const parked = table("Parked records", [
    { head: "Position", about: "Partition and offset of the record in its topic.", cell: (item) => h("a", { href: `#/parked/${item.position}` }, item.position) },
    { head: "Topic", cell: (item) => item.topic },
    { head: "Projection", about: "Whose lane set it aside.", cell: (item) => item.projection },
    { head: "Reason", about: "Why it could be neither decided nor applied. Replay is offered where the record can be read, and is a follow or an unfollow.", cell: (item) => badge("warn", item.reason.replaceAll("_", " ")) },
    { head: "Appended", about: "When the record came into the topic.", cell: (item) => time(item.appended_ms) },
    { head: "Key", about: "Of the record: the user whose partition it should be in.", cell: (item) => h("code", null, item.key) },
    { head: "Detail", cell: (item) => item.detail },
    { head: "Orders", hidden: true, cell: (item) => h("div", { class: "orders" },
      item.replayable && button("Replay", () => replay(of(item), item.position, changed), { class: "primary", "aria-label": `Replay ${item.position}` }),
      button("Drop", () => drop(item, changed), { class: "danger", "aria-label": `Drop ${item.position}` })) },
  ], items, "Nothing is parked: every record could be decided and applied.");
  return h("div", null, parked,
    more && h("p", { class: "dim" }, `The first ${LIMIT} are shown.`),
    items.filter((item) => item.replayable).length > 1 && button("Replay all", () => replay(["--all"], "all that are parked", changed), { class: "more" }));
}

function record(item) {
  const entry = (term, value) => [h("dt", null, term), h("dd", null, value)];
  const bytes = (text) => (text === null ? h("em", null, "none") : h("pre", null, text));
  return h("article", { class: "card" }, h("dl", { class: "facts" },
    entry("Projection", `${item.projection}, generation ${item.generation}, shard ${item.shard}`), entry("Topic", item.topic), entry("Reason", badge("warn", item.reason)),
    entry("Detail", item.detail || "–"), entry("Event id", item.event_id || "–"), entry("Appended", time(item.appended_ms)),
    item.record ? [entry("Key", bytes(item.record.key)), entry("Value", bytes(item.record.value))] : entry("Record", "is not in the log any more")));
}

export async function showParked(main, [position], signal) {
  const content = h("div");
  const refresh = async () => {
    const { answer } = await look(["parked", "list", "--limit", String(LIMIT)], signal);
    replace(content, listTable(answer.items, answer.more, changed));
  };
  const redraw = redrawing(content, refresh, signal);
  // What is shown above the list goes with its row.
  const changed = (dropped) => { if (dropped !== undefined && dropped === position) location.hash = "#/parked"; else redraw(); };
  const shown = position ? (await look(["parked", "show", position], signal)).answer.items : [];
  await refresh();
  main.replaceChildren(heading("Parked records"),
    h("p", { class: "dim" }, "A record nobody can read is set aside with its position and reason; its bytes stay in the topic. The story of its edge tells what became of one that was replayed."),
    position ? h("section", null, h("div", { class: "heading" }, h("h2", null, position), h("a", { class: "button", href: "#/parked" }, "Close")), shown.map(record)) : "",
    section("All of them", content));
}
