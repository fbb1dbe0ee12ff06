"""A generation of each table built from the topics while users write and read."""

import json
import time
from pathlib import Path
from typing import Any

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..cpu import CpuMeter, disturbance, listed
from ..folding import PROJECTIONS, fold
from ..graph import generate
from ..lab import Deployment
from ..programs import run
from ..reading.follow_lists import FollowLists
from ..reading.paced_reads import PER_SECOND, PacedReads
from ..reading.paced_writes import PacedWrites
from .visible import percentile

# With the usual million users, five million follows.
GRAPH_USERS_PER_USER = 1.585
WRITES_PER_SECOND = 500
WRITERS = 10_000
WARM_UP_SECONDS = 5
BEFORE_SECONDS = 10
RATIO_MIN = 0.6
# What both tables are made of.
COLUMNS = {"following": "user_id, target_id, active, since_ms, version",
           "fans": "user_id, fan_id, active, since_ms, version"}
LOADED = "bench_loaded"


def load_data(bench: Run, deployment: Deployment, projection: str) -> dict[str, float]:
    """Seconds of LOAD DATA of the table's own rows in the order of its key: into a table with the
    index for pages, and into one without that gets it afterwards."""
    database, table = bench.lab.database, f"{deployment.schema}.{projection}_g1"
    file = bench.lab.work / f"{projection}.tsv"
    columns = COLUMNS[projection]
    rows = database.dump(f"SELECT {columns} FROM {table} ORDER BY user_id, {columns.split(', ')[1]}",
                         file)
    index, index_columns = page_index(bench, deployment, projection)
    made = f"{deployment.schema}.{LOADED}"
    timed = {}
    for name, steps in {
            "with": [f"CREATE TABLE {made} LIKE {table}", "LOAD"],
            "after": [f"CREATE TABLE {made} LIKE {table}", f"ALTER TABLE {made} DROP INDEX {index}",
                      "LOAD", f"ALTER TABLE {made} ADD INDEX {index} ({index_columns})"]}.items():
        seconds = 0.0
        for step in steps:
            began = time.monotonic()
            database.rows(f"LOAD DATA INFILE '{file}' INTO TABLE {made}" if step == "LOAD" else step)
            seconds += time.monotonic() - began
        timed[name] = seconds
        database.rows(f"DROP TABLE {made}")
    file.unlink()
    return {"rows": rows, **timed}


def page_index(bench: Run, deployment: Deployment, projection: str) -> tuple[str, str]:
    """Its name and columns."""
    names = bench.lab.database.rows(
        "SELECT index_name, GROUP_CONCAT(CONCAT(column_name, IF(collation = 'D', ' DESC', '')) "
        "ORDER BY seq_in_index) FROM information_schema.statistics WHERE table_schema = "
        f"'{deployment.schema}' AND table_name = '{projection}_g1' AND index_name <> 'PRIMARY' "
        "GROUP BY index_name")
    (index, columns), = names
    return index, columns


def rebuilt(deployment: Deployment, projection: str) -> dict[str, Any]:
    """Until it has caught up with what is written meanwhile."""
    ran = run(deployment.command("rebuild", "start", projection, "--json"))
    steps = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
    rows_s, indexed_s, folded_s = (step["elapsed_ms"] / 1000 for step in steps[-3:])
    return {"seconds": ran.seconds, "cpu_seconds": ran.cpu_seconds, "rows_s": rows_s,
            "indexes_s": indexed_s - rows_s, "catch_up_s": folded_s - indexed_s}


def latencies(times_ms: list[float]) -> dict[str, float]:
    return {"p50_ms": percentile(times_ms, 50), "p99_ms": percentile(times_ms, 99)}


def measure(bench: Run) -> Round:
    users = int(bench.users * GRAPH_USERS_PER_USER)
    graph = generate(bench.lab.binaries, users, bench.lab.work / "graph.tsv")
    deployment = bench.lab.deployment()
    deployment.launch("writer", "projector-following", "projector-fans", "reader")
    fold(bench, deployment, graph)
    bench.lab.database.rest()
    nobody = Path(bench.lab.work / "nobody.tsv")
    nobody.touch()
    writers = list(range(users + 1, users + 1 + WRITERS))
    with PacedWrites(deployment.service("writer").port, FollowLists(nobody), writers,
                     WRITES_PER_SECOND) as writes, \
            PacedReads(deployment.service("reader").port, users) as reads:
        result = beside_users(bench, deployment, reads)
        result["writes_per_second"] = writes.per_second()
    deployment.stop()
    bench.lab.database.drop(deployment.schema)
    return {"follows": graph.follows, **result}


def beside_users(bench: Run, deployment: Deployment, reads: PacedReads) -> dict[str, Any]:
    time.sleep(WARM_UP_SECONDS)
    reads.take()
    bench.progress.show(f"  reads for {BEFORE_SECONDS} s, before")
    time.sleep(BEFORE_SECONDS)
    result: dict[str, Any] = {"before": latencies(reads.take())}
    for projection in PROJECTIONS:
        bench.progress.show(f"  LOAD DATA of {projection}")
        loaded = load_data(bench, deployment, projection)
        bench.progress.show(f"  rebuild of {projection}")
        reads.take()
        meter = CpuMeter(deployment.pids())
        made = rebuilt(deployment, projection)
        during = latencies(reads.take())
        result[projection] = {
            "rebuild": made, "load_data": loaded, "during": during,
            "rows_per_second": loaded["rows"] / made["seconds"],
            "load_data_rows_per_second": loaded["rows"] / min(loaded["with"], loaded["after"]),
            "cores": meter.cores(rebuild=made["cpu_seconds"])}
        run(deployment.command("rebuild", "cancel", projection))
    return result


def figures(medians: Round) -> list[Figure]:
    rates = [Figure(f"rebuild {projection}", "rows/s", medians[projection]["rows_per_second"],
                    medians[projection]["load_data_rows_per_second"], (Goal("ratio", RATIO_MIN),))
             for projection in PROJECTIONS]
    reads = [Figure(f"reads while {projection} is rebuilt, {name}", "ms",
                    medians[projection]["during"][f"{name}_ms"], medians["before"][f"{name}_ms"])
             for projection in PROJECTIONS for name in ("p50", "p99")]
    return rates + reads


def notes(medians: Round) -> list[str]:
    told = [f"{medians['follows']:,.0f} follows and those that {WRITES_PER_SECOND:,} a second add "
            f"({medians['writes_per_second']:,.0f} written); {PER_SECOND} reads a second"]
    for projection in PROJECTIONS:
        one = medians[projection]
        told.append(
            f"{projection}: {one['rebuild']['seconds']:.1f} s until it has caught up, of which rows "
            f"{one['rebuild']['rows_s']:.1f}, counts and index {one['rebuild']['indexes_s']:.1f}, "
            f"folding what was written meanwhile {one['rebuild']['catch_up_s']:.1f}; LOAD DATA of "
            f"{one['load_data']['rows']:,.0f} rows {one['load_data']['with']:.1f} s with the index "
            f"for pages, {one['load_data']['after']:.1f} s when it is added afterwards; cores kept "
            f"busy: {listed(one['cores'])}")
        told += disturbance(one["cores"], f"the rebuild of {projection}")
    return told


BENCHMARK = Benchmark(
    name="rebuild",
    what="a generation of each table built from the topics beside live writes and reads; beside "
         "LOAD DATA of its rows, and beside the same reads before",
    rounds=1,
    measure=measure,
    figures=figures,
    notes=notes)
