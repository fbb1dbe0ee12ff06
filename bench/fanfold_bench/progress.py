"""What the user sees while a benchmark runs: one line that is rewritten, on a terminal; elsewhere
only what stays."""

import sys
import time

REDRAW_SECONDS = 0.2


class Progress:
    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._drawn_at = 0.0
        self._width = 0

    def say(self, text: str) -> None:
        """A line that stays."""
        self._erase()
        print(text, file=sys.stderr, flush=True)

    def show(self, text: str) -> None:
        """The line that the next call replaces."""
        if not self._is_terminal or time.monotonic() - self._drawn_at < REDRAW_SECONDS:
            return
        self._erase()
        sys.stderr.write(text)
        sys.stderr.flush()
        self._width = len(text)
        self._drawn_at = time.monotonic()

    def _erase(self) -> None:
        if self._width > 0:
            sys.stderr.write("\r" + " " * self._width + "\r")
            self._width = 0
