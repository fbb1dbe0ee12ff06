"""Follows at a steady rate beside what is measured, kept in the lists as well."""

import json
import random
import time

from fanfold_local.errors import LocalError

from ..http_client import HttpClient
from .follow_lists import FollowLists
from .paced import Paced

TICKS_PER_SECOND = 100
# A user who follows so many may follow nobody else.
FOLLOW_LIMIT = 1000


class PacedWrites(Paced):
    def __init__(self, port: int, lists: FollowLists, users: list[int], per_second: int):
        """`users` follow each other, at random."""
        super().__init__(TICKS_PER_SECOND)
        self._client = HttpClient(port)
        self._lists = lists
        self._users = users
        self._a_tick = per_second // TICKS_PER_SECOND
        self._written = 0

    def per_second(self) -> float:
        """As it has been so far."""
        return self._written / (time.monotonic() - self._began)

    def _tick(self, due: float) -> None:
        self._write([self._drawn() for _ in range(self._a_tick)])

    def _drawn(self) -> tuple[int, int, int]:
        """Subject, object and since."""
        while True:
            subject, object_ = random.choices(self._users, k=2)
            followings = len(self._lists.following.get(subject, ()))
            if subject != object_ and followings < FOLLOW_LIMIT:
                return subject, object_, time.time_ns() // 1_000_000

    def _write(self, follows: list[tuple[int, int, int]]) -> None:
        events = [{"type": "follow", "subject": str(subject), "object": str(object_), "at": at}
                  for subject, object_, at in follows]
        body, _ = self._client.request("POST", "/v1/events", 202, json.dumps({"events": events}))
        refused = [result for result in json.loads(body)["results"] if "position" not in result]
        if refused:
            raise LocalError(f"{len(refused)} of {len(events)} events refused: {refused[0]}")
        for follow in follows:
            self._lists.follow(*follow)
        self._written += len(follows)
