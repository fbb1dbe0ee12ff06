"""100 relations of a user whom the reader has not met yet."""

import random
from pathlib import Path

from fanfold_local.errors import LocalError

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..http_client import HttpClient
from ..programs import run
from ..reading import load
from ..reading.reading import Reading, prepare
from ..reading.requests import ReadRequest, check_answers, write_paths
from .read_check_100 import TARGETS, targets_of

USERS_MAX = 20_000
SECONDS = 2
CONNECTIONS = 1
RATIO_MAX = 1.3

Question = tuple[int, list[int]]


def request(reading: Reading, question: Question) -> ReadRequest:
    user, targets = question
    return ReadRequest(f"/v1/users/{user}/relations?to={','.join(map(str, targets))}",
                       lambda: reading.lists.relations(user, targets))


def write_for_sql(questions: list[Question], path: Path) -> Path:
    path.write_text("".join(f"{user} {','.join(map(str, targets))}\n"
                            for user, targets in questions), encoding="ascii")
    return path


def measure(bench: Run) -> Round:
    reading: Reading = bench.prepared
    users = random.sample(reading.users, min(USERS_MAX, len(reading.users)))
    questions = [(user, targets_of(reading, user)) for user in users]
    requests = [request(reading, question) for question in questions]
    paths = write_paths(requests, reading.file("paths"))
    for_sql = write_for_sql(questions, reading.file("for-sql"))
    bench.progress.show("  the statement, bare")
    bare = run([str(reading.lab.binaries / "bench_raw_relations"),
                reading.lab.database.dsn(reading.deployment.schema), str(for_sql)]).last_json()
    bench.progress.show(f"  {TARGETS} checks a request of users not met before")
    reader = load.http(reading.cold_reader(), paths, CONNECTIONS, SECONDS)
    if reader["requests"] > len(requests):
        raise LocalError(f"{reader['requests']} requests, but only {len(requests)} users: some "
                         "were met before")
    check_answers(HttpClient(reading.cold_reader().port), requests)
    return {"bare": bare, "reader": reader}


def figures(medians: Round) -> list[Figure]:
    reader, bare = medians["reader"], medians["bare"]
    return [Figure("read-check-100-cold p50", "ms", reader["p50_ms"], bare["p50_ms"],
                   (Goal("ratio", RATIO_MAX, is_ceiling=True),)),
            Figure("read-check-100-cold p99", "ms", reader["p99_ms"], bare["p99_ms"])]


def notes(medians: Round) -> list[str]:
    return [f"{medians['reader']['requests']:,.0f} users, each asked for once, the same that the "
            "baseline asks for; the database has their pages in memory",
            *load.cpu_notes({"reader": medians["reader"]})]


BENCHMARK = Benchmark(
    name="read-check-100-cold",
    what="100 relations a request of users not asked for since the reader started, one connection; "
         "beside the statement that a reader without memory sends, by the same connector",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes,
    prepare=prepare)
