"""Waiting for conditions, with a deadline."""

import time
from typing import Callable

POLL_SECONDS = 0.05


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """True as soon as the condition holds, False once it has not held for that long."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True
