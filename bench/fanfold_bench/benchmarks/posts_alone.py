"""The projector of posts by itself on a full topic."""

import json

from fanfold_local.errors import LocalError

from .. import raw_upsert
from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..cpu import disturbance, listed
from ..graph import Graph
from ..programs import run
from .alone import fold_alone
from .fold import connections_of, projector_note

AUTHORS = 20_000
POSTS_EACH = 25
POSTS = AUTHORS * POSTS_EACH
CONTENT = "x" * 100  # as bench/raw_upsert.cc has it
FIRST_MS = 1_600_000_000_000
RATIO_MIN = 0.5


def posts() -> list[tuple[int, int, int]]:
    """Author, post and score, as they are published: one of each author after the other."""
    return [(1 + n % AUTHORS, 1 + n // AUTHORS, FIRST_MS + n) for n in range(POSTS)]


def measure(bench: Run) -> Round:
    published, bare = (bench.lab.work / name for name in ("posts.jsonl", "posts.tsv"))
    published.write_text("".join(json.dumps({"author": str(author), "post_id": str(post), "content": CONTENT,
                                             "at": score}) + "\n" for author, post, score in posts()))
    bare.write_text("".join(f"{author}\t{post}\t{score}\n" for author, post, score in posts()))
    deployment = bench.lab.deployment()
    bench.progress.show("  import, no projector running")
    run(deployment.command("import", "--no-wait", "--posts", str(published)))
    folded = fold_alone(bench, deployment, "posts", POSTS)
    rows = bench.lab.database.number(f"SELECT COUNT(*) FROM {deployment.schema}.posts_g1 WHERE active = 1")
    if rows != POSTS:
        raise LocalError(f"{rows} rows of {POSTS} posts")
    connections = connections_of(bench, deployment)
    bench.lab.database.drop(deployment.schema)
    raw = raw_upsert.measure(bench.lab, bench.progress, Graph(bare, POSTS, {}), "posts", connections)
    return {"folded": folded, "raw": raw}


def figures(medians: Round) -> list[Figure]:
    return [Figure("posts alone", "records/s", medians["folded"]["records_per_second"],
                   medians["raw"]["edges_per_second"], (Goal("ratio", RATIO_MIN),))]


def notes(medians: Round) -> list[str]:
    folded, raw = medians["folded"], medians["raw"]
    return [f"{POSTS:,} posts of {len(CONTENT)} bytes of {AUTHORS:,} authors", projector_note("posts", folded),
            f"CPU µs a record: {listed(folded['cpu_us_per_record'])}",
            f"raw upsert: batches of {raw['best_batch']:.0f} were best; "
            f"CPU µs a row: {listed(raw['cpu_us_per_follow'])}",
            *disturbance(folded["cores"], "posts")]


BENCHMARK = Benchmark(
    name="posts-alone",
    what="the projector of posts by itself on a full topic; beside the rows of its table upserted bare",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes)
