"""Load and oracle of feeds in hybrid mode: posts, follows and looks at feeds, all at once; at the end each feed is
what the tables say, told by inboxes, too."""

import collections
import concurrent.futures
import json
import threading

import faults
import fanfold
from fanfold import wait_until
from faults import Load
from feed_test import HYBRID

NEAR = 8  # of whom each follows some, so that some authors have too many fans at times, and most have not
WORLD = HYBRID | {"FANFOLD_PUSH_FANS_MAX": str(NEAR - 1)}
# One follows the other, neither is met by a load: an inbox covers her for sure.
OWNER, AUTHOR = 901, 902


class Feeds(Load):
    """Follows, posts, deletions and looks, each of a user of few."""

    USERS = 40
    CONTENT = "x"

    def next_request(self, draw):
        user, kind = draw.randint(1, self.USERS), draw.random()
        if kind < 0.35:
            followed = (user + draw.randrange(1, NEAR + 1)) % self.USERS + 1
            return draw.choice(("PUT", "PUT", "DELETE")), f"/v1/users/{user}/following/{followed}"
        if kind < 0.75:
            return "POST", f"/v1/users/{user}/posts", json.dumps({"content": self.CONTENT})
        if kind < 0.85:
            return "POST", f"/v1/users/{user}/feed/shown", '{"items":[]}'
        return "DELETE", f"/v1/users/{user}/posts/{draw.randrange(1, 100)}"


class Reads:
    """Feeds read again and again by a client who is to be answered each time, for as long as it is open."""

    def __init__(self, made, users=range(1, Feeds.USERS + 1)):
        self.made, self.users, self.stop = made, users, threading.Event()
        self.answered, self.refused = 0, []
        self.pool = concurrent.futures.ThreadPoolExecutor(1)

    def __enter__(self):
        self.reader = self.pool.submit(self.run)
        return self

    def __exit__(self, failed, *_):
        self.stop.set()
        self.pool.shutdown()
        if not failed:
            self.reader.result()

    def run(self):
        client = fanfold.StrictClient(self.made.processes["reader"].port)
        while not self.stop.is_set():
            for user in self.users:
                status, _, body = client.request("GET", f"/v1/users/{user}/feed")
                if status == 200:
                    self.answered += 1
                else:
                    self.refused.append((status, body))
            self.stop.wait(0.02)


class Case(faults.Case):
    def hybrid(self, **options):
        return self.deployment(**{"shards": 2, "environment": WORLD} | options)

    def ask(self, made, method, path, body=None):
        """The position of what is taken."""
        status, headers, answer = made.writer().request(method, f"/v1/users/{path}", body and json.dumps(body))
        self.assertIn(status, (200, 202), answer)
        return headers["Fanfold-Position"]

    def post(self, made, author=AUTHOR):
        return self.ask(made, "POST", f"{author}/posts?wait=decided&timeout_ms=10000", {"content": "x"})

    def stand(self, made):
        read = dict(made.sql(0, "SELECT projection, generation FROM catalog_reads"))
        return "/".join(read.get(name, "1") for name in ("inboxes", "following", "fans", "posts"))

    def owners_of_inboxes(self, made):
        """Of those that count now."""
        return {owner for shard in range(len(made.schemas)) for (owner,) in made.sql(
            shard, f"SELECT owner_id FROM inboxes WHERE made = 1 AND stand = '{self.stand(made)}'")}

    def await_inbox(self, made, owner=OWNER):
        self.ask(made, "POST", f"{owner}/feed/shown", {"items": []})
        wait_until(lambda: str(owner) in self.owners_of_inboxes(made), f"{owner} has an inbox", 60)

    def delivered(self, made):
        return self.projector(made, "feed").metric("fanfold_inbox_deliveries_total")

    def await_deliveries(self, made, more=50, what="deliveries go on"):
        before = self.delivered(made)
        wait_until(lambda: self.delivered(made) >= before + more, what, 60)

    def is_delivered(self, made, position):
        partition, offset = position.removeprefix("post-events/").split(":")
        behind = f"SELECT next_event FROM inbox_progress WHERE stream = 'post-events' AND `partition` = {partition}"
        return all(int(made.sql(shard, behind)[0][0]) > int(offset) for shard in range(len(made.schemas)))

    def told_by_inboxes(self, made):
        return made.processes["reader"].metric("fanfold_reader_inboxes_total")

    def feeds_of(self, made):
        """owner → (score, author, post), newest first, of all who follow somebody: as the tables have them."""
        read = dict(made.sql(0, "SELECT projection, generation FROM catalog_reads"))
        rows = lambda what: [tuple(map(int, row)) for shard in range(len(made.schemas))  # noqa: E731
                             for row in made.sql(shard, what)]
        posts, follows = collections.defaultdict(list), collections.defaultdict(list)
        for author, *key in rows("SELECT author_id, score, author_id, post_id FROM "
                                 f"posts_g{read.get('posts', 1)} WHERE active = 1"):
            posts[author].append(tuple(key))
        for owner, author in rows("SELECT user_id, target_id FROM "
                                  f"following_g{read.get('following', 1)} WHERE active = 1"):
            follows[owner].append(author)
        return {owner: sorted((key for author in authors for key in posts[author]), reverse=True)
                for owner, authors in follows.items()}

    def feed(self, made, owner):
        page, keys = None, []
        while page is None or page["has_older"]:
            after = f"&after={page['after']}" if page else ""
            page = made.reader().get(f"/v1/users/{owner}/feed?limit=200{after}")
            keys += [(item["score"], int(item["author"]), int(item["post_id"])) for item in page["items"]]
        return keys

    def check_feeds(self, made):
        """Requires: nothing is written any more."""
        made.settle()
        expected, before = self.feeds_of(made), self.told_by_inboxes(made)
        self.assertGreater(sum(map(len, expected.values())), 0)
        for owner, keys in expected.items():
            self.assertEqual(self.feed(made, owner), keys, f"the feed of {owner}")
        self.assertGreater(self.told_by_inboxes(made), before, "inboxes are looked into")

    def check_all(self, made, acked=(), timeout_s=120):
        self.check_everything(made, acked, timeout_s)
        self.check_feeds(made)
