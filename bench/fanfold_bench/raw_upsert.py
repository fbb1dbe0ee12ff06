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
        tried[str(batch)] = {**ran.last_json(),
                             "mariadb_cpu_us": meter.seconds()["mariadb"] * 1e6 / graph.follows}
        lab.database.drop(schema)
    best = max(tried, key=lambda batch: tried[batch]["edges_per_second"])
    return {"edges_per_second": tried[best]["edges_per_second"], "best_batch": int(best),
            "mariadb_cpu_us": tried[best]["mariadb_cpu_us"], "connections": connections,
            "tried": tried}
