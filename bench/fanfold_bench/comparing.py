"""Two commits measured in turn, round by round, so that the machine's moods meet both alike."""

from collections import defaultdict
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Iterator

from .benchmark import Round
from .table import aligned, number

CPU_US = "cpu_us"
COUNTS = "counts"
# What both sides take less of is left out.
LEAST = 0.05


@dataclass
class Side:
    """What was measured of a commit: of each line and unit a value a round."""

    commit: str
    values: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))

    def take(self, result: dict[str, Any]) -> None:
        """A document of one round."""
        for figure in result["figures"]:
            name, unit = figure["name"], figure["unit"]
            self.values[name, unit].append(figure["ours"])
            if figure["ratio"] is not None:
                self.values[f"{name}, baseline", unit].append(figure["baseline"])
                self.values[f"{name}, ours / baseline", ""].append(figure["ratio"])
        for line, unit, value in cpu(result["medians"]):
            self.values[f"{result['name']}, {line}", unit].append(value)


def cpu(measured: Round, path: str = "") -> Iterator[tuple[str, str, float]]:
    """Of each process: CPU time a piece of work where that is told, and what else was counted for
    it; else the cores kept busy. What a baseline took is not of interest."""
    costs = {name: value for name, value in measured.items() if name.startswith((CPU_US, COUNTS))}
    costs = costs or {name: value for name, value in measured.items() if name == "cores"}
    for name, shares in costs.items():
        unit = name.replace(CPU_US, "CPU µs").removeprefix(COUNTS).replace("_per_", " a ").strip()
        for process, value in (shares if isinstance(shares, dict) else {"": shares}).items():
            yield f"{path}{process}", unit, value
    for name, value in measured.items():
        if isinstance(value, dict) and name not in costs and name != "raw":
            yield from cpu(value, f"{path}{name} ")


def document(before: Side, after: Side) -> list[dict[str, Any]]:
    """Of each line that both have, all that was measured and the ratio of the medians."""
    lines = []
    for (name, unit), values in after.values.items():
        earlier = before.values.get((name, unit))
        if not earlier or max(*earlier, *values) < LEAST:
            continue
        ratio = median(values) / median(earlier) if median(earlier) else None
        lines.append({"name": name, "unit": unit, before.commit: earlier, after.commit: values,
                      "ratio": ratio})
    return lines


def for_terminal(before: Side, after: Side) -> str:
    """Medians, with the least and the greatest."""
    sides = [before.commit, after.commit]
    rows = [["", "unit", *(cell for side in sides for cell in (side, "least–most")), "ratio"]]
    for line in document(before, after):
        told = [cell for side in sides for cell in _told(line[side])]
        rows.append([line["name"], line["unit"], *told, number(line["ratio"])])
    return aligned(rows, number_columns=set(range(2, len(rows[0]))))


def _told(values: list[float]) -> list[str]:
    return [number(median(values)), f"{number(min(values))}–{number(max(values))}"]
