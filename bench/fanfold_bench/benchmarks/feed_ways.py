"""The first page of a feed, as others make it: what one costs the server that has the posts."""

import itertools
import socket
import sqlite3
import time
from contextlib import ExitStack, closing
from statistics import median
from typing import Callable, Iterator

from fanfold_local.ports import LOOPBACK

from ..benchmark import Benchmark, Figure, Round, Run
from ..cpu import cpu_seconds
from ..reading import baselines, load
from .feed_page import AUTHORS, CONTENT, FOLLOWINGS, LIMIT, POSTS_EACH, Feeds, serve

INBOX_LENGTH = 500
TURNS = 5
SECONDS = 1
RECEIVED_BYTES = 1 << 20
JOIN = f"""SELECT p.author_id, p.post_id, p.score, p.type, p.content FROM following_g1 f
JOIN posts_g1 p ON p.author_id = f.target_id WHERE f.user_id = ? AND f.active = 1 AND p.active = 1
ORDER BY p.score DESC, p.author_id DESC, p.post_id DESC LIMIT {LIMIT}"""


def newest(feeds: Feeds, owner: int, limit: int) -> list[tuple[int, int, int]]:
    """(score, author, post), as a feed is sorted."""
    return sorted(((feeds.scores[author, post], author, post) for author in feeds.following[owner]
                   for post in range(1, POSTS_EACH + 1)), reverse=True)[:limit]


def commands(feeds: Feeds) -> Iterator[str]:
    """Posts by their names, the newest of each author, and each owner's inbox."""
    for (author, post), score in feeds.scores.items():
        yield f"SET post:{author}:{post} {CONTENT}\n"
        yield f"ZADD author:{author} {score} {author}:{post}\n"
    for owner in feeds.owners:
        for score, author, post in newest(feeds, owner, INBOX_LENGTH):
            yield f"ZADD inbox:{owner} {score} {author}:{post}\n"


class Redis:
    """A connection. Its answers to the same commands have the same length, which is learned once."""

    def __init__(self, port: int):
        self.socket = socket.create_connection((LOOPBACK, port))
        self.lengths: dict[bytes, int] = {}

    def learn(self, sent: list[str]) -> bytes:
        """The commands as they are sent. Returns once an answer came and nothing more does."""
        text = "".join(f"{command}\r\n" for command in sent).encode()
        self.socket.sendall(text)
        self.socket.settimeout(1)
        length = 0
        try:
            while arrived := self.socket.recv(RECEIVED_BYTES):
                assert not arrived.startswith(b"-"), arrived
                length += len(arrived)
        except TimeoutError:
            pass
        self.socket.settimeout(None)
        self.lengths[text] = length
        return text

    def ask(self, text: bytes) -> None:
        self.socket.sendall(text)
        left = self.lengths[text]
        while left > 0:
            left -= len(self.socket.recv(min(left, RECEIVED_BYTES)))


def pages_of(feeds: Feeds, redis: Redis) -> dict[str, list[list[bytes]]]:
    """What is sent for a page, step by step, of some owners."""
    ways: dict[str, list[list[bytes]]] = {"inbox": [], "pull": []}
    for owner in list(feeds.owners)[:3]:
        contents = redis.learn(["MGET " + " ".join(f"post:{author}:{post}" for _, author, post in
                                                   newest(feeds, owner, LIMIT))])
        ways["inbox"].append([redis.learn([f"ZREVRANGE inbox:{owner} 0 {LIMIT - 1} WITHSCORES"]),
                              contents])
        ways["pull"].append([redis.learn([f"ZREVRANGE author:{author} 0 {LIMIT - 1} WITHSCORES"
                                          for author in feeds.following[owner]]), contents])
    return ways


def cost(page: Callable[[], None], seconds_of_cpu: Callable[[], float]) -> float:
    """CPU µs a page."""
    before, until, pages = seconds_of_cpu(), time.monotonic() + SECONDS, 0
    while time.monotonic() < until:
        page()
        pages += 1
    return (seconds_of_cpu() - before) * 1e6 / pages


def measure(bench: Run) -> Round:
    feeds: Feeds = bench.prepared
    with ExitStack() as all_:
        server = baselines.redis_with(feeds.home, commands(feeds))
        all_.callback(server.process.stop)
        redis = Redis(server.port)
        all_.callback(redis.socket.close)
        ways = {name: itertools.cycle(pages) for name, pages in pages_of(feeds, redis).items()}
        tables = all_.enter_context(closing(sqlite3.connect(feeds.home / "data" / "tables.db")))
        owners = itertools.cycle(feeds.owners)
        served = serve(feeds, all_)

        def join() -> None:
            assert len(tables.execute(JOIN, [next(owners)]).fetchall()) == LIMIT

        def ask(name: str) -> None:
            for step in next(ways[name]):
                redis.ask(step)

        def turn() -> Round:
            of_redis = {name: cost(lambda name=name: ask(name), lambda: cpu_seconds(server.pid))
                        for name in ways}
            return {"ours": load.http(served, feeds.paths, 1, seconds=SECONDS)["cpu_us"], **of_redis,
                    "join": cost(join, time.process_time)}

        bench.progress.show("  from memory, from an inbox and by a pull of Redis, by a join")
        turns = [turn() for _ in range(TURNS + 1)][1:]
    return {name: median(one[name] for one in turns) for name in turns[0]}


def figures(medians: Round) -> list[Figure]:
    beside = {"inbox": "a ready inbox in Redis", "pull": "a pull from Redis", "join": "one SQL join"}
    return [Figure(f"feed-ways, beside {text}", "CPU µs", medians["ours"], medians[name])
            for name, text in beside.items()]


def notes(_medians: Round) -> list[str]:
    return [f"inbox: ZREVRANGE of {LIMIT}, then MGET of their texts; nothing of what filled it counts",
            f"pull: {FOLLOWINGS:,} ZREVRANGE of {LIMIT} in a pipeline, then MGET; what the client "
            "merges does not count",
            "join: of the same rows, by SQLite, in its own process, without HTTP"]


BENCHMARK = Benchmark(
    name="feed-ways",
    what=f"the first {LIMIT} posts of an owner who follows {FOLLOWINGS:,} of {AUTHORS:,} authors, "
         "one at a time, of fanfold serve over HTTP; beside Redis, as an inbox that is ready and as "
         "a pull, and one SQL join: CPU of who has the posts",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes,
    prepare=Feeds,
    needs_servers=False)
