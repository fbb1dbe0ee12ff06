"""The MariaDB server of a benchmark, as an administrator sees it."""

import subprocess
from pathlib import Path

from fanfold_local.errors import LocalError
from fanfold_local.waiting import wait_until

DIRTY_PAGES_AT_REST = 200
REST_SECONDS_MAX = 120
# Makes the server write its pages at once; it has no need to spare a disk that nobody else uses.
HASTE = {"innodb_max_dirty_pages_pct": "0", "innodb_io_capacity_max": "40000",
         "innodb_io_capacity": "20000"}


class Database:
    def __init__(self, socket: Path):
        self._socket = socket

    def dsn(self, schema: str) -> str:
        return f"mysql://root@localhost/{schema}?socket={self._socket}"

    def rows(self, statement: str) -> list[list[str]]:
        ran = subprocess.run(self._command(statement), stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            raise LocalError(f"{statement}: {ran.stderr.strip()}")
        return [line.split("\t") for line in ran.stdout.splitlines()]

    def dump(self, query: str, path: Path) -> int:
        """Writes the rows as LOAD DATA takes them; how many there were."""
        with open(path, "wb") as file:
            ran = subprocess.run([*self._command(query), "--quick"], stdin=subprocess.DEVNULL,
                                 stdout=file, check=False)
        if ran.returncode != 0:
            raise LocalError(f"{query}: exit {ran.returncode}")
        with open(path, "rb") as file:
            return sum(1 for _ in file)

    def number(self, statement: str) -> int:
        return int(self.rows(statement)[0][0])

    def _command(self, statement: str) -> list[str]:
        return ["mariadb", "--no-defaults", f"--socket={self._socket}", "--user=root",
                "--skip-column-names", "--batch", f"--execute={statement}"]

    def drop(self, schema: str) -> None:
        self.rows(f"DROP DATABASE IF EXISTS {schema}")

    def rest(self) -> None:
        """Waits until the writes of earlier work are on the disk, so that no benchmark is charged
        for its predecessor's pages."""
        usual = {name: self.rows(f"SELECT @@GLOBAL.{name}")[0][0] for name in HASTE}
        self._set(HASTE)
        rested = wait_until(lambda: self._dirty_pages() <= DIRTY_PAGES_AT_REST, REST_SECONDS_MAX)
        # Backwards, since a capacity may not be above its maximum.
        self._set(dict(reversed(usual.items())))
        if not rested:
            raise LocalError(f"MariaDB has not written its pages within {REST_SECONDS_MAX} s")

    def _set(self, variables: dict[str, str]) -> None:
        self.rows("; ".join(f"SET GLOBAL {name} = {v}" for name, v in variables.items()))

    def _dirty_pages(self) -> int:
        return int(self.rows("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'")[0][1])
