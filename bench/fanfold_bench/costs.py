"""What a piece of work costs everywhere: CPU by process, and what servers and kernel count."""

from pathlib import Path
from typing import Any

from .broker_requests import BrokerRequests
from .cpu import CpuMeter
from .database import Database

SWITCHES = ("voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:")
# Commits of transactions that wrote, with and without COMMIT; MariaDB counts them when told to.
COMMITS = "trx_rw_commits"
# Statements of all clients, COMMIT and each one of several in a text included; writes of the redo
# log, each followed by its fsync, which commits share.
STATUS = {"Questions": "statements", "Innodb_log_writes": "log writes"}


def context_switches(pid: int) -> int:
    """Of the threads that live, wanted or not."""
    total = 0
    for thread in Path(f"/proc/{pid}/task").iterdir():
        try:
            words = (thread / "status").read_text().split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended meanwhile
        total += sum(int(words[words.index(name) + 1]) for name in SWITCHES)
    return total


class CostMeter:
    """From construction on."""

    def __init__(self, pids: dict[str, int], database: Database, broker: BrokerRequests):
        self._pids, self._database, self._broker = pids, database, broker
        database.rows(f"SET GLOBAL innodb_monitor_enable = '{COMMITS}'")
        self._counted = self._count()
        self._switched = self._switches()
        self._cpu = CpuMeter(pids)

    def a_write(self, writes: int, **ended: float) -> dict[str, Any]:
        """CPU, counts and switches, each by name, divided by the writes; and the cores kept busy.
        `ended`: as CpuMeter takes it."""
        cpu, cores = self._cpu.seconds(**ended), self._cpu.cores(**ended)
        switched, counted = self._switches(), self._count()
        switches = {name: switched[name] - before for name, before in self._switched.items()}
        counts = {name: counted[name] - before for name, before in self._counted.items()}
        return {"cores": cores,
                "cpu_us_per_write": {name: 1e6 * s / writes for name, s in cpu.items()},
                "counts_per_write": {**{name: n / writes for name, n in counts.items()},
                                     "switches": sum(switches.values()) / writes},
                "switches": {name: n / writes for name, n in switches.items()}}

    def _switches(self) -> dict[str, int]:
        return {name: context_switches(pid) for name, pid in self._pids.items()}

    def _count(self) -> dict[str, int]:
        rows = self._database.rows(
            f"SELECT '{COMMITS}', count FROM information_schema.innodb_metrics WHERE name = "
            f"'{COMMITS}'; SHOW GLOBAL STATUS WHERE Variable_name IN {tuple(STATUS)}")
        counted = {STATUS.get(name, "commits"): int(value) for name, value in rows}
        asked = self._broker.read()
        return {**counted, "fetches": asked["fetch"], "produces": asked["produce"]}
