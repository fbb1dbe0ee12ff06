"""Imports a graph and watches projectors fold a log to its end, by their own metrics."""

import time
from dataclasses import dataclass, field
from typing import Any, Callable

from fanfold_local.errors import LocalError

from .benchmark import Run
from .cpu import CpuMeter
from .graph import Graph
from .lab import Deployment
from .programs import Program, run
from .progress import Progress

PROJECTIONS = ["following", "fans"]
# Of what can be read when the projectors' counters have reached the end.
SETTLE_SECONDS = 30
POLL_SECONDS = 0.1
SAMPLE_SECONDS = 1.0
STALL_SECONDS_MAX = 60

RECORDS = "fanfold_projector_records_total"
COMMIT = "fanfold_projector_commit_seconds"
LOAD = "fanfold_projector_load_seconds"


def service_of(projection: str) -> str:
    return f"projector-{projection}"


@dataclass
class Folding:
    """One projector's way from the first record to the last."""

    began: float  # when it was last seen without a record
    metrics: dict[str, float] = field(default_factory=dict)
    ended: float = 0.0
    samples: list[tuple[float, int]] = field(default_factory=list)  # seconds, records

    @property
    def records(self) -> int:
        return int(self.metrics.get(RECORDS, 0))

    def summary(self) -> dict[str, Any]:
        seconds = self.ended - self.began
        batches = max(self.metrics[f"{COMMIT}_count"], 1)
        return {
            "seconds": seconds,
            "records_per_second": self.records / seconds,
            "records_per_batch": self.records / batches,
            "load_share": self.metrics[f"{LOAD}_sum"] / seconds,
            "commit_share": self.metrics[f"{COMMIT}_sum"] / seconds,
            "samples": self.samples,
        }


def fold(bench: Run, deployment: Deployment, graph: Graph) -> dict[str, Any]:
    """From the start of the import until all of it can be read."""
    meter = CpuMeter(deployment.pids())
    began = time.monotonic()
    with Program(deployment.command("import", "--no-wait", "--json", str(graph.path))) as importing:
        foldings = watch(deployment, PROJECTIONS, graph.follows, bench.progress,
                                 importing.has_finished)
        imported = importing.result()
    run(deployment.command("wait", "--timeout", str(SETTLE_SECONDS)))
    seconds = time.monotonic() - began
    cpu = meter.seconds(**{"import": imported.cpu_seconds})
    return {"seconds": seconds,
            "follows_per_second": graph.follows / seconds,
            "import_events_per_second": imported.last_json()["events_per_second"],
            "projectors": {p: f.summary() for p, f in foldings.items()},
            "cores": {name: s / seconds for name, s in cpu.items()},
            "cpu_us_per_follow": {name: s * 1e6 / graph.follows for name, s in cpu.items()}}


def watch(deployment: Deployment, projections: list[str], records: int, progress: Progress,
          look: Callable[[], Any] = lambda: None) -> dict[str, Folding]:
    """Returns when each has folded that many records. Calls look() at each poll. Raises LocalError
    when nothing moves for STALL_SECONDS_MAX."""
    began = moved = sampled = time.monotonic()
    clients = {p: deployment.client(service_of(p)) for p in projections}
    foldings = {p: Folding(began) for p in projections}
    while any(f.records < records for f in foldings.values()):
        time.sleep(POLL_SECONDS)
        look()
        now = time.monotonic()
        for projection, folding in foldings.items():
            if folding.records < records and _poll(clients[projection].metrics(), folding, now):
                moved = now
        if now - moved > STALL_SECONDS_MAX:
            raise LocalError("\n".join(["the projectors stand still", *(
                deployment.log_tail(service_of(p)) for p in projections)]))
        if now - sampled >= SAMPLE_SECONDS:
            sampled = now
            for folding in foldings.values():
                folding.samples.append((round(now - began, 2), folding.records))
        progress.show(_line(foldings, records, now - began))
    return foldings


def _poll(metrics: dict[str, float], folding: Folding, now: float) -> bool:
    """Whether it has moved."""
    before = folding.records
    if metrics[RECORDS] == 0:
        folding.began = now
        return False
    folding.metrics = metrics
    folding.ended = now
    return folding.records > before


def _line(foldings: dict[str, Folding], records: int, seconds: float) -> str:
    parts = [f"{projection} {100 * folding.records / records:3.0f} %"
             for projection, folding in foldings.items()]
    slowest = min(folding.records for folding in foldings.values())
    return f"  {seconds:4.0f} s  {'  '.join(parts)}  {slowest / seconds:,.0f} follows/s"
