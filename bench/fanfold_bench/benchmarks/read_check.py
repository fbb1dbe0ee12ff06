"""Does A follow B? The question that is asked most."""

import random

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..http_client import HttpClient
from ..reading import baselines, load
from ..reading.reading import Reading, prepare
from ..reading.requests import ReadRequest, check_answers, write_for_redis, write_paths

REQUESTS = 200_000
NGINX_RATIO_MAX = 1.3
REDIS_RATIO_MIN = 0.9
SIZES_SEEN = 101


def request(reading: Reading, user: int, other: int) -> ReadRequest:
    return ReadRequest(f"/v1/users/{user}/relations?to={other}",
                       lambda: reading.lists.relations(user, [other]),
                       f"SISMEMBER following:{user} {other}")


def drawn(reading: Reading) -> list[ReadRequest]:
    """Half of the pairs are follows, of users drawn alike; of the others both users are drawn."""
    following, users = reading.lists.following, reading.users
    followers = [user for user in users if user in following]
    requests = []
    for _ in range(REQUESTS // 2):
        user = random.choice(followers)
        requests.append(request(reading, user, random.choice(list(following[user]))))
        requests.append(request(reading, random.choice(users), random.choice(users)))
    return requests


def usual_answer(client: HttpClient, requests: list[ReadRequest]) -> str:
    """One whose size is the median."""
    bodies = [client.request("GET", r.path, 200)[0] for r in random.sample(requests, SIZES_SEEN)]
    return sorted(bodies, key=len)[SIZES_SEEN // 2].strip()


def measure(bench: Run) -> Round:
    reading: Reading = bench.prepared
    requests = drawn(reading)
    reader, redis = reading.warm_reader(), reading.redis
    client = HttpClient(reader.port)
    check_answers(client, requests)
    paths = write_paths(requests, reading.file("paths"))
    for_redis = write_for_redis(requests, reading.file("for-redis"))
    with baselines.nginx(reading.file("baselines"), usual_answer(client, requests)) as server:
        bench.progress.show("  a check a request, 64 connections")
        return {"reader": load.http(reader, paths),
                "nginx": load.http(reading.target_of(server), paths),
                "redis": load.redis(redis, reading.lab.binaries, for_redis)}


def figures(medians: Round) -> list[Figure]:
    reader, nginx, redis = medians["reader"], medians["nginx"], medians["redis"]
    return [Figure("read-check, beside nginx", "CPU µs", reader["cpu_us"], nginx["cpu_us"],
                   (Goal("ratio", NGINX_RATIO_MAX, is_ceiling=True),)),
            Figure("read-check, beside Redis", "checks/CPU s", reader["per_cpu_second"],
                   redis["per_cpu_second"], (Goal("ratio", REDIS_RATIO_MIN),))]


def notes(medians: Round) -> list[str]:
    return [*load.cpu_notes(medians), load.latency_note(medians["reader"])]


BENCHMARK = Benchmark(
    name="read-check",
    what="one relation a request, all lists in memory, 64 connections; beside nginx, which answers "
         "as many bytes and looks nothing up, and beside Redis, SISMEMBER following:A B",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes,
    prepare=prepare)
