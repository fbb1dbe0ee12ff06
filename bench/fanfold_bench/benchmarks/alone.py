"""Each projector by itself on a full topic: what it could do if nothing else wanted the machine."""

from typing import Any

from .. import folding, raw_upsert
from ..benchmark import Benchmark, Figure, Round, Run
from ..cpu import CpuMeter, disturbance, listed
from ..folding import PROJECTIONS
from ..graph import generate
from ..lab import Deployment
from ..programs import run
from .fold import connections_of, projector_note

# It folds the graph of so many times fewer users: what it tells is where the pipeline's time goes.
USERS_DIVISOR = 4


def fold_alone(bench: Run, deployment: Deployment, projection: str,
               records: int) -> dict[str, Any]:
    bench.lab.database.rest()
    deployment.launch(folding.service_of(projection))
    meter = CpuMeter(deployment.pids())
    watched = folding.watch(deployment, [projection], records, bench.progress)[projection]
    cpu, cores = meter.seconds(), meter.cores()
    deployment.stop()
    return {**watched.summary(), "cores": cores,
            "cpu_us_per_record": {name: s * 1e6 / records for name, s in cpu.items()}}


def measure(bench: Run) -> Round:
    users = max(bench.users // USERS_DIVISOR, 1)
    graph = generate(bench.lab.binaries, users, bench.lab.work / "graph.tsv")
    deployment = bench.lab.deployment()
    bench.progress.show("  import, no projector running")
    imported = run(deployment.command("import", "--no-wait", "--json", str(graph.path))).last_json()
    # In the order of the flow: the outcomes that fans folds are those that following publishes.
    projectors = {p: fold_alone(bench, deployment, p, graph.follows) for p in PROJECTIONS}
    connections = connections_of(bench, deployment)
    bench.lab.database.drop(deployment.schema)
    raw = {p: raw_upsert.measure(bench.lab, bench.progress, graph, p, connections)
           for p in PROJECTIONS}
    return {"users": users, "follows": graph.follows, "projectors": projectors, "raw": raw,
            "import_events_per_second": imported["events_per_second"]}


def figures(medians: Round) -> list[Figure]:
    return [Figure(f"{p} alone", "records/s", medians["projectors"][p]["records_per_second"],
                   medians["raw"][p]["edges_per_second"]) for p in PROJECTIONS]


def notes(medians: Round) -> list[str]:
    lines = [f"{medians['follows']:,.0f} follows of {medians['users']:,.0f} users; imported at "
             f"{medians['import_events_per_second']:,.0f}/s with no projector running"]
    for name, summary in medians["projectors"].items():
        lines.append(projector_note(name, summary))
        lines.append(f"{name}, CPU µs a record: {listed(summary['cpu_us_per_record'])}")
        lines += disturbance(summary["cores"], name)
    return lines


BENCHMARK = Benchmark(
    name="alone",
    what="each projector by itself on a full topic; beside the rows of its table upserted bare",
    rounds=1,
    measure=measure,
    figures=figures,
    notes=notes)
