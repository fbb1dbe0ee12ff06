"""Servers that the reader is held against, each on one core and a port of its own."""

import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Iterator, Optional

from fanfold_local.errors import LocalError
from fanfold_local.ports import LOOPBACK, free_ports, is_free
from fanfold_local.process import Process

from ..cpu import pin, server_core
from .follow_lists import Edges, FollowLists

READY_SECONDS_MAX = 20
# Redis takes lines of 64 KiB at most.
MEMBERS_A_LINE = 1000
SERVER_PATH = "/usr/local/sbin:/usr/sbin:/usr/local/bin:/usr/bin"

# One process that does all: without a master nothing outlives it.
NGINX_CONFIG = """
daemon off;
master_process off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  default_type application/json;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen {address}:{port}{tls};
    location / {{ return 200 '{body}'; }}
  }}
}}
"""


@dataclass(frozen=True)
class Baseline:
    process: Process
    port: int

    @property
    def pid(self) -> int:
        return int(self.process.pid_file.read_text())

    def start(self, command: list[str]) -> "Baseline":
        self.process.start(command)
        self.process.wait_ready(lambda: not is_free(self.port), READY_SECONDS_MAX)
        pin(self.pid, server_core())
        return self


@contextmanager
def nginx(home: Path, body: str, certificate: Optional[Path] = None,
          key: Optional[Path] = None) -> Iterator[Baseline]:
    """Answers every request with this body, while the context lasts; over TLS with a certificate."""
    tls = f" ssl; ssl_certificate {certificate}; ssl_certificate_key {key}" if certificate else ""
    folder = home / "nginx"
    folder.mkdir(parents=True, exist_ok=True)
    baseline = Baseline(Process(home, "nginx"), free_ports(1)[0])
    config = folder / "nginx.conf"
    config.write_text(NGINX_CONFIG.format(folder=folder, address=LOOPBACK, port=baseline.port,
                                          body=body, tls=tls))
    try:
        yield baseline.start([_program("nginx"), "-e", "stderr", "-p", str(folder), "-c",
                              str(config)])
    finally:
        baseline.process.stop()


def redis(home: Path, lists: FollowLists) -> Baseline:
    """With everybody's lists: the sets following:ID and fansset:ID, and fans:ID sorted by since."""
    return redis_with(home, _commands(lists))


def redis_with(home: Path, commands: Iterable[str]) -> Baseline:
    """With what these leave, each a line."""
    folder = home / "redis"
    folder.mkdir(parents=True, exist_ok=True)
    baseline = Baseline(Process(home, "redis"), free_ports(1)[0])
    baseline.start([_program("redis-server"), "--bind", LOOPBACK, "--port", str(baseline.port),
                    "--save", "", "--appendonly", "no", "--dir", str(folder),
                    "--set-proc-title", "no"])
    _fill(baseline.port, commands)
    return baseline


def _commands(lists: FollowLists) -> Iterator[str]:
    for user, edges in lists.following.items():
        yield from _lines(f"SADD following:{user}", edges, "{user}")
    for user, edges in lists.fans.items():
        yield from _lines(f"SADD fansset:{user}", edges, "{user}")
        yield from _lines(f"ZADD fans:{user}", edges, "{since} {user}")


def _fill(port: int, commands: Iterable[str]) -> None:
    with subprocess.Popen([_program("redis-cli"), "-p", str(port), "--pipe"], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as client:
        client.stdin.writelines(commands)
        output, _ = client.communicate()
    if client.returncode != 0 or "errors: 0," not in output:
        raise LocalError(f"redis-cli: exit {client.returncode}\n{output}")


def _lines(command: str, edges: Edges, form: str) -> Iterator[str]:
    members = [form.format(user=user, since=since) for user, since in edges.items()]
    for start in range(0, len(members), MEMBERS_A_LINE):
        yield f"{command} {' '.join(members[start:start + MEMBERS_A_LINE])}\n"


def _program(name: str) -> str:
    # Servers are in /usr/sbin, which an ordinary user's PATH lacks.
    path = shutil.which(name, path=SERVER_PATH)
    if path is None:
        raise LocalError(f"{name} is not installed; deploy/install.sh bench installs it")
    return path
