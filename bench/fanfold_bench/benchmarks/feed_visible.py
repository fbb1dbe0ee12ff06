"""From a post to the first page of its author's fans, few or many, pulled or from an inbox."""

import json
import os
import random
import time
from pathlib import Path

from fanfold_local.errors import LocalError
from fanfold_local.waiting import wait_until

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..cpu import CpuMeter, disturbance, listed
from ..http_client import HttpClient
from ..lab import Deployment
from ..programs import run
from ..reading.follow_lists import FollowLists
from ..reading.paced_writes import PacedWrites
from .visible import READ_TIMEOUT_MS, percentile

FEW, MANY = 10, 1_000_000
AUTHOR_OF_FEW, AUTHOR_OF_MANY = 1, 2
FIRST_FAN = 10
# Of each author, whose pages are asked for, and among how many: in hybrid mode they have inboxes.
FANS_ASKED = 5
FANS_LOOKING = 500
MADE_SECONDS_MAX = 60
POSTS = 200
PAUSE_SECONDS = 0.05
WRITES_PER_SECOND = 5_000
# Of whom nothing is read.
WRITERS = range(1 << 32, (1 << 32) + 100_000)
WARM_UP_SECONDS = 3
IDLE_P50_MS_MAX, IDLE_P99_MS_MAX, BESIDE_P99_MS_MAX = 10, 50, 100


def post_until_seen(writer: HttpClient, reader: HttpClient, author: int,
                    fans: list[int]) -> tuple[float, float]:
    """Milliseconds until acked, and from then until a fan's first page has shown it. The others'
    show it, too."""
    began = time.perf_counter()
    answer, position = writer.request("POST", f"/v1/users/{author}/posts", 202,
                                      body='{"content":"hello"}')
    acked = time.perf_counter()
    post, seen = json.loads(answer)["post_id"], None
    for fan in fans:
        page, _ = reader.request("GET", f"/v1/users/{fan}/feed?limit=1&min_position={position}"
                                        f"&timeout_ms={READ_TIMEOUT_MS}", 200)
        seen = seen or time.perf_counter()
        if [item["post_id"] for item in json.loads(page)["items"]] != [post]:
            raise LocalError(f"post {post} of {author} at {position}, but {fan}'s feed is {page}")
    return (acked - began) * 1000, (seen - acked) * 1000


def time_posts(deployment: Deployment) -> Round:
    """Of the author with few fans and of the one with many, in turn."""
    writer, reader, draw = deployment.client("writer"), deployment.client("reader"), random.Random(2)
    times: dict[str, list[tuple[float, float]]] = {"few": [], "many": []}
    for _ in range(POSTS):
        for name, author, count in (("few", AUTHOR_OF_FEW, FEW), ("many", AUTHOR_OF_MANY, MANY)):
            time.sleep(PAUSE_SECONDS)
            fans = [FIRST_FAN + draw.randrange(min(count, FANS_LOOKING)) for _ in range(FANS_ASKED)]
            for fan in fans:  # in memory before
                reader.request("GET", f"/v1/users/{fan}/feed?limit=1", 200)
            times[name].append(post_until_seen(writer, reader, author, fans))
    measured = {}
    for name, of in times.items():
        acked, seen = (sorted(column) for column in zip(*of))
        measured[name] = {"acked_p50_ms": percentile(acked, 50), "p50_ms": percentile(seen, 50),
                          "p99_ms": percentile(seen, 99)}
    return measured


def time_hybrid(bench: Run, deployment: Deployment) -> Round:
    """With a reader whose memory has nothing but what came lately."""
    run(deployment.command("feed", "mode", "hybrid"))
    deployment.restart("reader", "--posts-mib", "0")
    deployment.launch("projector-feed")
    writer = deployment.client("writer")
    for fan in range(FIRST_FAN, FIRST_FAN + FANS_LOOKING):
        writer.request("POST", f"/v1/users/{fan}/feed/shown", 202, body='{"items":[]}')
    made = f"SELECT COUNT(*) FROM {deployment.schema}.inboxes WHERE made = 1"
    if not wait_until(lambda: bench.lab.database.number(made) == FANS_LOOKING, MADE_SECONDS_MAX):
        raise LocalError(f"{bench.lab.database.number(made)} of {FANS_LOOKING} inboxes are made")
    return time_posts(deployment)


def measure(bench: Run) -> Round:
    follows = bench.lab.work / "fans.tsv"
    follows.write_text("".join(
        f"{fan} {author}\n" for author, count in ((AUTHOR_OF_FEW, FEW), (AUTHOR_OF_MANY, MANY))
        for fan in range(FIRST_FAN, FIRST_FAN + count)))
    deployment = bench.lab.deployment()
    deployment.launch("writer", "projector-following", "projector-fans", "projector-posts", "reader")
    bench.progress.show(f"  {MANY + FEW:,} follows")
    run(deployment.command("import", str(follows)))
    run(deployment.command("wait"))
    bench.progress.show(f"  {POSTS} posts of each, one at a time")
    idle = time_posts(deployment)
    bench.progress.show(f"  beside {WRITES_PER_SECOND:,} follows a second")
    with PacedWrites(deployment.service("writer").port, FollowLists(Path(os.devnull)), WRITERS,
                     WRITES_PER_SECOND) as writes:
        time.sleep(WARM_UP_SECONDS)
        meter = CpuMeter(deployment.pids())
        beside = time_posts(deployment)
        cores, rate = meter.cores(), writes.per_second()
    bench.progress.show("  in hybrid mode")
    hybrid = time_hybrid(bench, deployment)
    deployment.stop()
    return {"idle": idle, "beside": beside, "hybrid": hybrid, "writes_per_second": rate,
            "cores": cores}


def figures(medians: Round) -> list[Figure]:
    def below(milliseconds: int) -> tuple[Goal]:
        return (Goal("ours", milliseconds, is_ceiling=True),)

    idle, beside, hybrid = medians["idle"], medians["beside"], medians["hybrid"]
    return [Figure("feed-visible, 1 M fans, p50", "ms", idle["many"]["p50_ms"],
                   idle["few"]["p50_ms"], below(IDLE_P50_MS_MAX)),
            Figure("feed-visible, 1 M fans, p99", "ms", idle["many"]["p99_ms"],
                   idle["few"]["p99_ms"], below(IDLE_P99_MS_MAX)),
            Figure("feed-visible beside follows, 1 M fans, p99", "ms", beside["many"]["p99_ms"],
                   beside["few"]["p99_ms"], below(BESIDE_P99_MS_MAX)),
            Figure("feed-visible, hybrid, 1 M fans, p50", "ms", hybrid["many"]["p50_ms"],
                   hybrid["few"]["p50_ms"], below(IDLE_P50_MS_MAX)),
            Figure("feed-visible, hybrid, 1 M fans, p99", "ms", hybrid["many"]["p99_ms"],
                   hybrid["few"]["p99_ms"], below(IDLE_P99_MS_MAX))]


def notes(medians: Round) -> list[str]:
    lines = [f"{when}, {name}: acked in {of['acked_p50_ms']:.2f} ms at the median, seen "
             f"{of['p50_ms']:.2f} later, {of['p99_ms']:.2f} at p99"
             for when in ("idle", "beside", "hybrid") for name, of in medians[when].items()]
    return [*lines, f"beside {medians['writes_per_second']:,.0f} follows/s; cores kept busy: "
                    f"{listed(medians['cores'])}",
            *disturbance(medians["cores"], "it")]


BENCHMARK = Benchmark(
    name="feed-visible",
    what=f"from the ack of a post to the first page of a fan that shows it, for an author with "
         f"{MANY:,} fans, idle, while {WRITES_PER_SECOND:,} follows/s are written, and in hybrid "
         "mode with a reader that keeps no posts, whose pages come from inboxes; beside one "
         f"with {FEW}, in turn",
    rounds=2,
    measure=measure,
    figures=figures,
    notes=notes,
    warms_up=True)
