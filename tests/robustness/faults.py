"""What the robustness tests share: the harness of the integration tests, sessions that hold locks, load that
remembers what was acked, and the oracle."""

import collections
import concurrent.futures
import http.client
import json
import pathlib
import random
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

import fanfold  # noqa: E402
from fanfold import Ends, wait_until  # noqa: E402
from log_records import TOPICS, Log  # noqa: E402
from topics import Topics  # noqa: E402

EVENTS = ("relation-events", "user-events", "post-events", "feed-events")
# The server makes its views of transactions anew only when nobody has read them for 100 ms.
LOCK_VIEW_S = 0.2


class Session:
    """A client of the database whose transaction stays open from one statement to the next."""

    DONE = "-- done --"

    def __init__(self, case, deployment, shard=0):
        self.popen = subprocess.Popen(
            ["mariadb", "--no-defaults", f"--socket={deployment.socket_of(shard)}", "-uroot", "-N",
             "-B", "--unbuffered", "--force", deployment.schemas[shard]], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
        case.addCleanup(self.close)

    def send(self, statements):
        """Without waiting for their end."""
        self.popen.stdin.write(f"{statements};\nSELECT '{self.DONE}';\n")

    def receive(self):
        """What the statements sent last gave, errors included."""
        lines = []
        for line in self.popen.stdout:
            if line.strip() == self.DONE:
                return lines
            lines.append(line.rstrip("\n"))
        raise AssertionError(f"the session ended: {lines}")

    def run(self, statements):
        self.send(statements)
        return self.receive()

    def close(self):
        if not self.popen.stdin.closed:
            self.popen.stdin.close()
            self.popen.wait()
            self.popen.stdout.close()


def rows_held_open(deployment, shard=0):
    """How many rows a transaction has written that waits for a lock now; None when none waits."""
    rows = deployment.sql(shard, """
        SELECT trx_rows_modified
        FROM information_schema.innodb_trx JOIN information_schema.processlist p ON p.id = trx_mysql_thread_id WHERE trx_state = 'LOCK WAIT' AND p.db = DATABASE()""")
    return int(rows[0][0]) if rows else None


def await_held_open(deployment, shard=0, timeout_s=30):
    held = []
    wait_until(lambda: held.append(rows_held_open(deployment, shard)) or held[-1] is not None,
               "a batch waits for the lock", timeout_s, LOCK_VIEW_S)
    return held[-1]


def halted(deployment, projection):
    """partition → reason, of the halted lanes."""
    lanes = json.loads(deployment.cli("lane", "list", projection, "--json").stdout)["lanes"]
    return {lane["partition"]: lane["reason"] for lane in lanes if lane["state"] == "halted"}


def tables_of(deployment):
    """Every row that a fold writes, and where each lane stands; shard by shard."""
    questions = ["SELECT * FROM following_g1 ORDER BY 1, 2", "SELECT * FROM fans_g1 ORDER BY 1, 2",
                 "SELECT * FROM following_count_g1 ORDER BY 1", "SELECT * FROM fan_count_g1 ORDER BY 1",
                 "SELECT projection, `partition`, next_offset, event_offset FROM progress ORDER BY 1, 2",
                 "SELECT `partition`, first_offset, next_offset FROM outbox ORDER BY 1, 2",
                 "SELECT projection, `partition`, record_offset FROM parked ORDER BY 1, 2, 3"]
    return [deployment.sql(shard, question)
            for shard in range(len(deployment.schemas)) for question in questions]


def differences(deployment):
    """What `fanfold verify` ends with."""
    ran = deployment.cli("verify", "--json", check=False)
    if ran.returncode not in (0, 2):
        raise AssertionError(f"fanfold verify: exit {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return json.loads(ran.stdout)["differences"]


class Case(fanfold.Case):
    """Tests of faults."""

    def follow(self, deployment, subject, object_, wait=True):
        """The position of the event."""
        status, headers, body = deployment.writer().request(
            "PUT", f"/v1/users/{subject}/following/{object_}" +
            ("?wait=decided&timeout_ms=10000" if wait else ""))
        self.assertEqual(status, 200 if wait else 202, body)
        partition, offset = headers["Fanfold-Position"].split(":")
        return int(partition), int(offset)

    def start_again(self, deployment, projection, number=1):
        process = deployment.start_projector(projection, number)
        wait_until(process.is_ready, f"{process.name} ready", fanfold.START_TIMEOUT_S)
        return process

    def start_writer_again(self, deployment):
        """As the runbook has it where topics were made again: it takes nothing once an ack has gone back."""
        deployment.processes["writer"].stop()
        deployment.start("writer", "fanfold-writer").await_ready(fanfold.START_TIMEOUT_S)

    def projector(self, deployment, projection, number=1):
        return deployment.processes[f"projector-{projection}-{number}"]

    def check_everything(self, deployment, acked=(), timeout_s=120):
        """The oracle: nothing acked is lost, one outcome an event, tables are the fold of the topics.
        Gives how many copies of outcomes there are."""
        deployment.settle(timeout_s)
        log, copies = deployment.check_oracle(self)
        events = {position: event for stream in EVENTS for position, event in log.events(stream).items()}
        for position, event_id in dict(acked).items():
            self.assertIn(position, events, "an acked event is not in the log")
            self.assertEqual(events[position]["event_id"], event_id, position)
        self.assertEqual(differences(deployment), 0)
        return copies


class Load:
    """Writes from a few threads, for as long as it is open: follows and unfollows. `acked` is position →
    event id of all that was answered 202, `asked` what it was, `answers` counts every status, 0 for no
    answer."""

    USERS = 300

    def __init__(self, deployment, threads=3, seed=1, pause_s=0.0):
        self.deployment, self.stop, self.pause_s = deployment, threading.Event(), pause_s
        self.acked, self.asked, self.answers = {}, {}, collections.Counter()
        self.pool = concurrent.futures.ThreadPoolExecutor(threads)
        self.seeds = [seed * 100 + n for n in range(threads)]

    def __enter__(self):
        self.writers = [self.pool.submit(self.write, seed) for seed in self.seeds]
        return self

    def __exit__(self, failed, *_):
        self.stop.set()
        self.pool.shutdown()
        if not failed:
            for writer in self.writers:
                writer.result()

    def next_request(self, draw):
        subject, object_ = draw.sample(range(1, self.USERS), 2)
        return draw.choice(("PUT", "PUT", "DELETE")), f"/v1/users/{subject}/following/{object_}"

    def write(self, seed):
        draw, client = random.Random(seed), None
        while not self.stop.is_set():
            request = self.next_request(draw)
            try:
                client = client or fanfold.Client(self.deployment.processes["writer"].port, 15)
                status, _, body = client.request(*request)
            except (OSError, http.client.HTTPException):
                client, status = None, 0
            self.answers[status] += 1
            if status == 202:
                self.acked[body["position"]] = body["event_id"]
                self.asked[body["position"]] = request
            self.stop.wait(self.pause_s if status == 202 else 0.05)

    def await_acks(self, more, what="writes are acked", timeout_s=60):
        before = len(self.acked)
        wait_until(lambda: len(self.acked) >= before + more, what, timeout_s)


class Accounts(Load):
    """Profiles of the users of a Load, and now and then the end of an account."""

    ENDED = 30

    def next_request(self, draw):
        if draw.random() < 0.1:
            return "DELETE", f"/v1/users/{draw.randrange(1, self.ENDED)}"
        profile = json.dumps({"name": f"n{draw.random()}", "bio": "b" * draw.randrange(4000)})
        return "PUT", f"/v1/users/{draw.randrange(1, self.USERS)}/profile", profile


def accounts_that_end(deployment):
    """How many are not erased yet."""
    return sum(int(deployment.sql(shard, "SELECT COUNT(*) FROM erasures WHERE is_open = 1")[0][0])
               for shard in range(len(deployment.schemas)))


def relations_of_ended(deployment, log):
    """Rows that a deletion should have ended: active, and as old as where it says the log stood."""
    partitions = {record["key"]: partition for partition, records in
                  log.records["relation-events"].items() for record in records}
    ends = collections.defaultdict(list)
    for event in log.events("user-events").values():
        if event["type"] == "user_deleted":
            ends[event["user"]].append(event["ends"]["relation-events"])
    rows = [row for shard in range(len(deployment.schemas)) for row in deployment.sql(
        shard, "SELECT user_id, target_id, version FROM following_g1 WHERE active = 1")]
    return [row for row in rows for user in row[:2] for of in ends[user]
            if int(row[2]) <= of[partitions[row[0]]]]
