"""Results as a table, for a terminal and for docs/PERFORMANCE.md."""

from pathlib import Path
from typing import Any, Optional

from fanfold_local.errors import LocalError
from fanfold_local.files import write_whole

HEADER = ["", "unit", "ours", "baseline", "ratio", "goal", ""]
NUMBER_COLUMNS = {2, 3, 4}
BEGIN = "<!-- figures: `bench/run --markdown` writes them from var/bench -->"
END = "<!-- end of figures -->"


def for_terminal(results: list[dict[str, Any]]) -> str:
    lines = [aligned([HEADER, *_rows(results)], NUMBER_COLUMNS)]
    for result in results:
        lines += ["", f"{result['name']}: {result['what']}", *(f"  {n}" for n in result["notes"])]
    return "\n".join(lines)


def aligned(rows: list[list[str]], number_columns: set[int]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join(
        "  ".join(cell.rjust(width) if column in number_columns else cell.ljust(width)
                  for column, (cell, width) in enumerate(zip(row, widths))).rstrip()
        for row in rows)


def for_markdown(results: list[dict[str, Any]]) -> str:
    lines = [f"{_machine(result)}: {', '.join(names)}"
             for result, names in _by_machine(results)]
    rows = [HEADER, [":-" if c not in NUMBER_COLUMNS else "-:" for c in range(len(HEADER))],
            *_rows(results)]
    lines += ["", *("| " + " | ".join(row) + " |" for row in rows)]
    for result in results:
        lines += ["", f"**{result['name']}**: {result['what']}.",
                  *(f"- {note}" for note in result["notes"])]
    return "\n".join(lines)


def write_into(page: Path, results: list[dict[str, Any]]) -> None:
    """Puts the figures between the page's marks; the prose around them stays."""
    before, begin, rest = page.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise LocalError(f"{page}: has no place for figures, which is between\n{BEGIN}\n{END}")
    write_whole(page, f"{before}{BEGIN}\n{for_markdown(results)}\n{END}{after}")


def _rows(results: list[dict[str, Any]]) -> list[list[str]]:
    return [[figure["name"], figure["unit"], number(figure["ours"]), number(figure["baseline"]),
             number(figure["ratio"]), _goals(figure["goals"]), _verdicts(figure["goals"])]
            for result in results for figure in result["figures"]]


def number(value: Optional[float]) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"


def _goals(goals: list[dict[str, Any]]) -> str:
    parts = [f"{'ratio ' if goal['of'] == 'ratio' else ''}{'≤' if goal['is_ceiling'] else '≥'} "
             f"{goal['limit']:,g}" for goal in goals]
    return " · ".join(parts)


def _verdicts(goals: list[dict[str, Any]]) -> str:
    return " · ".join("met" if goal["met"] else "MISSED" for goal in goals)


def _by_machine(results: list[dict[str, Any]]) -> list[tuple[dict[str, Any], list[str]]]:
    """A result of each machine, commit and day, with the names of those that share them."""
    groups: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for result in results:
        groups.setdefault(_machine(result), (result, []))[1].append(result["name"])
    return list(groups.values())


def _machine(result: dict[str, Any]) -> str:
    machine, versions = result["machine"], result["versions"]
    return (f"{result['date'][:10]}, commit {versions['commit']}, {machine['cpu']}, "
            f"{machine['cores']} cores, {machine['memory_gb']} GB, Linux {machine['kernel']}, "
            f"Kafka {versions['kafka']}, MariaDB {versions['mariadb-server']}, "
            f"librdkafka {versions['librdkafka1']}")
