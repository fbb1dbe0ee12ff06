"""A benchmark's result: what is kept of it in var/bench/NAME.json."""

import json
from pathlib import Path
from statistics import median
from typing import Any

from fanfold_local.files import write_whole

from .benchmark import Benchmark, Figure, Round


# What must not disappear because it happened in one round alone.
WORST = ("refused_409", "refused_503", "left")


def medians(rounds: list[Round]) -> Round:
    """The same names, with the median of each number, or the greatest of WORST; what is no number
    has none."""
    merged: Round = {}
    for name, first in rounds[0].items():
        values = [round_[name] for round_ in rounds if name in round_]
        if isinstance(first, dict):
            merged[name] = medians(values)
        elif isinstance(first, (int, float)):
            merged[name] = max(values) if name in WORST else median(values)
    return merged


def document(benchmark: Benchmark, rounds: list[Round], taken: dict[str, Any]) -> dict[str, Any]:
    """`taken`: when, where, with which versions."""
    middle = medians(rounds)
    return {"name": benchmark.name, "what": benchmark.what, **taken, "rounds": rounds,
            "medians": middle, "notes": benchmark.notes(middle),
            "figures": [_plain(figure) for figure in benchmark.figures(middle)]}


def save(folder: Path, result: dict[str, Any]) -> None:
    write_whole(folder / f"{result['name']}.json", json.dumps(result, indent=2) + "\n")


def load(folder: Path, benchmarks: list[Benchmark]) -> list[dict[str, Any]]:
    """Those that were ever saved there."""
    paths = [folder / f"{benchmark.name}.json" for benchmark in benchmarks]
    return [json.loads(path.read_text()) for path in paths if path.exists()]


def _plain(figure: Figure) -> dict[str, Any]:
    return {"name": figure.name, "unit": figure.unit, "ours": figure.ours,
            "baseline": figure.baseline, "ratio": figure.ratio, "of_its_own": figure.of_its_own,
            "goals": [{"of": goal.of, "limit": goal.limit, "is_ceiling": goal.is_ceiling,
                       "met": met} for goal, met in figure.verdicts()]}
