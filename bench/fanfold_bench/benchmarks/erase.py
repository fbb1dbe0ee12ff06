"""Single follows while an account with very many fans is erased."""

import json
import time
from pathlib import Path
from statistics import median
from typing import Any

from fanfold_local.errors import LocalError

from ..benchmark import Benchmark, Figure, Round, Run
from ..cpu import CpuMeter
from ..everyday import CROWD_CLIENTS, WARM_UP_SECONDS, Setting
from ..lab import Deployment
from ..programs import run
from ..write_load import bare_produce, cpu_notes

FANS = 1_000_000
ERASED, FIRST_FAN = 9_000_000_000, 5_000_000_000  # nobody of the load's
LIVE = Setting("live", CROWD_CLIENTS, 200)
WINDOW_SECONDS = 30
WINDOWS_BEFORE = 3
FOLD_SECONDS_MAX = 600
ERASE_SECONDS_MAX = 1800
SERVICES = ["writer", "projector-following", "projector-fans", "projector-profiles", "reader"]


class Live:
    """Follows at a steady rate, window by window."""

    def __init__(self, bench: Run, deployment: Deployment):
        ports = [str(deployment.service(name).port) for name in ("writer", "reader")]
        self._command = [str(bench.lab.binaries / "bench_everyday_load"), *ports]
        self._follows = 0
        self.window(WARM_UP_SECONDS)

    def window(self, seconds: int = WINDOW_SECONDS) -> dict[str, Any]:
        ran = run([*self._command, *LIVE.words(self._follows, seconds, CROWD_CLIENTS)])
        report = ran.last_json()
        self._follows += report["writes"] + report["left"]
        return {**report, "cpu_seconds": ran.cpu_seconds}


def write_fans(path: Path) -> Path:
    path.write_text("".join(f"{FIRST_FAN + i} {ERASED}\n" for i in range(FANS)))
    return path


def is_erased(deployment: Deployment) -> bool:
    body, _ = deployment.client("reader").request("GET", f"/v1/users/{ERASED}", 200)
    return json.loads(body)["erase"] == "done"


def erase(bench: Run, deployment: Deployment, live: Live) -> Round:
    deployment.client("writer").request("DELETE", f"/v1/users/{ERASED}", 202)
    meter, began, windows = CpuMeter(deployment.pids()), time.monotonic(), []
    while not is_erased(deployment):
        seconds = time.monotonic() - began
        if seconds > ERASE_SECONDS_MAX:
            raise LocalError(deployment.log_tail("projector-profiles"))
        bench.progress.show(f"  {seconds:4.0f} s of erasing beside live follows")
        windows.append(live.window())
    events = deployment.client("projector-profiles").metrics()["fanfold_erasure_events_total"]
    cores = meter.cores(load=sum(window["cpu_seconds"] for window in windows))
    return {"events": events, "seconds": time.monotonic() - began, "cores": cores, **_of(windows)}


def measure(bench: Run) -> Round:
    bench.progress.show("  bare produce, for a broker that has run hot")
    bare_produce(bench.lab)
    deployment = bench.lab.deployment()
    deployment.launch(*SERVICES)
    bench.progress.show(f"  {FANS:,} fans of one account")
    run(deployment.command("import", "--json", str(write_fans(bench.lab.work / "fans.tsv"))))
    run(deployment.command("wait", "--timeout", str(FOLD_SECONDS_MAX)))
    bench.progress.show("  live follows alone")
    live = Live(bench, deployment)
    before = _of([live.window() for _ in range(WINDOWS_BEFORE)])
    erased = erase(bench, deployment, live)
    deployment.stop()
    return {**erased, "before": before}


def _of(windows: list[dict[str, Any]]) -> dict[str, float]:
    return {"p50_ms": median(window["p50_ms"] for window in windows),
            "p99_ms": median(window["p99_ms"] for window in windows),
            "worst_p99_ms": max(window["p99_ms"] for window in windows),
            "left": sum(window["left"] for window in windows)}


def figures(medians: Round) -> list[Figure]:
    before = medians["before"]
    return [Figure("erase", "events/s", medians["events"] / medians["seconds"], None),
            *(Figure(f"live follows while an account is erased, {said}", "ms", medians[name],
                     before[name])
              for said, name in (("p50", "p50_ms"), ("p99", "p99_ms"),
                                 ("p99 of the worst window", "worst_p99_ms")))]


def notes(medians: Round) -> list[str]:
    return [f"{medians['events']:,.0f} events in {medians['seconds']:,.0f} s, until the reader tells "
            f"`done`; {medians['left']:,.0f} live follows never seen",
            *cpu_notes(medians)]


BENCHMARK = Benchmark(
    name="erase",
    what=f"{LIVE.per_second} single follows a second, each until it is seen, while an account with "
         f"{FANS:,} fans is erased, in windows of {WINDOW_SECONDS} s; beside the same before",
    rounds=1,
    measure=measure,
    figures=figures,
    notes=notes)
