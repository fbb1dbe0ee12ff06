// Verbs that give orders or last: each a card that goes on while views change.

import { verb } from "./api.js";
import { button, count, duration, focusName, focusOn, h, tell } from "./dom.js";

const KEPT_MAX = 4;
let running = 0;

addEventListener("beforeunload", (event) => {
  if (running > 0) event.preventDefault();  // leaving would interrupt them
});

const ENDS = ["done", "failed", "not finished", "refused"];

function endText(exit, args) {
  const compares = args.includes("verify") || args[0] === "repair";
  return exit === 2 && compares ? "differences found" : ENDS[exit] ?? `exit ${exit}`;
}

function progressText(state) {
  if (state.text) return state.text;
  const rate = state.elapsed_ms > 0 ? ` · ${count(Math.round((state.items * 1000) / state.elapsed_ms))}/s` : "";
  return `${count(state.items)} ${state.items_name}${rate}`;
}

function stepText(step) {
  if (step.step) return `${step.projection} generation ${step.generation} ${step.step} · ${duration(step.elapsed_ms)}`;
  if (step.items && step.replayed !== undefined) {
    return step.items.map((item) => `${item.position}: ${item.result}${item.new_position ? ` as ${item.new_position}` : ""}${item.detail ? `, ${item.detail}` : ""}`).join("\n");
  }
  if (step.differences !== undefined) return `differences: ${step.differences}`;
  return "";
}

class Card {
  constructor(title, args, stop) {
    this.before = focusName(document.activeElement);
    this.state = h("span", { class: "state" }, "running");
    this.bar = h("progress", { "aria-label": `How far ${title} is` });
    this.far = h("span", { class: "dim" });
    this.lines = h("ol", { class: "lines" });
    this.end = button("Stop", stop, { class: "quiet", title: "As Ctrl-C does" });
    this.root = h("article", { class: "card running", "aria-label": title },
      h("div", { class: "head" }, h("strong", null, title), this.state, this.end),
      h("code", { class: "dim" }, `fanfold ${args.join(" ")}`), this.bar, this.far, this.lines);
  }

  hear(line) {
    if (line.progress) {
      const { done, total } = line.progress;
      if (total > 0) {
        this.bar.max = total;
        this.bar.value = Math.min(done, total);
      } else {
        this.bar.removeAttribute("value");
      }
      this.far.textContent = progressText(line.progress);
    }
    const text = line.said ?? (line.out === undefined ? "" : stepText(JSON.parse(line.out)));
    if (!text) return;
    this.lines.append(h("li", null, text.replace(/^fanfold: /, "")));
    this.lines.scrollTop = this.lines.scrollHeight;
  }

  over(text, kind) {
    this.root.classList.replace("running", kind);
    this.state.textContent = text;
    this.bar.remove();
    this.far.remove();
    const close = () => {
      this.root.remove();
      fit();
      focusOn(this.before);
    };
    const all = button("All lines", () => {
      all.remove();
      this.root.classList.add("open");
      fit();
    }, { class: "quiet" });
    this.end.replaceWith(h("span", { class: "orders" }, this.lines.childElementCount > 1 && all, button("Close", close, { class: "quiet" })));
    fit();
  }
}

// What stands behind the dock can be scrolled above it.
function fit() {
  const dock = document.getElementById("dock");
  dock.hidden = dock.childElementCount === 0;
  document.body.style.setProperty("padding-bottom", `${dock.offsetHeight}px`);
}

// Runs a verb in the dock; `heard` is told each line, too. Gives what verb() gives, or null where it failed.
export async function run(title, args, heard) {
  const aborted = new AbortController();
  const card = new Card(title, args, () => aborted.abort());
  const dock = document.getElementById("dock");
  dock.prepend(card.root);
  while (dock.childElementCount > KEPT_MAX && !dock.lastChild.classList.contains("running")) dock.lastChild.remove();
  fit();
  ++running;
  try {
    const ran = await verb(args, { signal: aborted.signal, told: (line) => { card.hear(line); heard?.(line); } });
    const end = endText(ran.exit, args);
    card.over(end, ran.exit === 0 ? "fine" : "failed");
    tell(`${title}: ${end}`);
    return ran;
  } catch (error) {
    const stopped = error.name === "AbortError";
    if (!stopped) card.hear({ said: error.message });
    card.over(stopped ? "stopped" : "failed", "failed");
    tell(`${title}: ${stopped ? "stopped" : error.message}`);
    return null;
  } finally {
    --running;
  }
}
