"""The MariaDB server of a benchmark, as an administrator sees it."""

import subprocess
from pathlib import Path

from fanfold_local.errors import LocalError
from fanfold_local.waiting import wait_until

DIRTY_PAGES_AT_REST = 200
REST_SECONDS_MAX = 120


class Database:
    def __init__(self, socket: Path):
        self._socket = socket

    def dsn(self, schema: str) -> str:
        return f"mysql://root@localhost/{schema}?socket={self._socket}"

    def rows(self, statement: str) -> list[list[str]]:
        command = ["mariadb", "--no-defaults", f"--socket={self._socket}", "--user=root",
                   "--skip-column-names", "--batch", f"--execute={statement}"]
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             check=False)
        if ran.returncode != 0:
            raise LocalError(f"{statement}: {ran.stderr.strip()}")
        return [line.split("\t") for line in ran.stdout.splitlines()]

    def number(self, statement: str) -> int:
        return int(self.rows(statement)[0][0])

    def drop(self, schema: str) -> None:
        self.rows(f"DROP DATABASE IF EXISTS {schema}")

    def rest(self) -> None:
        """Returns when what earlier work left to write is on the disk, so that nobody is charged
        for his predecessor's pages."""
        usual = self.rows("SELECT @@GLOBAL.innodb_max_dirty_pages_pct")[0][0]
        self.rows("SET GLOBAL innodb_max_dirty_pages_pct = 0")
        rested = wait_until(lambda: self._dirty_pages() <= DIRTY_PAGES_AT_REST, REST_SECONDS_MAX)
        self.rows(f"SET GLOBAL innodb_max_dirty_pages_pct = {usual}")
        if not rested:
            raise LocalError(f"MariaDB has not written its pages within {REST_SECONDS_MAX} s")

    def _dirty_pages(self) -> int:
        return int(self.rows("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'")[0][1])
