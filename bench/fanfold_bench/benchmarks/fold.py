"""The whole pipeline: an import into an empty deployment, folded while it is appended."""

from typing import Any

from fanfold_local.errors import LocalError

from .. import raw_upsert
from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..cpu import disturbance, listed
from ..folding import PROJECTIONS, fold
from ..graph import Graph, generate
from ..lab import Deployment
from ..write_load import bare_produce

PER_SECOND_MIN = 50_000
RATIO_MIN = 0.4


def connections_of(bench: Run, deployment: Deployment) -> int:
    """How many connections a projection writes through."""
    return max(int(n) for n, in bench.lab.database.rows(
        f"SELECT COUNT(DISTINCT owner_connection) FROM {deployment.schema}.progress "
        "GROUP BY projection"))


def check_rows(bench: Run, deployment: Deployment, graph: Graph) -> None:
    for projection in PROJECTIONS:
        rows = bench.lab.database.number(
            f"SELECT COUNT(*) FROM {deployment.schema}.{projection}_g1 WHERE active = 1")
        if rows != graph.follows:
            raise LocalError(f"{projection}: {rows} rows of {graph.follows} follows")


def measure(bench: Run) -> Round:
    bench.progress.show(f"  a graph of {bench.users:,} users")
    graph = generate(bench.lab.binaries, bench.users, bench.lab.work / "graph.tsv")
    for off in graph.off():
        bench.progress.say(f"  the graph is not of the design's shape: {off}")
    bench.progress.show("  bare produce, for a broker that has run hot")
    bare_produce(bench.lab)
    deployment = bench.lab.deployment()
    deployment.launch("writer", "projector-following", "projector-fans", "reader")
    bench.lab.database.rest()
    pipeline = fold(bench, deployment, graph)
    check_rows(bench, deployment, graph)
    connections = connections_of(bench, deployment)
    deployment.stop()
    bench.lab.database.drop(deployment.schema)
    raw = raw_upsert.measure(bench.lab, bench.progress, graph, "both", connections)
    return {"users": bench.users, "follows": graph.follows, "marginals": graph.marginals,
            "pipeline": pipeline, "raw": raw}


def figures(medians: Round) -> list[Figure]:
    return [Figure("fold", "follows/s", medians["pipeline"]["follows_per_second"],
                   medians["raw"]["edges_per_second"],
                   (Goal("ours", PER_SECOND_MIN), Goal("ratio", RATIO_MIN)))]


def notes(medians: Round) -> list[str]:
    pipeline, raw = medians["pipeline"], medians["raw"]
    shape = ", ".join(f"{name} {value:.3g}" for name, value in medians["marginals"].items())
    return [
        f"{medians['follows']:,.0f} follows of {medians['users']:,.0f} users in "
        f"{pipeline['seconds']:.1f} s; imported at {pipeline['import_events_per_second']:,.0f}/s; "
        f"{sum(pipeline['cores'].values()):.2f} cores busy",
        *(projector_note(name, p) for name, p in pipeline["projectors"].items()),
        f"CPU µs a follow: {listed(pipeline['cpu_us_per_follow'])}",
        f"raw upsert: batches of {raw['best_batch']:.0f} were best, {raw['connections']:.0f} "
        f"connection(s) a table; CPU µs a follow: {listed(raw['cpu_us_per_follow'])}",
        f"graph: {shape}",
        *disturbance(pipeline["cores"], "the pipeline"),
        *disturbance(raw["cores"], "the raw upsert"),
    ]


def projector_note(name: str, summary: dict[str, Any]) -> str:
    return (f"{name}: {summary['records_per_second']:,.0f} records/s, "
            f"{summary['records_per_batch']:.0f} a batch; of its time {summary['load_share']:.0%} "
            f"loading rows, {summary['commit_share']:.0%} committing")


BENCHMARK = Benchmark(
    name="fold",
    what="import into an empty deployment until all can be read; beside the rows upserted bare",
    rounds=1,
    measure=measure,
    figures=figures,
    notes=notes)
