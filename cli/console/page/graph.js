// A user's surroundings: whom they follow, who follows them, and how those relate to each other.

import { read } from "./api.js";
import { badge, h, heading, notice, section, svg, table, tell, time, userLink } from "./dom.js";
import { placed } from "./layout.js";

const OF_EACH = 16;
const NODES_MAX = 60;
const MARGIN = 48;
const RADIUS = 17;
const WIDER = 1.7;  // screens are
const KINDS = { friend: "both follow", following: "is followed", followed_by: "follows" };

async function neighbours(id, signal) {
  const list = (name) => read(`/v1/users/${id}/${name}?limit=${OF_EACH}&expand=profile`, signal);
  const [friends, following, fans] = await Promise.all([list("friends"), list("following"), list("fans")]);
  const found = new Map();
  const add = (kind, { items }) => items.forEach((item) => { if (!found.has(item.user_id)) found.set(item.user_id, { id: item.user_id, kind, since: item.since, name: item.profile?.name }); });
  add("friend", friends);
  add("following", following);
  add("followed_by", fans);
  return [...found.values()].slice(0, NODES_MAX - 1);
}

// [a, b, both]: a follows b; of each pair once.
async function edgesBetween(nodes, signal) {
  const edges = [];
  await Promise.all(nodes.slice(0, -1).map(async (node, a) => {
    const others = nodes.slice(a + 1);
    const { items } = await read(`/v1/users/${node.id}/relations?to=${others.map((other) => other.id).join(",")}`, signal);
    items.forEach((item, at) => {
      const b = a + 1 + at;
      if (item.relation === "friend") edges.push([a, b, true]);
      if (item.relation === "following") edges.push([a, b, false]);
      if (item.relation === "followed_by") edges.push([b, a, false]);
    });
  }));
  return edges;
}

function line([a, b, both], nodes, places) {
  const x = places[b].x - places[a].x;
  const y = places[b].y - places[a].y;
  const distance = Math.hypot(x, y) || 1;
  const off = (RADIUS + 3) / distance;
  const mine = a === 0 || b === 0 ? "mine" : "";
  return svg("line", { class: `tie ${mine}`, x1: places[a].x + x * off, y1: places[a].y + y * off, x2: places[b].x - x * off, y2: places[b].y - y * off,
    "marker-end": "url(#arrow)", "marker-start": both && "url(#arrow)" },
  svg("title", null, `${nodes[a].id} ${both ? "and" : "→"} ${nodes[b].id}`));
}

function node(one, place, index) {
  const label = `User ${one.id}${one.name ? `, ${one.name}` : ""}${index === 0 ? "" : `, ${KINDS[one.kind]}`}`;
  return svg("a", { href: index === 0 ? `#/user/${one.id}` : `#/graph/${one.id}`, class: `node ${one.kind}`, transform: `translate(${place.x} ${place.y})`, "aria-label": label },
    svg("title", null, label), svg("circle", { r: index === 0 ? RADIUS + 5 : RADIUS }), svg("text", { y: 4 }, one.id));
}

function draw(id, nodes, edges) {
  const places = placed(nodes.length, edges.map(([a, b]) => [a, b])).map(({ x, y }) => ({ x: x * WIDER, y }));
  const [left, top] = ["x", "y"].map((axis) => Math.min(...places.map((place) => place[axis])) - MARGIN);
  const [right, bottom] = ["x", "y"].map((axis) => Math.max(...places.map((place) => place[axis])) + MARGIN);
  const arrow = svg("marker", { id: "arrow", viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 6, markerHeight: 6, orient: "auto-start-reverse" }, svg("path", { d: "M0 0 10 5 0 10z" }));
  return svg("svg", { class: "graph", viewBox: `${left} ${top} ${right - left} ${bottom - top}`, role: "group",
    "aria-label": `${nodes.length - 1} users round ${id}; the table below says the same` },
  svg("defs", null, arrow), edges.map((edge) => line(edge, nodes, places)), nodes.map((one, index) => node(one, places[index], index)));
}

function listed(id, nodes) {
  return table(`Who is round user ${id}`, [
    { head: "User", cell: (one) => userLink(one.id, one.name) },
    { head: "How", about: `In view of user ${id}: \`is followed\` by them, \`follows\` them, or both.`, cell: (one) => badge(one.kind, KINDS[one.kind]) },
    { head: "Since", cell: (one) => time(one.since) },
    { head: "Story", hidden: true, cell: (one) => h("a", { href: one.kind === "followed_by" ? `#/edge/${one.id}/${id}` : `#/edge/${id}/${one.id}` }, "story") },
    { head: "Surroundings", hidden: true, cell: (one) => h("a", { href: `#/graph/${one.id}` }, "surroundings") },
  ], nodes, "Nobody is.");
}

export async function showGraph(main, [id], signal) {
  const title = () => heading(`Round user ${id}`, h("a", { class: "button", href: `#/user/${id}` }, "Their lists"));
  main.replaceChildren(title(), h("p", { class: "dim" }, "Asks who is around …"));
  const around = await neighbours(id, signal);
  if (around.length === 0) {
    main.replaceChildren(title(), notice(`Nobody is round user ${id}: they follow nobody, and nobody follows them.`));
    return;
  }
  const nodes = [{ id, kind: "self" }, ...around];
  const edges = await edgesBetween(nodes, signal);
  if (signal.aborted) return;
  const legend = h("ul", { class: "legend" }, Object.entries(KINDS).map(([kind, text]) => h("li", null, badge(kind, text))));
  main.replaceChildren(title(), h("p", { class: "dim" }, `The newest ${OF_EACH} of each list, and who of them follows whom. A node leads to its own surroundings.`),
    h("figure", null, draw(id, nodes, edges), h("figcaption", null, legend)), section("The same as a table", listed(id, around)));
  tell(`${around.length} users, ${edges.length} ties`);
}
