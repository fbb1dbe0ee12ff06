"""What the figures were taken on: they mean nothing without it."""

import os
import platform
import re
import subprocess
import time
from pathlib import Path
from statistics import median

FSYNCS = 100
BLOCK_BYTES = 4096
LIBRARIES = ["librdkafka1", "libmysqlcppconn7v5", "mariadb-server", "wrk", "nginx", "redis-server"]


def describe(folder: Path) -> dict[str, object]:
    """`folder`: on the disk that the servers write to."""
    cpu = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    memory = re.search(r"^MemTotal:\s*(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    return {"cpu": cpu[1] if cpu else platform.machine(), "cores": os.cpu_count(),
            "memory_gb": round(int(memory[1]) / 2**20) if memory else 0,
            "kernel": platform.release(), "fsync_ms": fsync_ms(folder)}


def versions(root: Path, binaries: Path) -> dict[str, str]:
    kafka = [m[1] for m in (re.fullmatch(r"kafka_[\d.]+-([\d.]+)\.jar", path.name)
                            for path in (root / "deploy" / "kafka" / "libs").glob("kafka_*")) if m]
    debian = {name: _output(["dpkg-query", "-W", "-f", "${Version}", name]) for name in LIBRARIES}
    return {"fanfold": _output([str(binaries / "fanfold"), "--version"]).split()[-1],
            # The clone may belong to another user than root, which git refuses unless told.
            "commit": _output(["git", "-c", f"safe.directory={root}", "-C", str(root), "describe",
                               "--always", "--dirty"]),
            "kafka": "".join(kafka), **debian}


def fsync_ms(folder: Path) -> float:
    """The median of a small write that is on the disk when it returns."""
    path = folder / "fsync"
    times = []
    with open(path, "wb", buffering=0) as file:
        for _ in range(FSYNCS):
            began = time.perf_counter()
            file.write(bytes(BLOCK_BYTES))
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    path.unlink()
    return round(median(times) * 1000, 3)


def _output(command: list[str]) -> str:
    try:
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return ran.stdout.strip() or "unknown"
