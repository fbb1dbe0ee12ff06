// A user: who they are, their lists, relations and feed.

import { read } from "./api.js";
import { badge, button, count, failure, focusOn, h, heading, notice, replace, table, time, userLink } from "./dom.js";

const PAGE = 20;
const TABS = [["following", "Following"], ["fans", "Fans"], ["friends", "Friends"], ["feed", "Feed"], ["posts", "Posts"]];
const RELATIONS = { none: "neither follows the other", following: "follows, is not followed", followed_by: "is followed, does not follow", friend: "each follows the other", self: "the very same" };

const edgeLink = (subject, object, text) => h("a", { href: `#/edge/${subject}/${object}` }, text);

const isUnknown = (user) => !user.deleted && !user.profile && user.following + user.fans === 0;

// What is so of whoever has nothing there.
function emptyText(user, tab) {
  const who = `User ${user.user_id}`;
  if (user.deleted) return `The account of user ${user.user_id} ${user.erase === "running" ? "is ending: what it had goes" : "has ended: it has nothing any more"}.`;
  const hint = isUnknown(user) ? " Nobody follows them either, and they have no profile: is the id right?" : "";
  if (tab === "fans") return isUnknown(user) ? `Nobody follows ${who.toLowerCase()}, who follows nobody and has no profile: is the id right?` : `Nobody follows ${who.toLowerCase()}.`;
  if (tab === "posts") return `${who} has published nothing.`;
  if (user.following === 0) return `${who} follows nobody${tab === "following" ? "" : `, so there ${tab === "feed" ? "is nothing to read" : "are no friends"}`}.${hint}`;
  return tab === "friends" ? `Nobody whom user ${user.user_id} follows follows back.` : `Nobody whom user ${user.user_id} follows has published anything.`;
}

function listTable(id, list, items, empty) {
  const other = (item) => item.user_id;
  return table(`${list} of user ${id}`, [
    { head: "User", cell: (item) => userLink(other(item), item.profile?.name) },
    { head: "Since", about: "When the follow was made; a friend's: the later of the two.", cell: (item) => time(item.since) },
    { head: "Relation", about: `Of user ${id} to that user.`, cell: (item) => badge(item.relation, RELATIONS[item.relation] === undefined ? item.relation : item.relation.replace("_", " ")) },
    { head: "Story", hidden: true, cell: (item) => list === "fans" ? edgeLink(other(item), id, "story") : edgeLink(id, other(item), "story") },
  ], items, empty);
}

function posts(items, withAuthor, empty) {
  if (items.length === 0) return notice(empty);
  return h("ol", { class: "posts" }, items.map((post) => h("li", null,
    h("div", { class: "head" }, withAuthor && userLink(post.author, post.profile?.name), h("span", { class: "dim" }, time(post.score), ` · post ${post.post_id}`)),
    h("p", null, post.content))));
}

// One page after another: each adds to what is shown.
function pages(first, next, draw) {
  const root = h("div");
  let items = [];
  let path = first;
  const more = async () => {
    const asked = root.querySelector("button");
    const held = asked && asked === document.activeElement;  // which a button that is disabled loses
    if (asked) asked.disabled = true;
    try {
      const page = await read(path);
      items = items.concat(page.items);
      path = next(page);
      replace(root, draw(items), path ? button("More", more, { class: "more", "data-focus": "more" }) : "");
      if (held) focusOn("more", root);
    } catch (error) {
      replace(root, items.length > 0 ? draw(items) : "", failure(error, more));
    }
  };
  return { root, more };
}

function listOf(user, tab) {
  const id = user.user_id;
  const empty = emptyText(user, tab);
  const base = `/v1/users/${id}/${tab}?limit=${PAGE}`;
  const by = (path, cursor, name) => (cursor ? `${path}&${name}=${cursor}` : null);
  if (tab === "feed") {
    const path = `${base}&expand=profile`;
    return pages(path, (page) => (page.has_older ? by(path, page.after, "after") : null),
      (items) => posts(items, true, empty));
  }
  if (tab === "posts") return pages(base, (page) => by(base, page.next_cursor, "cursor"), (items) => posts(items, false, empty));
  const path = `${base}&expand=profile&viewer=${id}`;
  return pages(path, (page) => by(path, page.next_cursor, "cursor"), (items) => listTable(id, tab, items, empty));
}

function tabs(id, current, user) {
  return h("nav", { class: "tabs", "aria-label": `Of user ${id}` }, TABS.map(([tab, text]) =>
    h("a", { href: `#/user/${id}/${tab}`, "aria-current": tab === current && "page" }, text,
      user[tab] !== undefined && h("span", { class: "count" }, count(user[tab])))));
}

function compare(id) {
  const other = h("input", { id: "other", inputmode: "numeric", pattern: "[1-9][0-9]*", required: true, size: 12, placeholder: "id" });
  const said = h("p", { role: "status" });
  const ask = async (event) => {
    event.preventDefault();
    try {
      const { items: [item] } = await read(`/v1/users/${id}/relations?to=${encodeURIComponent(other.value.trim())}`);
      said.replaceChildren(badge(item.relation, item.relation.replace("_", " ")), ` ${RELATIONS[item.relation] ?? item.relation} · `,
        edgeLink(id, item.user_id, `${id} → ${item.user_id}`), " · ", edgeLink(item.user_id, id, `${item.user_id} → ${id}`));
    } catch (error) {
      said.replaceChildren(error.message);
    }
  };
  return h("div", { class: "compare" }, h("form", { class: "row", on: { submit: ask } }, h("label", { for: "other" }, "Relation to user"), other, h("button", { type: "submit" }, "Ask"), said));
}

export async function showUser(main, [id, tab = "following"], signal) {
  const user = await read(`/v1/users/${id}`, signal);
  const { root, more } = listOf(user, tab);
  const name = user.profile?.name;
  main.replaceChildren(
    heading(name ?? `User ${id}`, name && h("span", { class: "id" }, id), user.profile?.verified && badge("good", "verified"),
      user.deleted && badge("bad", user.erase === "running" ? "account is ending" : "account has ended"),
      h("a", { class: "button", href: `#/graph/${id}` }, "Surroundings")),
    user.profile?.bio ? h("p", { class: "dim" }, user.profile.bio) : "",
    compare(id), tabs(id, tab, user), root);
  await more();
}
