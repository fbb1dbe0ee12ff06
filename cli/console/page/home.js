// How everything is, at a glance.

import { look, read } from "./api.js";
import { badge, button, count, duration, failure, h, heading, prose, replace, section, table } from "./dom.js";

const sum = (list, of) => list.reduce((all, one) => all + one[of], 0);

function tile(href, value, text, kind) {
  return h("a", { class: `tile ${kind}`, href }, h("b", null, value), h("span", null, text));
}

// Those that nobody has ever claimed stand, too.
function runText(lanes, stand) {
  if (lanes === 0) return "no lane has started";
  if (stand === 0) return "lanes run";
  return stand === 1 ? "1 lane stands" : `${count(stand)} lanes stand`;
}

function tiles(status, parked) {
  const read = status.projections.filter((one) => one.read);
  const expected = sum(read, "lanes_expected");
  const running = sum(read, "running");
  const lag = sum(read, "lag_events");
  const age = Math.max(0, ...read.map((one) => one.lag_ms));
  const other = status.projections.length - read.length;
  const records = `${parked.items.length}${parked.more ? "+" : ""}`;
  return h("div", { class: "tiles" },
    tile("#/lanes", `${count(running)}/${count(expected)}`, runText(sum(read, "lanes"), expected - running), expected > running || expected === 0 ? "bad" : "good"),
    tile("#/lanes", count(lag), lag ? `events behind, ${duration(age)}` : "events behind", lag ? "warn" : "good"),
    tile("#/parked", records, "records parked", parked.items.length ? "warn" : "good"),
    tile("#/generations", count(other), other === 1 ? "generation beside those read" : "generations beside those read", other ? "info" : ""));
}

const KINDS = { ok: "good", warning: "warn", problem: "bad", unknown: "warn" };

function checks(found) {
  const rank = ["problem", "unknown", "warning", "ok"];
  const sorted = [...found.checks].sort((a, b) => rank.indexOf(a.level) - rank.indexOf(b.level));
  return table("What the doctor has found", [
    { head: "Check", cell: (check) => check.name },
    { head: "Level", about: "`ok`; `warning`: it works, and rests on less than it should; `problem`: something does not work, or data is in danger; `unknown`: it could not be looked at from here.", cell: (check) => badge(KINDS[check.level] ?? "", check.level) },
    { head: "Found, and what to do", cell: (check) => check.findings.length === 0 ? check.text
      : check.findings.map((one) => h("p", null, prose(one.what), one.do && h("span", { class: "do" }, prose(one.do)))) },
  ], sorted, "Nothing is looked at.");
}

// Who they are in the sample; nobody else has lists as long as theirs there.
const VOTER = { id: "2565", following: 800 };
const ELECTED = { id: "4037", fans: 400 };

// Is the sample loaded here?
async function hasSample(signal) {
  try {
    const { items: [voter, elected] } = await read(`/v1/counts?ids=${VOTER.id},${ELECTED.id}`, signal);
    return voter.following >= VOTER.following && elected.fans >= ELECTED.fans;
  } catch {
    return false;
  }
}

function examples(sample) {
  const links = [[`#/user/${VOTER.id}`, "who voted most"], [`#/user/${ELECTED.id}`, "whom most voted for"],
    [`#/edge/${VOTER.id}/${ELECTED.id}`, "the story of an edge"], [`#/graph/${VOTER.id}`, "a user's surroundings"]];
  return section("Where to begin", h("p", null, "Type a user's id into the search, or two for the story of an edge.",
    sample && [" In the sample: ", links.map(([href, text], at) => [at ? ", " : "", h("a", { href }, text)]), "."]));
}

export async function showHome(main, _, signal) {
  const doctor = h("div", { "aria-live": "polite" }, h("p", { class: "dim" }, "The doctor looks …"));
  const [{ answer: status }, { answer: parked }, sample] = await Promise.all(
    [look(["status"], signal), look(["parked", "list"], signal), hasSample(signal)]);
  const examine = async () => {
    try {
      const { answer } = await look(["doctor"], signal);
      replace(doctor, checks(answer));
    } catch (error) {
      if (!signal.aborted) replace(doctor, failure(error, examine));
    }
  };
  main.replaceChildren(heading("Overview"), tiles(status, parked), examples(sample),
    h("section", null, h("div", { class: "heading" }, h("h2", null, "Doctor"), button("Look again", examine, { class: "quiet" })), doctor));
  await examine();
}
