// The story of one edge: what was asked, what was decided, and the rows that it led to.

import { look } from "./api.js";
import { badge, h, heading, notice, section, table, time } from "./dom.js";
import { drawStory, OUTCOMES } from "./story.js";

const VERDICTS = { agrees: ["good", "agrees"], differs: ["bad", "differs"], not_judged: ["warn", "not judged"] };

const note = (event) => [event.replay_of && `replay of ${event.replay_of}`, event.if_version !== null && `if version ≤ ${event.if_version}`].filter(Boolean).join(", ");

function eventsTable(events, empty) {
  return table("Events of the edge", [
    { head: "Position", about: "Partition and offset of the event in the log.", cell: (event) => event.position },
    { head: "Event", cell: (event) => event.type.replace("_", " ") },
    { head: "Outcome", about: "What was decided about it.", cell: (event) => badge(`outcome ${event.outcome ?? "undecided"}`, `${event.outcome ?? "not decided yet"}${event.reason ? ` (${event.reason})` : ""}`) },
    { head: "Appended", about: "When it came into the log.", cell: (event) => time(event.appended_ms) },
    { head: "At", about: "What the event says of its time: the follow's `since`.", cell: (event) => time(event.at) },
    { head: "By", about: "Who asked: the follower, or whom they follow (a fan who was removed).", cell: (event) => event.by },
    { head: "Note", cell: (event) => note(event) },
  ], events, empty);
}

const rowText = (row) => (row ? `${row.active ? "active" : "inactive"}, version ${row.version}` : "no row");

function rowsTable(rows) {
  return table("The two rows", [
    { head: "Table", cell: (row) => row.projection },
    { head: "Of user", cell: (row) => h("a", { href: `#/user/${row.user_id}` }, row.user_id) },
    { head: "Generation", number: true, cell: (row) => row.generation },
    { head: "Shard", number: true, cell: (row) => row.shard },
    { head: "Row", cell: (row) => rowText(row.row) },
    { head: "Since", cell: (row) => (row.row ? time(row.row.since) : "–") },
    { head: "Count", about: "How many the user has in that list.", number: true, cell: (row) => row.count },
    { head: "Lane", about: "How far the lane is that writes the row.", cell: (row) => (row.lane ? `${row.lane.position} of ${row.lane.end}, ${row.lane.state}` : "none yet") },
    { head: "Verdict", about: "Whether the row is what the outcomes say; not judged while its lane is behind them.", cell: (row) => badge(...VERDICTS[row.verdict]) },
  ], rows, "There are no rows.");
}

function remarks(story) {
  const said = [];
  if (story.rows.some((row) => row.verdict === "differs")) said.push("A row is not what the outcomes say: `fanfold verify` finds every such row, `fanfold repair` mends them.");
  if (story.events_left_out > 0) said.push(`${story.events_left_out} older events are not shown.`);
  if (story.events_begin > 0) said.push(`The log begins at ${story.partition}:${story.events_begin}: what was before is gone.`);
  if (story.unreadable > 0) said.push(`${story.unreadable} records with the key ${story.subject} cannot be read: see the parked ones.`);
  if (!story.strays_are_all) said.push("Not all that is parked was looked at: some may be of this edge.");
  return said.map((text) => notice(text));
}

export async function showEdge(main, [subject, object], signal) {
  main.replaceChildren(heading(`${subject} → ${object}`), h("p", { class: "dim" }, `Reads the log of ${subject} from end to end …`));
  const { answer: story } = await look(["explain", subject, object], signal);
  if (signal.aborted) return;
  const legend = h("ul", { class: "legend" }, OUTCOMES.map((outcome) => h("li", null, badge(`outcome ${outcome}`, outcome))));
  main.replaceChildren(
    heading(`${subject} → ${object}`, h("a", { class: "button", href: `#/user/${subject}` }, subject), h("a", { class: "button", href: `#/user/${object}` }, object),
      h("a", { class: "button", href: `#/edge/${object}/${subject}` }, "The other way")),
    h("p", { class: "dim" }, `Events in partition ${story.partition}, in the order of the log.`),
    h("figure", { class: "scrolled", tabindex: 0, role: "region", "aria-label": "The story along the log" }, drawStory(story), h("figcaption", null, legend)),
    ...remarks(story),
    section("Events", eventsTable(story.events, "No event of it is in the partition: nobody has asked for it.")),
    story.strays.length > 0 ? section("Parked where they do not belong", eventsTable(story.strays, "")) : "",
    section("Rows", rowsTable(story.rows)));
}
