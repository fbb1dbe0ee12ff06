"""mysql.py start|stop DIR: a MySQL for the contracts of the tables, in place of servers.py's MariaDB.

Debian 12 has none; that of Debian's unstable is unpacked once into build/mysql, with the libraries
it wants, and runs from there. start writes DIR/servers.env as servers.py does.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from servers import main, socket_folder, stop  # also finds fanfold_local

from fanfold_local.commands import run
from fanfold_local.errors import LocalError
from fanfold_local.process import Process

TREE = Path(__file__).resolve().parents[2] / "build" / "mysql"
LIBRARIES = TREE / "usr" / "lib" / "x86_64-linux-gnu"
READY_SECONDS_MAX = 90
SETTINGS = ["--skip-networking", "--mysqlx=OFF", "--skip-log-bin", "--performance-schema=OFF",
            "--transaction-isolation=READ-COMMITTED", "--innodb-lock-wait-timeout=10",
            "--max-allowed-packet=64M", "--max-connections=500", "--local-infile=ON",
            "--innodb-buffer-pool-size=256M", "--innodb-flush-method=nosync"]


def fetch() -> None:
    if TREE.exists():
        return
    if shutil.which("mmdebstrap") is None:
        raise LocalError("mmdebstrap is not installed; deploy/install.sh installs it")
    print("fetching MySQL from Debian (some 100 MB, once)", flush=True)
    # Renamed when complete: a tree that is there is a whole one.
    fresh = TREE.with_name("mysql.new")
    shutil.rmtree(fresh, ignore_errors=True)
    # An archive that is mirrored late is none the worse.
    run(["mmdebstrap", "--variant=extract", "--include=mysql-server-core",
         '--aptopt=Acquire::Check-Valid-Until "false"', "unstable", str(fresh)],
        "MySQL could not be fetched")
    fresh.rename(TREE)


def command(data: Path) -> list[str]:
    share = TREE / "usr" / "share" / "mysql"
    return [str(LIBRARIES / "ld-linux-x86-64.so.2"), "--library-path", str(LIBRARIES),
            str(TREE / "usr" / "sbin" / "mysqld"), "--no-defaults",
            *(["--user=root"] if os.geteuid() == 0 else []),
            f"--lc-messages-dir={share}", f"--character-sets-dir={share}/charsets",
            # Its default is a folder of the system that is not there.
            "--secure-file-priv=", f"--datadir={data}", f"--pid-file={data}.pid", *SETTINGS]


def answers(socket: Path) -> bool:
    return subprocess.run(["mariadb-admin", "--no-defaults", "--user=root", f"--socket={socket}",
                           "--connect-timeout=2", "ping"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


def start(home: Path) -> None:
    stop(home)
    fetch()
    home.mkdir(parents=True)
    data = home / "mysql"
    run([*command(data), "--initialize-insecure"], "MySQL's data directory could not be made")
    socket = socket_folder(home) / "mysql.sock"
    server = Process(home, "mysql")
    server.start([*command(data), f"--socket={socket}"])
    server.wait_ready(lambda: answers(socket), READY_SECONDS_MAX)
    (home / "servers.env").write_text(f"KAFKA=none\nMYSQL_SOCKET={socket}\n")


if __name__ == "__main__":
    sys.exit(main(__doc__, start))
