"""The writer under load, beside librdkafka alone on the same broker. No projector runs, since none
runs beside the baseline either: what follows an ack is measured by other benchmarks."""

from pathlib import Path
from typing import Any

from .benchmark import Round, Run
from .cpu import CpuMeter, disturbance, listed
from .lab import Lab
from .programs import run
from fanfold_local.errors import LocalError
from fanfold_local.services import Service

SCRIPTS = Path(__file__).resolve().parent / "wrk"
SECONDS = 5
WARM_UP_SECONDS = 2
APPENDED = "fanfold_writer_events_appended_total"


def bare_produce(lab: Lab) -> dict[str, Any]:
    """librdkafka alone, with the writer's settings."""
    topic = lab.deployment().events_topic
    return run([str(lab.binaries / "bench_bare_produce"), lab.cluster.bootstrap, topic]).last_json()


def measure(bench: Run, script: str, connections: int) -> Round:
    """Requests of wrk/`script` for SECONDS on so many connections, after a warm-up."""
    bench.progress.show("  bare produce")
    bare = bare_produce(bench.lab)
    deployment = bench.lab.deployment()
    deployment.launch("writer")
    bench.progress.show(f"  {script}, {connections} connections")
    load(deployment.service("writer"), script, connections, WARM_UP_SECONDS)
    writer = deployment.client("writer")
    appended = writer.metrics()[APPENDED]
    meter = CpuMeter(deployment.pids())
    loaded = load(deployment.service("writer"), script, connections, SECONDS)
    cores = meter.cores(wrk=loaded.pop("cpu_seconds"))
    seconds = loaded["duration_us"] / 1e6
    events = writer.metrics()[APPENDED] - appended
    deployment.stop()
    return {"events_per_second": events / seconds, "load": loaded, "cores": cores, "bare": bare}


def cpu_notes(medians: Round) -> list[str]:
    return [f"cores kept busy: {listed(medians['cores'])}", *disturbance(medians["cores"], "it")]


def load(service: Service, script: str, connections: int, seconds: int) -> dict[str, Any]:
    """What wrk/report.lua tells of so many seconds, and the CPU time of wrk."""
    ran = run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(SCRIPTS / script),
               service.url])
    loaded = ran.last_json()
    if loaded["errors"] > 0:
        raise LocalError(f"{script}: {loaded['errors']} of {loaded['requests']} requests failed\n"
                         f"{service.process.log_tail()}")
    return {**loaded, "cpu_seconds": ran.cpu_seconds}
