"""Fanfold's own processes of a stack."""

import http.client
import json
import os
from dataclasses import dataclass
from pathlib import Path

from .commands import run
from .files import link_whole, write_whole
from .ports import LOOPBACK
from .process import PROJECTIONS, Process, numbered
from .settings import HIDDEN_FROM_SERVICES, HIDDEN_FROM_SERVICES_PREFIX, Creation, Start

READY_SECONDS_MAX = 60
REQUEST_SECONDS_MAX = 2


@dataclass(frozen=True)
class Service:
    process: Process
    command: list[str]
    bind: str
    port: int
    port_variable: str

    @property
    def url(self) -> str:
        host = LOOPBACK if self.bind == "0.0.0.0" else self.bind
        return f"http://{host}:{self.port}"

    def start(self) -> None:
        self.process.start(self.command, environment())

    def wait_ready(self) -> None:
        self.process.wait_ready(self._is_ready, READY_SECONDS_MAX)

    def _is_ready(self) -> bool:
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"),
                                                timeout=REQUEST_SECONDS_MAX)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def environment() -> dict[str, str]:
    """What a service inherits."""
    return {name: value for name, value in os.environ.items()
            if name not in HIDDEN_FROM_SERVICES and not name.startswith(HIDDEN_FROM_SERVICES_PREFIX)}


def config_file(home: Path) -> Path:
    """A stack of release 0.1 keeps the name that its running processes were started with; what
    stands there is the same."""
    of_release_0_1 = home / "fanfold.json"
    return of_release_0_1 if of_release_0_1.exists() else home / "fanfold.toml"


def write_config(home: Path, created: Creation, start: Start, kafka_brokers: str,
                 sockets: list[Path]) -> None:
    prefix = f"{created.space}_" if created.space else ""
    # Shards are spread over the servers in turn.
    shards = [f"mysql://root@localhost/{prefix}fanfold_{i}?socket={sockets[i % len(sockets)]}"
              for i in range(created.shards)]
    config = {
        "mode": "servers",
        "space": created.space,
        "kafka_brokers": kafka_brokers,
        "shards": shards,
        "partitions": created.partitions,
        "follow_limit": start.follow_limit,
        "bind": start.bind,
        "reader_port": start.reader_port,
        "writer_port": start.writer_port,
        "projector_port": start.projector_port,
    }
    toml = home / "fanfold.toml"
    write_whole(toml, "".join(f"{key} = {_toml(value)}\n" for key, value in config.items()))
    if config_file(home) != toml:
        link_whole(config_file(home), toml.name)


def _toml(value: str | int | list[str]) -> str:
    if isinstance(value, list):
        return "[" + "".join(f"\n  {_toml(one)}," for one in value) + "\n]"
    # Strings and integers are written as in JSON, but for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def init(home: Path, binaries: Path) -> None:
    """Topics and schemas; changes nothing where they are."""
    command = [str(binaries / "fanfold"), "init", "--config", str(config_file(home))]
    run(command, f"{' '.join(command)} failed", environment())


def services(home: Path, binaries: Path, start: Start) -> list[Service]:
    """In the order in which they start."""

    def service(kind: str, index: int, port: int, variable: str, *options: str) -> Service:
        program = "fanfold-projector" if kind.startswith("projector") else f"fanfold-{kind}"
        command = [str(binaries / program), *options, "--config", str(config_file(home)),
                   "--port", str(port)]
        return Service(Process(home, numbered(kind, index)), command, start.bind, port, variable)

    # Writers and readers share a row of ports, every other one each; so do the projectors of all
    # projections.
    writers = [service("writer", i, start.writer_port + 2 * i, "FANFOLD_WRITER_PORT")
               for i in range(start.writers)]
    projectors = [service(f"projector-{projection}", i,
                          start.projector_port + len(PROJECTIONS) * i + place,
                          "FANFOLD_PROJECTOR_PORT", "--projection", projection)
                  for i in range(start.projectors)
                  for place, projection in enumerate(PROJECTIONS)]
    readers = [service("reader", i, start.reader_port + 2 * i, "FANFOLD_READER_PORT")
               for i in range(start.readers)]
    return writers + projectors + readers
