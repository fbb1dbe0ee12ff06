"""Load on one server: it has one core, the generator another."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fanfold_local.errors import LocalError
from fanfold_local.ports import LOOPBACK

from ..cpu import CpuMeter, disturbance, generator_core, listed
from ..programs import Finished, run
from ..write_load import SCRIPTS

CONNECTIONS = 64
SECONDS = 5
WARM_UP_SECONDS = 1


@dataclass(frozen=True)
class Target:
    """A server under load, and those whose CPU is told beside it."""

    name: str
    pid: int
    port: int
    beside: dict[str, int]
    operations: int = 0  # its operators' port, where it has one


def http(target: Target, paths: Path, connections: int = CONNECTIONS, seconds: int = SECONDS,
         first: int = 0, token: str = "", tls: bool = False) -> dict[str, Any]:
    """GETs of the paths in the file, in turn, from the one at `first` on; by wrk. `token`: shown
    with each."""
    shown = ["-H", f"Authorization: Bearer {token}"] if token else []
    scheme = "https" if tls else "http"
    return _measured(target, "wrk", [
        "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", *shown, "-s",
        str(SCRIPTS / "paths.lua"), f"{scheme}://{LOOPBACK}:{target.port}", "--", str(paths),
        str(first)])


def redis(target: Target, binaries: Path, requests: Path, seconds: int = SECONDS) -> dict[str, Any]:
    """The requests in the file, in turn, as bench/redis_load.cc takes them."""
    return _measured(target, "redis_load", [
        str(binaries / "bench_redis_load"), str(target.port), str(requests), str(seconds),
        str(CONNECTIONS)])


def cpu_notes(medians: dict[str, dict[str, Any]]) -> list[str]:
    """A line for each measured server."""
    lines = []
    for name, load in medians.items():
        lines.append(f"{name}: {load['per_second']:,.0f} requests/s, {load['cpu_us']:.2f} µs of "
                     f"its CPU each; cores kept busy: {listed(load['cores'])}")
        lines += disturbance(load["cores"], name)
    return lines


def _measured(target: Target, generator: str, command: list[str]) -> dict[str, Any]:
    meter = CpuMeter({target.name: target.pid, **target.beside})
    ran = run(["taskset", "--cpu-list", str(generator_core()), *command])
    cores = meter.cores(**{generator: ran.cpu_seconds})
    cpu_seconds = meter.seconds()[target.name]
    report = _report(ran, target)
    return {**report, **_rates(report, cpu_seconds), "cores": cores}


def _report(ran: Finished, target: Target) -> dict[str, Any]:
    report = ran.last_json()
    if report.get("errors", 0) > 0 or report["requests"] == 0:
        raise LocalError(f"{target.name}: {report['errors']} of {report['requests']} requests "
                         "failed")
    return report


def _rates(report: dict[str, Any], cpu_seconds: float) -> dict[str, float]:
    seconds = report.get("seconds") or report["duration_us"] / 1e6
    requests = report["requests"]
    return {"per_second": requests / seconds, "cpu_us": cpu_seconds * 1e6 / requests,
            "per_cpu_second": requests / cpu_seconds}


def latency_note(measured: dict[str, Any]) -> str:
    return (f"a request took {measured['p50_ms']:.2f} ms at the median, {measured['p99_ms']:.2f} "
            "at p99")
