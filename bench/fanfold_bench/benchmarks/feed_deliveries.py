"""Deliveries into inboxes of hybrid mode, beside a row a delivery in the same server."""

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..programs import run

# The batches of deliverers who have to catch up.
POSTS_A_BATCH = 100
BATCHES = 24
DELIVERIES_MIN = 150_000
RATIO_MIN = 5


def measure(bench: Run) -> Round:
    told = {}
    for way in ("parts", "rows"):
        schema = f"inboxes_as_{way}"
        bench.progress.show(f"  deliveries as {way}")
        bench.lab.database.rest()
        told[way] = run([str(bench.lab.binaries / "bench_inbox_deliveries"), bench.lab.database.dsn(schema),
                         way, str(POSTS_A_BATCH), str(BATCHES)]).last_json()
        bench.lab.database.drop(schema)
    return told


def figures(medians: Round) -> list[Figure]:
    ours, rows = (medians[way]["deliveries_per_second"] for way in ("parts", "rows"))
    return [Figure("feed-deliveries", "deliveries/s", ours, rows,
                   (Goal("ours", DELIVERIES_MIN), Goal("ratio", RATIO_MIN)))]


def notes(_medians: Round) -> list[str]:
    return ["two deliverers; 10,000 inboxes of 500 entries, posts of authors with 1,000 fans of them, 100 posts a "
            "batch; beside it rows of (owner, score, author, post); both trimmed when they have grown by 160"]


BENCHMARK = Benchmark(
    name="feed-deliveries",
    what="posts delivered into inboxes of hybrid mode, committed, to MariaDB; beside a row a delivery",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes)
