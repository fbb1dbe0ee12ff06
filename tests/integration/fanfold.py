"""A deployment of real processes on the shared Kafka and MariaDB, for black-box tests.

Each deployment has its own topics, schemas, ports and folder; close() stops what it started, by pid.
"""

import contextlib
import enum
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import types
import unittest

from log_records import Log

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import roles  # noqa: E402, also finds fanfold_local
from ports import free_port  # noqa: E402
from fanfold_local.files import write_whole  # noqa: E402
from fanfold_local.process import PROJECTIONS  # noqa: E402

BIN = pathlib.Path(os.environ.get("FANFOLD_BIN", ROOT / "build/release/bin"))
DATA = ROOT.parent / "shared/data"
START_TIMEOUT_S = 30
DROP_TIMEOUT_S = 20
# As many as the most shards that tests have: each costs the broker files, and fetches for as long as it is there.
PARTITIONS = 4
CLI_TRIES_MAX = 3
REPEATABLE_VERBS = {"doctor", "explain", "init", "lane", "rebuild", "repair", "status", "verify", "wait"}
# The longest that the reader waits for a position (CONTRACT).
POSITION_WAIT_MS_MAX = 5000


def servers():
    """What servers.py writes of the servers that ctest's fixture started."""
    path = os.environ["FANFOLD_TEST_SERVERS"]
    with open(path) as lines:
        return dict(line.strip().split("=", 1) for line in lines if "=" in line)


def wait_until(condition, what, timeout_s=30.0, pause_s=0.02):
    """Polls until condition() is truthy and returns what it gave."""
    deadline = time.monotonic() + timeout_s
    while True:
        got = condition()
        if got:
            return got
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {timeout_s} s")
        time.sleep(pause_s)


class Client:
    """One keep-alive connection to one service."""

    patience_s = 60

    def __init__(self, port, timeout_s=30):
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)

    def __del__(self):
        self.connection.close()

    def request(self, method, path, body=None, headers=None):
        """Status, headers, parsed JSON (or text). A body is JSON unless the headers say otherwise."""
        json_body = {"Content-Type": "application/json"} if body else {}
        self.connection.request(method, path, body=body, headers=json_body | (headers or {}))
        answer = self.connection.getresponse()
        content_type = answer.getheader("Content-Type") or ""
        if content_type == "text/event-stream":  # which does not end: it is left at once
            self.connection.close()
            return answer.status, answer.headers, ""
        raw = answer.read().decode()
        is_json = content_type.endswith(("/json", "+json")) and raw
        return answer.status, answer.headers, json.loads(raw) if is_json else raw

    def get(self, path):
        return self.told(path, lambda: self.request("GET", path))

    def told(self, what, ask):
        """As clients do: a read that the tables were too slow for is asked again."""
        deadline = time.monotonic() + self.patience_s
        while True:
            status, _, body = ask()
            if status != 503 or body["code"] != "store_unavailable" or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        if status != 200:
            raise AssertionError(f"GET {what}: {status} {body}")
        return body

    def request_at(self, position, path, timeout_s=60):
        """Like request("GET"), once the reader knows `position`: a machine that stands still for longer
        than the reader waits is no failure, an answer without the position is."""
        joint = "&" if "?" in path else "?"
        deadline = time.monotonic() + timeout_s
        while True:
            answer = self.request(
                "GET", f"{path}{joint}min_position={position}&timeout_ms={POSITION_WAIT_MS_MAX}")
            if answer[0] != 409 or time.monotonic() > deadline:
                return answer

    def get_at(self, position, path):
        return self.told(f"{path} at {position}", lambda: self.request_at(position, path))

    def pages(self, path, limit=200):
        """All items of a list, page by page."""
        cursor, joint = None, "&" if "?" in path else "?"
        while True:
            page = self.get(f"{path}{joint}limit={limit}" + (f"&cursor={cursor}" if cursor else ""))
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return
            if not page["items"]:
                raise AssertionError(f"{path}: an empty page that is not the last")


class StrictClient(Client):
    """Of a reader that is never to refuse."""

    patience_s = 0


def pause(popen):
    """Every thread of the child stands when this returns; after kill(2) alone, some still run."""
    popen.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, popen.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)


class Process:
    """A service in the background, its output in a log of its own."""

    def __init__(self, name, arguments, port, folder, environment):
        self.name, self.port, self.log = name, port, folder / f"{name}.log"
        with open(self.log, "ab") as out:
            self.popen = subprocess.Popen(
                [str(a) for a in arguments], stdout=out, stderr=out, stdin=subprocess.DEVNULL,
                env=environment)

    @property
    def pid(self):
        return self.popen.pid

    def is_ready(self):
        if self.popen.poll() is not None:
            raise AssertionError(f"{self.name} ended with {self.popen.returncode}:\n{self.tail()}")
        try:
            status, _, self.readiness = Client(self.port, 5).request("GET", "/readyz")
        except OSError as error:
            status, self.readiness = 503, error
        return status == 200

    def await_ready(self, timeout_s):
        try:
            wait_until(self.is_ready, f"{self.name} ready", timeout_s)
        except AssertionError as error:
            raise AssertionError(f"{error}: {self.readiness}\n{self.tail()}") from error

    def metric(self, name):
        """The sum over the series of that name."""
        text = Client(self.port).request("GET", "/metrics")[2]
        values = [float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                  if line.split("{")[0].split(" ")[0] == name]
        return sum(values)

    def resident_bytes(self):
        pages = int(pathlib.Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def pause(self):
        pause(self.popen)

    def signal(self, number):
        os.kill(self.pid, number)

    def kill(self):
        self.popen.kill()
        self.popen.wait()

    def stop(self, timeout_s=20):
        if self.popen.poll() is None:
            self.signal(signal.SIGCONT)
            self.popen.terminate()
        return self.popen.wait(timeout_s)

    def tail(self, lines=20):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


class Ends(enum.Enum):
    """How a test leaves its tables."""

    CLEAN = "nothing ever was drift"
    MENDED = "what the test has changed by hand is mended"
    DIFFERENT = "what the test has broken is still seen, or keeps anybody from looking"


class Deployed:
    """What tests ask of a deployment, whatever it runs on. Its auditors report only, unless the test
    says otherwise: what they mend, no test sees."""

    ends = Ends.CLEAN
    has_repaired = False

    @staticmethod
    def environment_with(environment):
        plain = {k: v for k, v in os.environ.items() if not k.startswith("FANFOLD_")}
        return plain | {"FANFOLD_AUDIT": "report"} | (environment or {})

    def settle(self, timeout_s=120):
        self.cli("wait", "--timeout", timeout_s)

    def writer(self):
        return Client(self.processes[self.WRITER].port)

    def reader(self):
        return Client(self.processes[self.READER].port)

    def run_cli(self, verb, place, arguments, check, stdin):
        self.has_repaired |= verb == "repair"
        for _ in range(CLI_TRIES_MAX):
            ran = subprocess.run(
                [str(BIN / "fanfold"), verb, *map(str, place), *map(str, arguments)],
                capture_output=True, text=True, input=stdin, env=self.environment, timeout=300)
            # A machine that stands still for longer than Kafka is waited for: as an operator would.
            if not check or verb not in REPEATABLE_VERBS or "_TIMED_OUT" not in ran.stderr:
                break
        if check and ran.returncode != 0:
            raise AssertionError(f"fanfold {verb}: exit {ran.returncode}\n{ran.stdout}{ran.stderr}")
        return ran

    def check_oracle(self, case):
        """Counts equal rows, fans mirror following, over every shard; outcomes are dense. Requires:
        everything is decided. Gives the log and how many copies of outcomes it has."""
        edges = {"following": set(), "fans": set()}
        for projection, other, count in (("following", "target_id", "following_count"),
                                         ("fans", "fan_id", "fan_count")):
            for shard in range(len(self.schemas)):
                wrong = self.sql(shard, f"""
                    SELECT user_id, SUM(n), SUM(r) FROM (
                      SELECT user_id, n, 0 r FROM {count}_g1
                      UNION ALL SELECT user_id, 0, SUM(active) FROM {projection}_g1 GROUP BY user_id
                    ) t GROUP BY user_id HAVING SUM(n) <> SUM(r) LIMIT 5""")
                case.assertEqual(wrong, [], f"{count} against rows on shard {shard}")
                rows = self.sql(shard, f"SELECT user_id, {other}, active, since_ms, version "
                                       f"FROM {projection}_g1")
                for user, listed, *state in rows:
                    edge = (user, listed) if projection == "following" else (listed, user)
                    edges[projection].add((*edge, *state))
        difference = edges["following"] ^ edges["fans"]
        case.assertEqual(len(difference), 0, f"fans mirror following: {list(difference)[:5]}")
        log = Log(self)
        return log, log.check_outcomes()

    def check_end(self, case):
        """The tables are what the topics say, and were so all the time without anybody's help."""
        if self.ends is Ends.DIFFERENT:
            case.assertIn(self.cli("verify", check=False).returncode, (2, 3), self.ends.value)
            return
        self.cli("verify")
        menders = {"fanfold repair"} if self.has_repaired else set()
        if self.environment["FANFOLD_AUDIT"] == "repair":
            menders.add("auditor")
        for shard in range(len(self.schemas)):
            repairs = self.sql(shard, "SELECT reason, detail FROM repairs")
            case.assertEqual([row for row in repairs if row[0] not in menders], [])
        if self.ends is Ends.CLEAN:
            case.assertEqual(self.drift_told(), [])

    def drift_told(self):
        """What auditors have found, of processes that have died, too."""
        return [line for log in self.folder.glob("*.log") for line in log.read_text().splitlines()
                if '"msg":"drift"' in line]

    def stop_services(self):
        for process in self.processes.values():
            if process.popen.poll() is None:
                process.signal(signal.SIGCONT)
                process.popen.terminate()
        for process in self.processes.values():
            try:
                process.popen.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()

    def stop_all(self):
        self.stop_services()
        if os.environ.get("FANFOLD_KEEP_LOGS"):
            print("logs kept in", self.folder)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


def shared_kafka():
    there = servers()
    return types.SimpleNamespace(bootstrap=there["KAFKA"], role_bootstrap=there["KAFKA_ROLES"])


class Deployment(Deployed):
    """Each process and verb as the user of its role (roles.py); what a test does beside them, as root."""

    WRITER, READER = "writer", "reader"
    CLI_ROLE = "operator"

    def __init__(self, shards=1, partitions=PARTITIONS, follow_limit=None, projectors=1,
                 session_timeout_ms=6000, start=True, kafka=None, mysql_sockets=None,
                 environment=None, dsn=None, more=None, password_of=roles.password):
        kafka = kafka or shared_kafka()
        self.kafka = kafka.bootstrap
        self.mysql_sockets = mysql_sockets or [servers()["MYSQL_SOCKET"]]
        self.space = f"i{random.getrandbits(40):x}"
        self.schemas = [f"{self.space}_{shard}" for shard in range(shards)]
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fanfold-test-"))
        self.session_timeout_ms = session_timeout_ms
        self.environment = self.environment_with(environment)
        self.config = self.folder / "fanfold.json"
        self.place = ["--config", self.config]
        self.reader_port = free_port()
        content = {
            "space": self.space, "reader_port": self.reader_port, "kafka_brokers": kafka.role_bootstrap,
            "partitions": partitions, "kafka.security.protocol": "sasl_plaintext",
            "kafka.sasl.mechanism": "PLAIN", "kafka.sasl.username": roles.USERS + self.CLI_ROLE,
            "kafka.sasl.password_file": str(self.password_file),
            "shards": [dsn.format(user=f"{self.space}_{self.CLI_ROLE}", schema=schema) if dsn else
                       self.dsn(f"localhost/{schema}?socket={self.socket_of(shard)}&")
                       for shard, schema in enumerate(self.schemas)], **(more or {})}
        if follow_limit is not None:
            content["follow_limit"] = follow_limit
        self.config.write_text(json.dumps(content))
        self.processes = {}
        try:
            self.allow_roles(password_of)
            self.cli("init")
            if start:
                self.start_all(projectors)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def password_file(self):
        """The verbs'; each role's is beside it."""
        return self.folder / f"{self.CLI_ROLE}.password"

    def dsn(self, place):
        """The verbs' way to a schema at `place`, which ends where an option may follow."""
        return f"mysql://{self.space}_{self.CLI_ROLE}@{place}password_file={self.password_file}"

    def socket_of(self, shard):
        return self.mysql_sockets[shard % len(self.mysql_sockets)]

    def allow_roles(self, password_of):
        for role in roles.ROLES:
            self.password_file.with_stem(role).write_text(password_of(role))
        for socket_ in set(self.mysql_sockets):
            roles.allow_in_mysql(socket_, self.space, password_of)
        roles.allow_in_kafka(self.kafka, self.space)

    def config_of(self, role):
        """As `config` is for verbs now, with the users of another role."""
        file = self.folder / f"{role}.json"
        write_whole(file, self.config.read_text().replace(self.CLI_ROLE, role))
        return file

    def start(self, name, binary, *arguments):
        port = self.reader_port if name == self.READER else free_port()
        config = self.config_of(binary.removeprefix("fanfold-"))
        process = Process(name, [BIN / binary, "--config", config, "--port", port, *arguments],
                          port, self.folder, self.environment)
        self.processes[name] = process
        return process

    def start_projector(self, projection, number=1):
        return self.start(f"projector-{projection}-{number}", "fanfold-projector", "--projection",
                          projection, "--session-timeout-ms", self.session_timeout_ms)

    def start_all(self, projectors=1, timeout_s=START_TIMEOUT_S):
        self.start("writer", "fanfold-writer")
        for number in range(1, projectors + 1):
            for projection in PROJECTIONS:
                self.start_projector(projection, number)
        self.start("reader", "fanfold-reader")
        for process in self.processes.values():
            process.await_ready(timeout_s)

    def cli(self, verb, *arguments, check=True, stdin=None):
        return self.run_cli(verb, self.place, arguments, check, stdin)

    def sql(self, shard, statement):
        """Rows of a statement, each a list of texts."""
        ran = subprocess.run(
            ["mariadb", "--no-defaults", f"--socket={self.socket_of(shard)}", "-uroot", "-N", "-B",
             self.schemas[shard], "-e", statement], capture_output=True, text=True, check=True)
        return [line.split("\t") for line in ran.stdout.splitlines()]

    def put_raw(self, partition, key, value, size=None, topic="relation-events", key_size=None,
                in_transaction=False):
        """A record of a foreign producer; key "-" is none. A transaction leaves a gap behind it."""
        sizes = [str(size or len(value)), str(key_size)] if key_size else [str(size)] if size else []
        command = [str(BIN / "log_put"), *(["--transaction"] if in_transaction else []),
                   self.kafka, f"{self.space}-{topic}", str(partition), key]
        subprocess.run(command + sizes, input=value, check=True,
                       capture_output=True, timeout=30)

    def close(self):
        self.stop_all()
        # Servers may be gone, where a test has its own.
        with contextlib.suppress(OSError, struct.error):
            roles.forget_in_kafka(self.kafka, self.space)
        drop = [f"DROP DATABASE IF EXISTS {schema}" for schema in self.schemas]
        drop += [f"DROP USER IF EXISTS {user}" for user in roles.mysql_users(self.space)]
        for socket_ in set(self.mysql_sockets):
            with contextlib.suppress(subprocess.TimeoutExpired, subprocess.CalledProcessError):
                roles.run_sql(socket_, ";".join(drop), DROP_TIMEOUT_S)


class Embedded(Deployed):
    """`fanfold serve` on a folder of its own."""

    WRITER = READER = "serve"
    schemas = ["tables"]

    def __init__(self, follow_limit=None, start=True, environment=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fanfold-test-"))
        self.data = self.folder / "data"
        self.place = ["--dir", self.data]
        self.environment = self.environment_with(environment)
        if follow_limit is not None:
            self.environment["FANFOLD_FOLLOW_LIMIT"] = str(follow_limit)
        self.processes = {}
        if start:
            self.start()

    def start(self):
        port = free_port()
        process = Process("serve", [BIN / "fanfold", "serve", "--dir", self.data], port, self.folder,
                          self.environment | {"FANFOLD_READER_PORT": str(port)})
        self.processes["serve"] = process
        wait_until(process.is_ready, "serve ready", START_TIMEOUT_S)
        return process

    def cli(self, verb, *arguments, check=True, stdin=None):
        return self.run_cli(verb, self.place, arguments, check, stdin)

    def sql(self, _shard, statement):
        with contextlib.closing(sqlite3.connect(f"file:{self.data}/tables.db?mode=ro",
                                                uri=True)) as tables:
            return [[str(column) for column in row] for row in tables.execute(statement)]

    def write_sql(self, statement):
        """Beside the processes, as a careless hand would."""
        with contextlib.closing(sqlite3.connect(self.data / "tables.db", timeout=10)) as tables:
            tables.execute(statement)
            tables.commit()

    def close(self):
        self.stop_all()


class Case(unittest.TestCase):
    """A test case that shows the services' last words when it fails."""

    maxDiff = 2000

    def deployment(self, **options):
        return self.kept(Deployment(**options))

    def embedded(self, **options):
        return self.kept(Embedded(**options))

    def begin(self, made, verb, *arguments):
        """A verb that runs on while the test does; what it says goes to one pipe."""
        command = subprocess.Popen(
            [str(BIN / "fanfold"), verb, *map(str, arguments), *map(str, made.place)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=made.environment)

        def end():
            command.kill()
            command.wait()
            command.stdout.close()

        self.addCleanup(end)
        return command

    def kept(self, made):
        self.addCleanup(made.close)
        self.addCleanup(self.show_logs, made)
        self.addCleanup(self.check_end, made)
        return made

    def has_failed(self):
        result = self._outcome.result
        return any(self in (test, getattr(test, "test_case", None))
                   for test, _ in result.errors + result.failures)

    def check_end(self, made):
        if not self.has_failed():
            made.check_end(self)

    def show_logs(self, made):
        if self.has_failed():
            for process in made.processes.values():
                print(f"--- {process.name}\n{process.tail()}")
