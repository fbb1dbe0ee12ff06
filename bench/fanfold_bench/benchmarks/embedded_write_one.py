"""The embedded mode: one caller, one follow at a time."""

from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from fanfold_local.ports import LOOPBACK, free_ports
from fanfold_local.process import Process
from fanfold_local.services import Service, environment

from .. import machine, write_load
from ..benchmark import Benchmark, Figure, Round, Run
from ..cpu import CpuMeter


@contextmanager
def served(home: Path, binaries: Path) -> Iterator[Service]:
    """`fanfold serve` on a folder in `home`, while the context lasts."""
    [port] = free_ports(1)
    command = [str(binaries / "fanfold"), "serve", "--dir", str(home / "data")]
    service = Service(Process(home, "embedded"), command, LOOPBACK, port, "FANFOLD_READER_PORT")
    service.process.start(command, {**environment(), service.port_variable: str(port)})
    try:
        service.wait_ready()
        yield service
    finally:
        service.process.stop()


def measure(bench: Run) -> Round:
    bench.progress.show("  PUT, one connection")
    with served(bench.lab.work / "embedded", bench.lab.binaries) as service:
        write_load.load(service, "put.lua", 1, write_load.WARM_UP_SECONDS)
        meter = CpuMeter({"fanfold": int(service.process.pid_file.read_text())})
        loaded = write_load.load(service, "put.lua", 1, write_load.SECONDS)
        cores = meter.cores(wrk=loaded.pop("cpu_seconds"))
    return {"load": loaded, "cores": cores, "sync_ms": machine.fsync_ms(bench.lab.work)}


def figures(medians: Round) -> list[Figure]:
    return [Figure("embedded-write-one p50", "ms", medians["load"]["p50_ms"], medians["sync_ms"])]


def notes(medians: Round) -> list[str]:
    return [*write_load.cpu_notes(medians), f"p99: {medians['load']['p99_ms']:.2f} ms"]


BENCHMARK = Benchmark(
    name="embedded-write-one",
    what="PUT to fanfold serve, one connection, one at a time; beside one small write and its "
         "fdatasync",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes,
    needs_servers=False)
