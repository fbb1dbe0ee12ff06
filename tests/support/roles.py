"""Servers that let each role do what deploy/mysql/rights.sql and deploy/kafka/rights say, and nothing else.

A role is a user with a password. The tests themselves have none: they are root through MariaDB's
socket, and whoever speaks PLAINTEXT to Kafka, who may everything.
"""

import dataclasses
import subprocess
import sys
from pathlib import Path

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
sys.path.insert(0, str(DEPLOY / "local"))

import quick_kafka  # noqa: E402
from broker import LITERAL, PREFIXED, any_broker, await_brokers  # noqa: E402
from fanfold_local import kafka  # noqa: E402
from ports import free_port  # noqa: E402

ROLES = ("writer", "projector", "reader", "operator")
USERS = "fanfold_"  # what Kafka's begin with; MariaDB's begin with their deployment's space


def password(role):
    return f"the-{role}s-own"


@dataclasses.dataclass(frozen=True)
class Cluster(quick_kafka.Cluster):
    role_ports: list[int] = dataclasses.field(default_factory=list)  # one a broker

    @property
    def role_bootstrap(self):
        return ",".join(f"{kafka.LOOPBACK}:{port}" for port in self.role_ports)

    def listeners(self, index):
        return super().listeners(index) | {"ROLES": f"{kafka.LOOPBACK}:{self.role_ports[index]}"}

    def _properties(self, index):
        properties = super()._properties(index)
        properties["listener.security.protocol.map"] += ",ROLES:SASL_PLAINTEXT"
        return properties | {
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "allow.everyone.if.no.acl.found": "false",
            "super.users": "User:ANONYMOUS",
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.roles.plain.sasl.jaas.config": let_in(password)}


def let_in(password_of):
    users = " ".join(f'user_{USERS}{role}="{password_of(role)}"' for role in ROLES)
    return f"org.apache.kafka.common.security.plain.PlainLoginModule required {users};"


def new_cluster(home, brokers=1, make=Cluster):
    ports = [free_port() for _ in range(3 * brokers)]
    return make(home, kafka.new_cluster_id(), ports[:brokers], ports[brokers:2 * brokers],
                for_tests=True, role_ports=ports[2 * brokers:])


def kafka_rights():
    """(role, operation, kind, name), as deploy/kafka/rights has them."""
    lines = (DEPLOY / "kafka/rights").read_text().splitlines()
    for role, operations, kind, name in (line.split() for line in lines if line and line[0] != "#"):
        for operation in operations.split(","):
            yield role, operation, kind, name


def resource(space, kind, name):
    """With its space and its pattern."""
    if kind == "cluster":
        return kind, name, LITERAL
    return kind, f"{space}-{name}", PREFIXED if kind == "group" else LITERAL


def allow_in_kafka(bootstrap, space):
    """As deploy/kafka/acls.sh does, which takes ten JVMs for it. Returns when every broker knows."""
    acls = [(*resource(space, kind, name), USERS + role, operation)
            for role, operation, kind, name in kafka_rights()]
    _, topic, *_ = acls[0]
    with any_broker(bootstrap) as broker:
        broker.create_acls(acls)
    await_brokers(bootstrap, lambda broker: broker.acls("topic", topic), "the rights")


def forget_in_kafka(bootstrap, space):
    """Topics and rights: those of hundreds of deployments are more than the broker's memory holds."""
    own = {resource(space, kind, name) for _, _, kind, name in kafka_rights() if kind != "cluster"}
    with any_broker(bootstrap) as broker:
        broker.delete_topics(name for kind, name, _ in own if kind == "topic")
        broker.delete_acls(own)


def mysql_users(space):
    return [f"{space}_{role}" for role in ROLES if role != "writer"]


def allow_in_mysql(socket, space, password_of):
    users = "".join(f"CREATE USER {space}_{role} IDENTIFIED BY '{password_of(role)}';"
                    for role in ROLES if role != "writer")
    run_sql(socket, users + (DEPLOY / "mysql/rights.sql").read_text().replace("fanfold", space))


def run_sql(socket, statements, timeout=None):
    subprocess.run(["mariadb", "--no-defaults", f"--socket={socket}", "-uroot"], input=statements,
                   text=True, capture_output=True, check=True, timeout=timeout)
