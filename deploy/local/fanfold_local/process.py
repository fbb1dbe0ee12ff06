"""Background processes known by their pid files: HOME/run/NAME.pid, HOME/log/NAME.log."""

import os
import re
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

from .errors import LocalError
from .files import write_whole
from .waiting import wait_until

STOP_SECONDS_MAX = 60
KILL_SECONDS_MAX = 10
LOG_TAIL_LINES = 15

# In the order in which they start, as common/ports/projection.h has them.
PROJECTIONS = ("following", "fans", "profiles", "posts", "feed")

# What the command line of a process of that kind contains, beside the path of its home.
PROGRAMS = {
    "kafka": "kafka.Kafka",
    "mariadb": "mariadbd",
    "writer": "fanfold-writer",
    **{f"projector-{projection}": "fanfold-projector" for projection in PROJECTIONS},
    "reader": "fanfold-reader",
    "embedded": "fanfold serve",
    # Beside the benchmarks.
    "nginx": "nginx",
    "redis": "redis-server",
    # In place of MariaDB, for tests.
    "mysql": "mysqld",
}


# Of this process, to be collected when they end.
_children: list[subprocess.Popen] = []


def numbered(kind: str, index: int) -> str:
    """The name of the index-th (from 0) process of a kind: kafka, kafka-2, …"""
    return kind if index == 0 else f"{kind}-{index + 1}"


def kind_of(name: str) -> str:
    return re.sub(r"-\d+$", "", name)


@dataclass(frozen=True)
class Process:
    home: Path
    name: str

    @property
    def pid_file(self) -> Path:
        return self.home / "run" / f"{self.name}.pid"

    @property
    def log_file(self) -> Path:
        return self.home / "log" / f"{self.name}.log"

    def command_line(self) -> list[str]:
        """Of the running process; empty when it is not running, or the pid is somebody else's."""
        pid = self._recorded_pid()
        if pid is None:
            return []
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            return []
        text = " ".join(words)
        ours = PROGRAMS[kind_of(self.name)] in text and str(self.home) in text
        return words[:-1] if ours else []

    def is_running(self) -> bool:
        return bool(self.command_line())

    def runs(self, command: list[str]) -> bool:
        """Whether it runs with these arguments. The program itself is not compared: a script's
        command line begins with its interpreter."""
        arguments = command[1:]
        return self.is_running() and self.command_line()[-len(arguments):] == arguments

    def start(self, command: list[str], environment: Optional[dict[str, str]] = None) -> None:
        self.log_file.parent.mkdir(parents=True, exist_ok=True)
        with open(self.log_file, "ab") as log:
            try:
                child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                         stderr=subprocess.STDOUT, env=environment,
                                         start_new_session=True)
            except OSError as error:
                raise LocalError(f"{self.name} cannot be started: {error}") from error
        _children[:] = [child, *(other for other in _children if other.poll() is None)]
        write_whole(self.pid_file, f"{child.pid}\n")
        # Between fork and exec the child still shows its parent's command line. A child that has
        # ended is left for wait_ready to report.
        wait_until(lambda: self.is_running() or child.poll() is not None, KILL_SECONDS_MAX)

    def wait_ready(self, ready: Callable[[], bool], seconds: float) -> None:
        """Raises LocalError with the end of the log when it ends or is not ready in time."""
        wait_until(lambda: ready() or not self.is_running(), seconds)
        if not self.is_running():
            raise LocalError(f"{self.name} ended at its start\n{self.log_tail()}")
        if not ready():
            raise LocalError(f"{self.name} was not ready within {seconds:.0f} s\n{self.log_tail()}")

    def send(self, number: int) -> None:
        if self.is_running():
            try:
                os.kill(self._recorded_pid(), number)
            except ProcessLookupError:
                pass

    def stop(self, first_signal: int = signal.SIGTERM) -> bool:
        """Returns once it has ended and released its files and ports; False if it had to be killed.
        Raises LocalError if even that does not end it."""
        clean = True
        if self.is_running():
            pid = self._recorded_pid()
            self.send(first_signal)
            clean = wait_until(lambda: _has_ended(pid), STOP_SECONDS_MAX)
            if not clean:
                self.send(signal.SIGKILL)
                if not wait_until(lambda: _has_ended(pid), KILL_SECONDS_MAX):
                    raise LocalError(f"{self.name} does not end, not even by SIGKILL")
        self.pid_file.unlink(missing_ok=True)
        return clean

    def log_tail(self) -> str:
        try:
            lines = self.log_file.read_text(errors="replace").splitlines()[-LOG_TAIL_LINES:]
        except OSError:
            lines = []
        return "\n".join([f"--- end of {self.log_file}", *lines])

    def _recorded_pid(self) -> Optional[int]:
        try:
            return int(self.pid_file.read_text())
        except (OSError, ValueError):
            return None


def _has_ended(pid: int) -> bool:
    """A zombie whose threads are gone holds no file any more; nobody may ever collect it."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state in "ZX" and len(os.listdir(f"/proc/{pid}/task")) <= 1
    except OSError:
        return True


def recorded(home: Path) -> list[Process]:
    """Every process with a pid file there, running or not."""
    names = sorted(path.stem for path in (home / "run").glob("*.pid"))
    return [Process(home, name) for name in names if kind_of(name) in PROGRAMS]
