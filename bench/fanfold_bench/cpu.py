"""CPU time and memory of processes, from /proc."""

import os
import time
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
# Of /proc/stat's first line: user, nice, system, irq, softirq, steal.
BUSY = (1, 2, 3, 6, 7, 8)
# More than the system's own housekeeping takes.
OTHERS_CORES_MAX = 0.1
# Of /proc/PID/stat: utime and stime, counted from the field after the program's name.
UTIME, STIME = 11, 12


def cpu_seconds(pid: int) -> float:
    """User and system time of all threads of a living process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[UTIME]) + int(fields[STIME])) / TICKS_PER_SECOND


def resident_bytes(pid: int, peak: bool = False) -> int:
    """Of a living process, now or at the most so far."""
    name = "VmHWM:" if peak else "VmRSS:"
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def machine_cpu_seconds() -> float:
    """What all cores together were busy, for whomever."""
    fields = Path("/proc/stat").read_text().splitlines()[0].split()
    return sum(int(fields[i]) for i in BUSY) / TICKS_PER_SECOND


def server_core() -> int:
    return min(os.sched_getaffinity(0))


def generator_core() -> int:
    """Another one than the server's, where there are two."""
    return max(os.sched_getaffinity(0))


def pin(pid: int, core: int) -> None:
    """All threads of a living process, and those that they start."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        try:
            os.sched_setaffinity(int(thread.name), {core})
        except ProcessLookupError:
            pass  # it has ended meanwhile


class CpuMeter:
    """Of the named processes and of the benchmark's own, from construction on."""

    def __init__(self, pids: dict[str, int]):
        self._pids = {**pids, "bench": os.getpid()}
        self._began = self._read()
        self._machine_began = machine_cpu_seconds()
        self._began_at = time.monotonic()

    def seconds(self, **ended: float) -> dict[str, float]:
        """By name, with those of programs that have `ended` since, as they were told, and those of
        everything else on the machine (`others`), which should be next to nothing."""
        now = self._read()
        ours = {name: now[name] - before for name, before in self._began.items()} | ended
        machine = machine_cpu_seconds() - self._machine_began
        return {**ours, "others": max(machine - sum(ours.values()), 0.0)}

    def cores(self, **ended: float) -> dict[str, float]:
        """How many cores each kept busy, on average."""
        elapsed = time.monotonic() - self._began_at
        return {name: seconds / elapsed for name, seconds in self.seconds(**ended).items()}

    def _read(self) -> dict[str, float]:
        return {name: cpu_seconds(pid) for name, pid in self._pids.items()}


def listed(shares: dict[str, float], least: float = 0.01) -> str:
    """Names with their shares, the greatest first; those below `least` are left out."""
    ordered = sorted(shares.items(), key=lambda item: -item[1])
    return ", ".join(f"{name} {share:.2f}" for name, share in ordered if share >= least)


def disturbance(cores: dict[str, float], measuring: str) -> list[str]:
    """A note, when other programs took part of the machine; otherwise none."""
    if cores["others"] <= OTHERS_CORES_MAX:
        return []
    return [f"DISTURBED: other programs kept {cores['others']:.2f} cores busy beside {measuring}; "
            "measure again"]
