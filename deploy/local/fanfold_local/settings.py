"""What a stack is told: every variable of the environment that it knows, and its default."""

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Mapping

from . import kafka
from .errors import LocalError
from .files import write_whole
from .ports import LOOPBACK

# Honoured when a stack is created; kept in its state, which refuses others later.
CREATION_DEFAULTS = {"SHARDS": 1, "PARTITIONS": 16, "BROKERS": 1, "MYSQLS": 1}
# Honoured at each start; what is not said stays as it was at the start before.
COUNT_DEFAULTS = {"WRITERS": 1, "READERS": 1, "PROJECTORS": 1}
PORT_DEFAULTS = {
    "FANFOLD_READER_PORT": 8080,
    "FANFOLD_WRITER_PORT": 8081,
    "FANFOLD_PROJECTOR_PORT": 8200,
    "FANFOLD_KAFKA_PORT": 19092,
    "FANFOLD_KAFKA_CONTROLLER_PORT": 20092,
    "FANFOLD_MYSQL_PORT": 13306,
}
FOLLOW_LIMIT = ("FANFOLD_FOLLOW_LIMIT", 1000)
BIND = ("FANFOLD_BIND", LOOPBACK)
SPACE = ("FANFOLD_SPACE", "")
# Services read these over their configuration; the stack has worked them out for each process.
HIDDEN_FROM_SERVICES = ["FANFOLD_READER_PORT", "FANFOLD_WRITER_PORT", "FANFOLD_PROJECTOR_PORT",
                        # Of another deployment, whoever names it.
                        "FANFOLD_SHARDS", "FANFOLD_PARTITIONS", "FANFOLD_DEPLOYMENT_ID"]
HIDDEN_FROM_SERVICES_PREFIX = "FANFOLD_KAFKA_"

CREATION_FILE = "creation.json"
COUNTS_FILE = "counts.json"

PARTITIONS_MAX = 1024
BROKERS_MAX = 9
INSTANCES_MAX = 32
PORT_MAX = 65535


@dataclass(frozen=True)
class Creation:
    """Fixed when the stack is created."""

    shards: int
    partitions: int
    brokers: int
    mysqls: int
    space: str
    kafka_cluster_id: str


@dataclass(frozen=True)
class Start:
    """Chosen at each start."""

    writers: int
    readers: int
    projectors: int
    reader_port: int
    writer_port: int
    projector_port: int
    kafka_port: int
    kafka_controller_port: int
    mysql_port: int
    follow_limit: int
    bind: str


def read_start(home: Path, environment: Mapping[str, str]) -> Start:
    record = home / COUNTS_FILE
    before = json.loads(record.read_text()) if record.exists() else {}
    counts = {name.lower(): _integer(environment, name, before.get(name, default), 1, INSTANCES_MAX)
              for name, default in COUNT_DEFAULTS.items()}
    ports = {name.removeprefix("FANFOLD_").lower():
             _integer(environment, name, default, 1, PORT_MAX)
             for name, default in PORT_DEFAULTS.items()}
    limit = _integer(environment, *FOLLOW_LIMIT, 0, 2**63 - 1)
    return Start(**counts, **ports, follow_limit=limit, bind=environment.get(*BIND) or LOOPBACK)


def record_counts(home: Path, start: Start) -> None:
    counts = {name: getattr(start, name.lower()) for name in COUNT_DEFAULTS}
    write_whole(home / COUNTS_FILE, json.dumps(counts, indent=2) + "\n")


def creation_of(home: Path, environment: Mapping[str, str]) -> Creation:
    """The stack's, if it was created before and the environment does not ask for another one;
    otherwise a new one, to be recorded when the stack is made."""
    record = home / CREATION_FILE
    if not record.exists():
        return _read_creation(environment)
    existing = Creation(**json.loads(record.read_text()))
    _refuse_others(existing, home, environment)
    return existing


def record_creation(home: Path, created: Creation) -> None:
    write_whole(home / CREATION_FILE, json.dumps(asdict(created), indent=2) + "\n")


def _read_creation(environment: Mapping[str, str]) -> Creation:
    limits = {"SHARDS": PARTITIONS_MAX, "PARTITIONS": PARTITIONS_MAX, "BROKERS": BROKERS_MAX,
              "MYSQLS": INSTANCES_MAX}
    numbers = {name.lower(): _integer(environment, name, default, 1, limits[name])
               for name, default in CREATION_DEFAULTS.items()}
    created = Creation(**numbers, space=environment.get(*SPACE),
                       kafka_cluster_id=kafka.new_cluster_id())
    for name in ("shards", "partitions"):
        value = getattr(created, name)
        if value & (value - 1) != 0:
            raise LocalError(f"{name.upper()}={value}: must be a power of two")
    if created.shards > created.partitions:
        raise LocalError(f"SHARDS={created.shards}: at most PARTITIONS={created.partitions}, since "
                         "the subjects of one partition share a shard")
    if created.mysqls > created.shards:
        raise LocalError(f"MYSQLS={created.mysqls}: more servers than SHARDS={created.shards}")
    if not re.fullmatch(r"[a-z0-9]{0,16}", created.space):
        raise LocalError(f"FANFOLD_SPACE={created.space}: must be at most 16 of a-z and 0-9")
    return created


def _refuse_others(existing: Creation, home: Path, environment: Mapping[str, str]) -> None:
    recorded = {name: str(getattr(existing, name.lower())) for name in CREATION_DEFAULTS}
    recorded[SPACE[0]] = existing.space
    for name, value in recorded.items():
        asked = environment.get(name, "")
        if asked not in ("", value):
            raise LocalError(f"{name}={asked}: the stack in {home} was created with {name}={value}, "
                             "which is for its life; stop it and remove the folder for another one")


def _integer(environment: Mapping[str, str], name: str, default: int, lowest: int,
             highest: int) -> int:
    text = environment.get(name) or str(default)
    if not re.fullmatch(r"[0-9]{1,19}", text) or not lowest <= int(text) <= highest:
        raise LocalError(f"{name}={text}: must be an integer {lowest} … {highest}")
    return int(text)
