"""The figures that stand beside a baseline, drawn by gnuplot: how many times as good as it each is."""

import subprocess
from pathlib import Path
from typing import Any

from fanfold_local.errors import LocalError
from fanfold_local.files import write_whole

BETTER, WORSE = 0x2E7D5B, 0xB3541E
ROW_PIXELS, MARGIN_PIXELS, WIDTH_PIXELS = 26, 110, 1000
# Whatever else there is more of is worse: times, memory, CPU.
MORE_IS_BETTER = ("/s", "/CPU s")


def times_as_good(figure: dict[str, Any]) -> float:
    is_rate = figure["unit"].endswith(MORE_IS_BETTER)
    return figure["ratio"] if is_rate else 1 / figure["ratio"]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "").replace('"', "'") + '"'


def script(results: list[dict[str, Any]]) -> str:
    """What gnuplot is told."""
    figures = [figure for result in results for figure in result["figures"]
               if figure["ratio"] and not figure["of_its_own"]]
    if not figures:
        raise LocalError("var/bench holds no figure with a baseline: bench/run measures some")
    rows = []
    for row, figure in enumerate(figures):
        good = times_as_good(figure)
        low, high = sorted((1.0, good))
        told = f"{_number(figure['ours'])} beside {_number(figure['baseline'])} {figure['unit']}"
        color = BETTER if good >= 1 else WORSE
        rows.append(f"{good:.6g} {row} {low:.6g} {high:.6g} {row - 0.32:.2f} {row + 0.32:.2f} {color} {_quoted(told)}")
    names = ", ".join(f"{_quoted(figure['name'])} {row}" for row, figure in enumerate(figures))
    taken = sorted({f"{result['date'][:10]}, commit {result['versions']['commit']}" for result in results})
    return "\n".join([
        f"set terminal svg size {WIDTH_PIXELS},{MARGIN_PIXELS + ROW_PIXELS * len(figures)} font 'sans-serif,12' background 'white'",
        f"set title {_quoted('Fanfold beside its baselines: times as good, logarithmic')} font ',15'",
        f"set xlabel {_quoted('; '.join(taken))}",
        "$rows << END", *rows, "END",
        "set logscale x 10", "set xrange [*:*] extend", "set offsets 0, 0, 0, 0", "unset key", "set border 1",
        f"set yrange [{len(figures) - 0.4}:-0.6]", f"set ytics nomirror scale 0 ({names})", "set xtics nomirror",
        "set grid xtics lc rgb '#dddddd'", "set rmargin 34",
        "set arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb '#444444' lw 1.5 front",
        "plot $rows using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable fill solid noborder, "
        "'' using 4:2:8 with labels left offset 1, 0 font ',10'", ""])


def write(results: list[dict[str, Any]], file: Path) -> None:
    try:
        drawn = subprocess.run(["gnuplot"], input=script(results), capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise LocalError("gnuplot is not there: deploy/install.sh bench installs it") from error
    except subprocess.CalledProcessError as error:
        raise LocalError(f"gnuplot: {error.stderr.strip()}") from error
    write_whole(file, drawn.stdout)
