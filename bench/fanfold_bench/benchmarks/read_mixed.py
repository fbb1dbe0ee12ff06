"""Reads as apps send them, while follows are written: from a reader that has just started with
nothing in memory, and from one that has been asked for everybody."""

import random
from itertools import accumulate, chain, islice
from typing import Callable, Iterator

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..http_client import HttpClient
from ..reading import load
from ..reading.reading import Reading, prepare
from ..reading.requests import CHECKED, ReadRequest, check_answers, write_paths
from . import read_check, read_fans_page

# More than are asked in a round, so that no user comes back because the file began again.
REQUESTS_A_USER = 2
REQUESTS_MIN = 500_000
ZIPF_EXPONENT = 0.8
RELATIONS_SHARE, LISTS_SHARE = 0.7, 0.2  # the rest: counts
LIMIT = 20
WRITES_PER_SECOND = 200
COLD_SECONDS = 20
SECONDS = 10
READS_PER_SECOND = 700_000
CORES_MAX = 8
HITS, MISSES = "fanfold_reader_cache_hits_total", "fanfold_reader_cache_misses_total"


def zipf(users: list[int]) -> Iterator[int]:
    """Draws users without end; how often a user is asked for does not depend on how many they know."""
    ranked = random.sample(users, len(users))
    weights = list(accumulate((rank + 1) ** -ZIPF_EXPONENT for rank in range(len(ranked))))
    while True:
        yield from random.choices(ranked, cum_weights=weights, k=10_000)


def drawn(reading: Reading) -> Iterator[ReadRequest]:
    users = zipf(reading.users)
    while True:
        user, other, kind = next(users), next(users), random.random()
        if kind < RELATIONS_SHARE:
            yield check(reading, user, other)
        elif kind < RELATIONS_SHARE + LISTS_SHARE / 2:
            yield read_fans_page.request(reading, user, other)
        elif kind < RELATIONS_SHARE + LISTS_SHARE:
            yield following_page(reading, user, other)
        else:
            yield counts(reading, user)


def check(reading: Reading, user: int, other: int) -> ReadRequest:
    """Every second time of somebody whom the user follows."""
    following = reading.lists.following.get(user)
    if following and random.random() < 0.5:
        other = random.choice(list(following))
    return read_check.request(reading, user, other)


def following_page(reading: Reading, user: int, viewer: int) -> ReadRequest:
    return ReadRequest(f"/v1/users/{user}/following?limit={LIMIT}&viewer={viewer}",
                       lambda: reading.lists.following_page(user, viewer, LIMIT))


def counts(reading: Reading, user: int) -> ReadRequest:
    return ReadRequest(f"/v1/users/{user}/counts", lambda: reading.lists.counts(user))


def measure(bench: Run) -> Round:
    reading: Reading = bench.prepared
    requests = drawn(reading)
    checked = list(islice(requests, CHECKED))
    count = max(REQUESTS_MIN, REQUESTS_A_USER * len(reading.users))
    paths = write_paths(chain(checked, islice(requests, count)), reading.file("paths"))
    check_answers(HttpClient(reading.cold_reader().port), checked)
    reader = reading.cold_reader()
    bench.progress.show(f"  reads beside {WRITES_PER_SECOND} follows/s")
    with reading.written(WRITES_PER_SECOND) as writes:
        cold, cold_hit_rate = watched(reader.port, lambda: load.http(reader, paths, seconds=COLD_SECONDS))
        reading.warm_up(reader)
        warm, hit_rate = watched(reader.port, lambda: load.http(reader, paths, seconds=SECONDS,
                                                           first=cold["requests"]))
        rate = writes.per_second()
    check_answers(HttpClient(reader.port), checked)
    return {"reader": warm, "hit_rate": hit_rate, "cold": cold, "cold_hit_rate": cold_hit_rate,
            "writes_per_second": rate}


def watched(port: int, loads: Callable[[], Round]) -> tuple[Round, float]:
    """What loads() found, and the share of users asked for meanwhile that were in memory."""
    client = HttpClient(port)
    before = client.metrics()
    loaded = loads()
    after = client.metrics()
    hits, misses = (after[name] - before[name] for name in (HITS, MISSES))
    return loaded, hits / (hits + misses)


def figures(medians: Round) -> list[Figure]:
    reader = medians["reader"]
    cores = reader["cpu_us"] / 1e6 * READS_PER_SECOND
    return [Figure(f"read-mixed, {READS_PER_SECOND:,}/s", "cores", cores, None,
                   (Goal("ours", CORES_MAX, is_ceiling=True),)),
            Figure("read-mixed", "CPU µs", reader["cpu_us"], None),
            Figure("read-mixed, hit rate", "%", 100 * medians["hit_rate"], None),
            Figure("read-mixed p50", "ms", reader["p50_ms"], None),
            Figure("read-mixed p99", "ms", reader["p99_ms"], None),
            Figure("read-mixed p99.9", "ms", reader["p999_ms"], None)]


def notes(medians: Round) -> list[str]:
    cold = medians["cold"]
    return [f"everybody had been asked for; beside {medians['writes_per_second']:,.0f} follows/s",
            f"in the first {COLD_SECONDS} s after its start {100 * medians['cold_hit_rate']:.0f} % "
            f"were in memory, and a request took {cold['p50_ms']:.2f} ms at the median, "
            f"{cold['p99_ms']:.2f} at p99",
            *load.cpu_notes({"reader": medians["reader"], "cold reader": cold})]


BENCHMARK = Benchmark(
    name="read-mixed",
    what="70 % relation checks, 20 % lists, 10 % counts, 64 connections; users by a Zipf law of "
         f"exponent {ZIPF_EXPONENT}, while {WRITES_PER_SECOND} follows/s are written",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes,
    prepare=prepare)
