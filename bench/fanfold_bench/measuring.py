"""From benchmarks to their results: labs, rounds, and what is told when one fails."""

import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from itertools import groupby
from pathlib import Path
from typing import Any, Iterator, Optional

from fanfold_local.errors import LocalError

from . import machine, results
from .benchmark import Benchmark, Round, Run
from .lab import Lab
from .progress import Progress


@dataclass(frozen=True)
class Task:
    work: Path  # a folder that is made, and removed at the end
    root: Path  # of the clone
    binaries: Path
    users: int
    rounds: Optional[int]  # of each, instead of its own number


def sharing(chosen: list[Benchmark]) -> list[list[Benchmark]]:
    """In their order; together are those that share what prepares them."""
    return [list(group) for _, group in groupby(chosen, lambda b: b.prepare or b.name)]


def measure_together(benchmarks: list[Benchmark], task: Task) -> Iterator[dict[str, Any]]:
    """On fresh servers, if they need any, which all rounds share. The results of those that did not
    fail."""
    first = benchmarks[0]
    with Lab(task.work, task.binaries, first.needs_servers) as lab:
        taken = {"date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
                 "machine": machine.describe(task.work),
                 "versions": machine.versions(task.root, task.binaries)}
        bench = Run(lab, Progress(), task.users)
        if first.prepare:
            bench = replace(bench, prepared=first.prepare(bench))
        for benchmark in benchmarks:
            with reported([benchmark]):
                rounds = _measure(benchmark, bench, task.rounds or benchmark.rounds)
                yield results.document(benchmark, rounds, taken)


@contextmanager
def reported(benchmarks: list[Benchmark]) -> Iterator[None]:
    """One that fails does not keep the others from being measured."""
    try:
        yield
    except LocalError as error:
        names = ", ".join(benchmark.name for benchmark in benchmarks)
        print(f"bench: {names}: {error}", file=sys.stderr)


def _measure(benchmark: Benchmark, bench: Run, count: int) -> list[Round]:
    began = time.monotonic()
    rounds = []
    if benchmark.warms_up:
        bench.progress.say(f"{benchmark.name}, a round to warm up")
        benchmark.measure(bench)
    for number in range(count):
        bench.progress.say(f"{benchmark.name}, round {number + 1}")
        rounds.append(benchmark.measure(bench))
    bench.progress.say(f"{benchmark.name}: {time.monotonic() - began:.0f} s")
    return rounds
