"""servers.py start|stop DIR: one Kafka and one MariaDB for the tests of a build tree.

start writes DIR/servers.env once both answer: KAFKA=host:port, KAFKA_ROLES=host:port, where the users
of roles.py are asked for passwords, MYSQL_SOCKET=path. What a killed run left in DIR is ended and
removed first. stop ends exactly these two and removes DIR.
"""

import argparse
import contextlib
import shutil
import signal
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable

import roles  # also finds fanfold_local

from fanfold_local import kafka, mariadb
from fanfold_local.errors import LocalError
from fanfold_local.process import recorded

SHORT_PREFIX = "fanfold-test-"
# A server that stands still for seconds fails whatever is never to be refused.
SERVERS_NICE = -10


class SharedCluster(roles.Cluster):
    """Of all tests, so that a quick start would cost them more than it gives."""

    jvm = kafka.JVM_FOR_WORK


def socket_folder(home: Path) -> Path:
    """The home itself, or a short folder when a socket's path would be too long there."""
    if len(str(home / "mariadb.sock").encode()) <= mariadb.SOCKET_PATH_BYTES_MAX:
        return home
    folder = Path(tempfile.mkdtemp(prefix=SHORT_PREFIX, dir="/tmp"))
    (home / "socket_folder").write_text(str(folder))
    return folder


def prefer(home: Path) -> None:
    """Where the kernel shares cores by session (autogroup), each process of a test has as much of one as the
    servers that serve all of them, and their own niceness counts for nothing."""
    for process in recorded(home):
        with contextlib.suppress(OSError):
            Path(f"/proc/{int(process.pid_file.read_text())}/autogroup").write_text(str(SERVERS_NICE))


def start(home: Path) -> None:
    stop(home)
    home.mkdir(parents=True)
    kafka.fetch()
    cluster = roles.new_cluster(home, make=SharedCluster)
    server = mariadb.Server(home, 0, None, socket_folder(home) / "mariadb.sock", for_tests=True)
    with ThreadPoolExecutor() as pool:
        for started in [pool.submit(cluster.start), pool.submit(server.start)]:
            started.result()
    prefer(home)
    (home / "servers.env").write_text(
        f"KAFKA={cluster.bootstrap}\nKAFKA_ROLES={cluster.role_bootstrap}\nMYSQL_SOCKET={server.socket}\n")


def stop(home: Path) -> None:
    # Nothing of them is kept, so there is nothing that an orderly end would save.
    for process in recorded(home):
        process.stop(signal.SIGKILL)
    if (home / "socket_folder").exists():
        folder = Path((home / "socket_folder").read_text())
        if folder.name.startswith(SHORT_PREFIX):
            shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(home, ignore_errors=True)


def main(description: str, start: Callable[[Path], None]) -> int:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("verb", choices=["start", "stop"])
    parser.add_argument("dir", type=Path)
    arguments = parser.parse_args()
    try:
        {"start": start, "stop": stop}[arguments.verb](arguments.dir.resolve())
    except LocalError as error:
        print(f"{Path(sys.argv[0]).stem}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(__doc__, start))
