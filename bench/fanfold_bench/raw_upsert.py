"""The baseline of the pipeline: the same rows upserted bare, into the same server."""

from typing import Any

from .cpu import CpuMeter
from .graph import Graph
from .lab import Lab
from .programs import run
from .progress import Progress

BATCHES = [1000, 2000, 5000]


def measure(lab: Lab, progress: Progress, graph: Graph, tables: str,
            connections: int) -> dict[str, Any]:
    """`tables`: following, fans or both; `connections` to each. Tries each batch size on empty
    tables; the best one counts."""
    tried = {}
    for batch in BATCHES:
        schema = f"raw_{tables}_{batch}"
        progress.show(f"  raw upsert, {tables}, batches of {batch}")
        lab.database.rest()
        meter = CpuMeter(lab.pids())
        ran = run([str(lab.binaries / "bench_raw_upsert"), lab.database.dsn(schema),
                   str(graph.path), str(batch), tables, str(connections)])
        cpu = meter.seconds(raw_upsert=ran.cpu_seconds)
        tried[str(batch)] = {**ran.last_json(), "cpu_us_per_follow": {
            name: seconds * 1e6 / graph.follows for name, seconds in cpu.items()},
            "cores": {name: seconds / ran.seconds for name, seconds in cpu.items()}}
        lab.database.drop(schema)
    best = max(tried, key=lambda batch: tried[batch]["edges_per_second"])
    return {**tried[best], "best_batch": int(best), "connections": connections, "tried": tried}
