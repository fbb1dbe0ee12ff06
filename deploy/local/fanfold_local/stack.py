"""The whole of Fanfold on this machine: up starts what is not running, down stops what is."""

import fcntl
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Mapping

from . import kafka, mariadb
from .errors import LocalError
from .ports import is_free
from .process import PROJECTIONS, Process, kind_of, numbered, recorded
from .services import Service, init, services, write_config
from .settings import Creation, Start, creation_of, read_start, record_counts, record_creation
from .steps import step

# The reader first, so that nobody reads what is going away; the servers when nobody needs them.
STOP_ORDER = ["reader", "writer", *(f"projector-{projection}" for projection in PROJECTIONS), "kafka",
              "mariadb"]


@dataclass(frozen=True)
class Wanted:
    """A process with the command that it shall run as, and its ports by the variable to change."""

    process: Process
    command: list[str]
    ports: list[tuple[int, str, str]]  # port, variable, address


class Stack:
    def __init__(self, home: Path, binaries: Path, environment: Mapping[str, str]):
        self.home = home
        self.binaries = binaries
        self.start: Start = read_start(home, environment)
        self.created: Creation = creation_of(home, environment)
        self.cluster = self._cluster()
        self.servers = self._servers()
        self.services = services(home, binaries, self.start)

    def up(self) -> None:
        wanted = self._wanted()
        _refuse_other_commands(wanted)
        missing = [w for w in wanted if not w.process.is_running()]
        if not missing:
            self._wait_ready()
            print(f"already running, all {len(wanted)} processes")
            return
        if len(missing) < len(wanted):
            print(f"{len(wanted) - len(missing)} of {len(wanted)} processes are running; "
                  f"starting {', '.join(w.process.name for w in missing)}")
        _refuse_taken_ports(missing)
        record_creation(self.home, self.created)
        record_counts(self.home, self.start)
        self._start_servers()
        self._start_services()

    def surplus(self) -> list[str]:
        """Running, but not asked for this time."""
        names = {w.process.name for w in self._wanted()}
        return [p.name for p in recorded(self.home) if p.is_running() and p.name not in names]

    def urls(self) -> list[tuple[str, str]]:
        return [(service.process.name, service.url) for service in self.services]

    def _start_servers(self) -> None:
        kafka.fetch()
        with step("Kafka and MariaDB"), ThreadPoolExecutor() as pool:
            started = [pool.submit(self.cluster.start),
                       *(pool.submit(server.start) for server in self.servers)]
            for each in started:
                each.result()
        write_config(self.home, self.created, self.start, self.cluster.bootstrap,
                     [server.socket for server in self.servers])
        with step("topics and schemas"):
            init(self.home, self.binaries)

    def _start_services(self) -> None:
        missing = [s for s in self.services if not s.process.is_running()]
        with step(f"services: {len(missing)}"):
            for service in missing:
                service.start()
            self._wait_ready()

    def _wait_ready(self) -> None:
        for service in self.services:
            service.wait_ready()

    def _cluster(self) -> kafka.Cluster:
        brokers = range(self.created.brokers)
        return kafka.Cluster(self.home, self.created.kafka_cluster_id,
                             [self.start.kafka_port + i for i in brokers],
                             [self.start.kafka_controller_port + i for i in brokers])

    def _servers(self) -> list[mariadb.Server]:
        return [mariadb.Server(self.home, i, self.start.mysql_port + i,
                               self.home / f"{numbered('mariadb', i)}.sock")
                for i in range(self.created.mysqls)]

    def _wanted(self) -> list[Wanted]:
        nodes = [Wanted(node, self.cluster.command(i),
                        [(self.cluster.ports[i], "FANFOLD_KAFKA_PORT", kafka.LOOPBACK),
                         (self.cluster.controller_ports[i], "FANFOLD_KAFKA_CONTROLLER_PORT",
                          kafka.LOOPBACK)])
                 for i, node in enumerate(self.cluster.nodes)]
        servers = [Wanted(s.process, s.command, [(s.port, "FANFOLD_MYSQL_PORT", mariadb.LOOPBACK)])
                   for s in self.servers]
        return nodes + servers + [_wanted_service(s) for s in self.services]


def down(home: Path) -> list[str]:
    """Stops what is running, in order; returns the names of those that were running."""
    running = [p for p in recorded(home) if p.is_running()]
    for kind in STOP_ORDER:
        group = [p for p in running if kind_of(p.name) == kind]
        if not group:
            continue
        # Brokers together: one that has lost its quorum could not end in an orderly way.
        with step(f"stopped {', '.join(p.name for p in group)}"), ThreadPoolExecutor() as pool:
            for process, clean in zip(group, pool.map(Process.stop, group)):
                if not clean:
                    print(f"  warning: {process.name} did not end by SIGTERM and was killed")
    for process in recorded(home):
        process.pid_file.unlink(missing_ok=True)
    return [p.name for p in running]


@contextmanager
def locked(home: Path) -> Iterator[None]:
    """One up or down of a stack at a time."""
    home.mkdir(parents=True, exist_ok=True)
    with open(home / "lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LocalError("another command is starting or stopping this stack") from error
        yield


def _wanted_service(service: Service) -> Wanted:
    return Wanted(service.process, service.command,
                  [(service.port, service.port_variable, service.bind)])


def _refuse_other_commands(wanted: list[Wanted]) -> None:
    others = [w.process.name for w in wanted
              if w.process.is_running() and not w.process.runs(w.command)]
    if others:
        raise LocalError(f"{', '.join(others)}: running with other ports or options than asked for; "
                         "make stack-down first")


def _refuse_taken_ports(missing: list[Wanted]) -> None:
    seen: dict[int, str] = {}
    for wanted in missing:
        for port, variable, address in wanted.ports:
            if port in seen:
                raise LocalError(f"port {port} is meant for {seen[port]} and "
                                 f"{wanted.process.name}; {variable} moves the latter")
            if not is_free(port, address):
                raise LocalError(f"port {port}, meant for {wanted.process.name}, is in use; "
                                 f"{variable} chooses another")
            seen[port] = wanted.process.name
