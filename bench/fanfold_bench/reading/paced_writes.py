"""Follows at a steady rate beside what is measured, kept in the lists as well."""

import json
import random
import threading
import time
from typing import Any, Optional

from fanfold_local.errors import LocalError

from ..http_client import HttpClient
from .follow_lists import FollowLists

TICKS_PER_SECOND = 100
# A user who follows so many may follow nobody else.
FOLLOW_LIMIT = 1000


class PacedWrites:
    """A context manager: goes on until its end, which raises LocalError when a write failed."""

    def __init__(self, port: int, lists: FollowLists, users: list[int], per_second: int):
        """`users` follow each other, at random."""
        self._client = HttpClient(port)
        self._lists = lists
        self._users = users
        self._a_tick = per_second // TICKS_PER_SECOND
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._error: Optional[LocalError] = None
        self._written = 0

    def __enter__(self) -> "PacedWrites":
        self._began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        if self._error and kind is None:
            raise self._error

    def per_second(self) -> float:
        """As it has been so far."""
        return self._written / (time.monotonic() - self._began)

    def _run(self) -> None:
        due = self._began
        try:
            while not self._stop.wait(max(due - time.monotonic(), 0)):
                self._write([self._drawn() for _ in range(self._a_tick)])
                due += 1 / TICKS_PER_SECOND
        except LocalError as error:
            self._error = error

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
