"""One caller, one follow at a time."""

from .. import write_load
from ..benchmark import Benchmark, Figure, Goal, Round

P50_MS_MAX = 3.0


def figures(medians: Round) -> list[Figure]:
    load, bare = medians["load"], medians["bare"]
    return [Figure("write-one p50", "ms", load["p50_ms"], bare["lone_median_ms"],
                   (Goal("ours", P50_MS_MAX, is_ceiling=True),)),
            Figure("write-one p99", "ms", load["p99_ms"], bare["lone_p99_ms"])]


BENCHMARK = Benchmark(
    name="write-one",
    what="PUT, one connection, one at a time; beside a lone acked message of librdkafka",
    rounds=3,
    measure=lambda bench: write_load.measure(bench, "put.lua", connections=1),
    figures=figures,
    notes=write_load.cpu_notes,
    warms_up=True)
