"""Reads at a steady rate, timed, beside whatever else goes on."""

import random
import threading
import time
from typing import Any, Optional

from fanfold_local.errors import LocalError

from ..http_client import HttpClient

PER_SECOND = 100


class PacedReads:
    """A context manager: goes on until its end, which raises LocalError when a read failed."""

    def __init__(self, port: int, users: int):
        """Of users 1 … `users`, drawn evenly."""
        self._client = HttpClient(port)
        self._users = users
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._error: Optional[LocalError] = None
        self._times_ms: list[float] = []

    def __enter__(self) -> "PacedReads":
        self._thread.start()
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        if self._error and kind is None:
            raise self._error

    def take(self) -> list[float]:
        """Milliseconds of each read since the last call, from when it was due, ascending."""
        taken, self._times_ms = self._times_ms, []
        return sorted(taken)

    def _run(self) -> None:
        due = time.monotonic()
        try:
            while not self._stop.wait(max(due - time.monotonic(), 0)):
                self._client.request("GET", self._path(), 200)
                self._times_ms.append((time.monotonic() - due) * 1000)
                due += 1 / PER_SECOND
        except LocalError as error:
            self._error = error

    def _path(self) -> str:
        user, other = (random.randint(1, self._users) for _ in range(2))
        return random.choice((f"/v1/users/{user}/relations?to={other}",
                              f"/v1/users/{user}/fans?viewer={other}",
                              f"/v1/users/{user}/counts"))
