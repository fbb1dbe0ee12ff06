"""People who follow each other, one follow at a time, on an otherwise idle system: what they wait
for, and what each write costs everywhere."""

import time
from typing import Any, Optional

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..broker_requests import BrokerRequests
from ..cpu import CpuMeter, disturbance
from ..everyday import CLOSED, CROWD_CLIENTS, POOL_CONNECTIONS, SETTINGS, Loads
from ..lab import Deployment
from ..write_load import bare_produce

# Without the load generators.
SYSTEM = ["mariadb", "kafka", "writer", "projector-following", "projector-fans", "reader"]
SERVICES = SYSTEM[2:]
SETTING_NAMES = [setting.name for setting in SETTINGS]
REFUSED = ["refused_409", "refused_503"]
COUNTS = ["statements", "commits", "log writes", "fetches", "produces", "switches"]
# Until what is noted behind the last writes is noted.
REST_SECONDS = 3
IDLE_SECONDS = 10
GOALS = {
    "1 client": {"p50_ms": Goal("ours", 8, is_ceiling=True)},
    "16 clients": {"per_second": Goal("ours", 2000),
                   "p50_ms": Goal("ours", 10, is_ceiling=True),
                   "p99_ms": Goal("ours", 40, is_ceiling=True)},
    "1,000/s": {"p99_ms": Goal("ours", 50, is_ceiling=True),
                "cores": Goal("ours", 0.8, is_ceiling=True)},
    "5,000/s": {"p99_ms": Goal("ours", 100, is_ceiling=True)},
    "idle": {"cores": Goal("ours", 0.10, is_ceiling=True)},
}


def system(bench: Run, broker: BrokerRequests, deployment: Deployment) -> Round:
    """Every setting, and then nothing."""
    deployment.launch(*SERVICES)
    bench.lab.database.rest()
    ports = [str(deployment.service(name).port) for name in ("writer", "reader")]
    loads = Loads(bench, broker, "Fanfold",
                  [str(bench.lab.binaries / "bench_everyday_load"), *ports])
    measured = loads.measure(SETTINGS, deployment.pids)
    bench.progress.show("  idle")
    time.sleep(REST_SECONDS)
    meter = CpuMeter(deployment.pids())
    time.sleep(IDLE_SECONDS)
    return {**measured, "idle": {"cores": meter.cores()}}


def chain(bench: Run, broker: BrokerRequests, deployment: Deployment) -> Round:
    command = [str(bench.lab.binaries / "bench_bare_chain"), bench.lab.cluster.bootstrap,
               deployment.events_topic, deployment.outcomes_topic]
    return Loads(bench, broker, "bare chain", command).measure(CLOSED, bench.lab.pids)


def transaction(bench: Run, broker: BrokerRequests) -> Round:
    schema = "everyday_transaction"
    bench.lab.database.rest()
    command = [str(bench.lab.binaries / "bench_everyday_transaction"),
               bench.lab.database.dsn(schema)]
    loads = Loads(bench, broker, "transaction", command, POOL_CONNECTIONS)
    measured = loads.measure(SETTINGS, bench.lab.pids)
    bench.lab.database.drop(schema)
    return measured


def measure(bench: Run) -> Round:
    bench.progress.show("  bare produce, for a broker that has run hot")
    bare_produce(bench.lab)
    deployment = bench.lab.deployment()
    with BrokerRequests(bench.lab.pids()["kafka"]) as broker:
        measured = system(bench, broker, deployment)
        deployment.stop()
        bench.lab.database.drop(deployment.schema)
        # Its topics; nobody folds them any more.
        raw = {"chain": chain(bench, broker, deployment),
               "transaction": transaction(bench, broker)}
    return {**measured, "raw": raw}


def cost_us(load: dict[str, Any], processes: list[str]) -> float:
    return sum(load["cpu_us_per_write"][name] for name in processes)


def cores(load: dict[str, Any]) -> float:
    return sum(load["cores"][name] for name in SYSTEM)


def figures(medians: Round) -> list[Figure]:
    """First what it costs, then what is waited for."""
    transactions = medians["raw"]["transaction"]
    lines = [_figure("idle", "cores", cores(medians["idle"])),
             _figure("1,000/s", "cores", cores(medians["1,000/s"]))]
    for name in SETTING_NAMES:
        lines.append(Figure(f"everyday, {name}, CPU", "µs a write",
                            cost_us(medians[name], SYSTEM),
                            cost_us(transactions[name], ["mariadb", "load"])))
    for name in SETTING_NAMES:
        lines += [_figure(name, what, medians[name][what], transactions[name][what])
                  for what in ("per_second", "p50_ms", "p99_ms")]
    for said, kinds in {"refused": REFUSED, "never seen": ["left"]}.items():
        count = sum(medians[name][kind] for name in SETTING_NAMES for kind in kinds)
        lines.append(Figure(f"everyday, {said}", "in all", count, None))
    return lines


def _figure(setting: str, name: str, ours: float, baseline: Optional[float] = None) -> Figure:
    what, unit = {"per_second": ("", "writes/s"), "p50_ms": (" p50", "ms"),
                  "p99_ms": (" p99", "ms"), "cores": (", busy", "cores")}[name]
    goal = GOALS.get(setting, {}).get(name)
    return Figure(f"everyday, {setting}{what}", unit, ours, baseline, (goal,) if goal else ())


def notes(medians: Round) -> list[str]:
    raw = medians["raw"]
    loads = {name: medians[name] for name in SETTING_NAMES}
    idle = ", ".join(f"{name} {medians['idle']['cores'][name]:.3f}" for name in SYSTEM)
    all_cores = [load["cores"] for load in (*loads.values(), *raw["transaction"].values(),
                                            *raw["chain"].values(), medians["idle"])]
    return [f"idle, cores: {idle}",
            *(f"{name}, a write: {_costs(load)}" for name, load in loads.items()),
            *(f"{name}: {_times(load)}" for name, load in loads.items()),
            _baseline_note("transaction", raw["transaction"], "mariadb"),
            _baseline_note("bare chain", raw["chain"], "kafka"),
            *disturbance(max(all_cores, key=lambda each: each["others"]), "one of the loads")]


def _costs(load: dict[str, Any]) -> str:
    cpu, counts = load["cpu_us_per_write"], load["counts_per_write"]
    shares = ", ".join(f"{name.removeprefix('projector-')} {cpu[name]:,.0f}"
                       for name in [*SYSTEM, "load"])
    return f"{shares} µs; " + ", ".join(f"{counts[name]:.2f} {name}" for name in COUNTS)


def _times(load: dict[str, Any]) -> str:
    """And what else was answered, or was not."""
    bad = {"refused_409": "answers 409", "refused_503": "answers 503", "left": "writes never seen"}
    return "; ".join([
        f"acked in {load['acked_p50_ms']:.2f} ms at the median, {load['acked_p99_ms']:.2f} at p99",
        *(f"{load[kind]:,.0f} {said}" for kind, said in bad.items() if load[kind] > 0)])


def _baseline_note(name: str, loads: dict[str, dict[str, Any]], server: str) -> str:
    told = "; ".join(
        f"{setting} {load['per_second']:,.0f}/s, {load['p50_ms']:.2f} and {load['p99_ms']:.2f} ms, "
        f"{cost_us(load, [server]):,.0f} and {cost_us(load, ['load']):,.0f} µs"
        for setting, load in loads.items())
    return f"{name}, p50 and p99, CPU of {server} and its own a write: {told}"


BENCHMARK = Benchmark(
    name="everyday",
    what="one PUT until GET fans and GET counts have answered for its position, by so many clients "
         f"in closed loop or so many a second in open loop ({CROWD_CLIENTS} clients at the most); "
         f"beside a transaction of two rows and two counts ({POOL_CONNECTIONS} connections at the "
         "most)",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes)
