"""Programs that run to their end beside what is measured, with the time and CPU they took."""

import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from fanfold_local.errors import LocalError


@dataclass(frozen=True)
class Finished:
    stdout: str
    seconds: float
    cpu_seconds: float

    def last_json(self) -> dict[str, Any]:
        """The last JSON object on a line of its own; how far a program has come may follow it."""
        objects = [line for line in self.stdout.splitlines() if line.startswith("{")]
        return json.loads(objects[-1])


class Program:
    """Running from construction on; a context manager, so that it never outlives its round."""

    def __init__(self, command: list[str]):
        self._name = os.path.basename(command[0])
        self._output = tempfile.TemporaryFile()
        self._began = time.monotonic()
        self._finished: Optional[Finished] = None
        self._popen = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self._output,
                                       stderr=subprocess.STDOUT)

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_: object) -> None:
        if self._popen.returncode is None:
            self._popen.kill()
            self._popen.wait()
        self._output.close()

    def has_finished(self) -> bool:
        return self._finished is not None or self._reap(os.WNOHANG)

    def result(self) -> Finished:
        """Waits for the end. Raises LocalError with its output when it was not a good one."""
        if self._finished is None:
            self._reap(0)
        return self._finished

    def _reap(self, flags: int) -> bool:
        pid, status, usage = os.wait4(self._popen.pid, flags)
        if pid == 0:
            return False
        self._popen.returncode = os.waitstatus_to_exitcode(status)
        self._output.seek(0)
        text = self._output.read().decode(errors="replace")
        if self._popen.returncode != 0:
            raise LocalError(f"{self._name}: exit {self._popen.returncode}\n{text.strip()}")
        self._finished = Finished(text, time.monotonic() - self._began,
                                  usage.ru_utime + usage.ru_stime)
        return True


def run(command: list[str]) -> Finished:
    with Program(command) as program:
        return program.result()


def micro(work: Path, program: Path) -> dict[str, dict[str, float]]:
    """The numbers of each of a program's Google benchmarks, by its name."""
    told = work / f"{program.name}.json"
    run([str(program), f"--benchmark_out={told}", "--benchmark_out_format=json"])
    return {one["name"].split("/")[0]: {name: value for name, value in one.items() if isinstance(value, (int, float))}
            for one in json.loads(told.read_text())["benchmarks"]}
