"""What lists in memory take, and that they take no more than they are given."""

from typing import Any

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..cpu import resident_bytes
from ..http_client import HttpClient
from ..reading.load import Target
from ..reading.reading import Reading, prepare
from ..reading.warming import ask_for_all

BOUND_MIB = 64
# Beside the lists, the process has the allocator's waste and its threads' buffers.
BOUNDED_RATIO_MAX = 2
MIB = 2**20


def filled(target: Target, users: list[int]) -> dict[str, Any]:
    """A reader that has just started, asked for all these."""
    before = resident_bytes(target.pid)
    ask_for_all(target.port, users)
    metrics = HttpClient(target.port).metrics()
    return {"grown_bytes": resident_bytes(target.pid) - before,
            "peak_grown_bytes": resident_bytes(target.pid, peak=True) - before,
            "cache_bytes": metrics["fanfold_reader_cache_bytes"],
            "users": metrics["fanfold_reader_cache_users"],
            "evictions": metrics["fanfold_reader_cache_evictions_total"]}


def measure(bench: Run) -> Round:
    reading: Reading = bench.prepared
    users = reading.users
    bench.progress.show(f"  all {len(users):,} users, {BOUND_MIB} MiB")
    bounded = filled(reading.cold_reader("--cache-mib", str(BOUND_MIB)), users)
    bench.progress.show(f"  all {len(users):,} users")
    reader = reading.cold_reader()
    whole = filled(reader, users)
    reading.warm_up(reader)  # for those that come after it
    edges = sum(len(reading.lists.following.get(user, ())) for user in users)
    return {"edges": edges, "asked": len(users), "whole": whole, "bounded": bounded}


def figures(medians: Round) -> list[Figure]:
    whole, bounded, edges = medians["whole"], medians["bounded"], medians["edges"]
    return [Figure("read-memory, RSS", "bytes/edge", whole["grown_bytes"] / edges, None),
            Figure("read-memory, lists", "bytes/edge", whole["cache_bytes"] / edges, None),
            Figure(f"read-memory, --cache-mib {BOUND_MIB}", "MiB RSS",
                   bounded["peak_grown_bytes"] / MIB, BOUND_MIB,
                   (Goal("ratio", BOUNDED_RATIO_MAX, is_ceiling=True),))]


def notes(medians: Round) -> list[str]:
    whole, bounded = medians["whole"], medians["bounded"]
    return [
        f"{medians['edges']:,.0f} edges, each in the lists of both its users; "
        f"{whole['users']:,.0f} users held of {medians['asked']:,.0f}; the process grew by "
        f"{whole['grown_bytes'] / MIB:,.0f} MiB, of which lists {whole['cache_bytes'] / MIB:,.0f}",
        f"with {BOUND_MIB} MiB: {bounded['users']:,.0f} users held, {bounded['evictions']:,.0f} "
        f"evicted; the process had grown by {bounded['peak_grown_bytes'] / MIB:,.0f} MiB at its "
        f"peak, lists took {bounded['cache_bytes'] / MIB:,.0f}",
    ]


BENCHMARK = Benchmark(
    name="read-memory",
    what="what the process grows by when everybody's lists are in its memory, and how far it grows "
         f"with --cache-mib {BOUND_MIB} (its baseline) while everybody is asked for",
    rounds=1,
    measure=measure,
    figures=figures,
    notes=notes,
    prepare=prepare)
