"""Feeds: random histories against everything sorted, on servers with kills and in one process.

FANFOLD_FEED_HISTORIES=n: so many of each kind, one after the other."""

import collections
import functools
import json
import os
import random
import unittest

import fanfold
from fanfold import wait_until
from tiers import rest

OWNERS = range(1, 9)
BATCH_MAX = 40
LIMITS = (1, 3, 20, 200)
QUIET = 9  # one owner follows this user, and nobody else ever does: an inbox covers the user for sure
# Of eight, some authors have too many fans at times; memory holds nobody's posts, so that inboxes are looked into.
HYBRID = {"FANFOLD_FEED": "hybrid", "FANFOLD_PUSH_FANS_MAX": "5", "FANFOLD_INBOX_LENGTH": "20", "FANFOLD_POSTS_MIB": "0"}
HISTORIES = int(os.environ.get("FANFOLD_FEED_HISTORIES", "1"))


def each_history(test):
    """Each on its own deployment."""
    @functools.wraps(test)
    def all_of_them(self):
        for _ in range(HISTORIES - 1):
            test(self)
            self.doCleanups()
            self.setUp()
        test(self)
    return all_of_them


class Model:
    """Who follows whom, every post there ever was, and what was shown to whom."""

    def __init__(self, randomness):
        self.random = randomness
        self.follows = collections.defaultdict(set)
        self.posts = collections.defaultdict(dict)  # by author: id → [score, content, is there]
        self.shown = collections.defaultdict(dict)  # by owner: (author, post), as they were first shown

    def user(self):
        return self.random.choice(OWNERS)

    def relation_event(self):
        subject, object_ = self.random.sample(OWNERS, 2)
        if self.random.random() < 0.7:
            self.follows[subject].add(object_)
            return {"type": "follow", "subject": str(subject), "object": str(object_)}
        self.follows[subject].discard(object_)
        return {"type": "unfollow", "subject": str(subject), "object": str(object_)}

    def post_event(self):
        author, post = self.user(), self.random.randint(1, 60)
        posts = self.posts[author]
        if self.random.random() < 0.25:
            if post in posts:
                posts[post][2] = False
            return {"type": "delete_post", "author": str(author), "post_id": str(post)}
        score = self.random.randint(1, 30)  # late ones and equal ones
        content = f"{author}/{post}/{score}"
        posts.setdefault(post, [score, content, True])
        return {"type": "post", "author": str(author), "post_id": str(post), "content": content, "at": score}

    def shown_items(self, owner):
        """Some of what comes next, and what nobody would show: posts of others, old, deleted or unknown ones."""
        items = [key[1:] for key in self.latest(owner)[:self.random.randint(0, 3)]]
        items += [(self.user(), self.random.randint(1, 70)) for _ in range(self.random.randint(0, 4))]
        for item in items:
            self.shown[owner].setdefault(item)
        return [{"author": str(author), "post_id": str(post)} for author, post in items]

    def history(self, owner):
        posts = ((author, post, self.posts[author].get(post)) for author, post in reversed(self.shown[owner]))
        return [(found[0], author, post) for author, post, found in posts if found and found[2]]

    def feed(self, owner, friends=False, with_self=False):
        authors = {a for a in self.follows[owner] if not friends or owner in self.follows[a]}
        authors |= {owner} if with_self else set()
        keys = [(score, author, post) for author in authors
                for post, (score, _, there) in self.posts[author].items() if there]
        return sorted(keys, reverse=True)

    def latest(self, owner):
        newest = {}
        for key in self.feed(owner):
            newest.setdefault(key[1], key)
        return sorted((key for key in newest.values() if key[1:] not in self.shown[owner]), reverse=True)


def key_of(item):
    return item["score"], int(item["author"]), int(item["post_id"])


class Feed(fanfold.Case):
    def setUp(self):
        self.seed = random.randrange(1 << 32)
        self.model = Model(random.Random(self.seed))
        self.addCleanup(lambda: self.has_failed() and print("seed", self.seed))

    def send(self, made, path, events):
        """Where the last event of each partition is."""
        def sent():
            status, _, answer = made.writer().request("POST", path, json.dumps({"events": events}))
            return answer if status == 202 and all("position" in r for r in answer["results"]) else None
        last = {}
        for result in wait_until(sent, f"{path} takes {len(events)} events")["results"]:
            partition, offset = result["position"].rsplit(":", 1)
            last[partition] = offset
        return [f"{partition}:{offset}" for partition, offset in last.items()]

    def some_events(self, made):
        some = lambda make: [make() for _ in range(self.model.random.randint(1, BATCH_MAX))]
        at = self.send(made, "/v1/events", some(self.model.relation_event))
        at += self.send(made, "/v1/post-events", some(self.model.post_event))
        return ",".join(at + self.show(made))

    def show(self, made):
        """To one of them, and where that is."""
        owner = self.model.user()
        body = json.dumps({"items": self.model.shown_items(owner)})

        def told():
            status, headers, _ = made.writer().request("POST", f"/v1/users/{owner}/feed/shown", body)
            return headers["Fanfold-Position"] if status == 202 else None
        return [wait_until(told, "the writer takes what was shown")]

    def check_page(self, page, keys):
        self.assertEqual([key_of(item) for item in page["items"]], keys)
        for item in page["items"]:
            _, content, _ = self.model.posts[int(item["author"])][int(item["post_id"])]
            self.assertEqual(item["content"], content)

    def walk(self, made, at, path, limit, keys):
        """Down to the first post ever, and up again."""
        reader, page, walked = made.reader(), None, []
        while page is None or page["has_older"]:
            after = f"&after={page['after']}" if page else ""
            page = reader.get_at(at, f"{path}limit={limit}{after}")
            walked += page["items"]
            self.assertEqual(page["has_newer"], len(walked) > len(page["items"]))
        self.check_page({"items": walked}, keys)
        up = page["items"]
        while page["has_newer"]:
            page = reader.get_at(at, f"{path}limit={limit}&before={page['before']}")
            up = page["items"] + up
        self.check_page({"items": up}, keys)

    def check_owner(self, made, at, owner):
        path, limit = f"/v1/users/{owner}/feed", self.model.random.choice(LIMITS)
        self.walk(made, at, f"{path}?", limit, self.model.feed(owner))
        self.walk(made, at, f"{path}?of=friends&", limit, self.model.feed(owner, friends=True))
        self.walk(made, at, f"{path}?include=self&", limit, self.model.feed(owner, with_self=True))
        self.check_page({"items": list(made.reader().pages(f"{path}/latest?min_position={at}", limit))},
                        self.model.latest(owner))
        self.check_page({"items": list(made.reader().pages(f"{path}/history?min_position={at}", limit))},
                        self.model.history(owner))
        self.check_unread(made, at, owner)

    def check_unread(self, made, at, owner):
        feed = self.model.feed(owner)
        if not feed:
            return
        page = made.reader().get_at(at, f"/v1/users/{owner}/feed?limit={min(len(feed), 7)}")
        told = made.reader().get_at(at, f"/v1/users/{owner}/feed/unread?since={page['after']}")
        self.assertEqual(told, {"count": len(page["items"]) - 1, "more": False})
        from_the_first = made.reader().get_at(at, f"/v1/users/{owner}/feed/unread")
        self.assertEqual(from_the_first["count"], min(len(feed), 1000))

    def check_history(self, made, rounds, between=lambda: None):
        for _ in range(rounds):
            at = self.some_events(made)
            between()
            for owner in OWNERS:
                self.check_owner(made, at, owner)

    @each_history
    def test_histories_in_one_process(self):
        made = self.embedded()
        self.check_history(made, 12)

        def kill():
            made.processes["serve"].kill()
            made.start()
        self.check_history(made, 3, kill)

    @each_history
    def test_histories_on_two_shards_with_kills(self):
        made = self.deployment(shards=2)
        self.check_history(made, 6)

        def kill():
            name = self.model.random.choice(["projector-posts-1", "projector-following-1", "projector-feed-1", "reader",
                                              "writer"])
            made.processes[name].kill()
            if name.startswith("projector"):
                made.start_projector(name.split("-")[1])
            else:
                made.start(name, f"fanfold-{name}")
            wait_until(made.processes[name].is_ready, f"{name} ready", fanfold.START_TIMEOUT_S)
        self.check_history(made, 5, kill)

    def told_by_inboxes(self, made):
        return made.processes[made.READER].metric("fanfold_reader_inboxes_total")

    def check_inboxes(self, made):
        """Everybody looks; then feeds are told by inboxes, too, and are the same."""
        self.model.follows[OWNERS[0]].add(QUIET)
        events = [self.model.relation_event() for _ in range(BATCH_MAX)]
        self.send(made, "/v1/events", [{"type": "follow", "subject": str(OWNERS[0]), "object": str(QUIET)}, *events])
        made.settle()
        owners = [owner for owner in OWNERS if self.model.follows[owner]]
        for owner in owners:
            status, _, _ = made.writer().request("POST", f"/v1/users/{owner}/feed/shown", '{"items":[]}')
            self.assertEqual(status, 202)
        read = dict(made.sql(0, "SELECT projection, generation FROM catalog_reads"))
        stand = "/".join(read.get(name, "1") for name in ("inboxes", "following", "fans", "posts"))
        made_now = lambda: sum(int(made.sql(s, "SELECT COUNT(*) FROM inboxes WHERE made = 1 AND "
                                               f"stand = '{stand}'")[0][0]) for s in range(len(made.schemas)))
        wait_until(lambda: made_now() >= len(owners), "all have inboxes")
        before = self.told_by_inboxes(made)
        self.check_history(made, 3)
        self.assertGreater(self.told_by_inboxes(made), before)

    def check_modes(self, made, kill):
        """Whichever way feeds are made, and while that changes, they are the same."""
        mode = lambda *to: json.loads(made.cli("feed", "mode", *to, "--json").stdout)
        self.assertEqual(mode(), {"mode": "hybrid", "changed": False})
        self.check_inboxes(made)
        self.check_history(made, 3, kill)
        self.assertEqual(mode("pull"), {"mode": "pull", "changed": True})
        self.assertEqual(mode("pull"), {"mode": "pull", "changed": False})
        self.check_history(made, 1)
        wait_until(lambda: not any(made.sql(s, f"SELECT 1 FROM {table} LIMIT 1") for s in range(len(made.schemas))
                                   for table in ("inboxes", "inbox_parts", "inbox_progress")), "no inbox is left")
        before = self.told_by_inboxes(made)
        self.check_history(made, 1)
        self.assertEqual(self.told_by_inboxes(made), before)
        self.assertEqual(mode("hybrid"), {"mode": "hybrid", "changed": True})
        self.check_inboxes(made)

    @each_history
    @rest
    def test_hybrid_histories_in_one_process(self):
        made = self.embedded(environment=HYBRID)

        def kill():
            made.processes["serve"].kill()
            made.start()
        self.check_modes(made, kill)

    @each_history
    @rest
    def test_hybrid_histories_on_two_shards_with_kills(self):
        made = self.deployment(shards=2, environment=HYBRID)
        names = iter(("projector-feed-1", "projector-posts-1", "projector-fans-1"))

        def kill():
            name = next(names)
            made.processes[name].kill()
            made.start_projector(name.split("-")[1])
            wait_until(made.processes[name].is_ready, f"{name} ready", fanfold.START_TIMEOUT_S)
        self.check_modes(made, kill)

    def test_an_inbox_is_found_wrong_and_made_anew(self):
        made = self.embedded(environment=HYBRID | {"FANFOLD_AUDIT": "off"})
        made.ends = fanfold.Ends.MENDED
        self.check_inboxes(made)
        verify = lambda: json.loads(made.cli("verify", "--json", check=False).stdout)
        self.assertEqual(verify()["differences"], 0)
        made.write_sql("DELETE FROM inbox_parts")
        items = verify()["items"]
        self.assertEqual({(item["kind"], item["projection"]) for item in items}, {("wrong_inbox", "feed")})
        made.cli("repair")
        self.assertEqual(verify()["differences"], 0)
        self.check_inboxes(made)

    def test_histories_from_tables_alone(self):
        made = self.embedded(environment={"FANFOLD_TENANT_MIB": "0", "FANFOLD_CACHE_MIB": "0"})
        self.check_history(made, 5)

    def test_it_goes_on_while_tables_are_rebuilt_and_mended(self):
        made = self.deployment(shards=2, environment=HYBRID)
        self.check_inboxes(made)
        for projection in ("posts", "feed"):
            made.cli("rebuild", projection, "--yes")
            if projection == "posts":  # inboxes were made for other tables: they are made anew
                self.check_inboxes(made)
            self.check_history(made, 2)
            made.cli("lane", "rewind", projection, "--to", "0")
            self.check_history(made, 2)

    def check_shown(self, made):
        """Page one is always what comes next; what was shown goes with the account."""
        ask = lambda method, path, body=None: made.writer().request(
            method, f"/v1/users/{path}", body and json.dumps(body))
        for author in (2, 3):
            ask("PUT", f"1/following/{author}")
            ask("POST", f"{author}/posts", {"content": "x", "post_id": "7", "at": author})
        made.settle()
        reader = made.reader()
        items = lambda page: [item["author"] for item in page["items"]]
        self.assertEqual(items(reader.get("/v1/users/1/feed/latest?limit=1")), ["3"])
        status, headers, answer = ask("POST", "1/feed/shown", {"items": [{"author": "3", "post_id": "7"}]})
        at = headers["Fanfold-Position"]
        self.assertEqual((status, answer["position"]), (202, at))
        self.assertTrue(at.startswith("feed-events/"))
        self.assertEqual(items(reader.get_at(at, "/v1/users/1/feed/latest?limit=1")), ["2"])
        self.assertEqual(items(reader.get_at(at, "/v1/users/1/feed/history")), ["3"])
        self.assertEqual(items(reader.get_at(at, "/v1/users/1/feed")), ["3", "2"])
        ask("POST", "9/feed/shown", {"items": [{"author": "3", "post_id": "7"}]})
        ask("DELETE", "1")
        wait_until(lambda: reader.get("/v1/users/1")["erase"] == "done", "the account has ended")
        self.assertEqual(reader.get("/v1/users/1/feed/history")["items"], [])
        self.assertEqual(items(reader.get("/v1/users/9/feed/history")), ["3"])
        return made

    def test_what_was_shown_in_one_process(self):
        self.check_shown(self.embedded())

    def test_what_was_shown_is_found_wrong_and_mended(self):
        made = self.check_shown(self.deployment(shards=2))
        made.ends = fanfold.Ends.MENDED
        shard, = (s for s in (0, 1) if made.sql(s, "SELECT 1 FROM shown_g1 WHERE owner_id = 9 AND shown_id > 0"))
        made.sql(shard, "UPDATE shown_g1 SET active = 0 WHERE owner_id = 9 AND shown_id > 0")
        found = json.loads(made.cli("verify", "--json", check=False).stdout)
        self.assertEqual([(item["kind"], item["projection"], item["user_id"]) for item in found["items"]],
                         [("wrong_shown", "feed", "9")])
        made.cli("repair")
        self.assertEqual(json.loads(made.cli("verify", "--json").stdout)["differences"], 0)
        self.assertEqual(len(made.reader().get("/v1/users/9/feed/history")["items"]), 1)

    def explained(self, made, *arguments, code=0):
        ran = made.cli("explain", "feed", *arguments, "--json", check=False)
        self.assertEqual(ran.returncode, code, ran.stderr)
        return json.loads(ran.stdout)

    def check_explained(self, made):
        ask = lambda method, path, body=None: made.writer().request(
            method, f"/v1/users/{path}{'&' if '?' in path else '?'}wait=decided", body and json.dumps(body))
        ask("PUT", "1/following/2")
        posted = ask("POST", "2/posts", {"content": "x", "post_id": "7", "at": 5})[2]["position"]
        made.settle()
        story = self.explained(made, "1", "2", "7")
        self.assertTrue(story["in_feed"], story)
        self.assertEqual(story["why"], "1 follows 2, and the post is there")
        event, = story["post"]["events"]
        self.assertEqual(("post-events/" + event["position"], event["outcome"]), (posted, "posted"))
        self.assertEqual(story["post"]["verdict"], "agrees")
        deleted = ask("DELETE", "2/posts/7")[2]["position"].removeprefix("post-events/")
        made.settle()
        self.assertEqual(self.explained(made, "1", "2", "7")["why"], f"the post was deleted by {deleted}")
        self.assertEqual(self.explained(made, "1", "2", "8")["why"], "nobody has asked for such a post")
        ask("POST", "2/posts", {"content": "y", "post_id": "9"})
        ask("DELETE", "1/following/2")
        made.settle()
        story = self.explained(made, "1", "2", "9")
        self.assertEqual((story["in_feed"], story["why"]), (False, "1 does not follow 2"))
        self.assertEqual([event["type"] for event in story["follow"]["events"]], ["follow", "unfollow"])
        text = made.cli("explain", "feed", "1", "2", "9").stdout
        self.assertTrue(text.startswith("not in the feed of 1: 1 does not follow 2"), text)

    def test_a_post_is_explained_in_one_process(self):
        self.check_explained(self.embedded())

    def test_a_post_is_explained_on_two_shards(self):
        made = self.deployment(shards=2)
        made.ends = fanfold.Ends.MENDED
        self.check_explained(made)
        shard, = (s for s in (0, 1) if made.sql(s, "SELECT 1 FROM posts_g1 WHERE author_id = 2 AND post_id = 9"))
        made.sql(shard, "UPDATE posts_g1 SET score = score + 1 WHERE author_id = 2 AND post_id = 9")
        self.assertEqual(self.explained(made, "1", "2", "9", code=2)["post"]["verdict"], "differs")
        made.cli("repair")
        self.assertEqual(self.explained(made, "1", "2", "9")["post"]["verdict"], "agrees")

    def test_a_profile_behind_each_author(self):
        made = self.embedded()
        made.writer().request("PUT", "/v1/users/1/following/2")
        made.writer().request("PUT", "/v1/users/2/profile", json.dumps({"name": "Ada"}))
        _, headers, _ = made.writer().request("POST", "/v1/users/2/posts", json.dumps({"content": "x"}))
        made.settle()
        page = made.reader().get_at(headers["Fanfold-Position"], "/v1/users/1/feed?expand=profile")
        self.assertEqual(page["items"][0]["profile"]["name"], "Ada")


if __name__ == "__main__":
    unittest.main()
