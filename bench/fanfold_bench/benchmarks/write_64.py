"""64 callers, one follow a request."""

from .. import write_load
from ..benchmark import Benchmark, Figure, Goal, Round

CONNECTIONS = 64
PER_SECOND_MIN = 20_000


def figures(medians: Round) -> list[Figure]:
    return [Figure("write-64", "events/s", medians["events_per_second"],
                   medians["bare"]["in_flight_64"], (Goal("ours", PER_SECOND_MIN),))]


def notes(medians: Round) -> list[str]:
    load = medians["load"]
    return [*write_load.cpu_notes(medians),
            f"a request took {load['p50_ms']:.2f} ms at the median, {load['p99_ms']:.2f} at p99"]


BENCHMARK = Benchmark(
    name="write-64",
    what="PUT, 64 connections; beside librdkafka with 64 messages in flight",
    rounds=3,
    measure=lambda bench: write_load.measure(bench, "put.lua", CONNECTIONS),
    figures=figures,
    notes=notes,
    warms_up=True)
