"""The page that is looked at most: the newest fans of a user, and what they are to who looks."""

import random

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..http_client import HttpClient
from ..reading import load
from ..reading.reading import Reading, prepare
from ..reading.requests import ReadRequest, check_answers, write_for_redis, write_paths

REQUESTS = 100_000
LIMIT = 20
REDIS_RATIO_MIN = 1.5


def request(reading: Reading, user: int, viewer: int) -> ReadRequest:
    return ReadRequest(f"/v1/users/{user}/fans?limit={LIMIT}&viewer={viewer}",
                       lambda: reading.lists.fans_page(user, viewer, LIMIT),
                       f"PAGE {user} {viewer}")


def drawn(reading: Reading) -> list[ReadRequest]:
    """Of users whose fans fill a page; anybody looks."""
    fans, users = reading.lists.fans, reading.users
    popular = [user for user in users if len(fans.get(user, ())) >= LIMIT]
    return [request(reading, random.choice(popular), random.choice(users))
            for _ in range(REQUESTS)]


def measure(bench: Run) -> Round:
    reading: Reading = bench.prepared
    requests = drawn(reading)
    reader, redis = reading.warm_reader(), reading.redis
    check_answers(HttpClient(reader.port), requests)
    paths = write_paths(requests, reading.file("paths"))
    for_redis = write_for_redis(requests, reading.file("for-redis"))
    bench.progress.show("  pages of fans, 64 connections")
    return {"reader": load.http(reader, paths),
            "redis": load.redis(redis, reading.lab.binaries, for_redis)}


def figures(medians: Round) -> list[Figure]:
    return [Figure("read-fans-page", "pages/CPU s", medians["reader"]["per_cpu_second"],
                   medians["redis"]["per_cpu_second"], (Goal("ratio", REDIS_RATIO_MIN),))]


def notes(medians: Round) -> list[str]:
    return [*load.cpu_notes(medians), load.latency_note(medians["reader"])]


BENCHMARK = Benchmark(
    name="read-fans-page",
    what=f"the first {LIMIT} fans of C with a viewer V, all lists in memory, 64 connections; "
         "beside Redis, ZREVRANGE fans:C, then SMISMEMBER following:V and fansset:V in one trip "
         "(without the since that ours tells)",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes,
    prepare=prepare)
