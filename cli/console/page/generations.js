// Generations of the tables, and rebuilding them.

import { look } from "./api.js";
import { confirmed } from "./dialogs.js";
import { badge, button, count, duration, h, heading, redrawing, replace, table, time } from "./dom.js";
import { run } from "./dock.js";

const STATES = { loading: "warn", folding: "good", side: "info" };

const readOf = (list) => list.find((one) => one.read)?.generation ?? 0;

async function give(step, projection, generation, question, changed) {
  if (question && !(await confirmed(question.title, h("p", null, question.text), question.does, question.kind))) return;
  const takes = generation && ["verify", "rollback", "cancel"].includes(step);
  const args = ["rebuild", step, projection, ...(takes ? ["--generation", String(generation)] : [])];
  await run(`${step} ${projection}`, args, (line) => { if (line.out !== undefined) changed(); });
  changed();
}

const QUESTIONS = {
  promote: (of) => ({ title: `Promote generation ${of.generation} of ${of.projection}?`, text: "It is verified against the topics, then read from then on; with following goes who decides. Reads and writes go on, and a rollback is at once.", does: "Promote" }),
  rollback: (of) => ({ title: `Read generation ${of.generation} of ${of.projection} again?`, text: "What is read now stays, and is folded on.", does: "Roll back", kind: "danger" }),
  retire: (of) => ({ title: `Drop what is before the read generation of ${of.projection}?`, text: "A rollback to it is not possible any more.", does: "Retire", kind: "danger" }),
  cancel: (of) => ({ title: `Drop generation ${of.generation} of ${of.projection}?`, text: "Its tables go; what is read is not touched.", does: "Cancel it", kind: "danger" }),
};

function orders(of, list, changed) {
  const order = (step, text, kind) => button(text, () => give(step, of.projection, of.generation, QUESTIONS[step]?.(of), changed),
    { class: kind, "aria-label": `${text} ${of.projection}, generation ${of.generation}` });
  const read = readOf(list);
  if (of.read) return [order("verify", "Verify", "quiet")];
  if (of.state === "loading") return [order("start", "Go on", "primary"), order("cancel", "Cancel", "danger")];
  if (of.state === "side") return [order("cancel", "Cancel", "danger")];
  if (of.generation > read) return [order("verify", "Verify", "quiet"), order("promote", "Promote", "primary"), order("cancel", "Cancel", "danger")];
  return [order("rollback", "Roll back", "danger"), order("retire", "Retire", "quiet")];
}

// `explains`: of several tables one says what the columns tell.
function generationsTable(projection, list, lanes, changed, explains) {
  const lag = (of) => lanes.find((one) => one.projection === of.projection && one.generation === of.generation);
  const lagText = (of) => {
    const found = lag(of);
    if (!found || found.lanes === 0) return "–";
    return found.lag_events ? `${count(found.lag_events)} events, ${duration(found.lag_ms)}` : "caught up";
  };
  const columns = [
    { head: "Generation", about: "Which making of the tables.", cell: (of) => of.generation },
    { head: "State", about: "`loading`: a rebuild fills it; `folding`: it follows the log; `side`: it stands still, of a moment in the past.", cell: (of) => badge(STATES[of.state] ?? "", of.state) },
    { head: "Read", about: "Whether readers answer from it.", cell: (of) => (of.read ? badge("info", "read") : "–") },
    { head: "Decides", about: "Whether its lanes decide what becomes of events.", cell: (of) => (of.decides ? "yes" : "–") },
    { head: "Lag", about: "What of the log is not in it yet.", cell: lagText },
    { head: "As of", about: "Of a side generation: the moment it shows.", cell: (of) => (of.until_ms === null ? "–" : time(of.until_ms)) },
    { head: "Orders", hidden: true, cell: (of) => h("div", { class: "orders" }, orders(of, list, changed)) },
  ];
  return table(`Generations of ${projection}`, explains ? columns : columns.map((column) => ({ ...column, about: null })), list, "There is none: `fanfold init` makes the first.");
}

function ofProjection(projection, list, lanes, changed, explains) {
  const isMaking = list.some((of) => of.generation > readOf(list) && of.state !== "side");
  return h("section", null, h("div", { class: "heading" }, h("h2", null, projection),
    isMaking ? "" : button(`Rebuild ${projection}`, () => give("start", projection, 0, null, changed), { class: "quiet" })), generationsTable(projection, list, lanes, changed, explains));
}

export async function showGenerations(main, _, signal) {
  const content = h("div");
  let last = 0;
  // Each step of a rebuild asks for it; an older answer never covers a newer one.
  const refresh = async () => {
    const mine = ++last;
    const [{ answer: { generations } }, { answer: { projections } }] = await Promise.all([look(["rebuild", "status"], signal), look(["status"], signal)]);
    if (mine !== last || signal.aborted) return;
    const names = [...new Set(generations.map((of) => of.projection))];
    replace(content, ...names.map((name, at) => ofProjection(name, generations.filter((of) => of.projection === name), projections, changed, at === 0)));
  };
  const changed = redrawing(content, refresh, signal);
  await refresh();
  main.replaceChildren(heading("Generations"),
    h("p", { class: "dim" }, "A rebuild makes the next generation of a projection's tables beside the one that is read, from the topics, while reads and writes go on. ",
      "Then it is verified and promoted. One that was interrupted goes on where it was."), content);
}
