"""Loads of the benchmark `everyday`: settings, and what each costs and takes on whatever is loaded."""

from dataclasses import dataclass
from typing import Any, Callable

from fanfold_local.errors import LocalError

from .benchmark import Round, Run
from .broker_requests import BrokerRequests
from .costs import CostMeter
from .programs import run

SECONDS = 12
WARM_UP_SECONDS = 3
# Of the first load: a broker is slow until it has run hot.
FIRST_WARM_UP_SECONDS = 10
# Clients of a crowd in open loop, and connections to a database. A client that is due and finds
# no free connection waits, and its time counts on.
CROWD_CLIENTS = 512
POOL_CONNECTIONS = 64


@dataclass(frozen=True)
class Setting:
    name: str
    clients: int
    per_second: int = 0  # 0: a closed loop

    def words(self, first: int, seconds: int, clients_max: int) -> list[str]:
        """What the programs that load take, as bench/everyday.h says."""
        return [str(n) for n in (first, seconds, min(self.clients, clients_max), self.per_second)]


CLOSED = [Setting("1 client", 1), Setting("16 clients", 16), Setting("64 clients", 64)]
OPEN = [Setting(f"{n:,}/s", CROWD_CLIENTS, n) for n in (200, 1000, 5000)]
SETTINGS = CLOSED + OPEN


class Loads:
    """One thing under load, setting by setting."""

    def __init__(self, bench: Run, broker: BrokerRequests, name: str, command: list[str],
                 clients_max: int = CROWD_CLIENTS):
        self._bench, self._broker, self._name = bench, broker, name
        self._command, self._clients_max = command, clients_max
        self._follows = 0  # written so far

    def measure(self, settings: list[Setting], pids: Callable[[], dict[str, int]]) -> Round:
        """`pids`: whose CPU is told."""
        self._run(CLOSED[-1], FIRST_WARM_UP_SECONDS)
        return {setting.name: self._measured(setting, pids()) for setting in settings}

    def _measured(self, setting: Setting, pids: dict[str, int]) -> dict[str, Any]:
        self._bench.progress.show(f"  {self._name}, {setting.name}")
        self._run(setting, WARM_UP_SECONDS)
        meter = CostMeter(pids, self._bench.lab.database, self._broker)
        report, cpu_seconds = self._run(setting, SECONDS)
        return {**report, **meter.a_write(report["writes"], load=cpu_seconds)}

    def _run(self, setting: Setting, seconds: int) -> tuple[dict[str, Any], float]:
        """What it reports, and the CPU time that the program took itself."""
        ran = run([*self._command, *setting.words(self._follows, seconds, self._clients_max)])
        report = ran.last_json()
        if report["writes"] == 0:
            raise LocalError(f"{self._name}, {setting.name}: nothing was seen in {seconds} s")
        self._follows += report["writes"] + report["left"]
        return report, ran.cpu_seconds
