// An edge's story along the log: a dot an event, in its outcome's colour, and the rows at the end.

import { svg } from "./dom.js";

export const OUTCOMES = ["followed", "unfollowed", "unchanged", "rejected", "parked", "undecided"];

const STEP = 132;
const LEFT = 70;
const LINE = 92;
const HEIGHT = 184;
const ROW_WIDTH = 236;
const ROW_HEIGHT = 74;
const EVENTS_MAX = 60;

const clock = (ms) => new Date(ms).toISOString();

function dot(event, x) {
  const outcome = event.outcome ?? "undecided";
  const [partition, offset] = event.position.split(":");
  const when = clock(event.appended_ms);
  return svg("g", { class: `event ${outcome}`, transform: `translate(${x} ${LINE})` },
    svg("title", null, `${event.type} at ${event.position}, ${outcome}${event.reason ? ` (${event.reason})` : ""}, appended ${when}`),
    svg("line", { class: "stem", y1: -14, y2: -30 }),
    svg("text", { class: "what", y: -52 }, event.type.replace("_", " ")),
    svg("text", { class: "outcome", y: -36 }, event.reason ?? outcome),
    svg("circle", { r: 10 }),
    svg("text", { class: "where", y: 32 }, `${partition}:${offset}`),
    svg("text", { class: "when", y: 49 }, when.slice(0, 10)),
    svg("text", { class: "when", y: 64 }, `${when.slice(11, 19)} UTC`));
}

// How many records of others stand between two events.
function gap(before, after, x) {
  const offset = (event) => Number(event.position.split(":")[1]);
  const between = offset(after) - offset(before) - 1;
  if (between <= 0) return null;
  return svg("text", { class: "gap", x: x + STEP / 2, y: LINE - 8 }, `+${between}`);
}

function rowBox(row, x, y) {
  const state = row.row ? (row.row.active ? "active" : "inactive") : "no row";
  const lane = row.lane ? `lane at ${row.lane.position} of ${row.lane.end}, ${row.lane.state}` : "no lane yet";
  return svg("g", { class: `row ${row.verdict}`, transform: `translate(${x} ${y})` },
    svg("title", null, `${row.projection} of user ${row.user_id}: ${state}, ${row.verdict}`),
    svg("rect", { width: ROW_WIDTH, height: ROW_HEIGHT, rx: 8 }),
    svg("text", { x: 14, y: 24, class: "name" }, `${row.projection} of ${row.user_id}`),
    svg("text", { x: 14, y: 43, class: "value" }, row.row ? `${state}, version ${row.row.version}` : state),
    svg("text", { x: 14, y: 61, class: "value" }, lane));
}

export function drawStory(story) {
  const events = story.events.slice(-EVENTS_MAX);
  const at = (index) => LEFT + index * STEP;
  const end = at(Math.max(events.length, 1)) - STEP / 3;
  const width = end + 60 + ROW_WIDTH + 16;
  const middle = LINE;
  const tops = [middle - ROW_HEIGHT - 8, middle + 8];
  return svg("svg", { class: "story", viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img", preserveAspectRatio: "xMinYMid",
    "aria-label": `${events.length} events of ${story.subject} → ${story.object} along partition ${story.partition}, then its rows; the tables below say the same` },
  svg("line", { class: "log", x1: 8, x2: end, y1: middle, y2: middle }),
  svg("path", { class: "log-end", d: `M${end - 8} ${middle - 7} L${end + 2} ${middle} L${end - 8} ${middle + 7}` }),
  events.length === 0 ? svg("text", { class: "gap", x: end / 2, y: middle - 12 }, "no event") : null,
  events.slice(1).map((event, index) => gap(events[index], event, at(index))),
  events.map((event, index) => dot(event, at(index))),
  story.rows.map((row, index) => {
    const y = tops[index % 2];
    return [svg("path", { class: "leads", d: `M${end + 6} ${middle} C${end + 34} ${middle} ${end + 26} ${y + ROW_HEIGHT / 2} ${end + 58} ${y + ROW_HEIGHT / 2}` }),
      rowBox(row, end + 60, y)];
  }));
}
