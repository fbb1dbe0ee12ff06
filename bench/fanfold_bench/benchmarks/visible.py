"""From a follow to the list that shows it, on a system where nothing else happens."""

import json
import time

from fanfold_local.errors import LocalError

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..cpu import CpuMeter
from ..http_client import HttpClient
from ..lab import Deployment
from ..write_load import bare_produce, cpu_notes

FOLLOWS = 200
WARM_UP_FOLLOWS = 20
# Lets the projectors finish what they note behind a batch; longer than they wait to note it.
PAUSE_SECONDS = 0.05
P50_MS_MAX = 10.0
READ_TIMEOUT_MS = 5000
# An event and an outcome, one after the other: no pipeline over these topics can be faster.
APPENDS = 2


def follow_until_seen(writer: HttpClient, reader: HttpClient, subject: int,
                      object_: int) -> tuple[float, float]:
    """Milliseconds until acked, and until GET fans answers for that position."""
    began = time.perf_counter()
    _, position = writer.request("PUT", f"/v1/users/{subject}/following/{object_}", 202)
    acked = time.perf_counter()
    body, _ = reader.request("GET", f"/v1/users/{object_}/fans?min_position={position}"
                                    f"&timeout_ms={READ_TIMEOUT_MS}", 200)
    seen = time.perf_counter()
    if [item["user_id"] for item in json.loads(body)["items"]] != [str(subject)]:
        raise LocalError(f"{subject} follows {object_} at {position}, but its fans are {body}")
    return (acked - began) * 1000, (seen - began) * 1000


def time_follows(deployment: Deployment) -> list[tuple[float, float]]:
    writer, reader = deployment.client("writer"), deployment.client("reader")
    times = []
    for i in range(WARM_UP_FOLLOWS + FOLLOWS):
        time.sleep(PAUSE_SECONDS)
        times.append(follow_until_seen(writer, reader, subject=i + 1, object_=1_000_000 + i))
    return times[WARM_UP_FOLLOWS:]


def measure(bench: Run) -> Round:
    bench.progress.show("  bare produce")
    bare = bare_produce(bench.lab)
    deployment = bench.lab.deployment()
    deployment.launch("writer", "projector-following", "projector-fans", "reader")
    bench.progress.show(f"  {FOLLOWS} follows, one at a time")
    meter = CpuMeter(deployment.pids())
    times = time_follows(deployment)
    cores = meter.cores()
    deployment.stop()
    acked, seen = (sorted(column) for column in zip(*times))
    return {"acked_p50_ms": percentile(acked, 50), "acked_p99_ms": percentile(acked, 99),
            "seen_p50_ms": percentile(seen, 50), "seen_p99_ms": percentile(seen, 99),
            "cores": cores, "bare": bare}


def figures(medians: Round) -> list[Figure]:
    bare = medians["bare"]
    return [Figure("visible p50", "ms", medians["seen_p50_ms"], APPENDS * bare["lone_median_ms"],
                   (Goal("ours", P50_MS_MAX, is_ceiling=True),)),
            Figure("visible p99", "ms", medians["seen_p99_ms"], APPENDS * bare["lone_p99_ms"])]


def notes(medians: Round) -> list[str]:
    return [f"of it, until the writer's ack: {medians['acked_p50_ms']:.2f} ms at the median, "
            f"{medians['acked_p99_ms']:.2f} at p99", *cpu_notes(medians)]


def percentile(ascending: list[float], percent: int) -> float:
    return ascending[min(len(ascending) * percent // 100, len(ascending) - 1)]


BENCHMARK = Benchmark(
    name="visible",
    what="one PUT until GET fans answers for its position, idle; beside two lone acked messages",
    rounds=2,
    measure=measure,
    figures=figures,
    notes=notes,
    warms_up=True)
