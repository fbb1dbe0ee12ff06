"""How many requests a broker has been sent, by its own count."""

import json
import subprocess
from pathlib import Path

from fanfold_local.errors import LocalError

PROGRAM = Path(__file__).resolve().parents[1] / "BrokerRequests.java"
# It reads two numbers a few times; what it compiles would cost more than it saves.
JAVA = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]


class BrokerRequests:
    """A context manager: a program of its own, which works only while it is asked. Nothing of the
    broker is changed but that it answers it."""

    def __init__(self, pid: int):
        self._popen = subprocess.Popen([*JAVA, str(PROGRAM), str(pid)], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> "BrokerRequests":
        return self

    def __exit__(self, *_: object) -> None:
        self._popen.kill()
        self._popen.communicate()

    def read(self) -> dict[str, int]:
        """Since the broker's start, by name: produce, fetch."""
        try:
            self._popen.stdin.write("\n")
            self._popen.stdin.flush()
            line = self._popen.stdout.readline()
        except OSError:
            line = ""
        if not line:
            raise LocalError(f"{PROGRAM.name} ended: it needs a JDK, and the broker's user")
        return json.loads(line)
