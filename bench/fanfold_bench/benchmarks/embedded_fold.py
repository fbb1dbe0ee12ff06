"""The embedded mode: an import into a folder that nobody serves, which ends when it is folded."""

import tempfile
from pathlib import Path
from typing import Any

from .. import raw_sqlite_upsert
from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..cpu import CpuMeter, disturbance, listed
from ..graph import Graph, generate
from ..programs import run

RATIO_MIN = 0.4
# It folds the graph of so many times fewer users.
USERS_DIVISOR = 10


def fold(bench: Run, graph: Graph, folder: Path) -> dict[str, Any]:
    """The whole process: opens the folder, appends, folds both projections to the end."""
    meter = CpuMeter({})
    ran = run([str(bench.lab.binaries / "fanfold"), "import", "--no-wait", str(graph.path), "--dir",
               str(folder), "--json"])
    cpu = meter.seconds(fanfold=ran.cpu_seconds)
    return {"seconds": ran.seconds,
            "follows_per_second": graph.follows / ran.seconds,
            "import_events_per_second": ran.last_json()["events_per_second"],
            "cores": {name: seconds / ran.seconds for name, seconds in cpu.items()},
            "cpu_us_per_follow": {name: s * 1e6 / graph.follows for name, s in cpu.items()}}


def measure(bench: Run) -> Round:
    users = max(bench.users // USERS_DIVISOR, 1)
    graph = generate(bench.lab.binaries, users, bench.lab.work / "graph.tsv")
    with tempfile.TemporaryDirectory(dir=bench.lab.work) as name:
        folder = Path(name)
        bench.progress.show("  import")
        embedded = fold(bench, graph, folder / "fanfold")
        raw = raw_sqlite_upsert.measure(bench.lab, bench.progress, graph, folder)
    return {"users": users, "follows": graph.follows, "embedded": embedded, "raw": raw}


def figures(medians: Round) -> list[Figure]:
    return [Figure("embedded-fold", "follows/s", medians["embedded"]["follows_per_second"],
                   medians["raw"]["edges_per_second"], (Goal("ratio", RATIO_MIN),))]


def notes(medians: Round) -> list[str]:
    embedded, raw = medians["embedded"], medians["raw"]
    return [
        f"{medians['follows']:,.0f} follows of {medians['users']:,.0f} users in "
        f"{embedded['seconds']:.1f} s; imported at {embedded['import_events_per_second']:,.0f}/s; "
        f"{embedded['cores']['fanfold']:.2f} cores busy",
        f"CPU µs a follow: {listed(embedded['cpu_us_per_follow'])}",
        f"raw upsert: batches of {raw['best_batch']:.0f} were best; cores kept busy: "
        f"{listed(raw['cores'])}",
        *disturbance(embedded["cores"], "the embedded mode"),
        *disturbance(raw["cores"], "the raw upsert"),
    ]


BENCHMARK = Benchmark(
    name="embedded-fold",
    what="import into an empty folder until all is folded; beside the rows upserted bare",
    rounds=1,
    measure=measure,
    figures=figures,
    notes=notes,
    needs_servers=False)
