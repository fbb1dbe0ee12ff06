"""Commands that run to their end."""

import subprocess
from typing import Optional

from .errors import LocalError

SECONDS_MAX = 120


def run(command: list[str], failure: str, environment: Optional[dict[str, str]] = None) -> None:
    """Raises LocalError with `failure` and the command's output when it does not end well in time."""
    try:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
                                env=environment, timeout=SECONDS_MAX)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LocalError(f"{failure}: {error}") from error
    if result.returncode != 0:
        raise LocalError(f"{failure}\n{result.stdout.strip()}")
