"""What is A to each of these 100? An app asks so to show A a list."""

import random
from typing import Optional

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..http_client import HttpClient
from ..reading import load
from ..reading.reading import Reading, prepare
from ..reading.requests import ReadRequest, check_answers, write_for_redis, write_paths

REQUESTS = 20_000
TARGETS = 100
# The targets whom the user follows, and the targets who follow the user, where there are so many.
KNOWN_MAX = 25
REDIS_RATIO_MIN = 1.5


def request(reading: Reading, user: int) -> ReadRequest:
    targets = targets_of(reading, user)
    ids = ",".join(map(str, targets))
    return ReadRequest(f"/v1/users/{user}/relations?to={ids}",
                       lambda: reading.lists.relations(user, targets),
                       f"SMISMEMBER following:{user} {ids.replace(',', ' ')}")


def targets_of(reading: Reading, user: int) -> list[int]:
    """Some whom the user knows; the others are anybody."""
    targets = [*some(reading.lists.following.get(user)), *some(reading.lists.fans.get(user))]
    targets += random.choices(reading.users, k=TARGETS - len(targets))
    random.shuffle(targets)
    return targets


def some(users: Optional[dict[int, int]]) -> list[int]:
    return random.sample(list(users), min(len(users), KNOWN_MAX)) if users else []


def measure(bench: Run) -> Round:
    reading: Reading = bench.prepared
    requests = [request(reading, random.choice(reading.users)) for _ in range(REQUESTS)]
    reader, redis = reading.warm_reader(), reading.redis
    check_answers(HttpClient(reader.port), requests)
    paths = write_paths(requests, reading.file("paths"))
    for_redis = write_for_redis(requests, reading.file("for-redis"))
    bench.progress.show(f"  {TARGETS} checks a request, 64 connections")
    return {"reader": load.http(reader, paths),
            "redis": load.redis(redis, reading.lab.binaries, for_redis)}


def figures(medians: Round) -> list[Figure]:
    return [Figure("read-check-100", "pairs/CPU s", medians["reader"]["per_cpu_second"] * TARGETS,
                   medians["redis"]["per_cpu_second"] * TARGETS, (Goal("ratio", REDIS_RATIO_MIN),))]


def notes(medians: Round) -> list[str]:
    directions = 2 * TARGETS * medians["reader"]["per_cpu_second"]
    return [f"a pair is a user and a target; of each ours answers both directions, "
            f"{directions:,.0f} a CPU second, Redis one",
            *load.cpu_notes(medians), load.latency_note(medians["reader"])]


BENCHMARK = Benchmark(
    name="read-check-100",
    what="100 relations a request, all lists in memory, 64 connections; beside Redis, SMISMEMBER "
         "following:A of the same 100",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes,
    prepare=prepare)
