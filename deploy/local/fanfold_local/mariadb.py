"""A private MariaDB server: its own data directory, socket and port; root without a password."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from .commands import run
from .errors import LocalError
from .ports import LOOPBACK
from .process import Process, numbered

READY_SECONDS_MAX = 90
# Linux's sun_path holds 108 bytes, the last of which is 0.
SOCKET_PATH_BYTES_MAX = 107

SIZES_FOR_WORK = ["--innodb-buffer-pool-size=2G", "--innodb-log-file-size=2G",
                  "--innodb-io-capacity=2000", "--innodb-flush-neighbors=0"]
SIZES_FOR_TESTS = ["--innodb-buffer-pool-size=256M", "--innodb-log-file-size=96M"]

SETTINGS = [
    "--skip-name-resolve",
    "--skip-log-bin",
    "--transaction-isolation=READ-COMMITTED",
    "--innodb-flush-log-at-trx-commit=1",
    "--innodb-lock-wait-timeout=10",
    "--max-connections=500",
    "--max-allowed-packet=64M",
    "--character-set-server=utf8mb4",
    "--performance-schema=OFF",
]


@dataclass(frozen=True)
class Server:
    home: Path
    index: int
    port: Optional[int]  # None: the socket alone
    socket: Path
    for_tests: bool = False

    @property
    def process(self) -> Process:
        return Process(self.home, numbered("mariadb", self.index))

    @property
    def command(self) -> list[str]:
        # A test's server outlives no machine: what it has told the kernel is as good as on the disk.
        unsynced = ["eatmydata"] if self.for_tests else []
        return [*unsynced, _program("mariadbd"), "--no-defaults", *_user(), *self._sizes(), *SETTINGS,
                *self._network(), f"--socket={self.socket}",
                f"--datadir={self._data}", f"--tmpdir={self._scratch}",
                # Its root has no password and may be the machine's: statements reach no other file.
                f"--secure-file-priv={self._scratch}", f"--pid-file={self._data}/mariadbd.pid"]

    def start(self) -> None:
        """Starts it if it is not running and returns when it answers."""
        if not self.process.is_running():
            self._scratch.mkdir(parents=True, exist_ok=True)
            self._install()
            self.process.start(self.command)
        self.process.wait_ready(self._answers, READY_SECONDS_MAX)

    @property
    def _data(self) -> Path:
        return self.home / numbered("mariadb", self.index)

    @property
    def _scratch(self) -> Path:
        """Its own: servers that share a folder for temporary files can meet in a name."""
        return self.home / numbered("mariadb-tmp", self.index)

    def _network(self) -> list[str]:
        if self.port is None:
            return ["--skip-networking"]
        return [f"--bind-address={LOOPBACK}", f"--port={self.port}"]

    def _sizes(self) -> list[str]:
        return SIZES_FOR_TESTS if self.for_tests else SIZES_FOR_WORK

    def _install(self) -> None:
        if len(str(self.socket).encode()) > SOCKET_PATH_BYTES_MAX:
            raise LocalError(f"{self.socket}: longer than the {SOCKET_PATH_BYTES_MAX} bytes that "
                             "a socket's path may have; use a shorter folder")
        if self._data.exists():
            return
        # Renamed when complete: a data directory that is there is a whole one.
        fresh = self._data.with_name(self._data.name + ".new")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        command = [_program("mariadb-install-db"), "--no-defaults", *_user(),
                   f"--datadir={fresh}", "--auth-root-authentication-method=normal",
                   "--skip-test-db", "--skip-name-resolve", *self._sizes()]
        run(command, "MariaDB's data directory could not be made",
            {**os.environ, "TMPDIR": str(self._scratch)})
        fresh.rename(self._data)

    def _answers(self) -> bool:
        command = [_program("mariadb-admin"), "--no-defaults", "--user=root",
                   f"--socket={self.socket}", "--connect-timeout=2", "ping"]
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0


def _program(name: str) -> str:
    # mariadbd is in /usr/sbin, which an ordinary user's PATH lacks.
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin")
    if path is None:
        raise LocalError(f"{name} is not installed; deploy/install.sh installs it")
    return path


def _user() -> list[str]:
    # Started by root, MariaDB wants to be told that it shall stay root.
    return ["--user=root"] if os.geteuid() == 0 else []
