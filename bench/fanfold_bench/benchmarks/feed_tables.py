"""Feeds of which the reader has nothing in memory, and pages far below what it has, from MariaDB."""

import heapq
import json
import time
from typing import Iterator, Optional

from fanfold_local.errors import LocalError

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..database import Database
from ..http_client import HttpClient
from ..lab import Deployment
from ..programs import run
from .visible import percentile

AUTHORS = 1_000
POSTS_EACH = 10_000
OWNER = AUTHORS + 1
LIMIT = 20
SHARDS = (1, 4)
STARTS = 10
NEXT = 3
# Spread evenly.
SCORES = 1 << 40
COLD_MS_MAX = 20
DEEP_MS_MAX = 150
NEXT_MS_MAX = 10

Key = tuple[int, int, int]  # score, author, post


def score(author: int, post: int) -> int:
    return (author * 2654435761 + post * 2654404609) % SCORES


def newest(below: int) -> list[Key]:
    """The first page below a score, by looking at every post."""
    def keys() -> Iterator[Key]:
        for author in range(1, AUTHORS + 1):
            of_author = ((score(author, post), author, post) for post in range(1, POSTS_EACH + 1))
            yield from heapq.nlargest(LIMIT, (key for key in of_author if key[0] < below))
    return heapq.nlargest(LIMIT, keys())


def fill(database: Database, deployment: Deployment) -> None:
    """Writes what a projector would have folded. The rows of an author's fans are on the author's shard."""
    for schema in deployment.schemas:
        database.rows(
            f"USE {schema}; INSERT INTO posts_g1 (author_id, post_id, type, score, active, version, content) "
            f"SELECT user_id, seq, 0, (user_id * 2654435761 + seq * 2654404609) MOD {SCORES}, 1, seq, "
            f"REPEAT('x', 100) FROM fans_g1 JOIN seq_1_to_{POSTS_EACH} WHERE fan_id = {OWNER}")


class Pages:
    """Of one reader, each checked to go on where the one before ended."""

    def __init__(self, deployment: Deployment):
        self._client = HttpClient(deployment.service("reader").port)

    def time(self, cursor: Optional[str]) -> tuple[float, list[Key], str]:
        """How long it took, in ms; its posts; where the next one begins."""
        after = f"&after={cursor}" if cursor else ""
        began = time.perf_counter()
        text, _ = self._client.request("GET", f"/v1/users/{OWNER}/feed?limit={LIMIT}{after}", 200)
        took_ms = (time.perf_counter() - began) * 1000
        page = json.loads(text)
        keys = [(item["score"], int(item["author"]), int(item["post_id"])) for item in page["items"]]
        return took_ms, keys, page["after"]


def check(keys: list[Key], wanted: list[Key], what: str) -> None:
    if keys != wanted:
        raise LocalError(f"{what} is {keys}, must be {wanted}")


def measure_one(bench: Run, shards: int) -> Round:
    deployment = bench.lab.deployment(shards)
    # A lane of posts that stands: what is in the tables is in no topic.
    deployment.launch("writer", "projector-following", "projector-fans", "projector-posts")
    follows = bench.lab.work / "follows.tsv"
    follows.write_text("".join(f"{OWNER} {author}\n" for author in range(1, AUTHORS + 1)))
    run(deployment.command("import", str(follows)))
    deployment.launch("reader")
    run(deployment.command("wait"))
    deployment.stop("projector-posts")
    bench.progress.show(f"  {AUTHORS * POSTS_EACH:,} posts on {shards} shards")
    fill(bench.lab.database, deployment)
    bench.lab.database.rest()
    bench.progress.show(f"  {STARTS} starts, each with {1 + NEXT} pages far down")
    cold, deep, further = [], [], []
    first = newest(SCORES)
    for start in range(STARTS):
        deployment.restart("reader")
        pages = Pages(deployment)
        took_ms, keys, _ = pages.time(None)
        check(keys, first, "the first page")
        cold.append(took_ms)
        # Somewhere else each time.
        below = SCORES * (start + 1) // (STARTS + 1)
        took_ms, keys, cursor = pages.time(f"1-{below:x}-1-1")
        if start == 0:
            check(keys, newest(below), "the page far down")
        deep.append(took_ms)
        for _ in range(NEXT):
            took_ms, _, cursor = pages.time(cursor)
            further.append(took_ms)
    deployment.stop()
    return {name: {"p50_ms": percentile(sorted(of), 50), "max_ms": max(of)}
            for name, of in (("cold", cold), ("deep", deep), ("next", further))}


def measure(bench: Run) -> Round:
    return {f"on {shards}": measure_one(bench, shards) for shards in SHARDS}


def figures(medians: Round) -> list[Figure]:
    def below(milliseconds: int) -> tuple[Goal]:
        return (Goal("ours", milliseconds, is_ceiling=True),)

    told = []
    for shards in SHARDS:
        of = medians[f"on {shards}"]
        name = f"feed-tables, {shards} shard{'s' if shards > 1 else ''}"
        for what, page, limit_ms in (("cold", "cold", COLD_MS_MAX),
                                     ("far down, the first", "deep", DEEP_MS_MAX),
                                     ("far down, the next", "next", NEXT_MS_MAX)):
            told += [Figure(f"{name}, {what}, p50", "ms", of[page]["p50_ms"], None),
                     Figure(f"{name}, {what}, the slowest", "ms", of[page]["max_ms"], None,
                            below(limit_ms))]
    return told


def notes(_medians: Round) -> list[str]:
    return [f"pages are compared with all {AUTHORS * POSTS_EACH:,} posts sorted"]


BENCHMARK = Benchmark(
    name="feed-tables",
    what=f"pages of {LIMIT} of an owner who follows {AUTHORS:,} authors with {POSTS_EACH:,} posts each, "
         f"in MariaDB, on one shard and on four: the first page after a start of the reader, then one far "
         f"down, another time somewhere else, and the {NEXT} behind it; {STARTS} starts",
    rounds=1,
    measure=measure,
    figures=figures,
    notes=notes)
