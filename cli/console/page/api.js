// The two things that the page asks for: reads of the API, and verbs.

import { askForToken } from "./dialogs.js";

const TOKEN = "fanfold-token";
const BUSY_TRIES = 8;
const BUSY_WAIT_MS = 500;

export class Failed extends Error {
  constructor(status, code, detail) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

// `fanfold console` tells an address with a token behind the #; it leaves the address bar at once.
export function takeTokenFromAddress() {
  const told = /^#token=([\w.-]+)/.exec(location.hash);
  if (!told) return;
  sessionStorage.setItem(TOKEN, told[1]);
  history.replaceState(null, "", location.pathname);
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

let asking = null;
async function newToken(why) {
  asking ??= askForToken(why).finally(() => { asking = null; });
  const token = await asking;
  if (token) sessionStorage.setItem(TOKEN, token);
  return Boolean(token);
}

async function failedBy(answer) {
  const text = await answer.text();
  try {
    const problem = JSON.parse(text);
    return new Failed(answer.status, problem.code, problem.detail || problem.title);
  } catch {
    return new Failed(answer.status, "", text || answer.statusText);
  }
}

async function ask(path, options) {
  for (let tries = 0; ; ++tries) {
    const token = sessionStorage.getItem(TOKEN);
    const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    let answer;
    try {
      answer = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Failed(0, "", "Fanfold does not answer: is the process that gave this page still there?");
    }
    if (answer.ok) return answer;
    const failed = await failedBy(answer);
    const isNew = sessionStorage.getItem(TOKEN) !== token;
    if (failed.status === 401 && (isNew || (await newToken(failed.message)))) continue;
    if (failed.code !== "overloaded" || tries >= BUSY_TRIES) throw failed;
    await pause(BUSY_WAIT_MS);
  }
}

// `target`: "/v1/users/1/counts".
export async function read(target, signal) {
  const answer = await ask(`read?of=${encodeURIComponent(target)}`, { signal });
  return answer.json();
}

async function* linesOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    yield* lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  }
}

// Runs a verb; `told` hears each line as it comes. Gives {exit, out, said}: `out` is what stdout said, as values.
export async function verb(args, { signal, told } = {}) {
  const answer = await ask("verbs", {
    method: "POST", signal, headers: { "Content-Type": "application/json" }, body: JSON.stringify({ args }) });
  const ran = { exit: null, out: [], said: [] };
  for await (const line of linesOf(answer.body)) {
    if (line.out !== undefined) ran.out.push(JSON.parse(line.out));
    if (line.said !== undefined) ran.said.push(line.said.replace(/^fanfold: /, ""));
    if (line.exit !== undefined) ran.exit = line.exit;
    told?.(line);
  }
  if (ran.exit === null) throw new Failed(0, "", "The verb was cut off before its end");
  return ran;
}

// What a verb that looks answers; an error where it says nothing but errors.
export async function look(args, signal) {
  const ran = await verb(args, { signal });
  if (ran.out.length === 0) throw new Failed(0, "", ran.said.join("; ") || `fanfold ${args.join(" ")}: exit ${ran.exit}`);
  return { ...ran, answer: ran.out[0] };
}
