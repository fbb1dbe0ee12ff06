"""A Kafka cluster in KRaft mode; each node is broker and controller."""

import base64
import socket
import struct
import subprocess
import uuid
from dataclasses import dataclass
from pathlib import Path

from .commands import run
from .errors import LocalError
from .ports import LOOPBACK
from .process import Process, numbered

DEPLOY = Path(__file__).resolve().parents[2] / "kafka"
READY_SECONDS_MAX = 90
REQUEST_SECONDS_MAX = 2
MESSAGE_BYTES_MAX = 12 * 1024 * 1024
RESPONSE_BYTES_MAX = 1024 * 1024

JVM_COMMON = ["-Xms256m", "-Xmx512m", "-Djava.net.preferIPv4Stack=true", "-Djava.awt.headless=true"]
# Beside everything else on one machine: a small heap has short pauses, and G1 works while others do.
JVM_FOR_WORK = ["-XX:+UseSerialGC"]
JVM_FOR_QUICK_START = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]


def new_cluster_id() -> str:
    # Kafka's own form: a random UUID in URL-safe base64; a leading dash would read as an option.
    while True:
        text = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not text.startswith("-"):
            return text


def fetch() -> None:
    """Puts the jars in place; quick when they are."""
    # Not captured: it says when it starts to fetch, which takes a while.
    if subprocess.run([str(DEPLOY / "fetch.sh")], stdin=subprocess.DEVNULL, check=False).returncode:
        raise LocalError(f"{DEPLOY / 'fetch.sh'} failed")


@dataclass(frozen=True)
class Cluster:
    home: Path
    cluster_id: str
    ports: list[int]  # one a broker
    controller_ports: list[int]
    for_tests: bool = False

    @property
    def bootstrap(self) -> str:
        return ",".join(f"{LOOPBACK}:{port}" for port in self.ports)

    @property
    def jvm(self) -> list[str]:
        return JVM_FOR_QUICK_START if self.for_tests else JVM_FOR_WORK

    @property
    def nodes(self) -> list[Process]:
        return [Process(self.home, numbered("kafka", i)) for i in range(len(self.ports))]

    def command(self, index: int) -> list[str]:
        # The listeners stand on the command line, so that a node that runs on other ports is told
        # apart by it.
        return [*self._java(), "kafka.Kafka", str(self._properties_file(index)),
                "--override", f"listeners={_joined(self.listeners(index))}"]

    def listeners(self, index: int) -> dict[str, str]:
        """Address by name."""
        return {"PLAINTEXT": f"{LOOPBACK}:{self.ports[index]}",
                "CONTROLLER": f"{LOOPBACK}:{self.controller_ports[index]}"}

    def start(self) -> None:
        """Starts the nodes that are not running and returns when all know each other."""
        missing = [i for i, node in enumerate(self.nodes) if not node.is_running()]
        for index in missing:
            self._format(index)
        for index in missing:
            self.nodes[index].start(self.command(index))
        for index, node in enumerate(self.nodes):
            port = self.ports[index]
            node.wait_ready(lambda port=port: _brokers_seen_by(port) == len(self.ports),
                            READY_SECONDS_MAX)

    def _java(self) -> list[str]:
        return ["java", *JVM_COMMON, *self.jvm,
                f"-Dlog4j2.configurationFile={DEPLOY / 'log4j2.properties'}",
                "-cp", f"{DEPLOY / 'libs'}/*"]

    def _directory(self, index: int) -> Path:
        return self.home / numbered("kafka", index)

    def _properties_file(self, index: int) -> Path:
        return self._directory(index) / "server.properties"

    def _format(self, index: int) -> None:
        self._directory(index).mkdir(parents=True, exist_ok=True)
        lines = [f"{key}={value}\n" for key, value in self._properties(index).items()]
        self._properties_file(index).write_text("".join(lines))
        if not (self._directory(index) / "data" / "meta.properties").exists():
            self._make_storage(index)

    def _make_storage(self, index: int, *more: str) -> None:
        command = [*self._java(), "-XX:TieredStopAtLevel=1", "kafka.tools.StorageTool", "format",
                   "-t", self.cluster_id, "-c", str(self._properties_file(index)), *more]
        run(command, "Kafka's storage could not be formatted")

    def _properties(self, index: int) -> dict[str, object]:
        brokers = len(self.ports)
        replicas = min(brokers, 3)
        in_sync = 2 if replicas == 3 else 1
        voters = ",".join(f"{i + 1}@{LOOPBACK}:{p}" for i, p in enumerate(self.controller_ports))
        listeners = self.listeners(index)
        advertised = {name: at for name, at in listeners.items() if name != "CONTROLLER"}
        properties: dict[str, object] = {
            "process.roles": "broker,controller",
            "node.id": index + 1,
            "controller.quorum.voters": voters,
            "controller.listener.names": "CONTROLLER",
            "listeners": _joined(listeners),
            "advertised.listeners": _joined(advertised),
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "inter.broker.listener.name": "PLAINTEXT",
            "log.dirs": self._directory(index) / "data",
            "auto.create.topics.enable": "false",
            "log.retention.ms": -1,
            "message.max.bytes": MESSAGE_BYTES_MAX,
            "default.replication.factor": replicas,
            "min.insync.replicas": in_sync,
            "offsets.topic.num.partitions": 4,
            "offsets.topic.replication.factor": replicas,
            "transaction.state.log.num.partitions": 1,
            "transaction.state.log.replication.factor": replicas,
            "transaction.state.log.min.isr": in_sync,
            "share.coordinator.state.topic.num.partitions": 1,
            "share.coordinator.state.topic.replication.factor": replicas,
            "share.coordinator.state.topic.min.isr": in_sync,
            "group.initial.rebalance.delay.ms": 0,
            "broker.heartbeat.interval.ms": 500,
            "num.network.threads": 2,
            "num.io.threads": 4,
        }
        if self.for_tests:
            properties["group.min.session.timeout.ms"] = 1000
            # Tests create many topics; each partition maps two index files of this size.
            properties["log.index.size.max.bytes"] = 1024 * 1024
        return properties


def _joined(listeners: dict[str, str]) -> str:
    return ",".join(f"{name}://{address}" for name, address in listeners.items())


def _brokers_seen_by(port: int) -> int:
    """How many brokers a Metadata request (version 1, no topics) is answered with; 0 on failure."""
    client_id = b"fanfold-local"
    body = struct.pack(">hhih", 3, 1, 1, len(client_id)) + client_id + struct.pack(">i", 0)
    try:
        with socket.create_connection((LOOPBACK, port), timeout=REQUEST_SECONDS_MAX) as connection:
            connection.sendall(struct.pack(">i", len(body)) + body)
            stream = connection.makefile("rb")
            length, = struct.unpack(">i", stream.read(4))
            answer = stream.read(min(length, RESPONSE_BYTES_MAX))
            _, brokers = struct.unpack_from(">ii", answer)
            return brokers
    except (OSError, struct.error):
        return 0
