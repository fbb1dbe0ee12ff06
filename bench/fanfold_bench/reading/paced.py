"""Something at a steady rate, beside what is measured."""

import threading
import time
from typing import Any, Optional

from fanfold_local.errors import LocalError


class Paced:
    """A context manager: ticks on a thread of its own until its end, which raises LocalError when a
    tick failed."""

    def __init__(self, ticks_per_second: int):
        self._ticks_per_second = ticks_per_second
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._error: Optional[LocalError] = None
        self._began = 0.0

    def __enter__(self) -> Any:
        self._began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        if self._error and kind is None:
            raise self._error

    def _tick(self, due: float) -> None:
        raise NotImplementedError

    def _run(self) -> None:
        due = self._began
        try:
            while not self._stop.wait(max(due - time.monotonic(), 0)):
                self._tick(due)
                due += 1 / self._ticks_per_second
        except LocalError as error:
            self._error = error
