"""The baseline of the embedded mode: the same rows upserted bare, into a file on the same disk."""

from pathlib import Path
from typing import Any

from .cpu import CpuMeter
from .graph import Graph
from .lab import Lab
from .programs import run
from .progress import Progress

BATCHES = [100, 1000, 5000]


def measure(lab: Lab, progress: Progress, graph: Graph, folder: Path) -> dict[str, Any]:
    """Both tables. Tries each batch size on empty ones, in `folder`; the best one counts."""
    tried = {}
    for batch in BATCHES:
        progress.show(f"  raw SQLite upsert, batches of {batch}")
        meter = CpuMeter({})
        ran = run([str(lab.binaries / "bench_raw_sqlite_upsert"), str(folder / f"raw-{batch}.db"),
                   str(graph.path), str(batch)])
        tried[str(batch)] = {**ran.last_json(), "cores": meter.cores(raw_upsert=ran.cpu_seconds)}
    best = max(tried, key=lambda batch: tried[batch]["edges_per_second"])
    return {**tried[best], "best_batch": int(best), "tried": tried}
