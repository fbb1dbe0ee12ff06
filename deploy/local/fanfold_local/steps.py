"""What the user sees: one line a step, with the time that it took."""

import time
from contextlib import contextmanager
from typing import Iterator


@contextmanager
def step(title: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    print(f"  {title:<56} {time.monotonic() - began:6.1f} s", flush=True)
