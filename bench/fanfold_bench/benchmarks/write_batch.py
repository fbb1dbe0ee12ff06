"""Bulk writing: 1,000 events a request."""

from .. import write_load
from ..benchmark import Benchmark, Figure, Goal, Round

CONNECTIONS = 8
PER_SECOND_MIN = 100_000


def figures(medians: Round) -> list[Figure]:
    return [Figure("write-batch", "events/s", medians["events_per_second"],
                   medians["bare"]["in_flight_10000"], (Goal("ours", PER_SECOND_MIN),))]


BENCHMARK = Benchmark(
    name="write-batch",
    what="POST of 1,000 events, 8 connections; beside librdkafka with 10,000 messages in flight",
    rounds=3,
    measure=lambda bench: write_load.measure(bench, "post_events.lua", CONNECTIONS),
    figures=figures,
    notes=write_load.cpu_notes,
    warms_up=True)
