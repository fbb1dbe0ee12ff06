"""A folder for a benchmark, as a rule with a private Kafka and MariaDB with the local stack's
settings, and deployments of Fanfold on them."""

import random
import shutil
import signal
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from fanfold_local import kafka, mariadb
from fanfold_local.errors import LocalError
from fanfold_local.ports import (FREE_PORT_HIGHEST, FREE_PORT_LOWEST, FREE_PORT_TRIES, free_ports,
                                 is_free)
from fanfold_local.process import PROJECTIONS, Process, recorded
from fanfold_local.services import Service, config_file, init, services, write_config
from fanfold_local.settings import Creation, read_start

from .database import Database
from .http_client import HttpClient

PARTITIONS = 16
# Writer, reader and one projector of each projection.
PORTS_OF_A_DEPLOYMENT = 2 + len(PROJECTIONS)


class Deployment:
    """Topics and tables of their own; no service runs until it is launched."""

    def __init__(self, lab: "Lab", space: str, shards: int):
        self.space = space
        self.schemas = [f"{space}_fanfold_{shard}" for shard in range(shards)]
        self.schema = self.schemas[0]
        self._lab = lab
        home = lab.work / space
        start = read_start(home, _ports())
        created = Creation(shards=shards, partitions=PARTITIONS, brokers=1, mysqls=1, space=space,
                           kafka_cluster_id=lab.cluster.cluster_id)
        write_config(home, created, start, lab.cluster.bootstrap, [lab.server.socket])
        init(home, lab.binaries)
        self._config = config_file(home)
        self._services = {s.process.name: s for s in services(home, lab.binaries, start)}

    def launch(self, *names: str) -> None:
        """Returns when these services are ready."""
        for name in names:
            self._services[name].start()
        for name in names:
            self._services[name].wait_ready()

    def restart(self, name: str, *options: str) -> Service:
        """Returns when the service is ready again, this time with these options too."""
        service = self._services[name]
        service.process.stop()
        service = replace(service, command=[*service.command, *options])
        service.start()
        service.wait_ready()
        return service

    def stop(self, *names: str) -> None:
        """These services, or all of them."""
        for name in names or self._services:
            self._services[name].process.stop()

    def client(self, name: str) -> HttpClient:
        return HttpClient(self._services[name].port)

    def service(self, name: str) -> Service:
        return self._services[name]

    def log_tail(self, name: str) -> str:
        return self._services[name].process.log_tail()

    def pids(self) -> dict[str, int]:
        """Of its running services and of the servers under them."""
        running = [s.process for s in self._services.values() if s.process.is_running()]
        return {**self._lab.pids(), **{p.name: _pid(p) for p in running}}

    def command(self, verb: str, *arguments: str) -> list[str]:
        return [str(self._lab.binaries / "fanfold"), verb, "--config", str(self._config),
                *arguments]

    @property
    def events_topic(self) -> str:
        return f"{self.space}-relation-events"

    @property
    def outcomes_topic(self) -> str:
        return f"{self.space}-relation-outcomes"


class Lab:
    """A context manager; all that it keeps is removed at the end."""

    def __init__(self, work: Path, binaries: Path, servers: bool = True):
        self.work = work
        self.binaries = binaries
        self._has_servers = servers
        self._deployments = 0

    def __enter__(self) -> "Lab":
        remove_remains(self.work)
        self.work.mkdir(parents=True)
        if self._has_servers:
            self._start_servers()
        return self

    def _start_servers(self) -> None:
        home = self.work / "servers"
        home.mkdir()
        kafka_port, controller_port, mysql_port = free_ports(3)
        self.cluster = kafka.Cluster(home, kafka.new_cluster_id(), [kafka_port], [controller_port])
        # A folder of its own, since the clone's path may be too long for a socket.
        self._socket_folder = Path(tempfile.mkdtemp(prefix="fanfold-bench-", dir="/tmp"))
        self.server = mariadb.Server(home, 0, mysql_port, self._socket_folder / "mariadb.sock")
        self.database = Database(self.server.socket)
        try:
            with ThreadPoolExecutor() as pool:
                for started in [pool.submit(self.cluster.start), pool.submit(self.server.start)]:
                    started.result()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        remove_remains(self.work)
        if self._has_servers:
            shutil.rmtree(self._socket_folder, ignore_errors=True)

    def deployment(self, shards: int = 1) -> Deployment:
        self._deployments += 1
        return Deployment(self, f"bench{self._deployments}", shards)

    def pids(self) -> dict[str, int]:
        return {"kafka": _pid(self.cluster.nodes[0]), "mariadb": _pid(self.server.process)}


def remove_remains(work: Path) -> None:
    """Ends what runs there and removes the folder. Nothing of it is kept, so there is nothing that
    an orderly end would save."""
    homes = list(work.iterdir()) if work.exists() else []
    for home in homes:
        for process in recorded(home):
            process.stop(signal.SIGKILL)
    shutil.rmtree(work, ignore_errors=True)


def _ports() -> dict[str, str]:
    for _ in range(FREE_PORT_TRIES):
        first = random.randint(FREE_PORT_LOWEST, FREE_PORT_HIGHEST - PORTS_OF_A_DEPLOYMENT)
        if all(is_free(first + i) for i in range(PORTS_OF_A_DEPLOYMENT)):
            # The projectors take the ports from there on.
            return {"FANFOLD_READER_PORT": str(first), "FANFOLD_WRITER_PORT": str(first + 1),
                    "FANFOLD_PROJECTOR_PORT": str(first + 2)}
    raise LocalError(f"no {PORTS_OF_A_DEPLOYMENT} free ports in a row")


def _pid(process: Process) -> int:
    return int(process.pid_file.read_text())
