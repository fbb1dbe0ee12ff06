"""Whom two users follow both, who follow very many."""

import random

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..http_client import HttpClient
from ..reading import load
from ..reading.reading import Reading, prepare
from ..reading.requests import ReadRequest, check_answers, write_for_redis, write_paths
from ..reading.special_users import FOLLOWINGS, IN_COMMON

LIMIT = 20
REDIS_RATIO_MIN = 1.5


def request(reading: Reading, user: int, other: int) -> ReadRequest:
    return ReadRequest(f"/v1/users/{user}/following/common?with={other}&limit={LIMIT}",
                       lambda: reading.lists.common_page(user, other, LIMIT),
                       f"SINTER following:{user} following:{other}")


def measure(bench: Run) -> Round:
    reading: Reading = bench.prepared
    pairs = reading.special.pairs
    requests = [request(reading, *pair) for one, other in pairs
                for pair in ((one, other), (other, one))]
    random.shuffle(requests)
    reader, redis = reading.warm_reader(), reading.redis
    check_answers(HttpClient(reader.port), requests)
    paths = write_paths(requests, reading.file("paths"))
    for_redis = write_for_redis(requests, reading.file("for-redis"))
    bench.progress.show("  common followings, 64 connections")
    return {"pairs": len(pairs), "reader": load.http(reader, paths),
            "redis": load.redis(redis, reading.lab.binaries, for_redis)}


def figures(medians: Round) -> list[Figure]:
    return [Figure("read-common", "answers/CPU s", medians["reader"]["per_cpu_second"],
                   medians["redis"]["per_cpu_second"], (Goal("ratio", REDIS_RATIO_MIN),))]


def notes(medians: Round) -> list[str]:
    loads = {name: medians[name] for name in ("reader", "redis")}
    return [f"{medians['pairs']:.0f} pairs; ours answers the first {LIMIT} with since and cursor, "
            "as a client would show them, Redis the ids of all",
            *load.cpu_notes(loads), load.latency_note(medians["reader"])]


BENCHMARK = Benchmark(
    name="read-common",
    what=f"whom two users follow both, of {FOLLOWINGS:,} each {IN_COMMON} in common, in memory, 64 "
         "connections; beside Redis, SINTER",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes,
    prepare=prepare)
