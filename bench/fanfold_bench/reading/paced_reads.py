"""Reads at a steady rate, timed, beside whatever else goes on."""

import random
import time

from ..http_client import HttpClient
from .paced import Paced

PER_SECOND = 100


class PacedReads(Paced):
    def __init__(self, port: int, users: int):
        """Of users 1 … `users`, drawn evenly."""
        super().__init__(PER_SECOND)
        self._client = HttpClient(port)
        self._users = users
        self._times_ms: list[float] = []

    def take(self) -> list[float]:
        """Milliseconds of each read since the last call, from when it was due, ascending."""
        taken, self._times_ms = self._times_ms, []
        return sorted(taken)

    def _tick(self, due: float) -> None:
        self._client.request("GET", self._path(), 200)
        self._times_ms.append((time.monotonic() - due) * 1000)

    def _path(self) -> str:
        user, other = (random.randint(1, self._users) for _ in range(2))
        return random.choice((f"/v1/users/{user}/relations?to={other}",
                              f"/v1/users/{user}/fans?viewer={other}",
                              f"/v1/users/{user}/counts"))
