"""CPU time of processes, from /proc."""

import os
import time
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
# utime and stime, counted from the field after the program's name.
UTIME, STIME = 11, 12


def cpu_seconds(pid: int) -> float:
    """User and system time of all threads of a living process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[UTIME]) + int(fields[STIME])) / TICKS_PER_SECOND


class CpuMeter:
    """Of the named processes and of the benchmark's own, from construction on."""

    def __init__(self, pids: dict[str, int]):
        self._pids = {**pids, "bench": os.getpid()}
        self._began = self._read()
        self._began_at = time.monotonic()

    def seconds(self) -> dict[str, float]:
        now = self._read()
        return {name: now[name] - before for name, before in self._began.items()}

    def cores(self) -> dict[str, float]:
        """How many cores each kept busy, on average."""
        elapsed = time.monotonic() - self._began_at
        return {name: seconds / elapsed for name, seconds in self.seconds().items()}

    def _read(self) -> dict[str, float]:
        return {name: cpu_seconds(pid) for name, pid in self._pids.items()}
