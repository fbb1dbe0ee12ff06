"""Requests made before they are timed, and whether their answers are right."""

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable

from fanfold_local.errors import LocalError

from ..http_client import HttpClient

CHECKED = 3000


@dataclass(frozen=True)
class ReadRequest:
    path: str
    expected: Callable[[], Any]  # the answer's JSON
    redis: str = ""  # what is asked of Redis instead; as bench/redis_load.cc takes it


def write_paths(requests: Iterable[ReadRequest], path: Path) -> Path:
    return _write((request.path for request in requests), path)


def write_for_redis(requests: list[ReadRequest], path: Path) -> Path:
    return _write((request.redis for request in requests), path)


def check_answers(client: HttpClient, requests: list[ReadRequest]) -> None:
    """Of a sample. Raises LocalError at the first wrong one."""
    for request in random.sample(requests, min(CHECKED, len(requests))):
        body, _ = client.request("GET", request.path, 200)
        expected = request.expected()
        if json.loads(body) != expected:
            raise LocalError(f"GET {request.path}\nanswered {body.strip()}\n"
                             f"expected {json.dumps(expected)}")


def _write(lines: Iterable[str], path: Path) -> Path:
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f"{line}\n" for line in lines)
    return path
