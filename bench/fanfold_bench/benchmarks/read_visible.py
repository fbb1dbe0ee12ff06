"""From a follow to the answers that show it, while many others are written."""

import json
import time

from fanfold_local.errors import LocalError

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..cpu import CpuMeter, disturbance, listed
from ..http_client import HttpClient
from ..reading.reading import Reading, prepare
from ..reading.requests import ReadRequest, check_answers
from .visible import READ_TIMEOUT_MS, percentile

FOLLOWS = 500
WRITES_PER_SECOND = 5000
# Until their backlog, if they build one, has come.
WARM_UP_SECONDS = 3
PAUSE_SECONDS = 0.01
P99_MS_MAX = 50.0


def follow_until_seen(writer: HttpClient, reader: HttpClient, subject: int,
                      object_: int) -> tuple[float, float]:
    """Milliseconds until acked, and until both fans and counts of the object have shown it. The
    reader holds the object's lists before."""
    fans, counts = f"/v1/users/{object_}/fans", f"/v1/users/{object_}/counts"
    reader.request("GET", counts, 200)
    began = time.perf_counter()
    _, position = writer.request("PUT", f"/v1/users/{subject}/following/{object_}", 202)
    acked = time.perf_counter()
    wait = f"?min_position={position}&timeout_ms={READ_TIMEOUT_MS}"
    fans_seen, _ = reader.request("GET", fans + wait, 200)
    counts_seen, _ = reader.request("GET", counts + wait, 200)
    seen = time.perf_counter()
    if ([item["user_id"] for item in json.loads(fans_seen)["items"]] != [str(subject)]
            or json.loads(counts_seen)["fans"] != 1):
        raise LocalError(f"{subject} follows {object_} at {position}, but its fans are {fans_seen} "
                         f"and its counts {counts_seen}")
    return (acked - began) * 1000, (seen - began) * 1000


def time_follows(reading: Reading, reader_port: int) -> list[tuple[float, float]]:
    writer, reader = reading.deployment.client("writer"), HttpClient(reader_port)
    users = reading.fresh_users(2 * FOLLOWS)
    times = []
    for subject, object_ in zip(users[::2], users[1::2]):
        time.sleep(PAUSE_SECONDS)
        times.append(follow_until_seen(writer, reader, subject, object_))
    return times


def measure(bench: Run) -> Round:
    reading: Reading = bench.prepared
    reader = reading.warm_reader()
    bench.progress.show(f"  {FOLLOWS} follows beside {WRITES_PER_SECOND:,}/s")
    with reading.written(WRITES_PER_SECOND) as writes:
        time.sleep(WARM_UP_SECONDS)
        meter = CpuMeter(reading.deployment.pids())
        times = time_follows(reading, reader.port)
        cores, rate = meter.cores(), writes.per_second()
    check_answers(HttpClient(reader.port), [
        ReadRequest(f"/v1/users/{user}/counts", lambda user=user: reading.lists.counts(user))
        for user in reading.users])
    acked, seen = (sorted(column) for column in zip(*times))
    return {"p50_ms": percentile(seen, 50), "p99_ms": percentile(seen, 99),
            "acked_p50_ms": percentile(acked, 50), "acked_p99_ms": percentile(acked, 99),
            "writes_per_second": rate, "cores": cores}


def figures(medians: Round) -> list[Figure]:
    return [Figure("read-visible p50", "ms", medians["p50_ms"], None),
            Figure("read-visible p99", "ms", medians["p99_ms"], None,
                   (Goal("ours", P99_MS_MAX, is_ceiling=True),))]


def notes(medians: Round) -> list[str]:
    return [f"of it, until the writer's ack: {medians['acked_p50_ms']:.2f} ms at the median, "
            f"{medians['acked_p99_ms']:.2f} at p99",
            f"beside {medians['writes_per_second']:,.0f} follows/s of users whose lists are in "
            f"memory; cores kept busy: {listed(medians['cores'])}",
            *disturbance(medians["cores"], "it")]


BENCHMARK = Benchmark(
    name="read-visible",
    what=f"one PUT until GET fans and GET counts have answered for its position, while "
         f"{WRITES_PER_SECOND:,} follows/s are written",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes,
    prepare=prepare)
