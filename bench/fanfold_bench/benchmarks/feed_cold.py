"""The first page of a feed that a process answers after its start."""

import json
import time
from contextlib import ExitStack

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..http_client import HttpClient
from .feed_page import AUTHORS, FOLLOWINGS, LIMIT, POSTS_EACH, Feeds, serve
from .feed_ways import newest
from .visible import percentile

STARTS = 20
P99_MS_MAX = 20


def first_page(feeds: Feeds, owner: int) -> float:
    """How long it took, in ms. Raises where it is not the page that it has to be."""
    with ExitStack() as all_:
        client = HttpClient(serve(feeds, all_).port)
        before = time.monotonic()
        text, _ = client.request("GET", f"/v1/users/{owner}/feed?limit={LIMIT}", 200)
        took_ms = (time.monotonic() - before) * 1000
    told = [(item["score"], int(item["author"]), int(item["post_id"]))
            for item in json.loads(text)["items"]]
    assert told == newest(feeds, owner, LIMIT), f"the feed of {owner}"
    return took_ms


def measure(bench: Run) -> Round:
    feeds: Feeds = bench.prepared
    bench.progress.show(f"  {STARTS} starts")
    owners = list(feeds.owners)
    took = sorted(first_page(feeds, owners[start % len(owners)]) for start in range(STARTS))
    return {"p50_ms": percentile(took, 50), "max_ms": took[-1]}


def figures(medians: Round) -> list[Figure]:
    return [Figure("feed-cold, p50", "ms", medians["p50_ms"], None),
            Figure("feed-cold, the slowest", "ms", medians["max_ms"], None,
                   (Goal("ours", P99_MS_MAX, is_ceiling=True),))]


def notes(_medians: Round) -> list[str]:
    return [f"each page is compared with its authors' {FOLLOWINGS * POSTS_EACH:,} posts sorted"]


BENCHMARK = Benchmark(
    name="feed-cold",
    what=f"the first {LIMIT} posts of an owner who follows {FOLLOWINGS:,} of {AUTHORS:,} authors with "
         f"{POSTS_EACH} posts each, as the first request after a start of fanfold serve; {STARTS} "
         "starts",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes,
    prepare=Feeds,
    needs_servers=False)
