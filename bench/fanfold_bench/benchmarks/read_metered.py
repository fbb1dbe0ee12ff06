"""What metrics take of a relation check: a route counted and timed, beside the whole check."""

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..programs import micro
from .read_guarded import Guarded, in_turn

PART_MAX = 0.02


def measure(bench: Run) -> Round:
    guarded: Guarded = bench.prepared
    with guarded.served() as target:
        bench.progress.show("  a check a request")
        checks = in_turn(guarded, {"check": target})
    bench.progress.show("  a route metered")
    return checks | micro(bench.lab.work, bench.lab.binaries / "bench_metered")


def metering_us(medians: Round) -> float:
    return medians["Metered"]["cpu_time"] - medians["Plain"]["cpu_time"]


def figures(medians: Round) -> list[Figure]:
    return [Figure("read-metered, metrics of a check", "CPU µs", metering_us(medians), medians["check"]["cpu_us"],
                   (Goal("ratio", PART_MAX, is_ceiling=True),), of_its_own=True)]


def notes(_: Round) -> list[str]:
    return ["read-metered: baseline is the whole check over HTTP, of which the metrics are a part"]


BENCHMARK = Benchmark(
    name="read-metered",
    what="what counting and timing a request takes, beside a relation check of fanfold serve with all it does",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes,
    prepare=Guarded,
    needs_servers=False)
