"""Services are replaced behind a balancer, one at a time, and nobody who asks sees it."""

import collections
import http.client
import json
import os
import pathlib
import signal
import socket
import sys
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "integration"))

import access_test  # noqa: E402
import fanfold  # noqa: E402
from balancer import Balancer  # noqa: E402
from own_servers import folder  # noqa: E402

# Of another release, to be rolled from and back to.
OTHER_BIN = pathlib.Path(os.environ.get("FANFOLD_OTHER_BIN", fanfold.BIN))
DELAY_MS = 1_500
# Nobody waits so long here: a second signal ends it. Then a service drains, in far less than that.
LONG_DELAY = {"FANFOLD_SHUTDOWN_DELAY_MS": "300000"}
CUT_SHORT_S = 60
READERS, WRITERS = ("reader", "reader-2"), ("writer", "writer-2")


def answers(port):
    try:
        return fanfold.Client(port).request("GET", "/healthz")[0] == 200
    except OSError:
        return False


class Load:
    """Follows and reads without end, through the balancer; what was answered, by status."""

    def __init__(self, ports, token):
        self.seen, self.failed, self.ended = collections.Counter(), [], threading.Event()
        self.headers = {"Authorization": f"Bearer {token}"}
        self.threads = [threading.Thread(target=self.run, args=(ports[kind], kind, number))
                        for number in range(3) for kind in ("writer", "reader")]
        for thread in self.threads:
            thread.start()

    def run(self, port, kind, number):
        client, asked = fanfold.Client(port), 0
        while not self.ended.is_set():
            asked += 1
            method, path = ("PUT", f"/v1/users/{number + 1}/following/{100 + asked % 500}") \
                if kind == "writer" else ("GET", f"/v1/users/{number + 1}/following?limit=5")
            try:
                status = client.request(method, path, headers=self.headers)[0]
            except Exception as error:  # noqa: BLE001
                status = repr(error)
                client = fanfold.Client(port)
            self.seen[kind, status] += 1
            if status not in (200, 202):
                self.failed.append((kind, status, asked))
            time.sleep(0.002)

    def end(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()


class Rolling(access_test.AccessCase):
    def replace(self, made, name, binaries, more=()):
        old = made.processes[name]
        began = time.monotonic()
        if old.stop(30) != 0:
            raise AssertionError(f"{name} ended badly:\n{old.tail()}")
        self.took = time.monotonic() - began
        binary = "fanfold-reader" if name in READERS else "fanfold-writer"
        made.processes[name] = fanfold.Process(
            name, [binaries / binary, "--config", made.config_of(binary.removeprefix("fanfold-")), "--port",
                   old.port, *more], old.port, made.folder, made.environment)
        made.processes[name].await_ready(30)
        fanfold.wait_until(lambda: self.balancer.sends_to(old.port), f"{name} gets requests")

    def begin(self):
        made = self.deployment(start=False)
        made.environment["FANFOLD_SHUTDOWN_DELAY_MS"] = str(DELAY_MS)
        for projection in fanfold.PROJECTIONS:
            made.start_projector(projection)
        for names, binary in ((READERS, "fanfold-reader"), (WRITERS, "fanfold-writer")):
            for name in names:
                port = fanfold.free_port()
                made.processes[name] = fanfold.Process(
                    name, [fanfold.BIN / binary, "--config", made.config_of(binary.removeprefix("fanfold-")),
                           "--port", port], port, made.folder, made.environment)
        for process in made.processes.values():
            process.await_ready(60)
        self.balancer = Balancer(self, {
            kind: [made.processes[name].port for name in names]
            for kind, names in (("reader", READERS), ("writer", WRITERS))})
        return made, Load(self.balancer.ports, self.token)

    def test_one_after_the_other_there_and_back_and_tokens_afterwards(self):
        made, load = self.begin()
        self.addCleanup(load.end)
        for binaries in (OTHER_BIN, fanfold.BIN):
            for name in (*READERS, *WRITERS):
                self.replace(made, name, binaries)
        self.assertGreaterEqual(self.took, DELAY_MS / 1000)
        tokens = ["--access", "tokens", "--tokens-file", self.tokens_file]
        for name in (*READERS, *WRITERS):
            made.environment["FANFOLD_OPERATIONS_PORT"] = str(fanfold.free_port())
            self.replace(made, name, fanfold.BIN, tokens)
        load.end()
        self.assertEqual(load.failed, [], load.seen)
        for kind in ("reader", "writer"):
            self.assertGreater(sum(n for (of, _), n in load.seen.items() if of == kind), 500)
        stranger = fanfold.Client(made.processes["reader"].port)
        self.assertEqual(stranger.request("GET", "/v1/users/1/counts")[0], 401)

    def test_without_the_delay_somebody_sees_it(self):
        """The control: requests fail when a service goes while the balancer still sends it some."""
        made = self.embedded()
        served, seen = made.processes["serve"], collections.Counter()
        stop = threading.Thread(target=served.stop)
        client = fanfold.Client(served.port)
        for asked in range(100_000):
            if asked == 50:
                stop.start()
            try:
                seen[client.request("GET", "/v1/users/1/counts")[0]] += 1
            except OSError:
                seen["refused"] += 1
                break
        stop.join()
        self.assertEqual(seen["refused"], 1)
        made.start()


class Leaving(fanfold.Case):
    def test_what_a_service_says_on_its_way_out(self):
        made = self.embedded(environment={"FANFOLD_SHUTDOWN_DELAY_MS": str(DELAY_MS)})
        served = made.processes["serve"]
        client = fanfold.Client(served.port)
        self.assertEqual(client.request("GET", "/readyz")[0], 200)
        stop = threading.Thread(target=served.stop)
        began = time.monotonic()
        stop.start()
        fanfold.wait_until(lambda: client.request("GET", "/readyz")[0] == 503, "not ready", 1)
        while True:
            status, headers, _ = client.request("GET", "/v1/users/1/counts")
            self.assertEqual(status, 200)
            if headers.get("Connection") == "close":
                break
        self.assertGreaterEqual(time.monotonic() - began, DELAY_MS / 1000)
        self.assertEqual(fanfold.Client(served.port).request("GET", "/healthz")[0], 200)
        stop.join()
        self.assertEqual(served.popen.returncode, 0)
        made.start()

    def add_later(self, made):
        """What the init of a later release, and its processes, would leave: another projection, and a
        further stream of one that is there."""
        made.sql(0, "INSERT INTO schema_migrations (name, applied_ms) VALUES ('9999_later.sql', 1)")
        made.sql(0, "INSERT INTO generations (projection, generation, state, decides) "
                    "VALUES ('later', 1, 'folding', 1)")
        made.sql(0, "INSERT INTO catalog_reads (projection, generation) VALUES ('later', 1)")
        made.sql(0, "INSERT INTO repairs (mark, projection, generation, user_id) VALUES (1, 'later', 1, 7)")
        others = made.sql(0, "SELECT GROUP_CONCAT(CONCAT('`', COLUMN_NAME, '`')) FROM "
                             "information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = "
                             "'progress' AND COLUMN_NAME NOT IN ('projection', 'stream')")[0][0]
        for projection in ("later", "fans"):
            made.sql(0, f"INSERT INTO progress (projection, stream, {others}) SELECT '{projection}', "
                        f"'later-events', {others} FROM progress WHERE projection = 'following' LIMIT 1")

    def test_beside_what_a_later_release_has_added(self):
        made = self.deployment()
        fanfold.Client(made.processes["writer"].port).request("PUT", "/v1/users/1/following/2")
        made.settle()
        self.add_later(made)
        for process in made.processes.values():
            self.assertTrue(process.is_ready(), process.tail())
            self.assertEqual(process.stop(30), 0)
        made.start_all()
        status, headers, _ = fanfold.Client(made.processes["writer"].port).request("PUT", "/v1/users/1/following/3")
        self.assertEqual(status, 202)
        fans = made.reader().get(f"/v1/users/3/fans?min_position={headers['Fanfold-Position']}&timeout_ms=5000")
        self.assertEqual([item["user_id"] for item in fans["items"]], ["1"])
        for verb in ("status", "verify"):
            made.cli(verb)
        made.sql(0, "DELETE FROM repairs WHERE projection = 'later'")  # nothing was mended here

    def alone(self, name, home):
        """A service whose log and tables are away, which it waits for."""
        config = home / f"{name}.json"
        config.write_text(json.dumps({
            "kafka_brokers": "127.0.0.1:1", "partitions": 4,
            "shards": [f"mysql://u@localhost/s?socket={home}/none"]}))
        port = fanfold.free_port()
        return fanfold.Process(name, [fanfold.BIN / f"fanfold-{name}", "--config", config, "--port", port],
                               port, home, fanfold.Deployed.environment_with(LONG_DELAY))

    def is_stopping(self, process):
        status, _, why = fanfold.Client(process.port).request("GET", "/readyz")
        return status == 503 and "stopping" in str(why)

    def check_second_signal(self, process, number):
        self.addCleanup(process.kill)
        fanfold.wait_until(lambda: answers(process.port), f"{process.name} answers")
        process.signal(signal.SIGTERM)
        fanfold.wait_until(lambda: self.is_stopping(process), f"{process.name} is stopping")
        self.assertEqual(fanfold.Client(process.port).request("GET", "/healthz")[0], 200)
        self.assertIsNone(process.popen.poll())
        process.signal(number)
        self.assertEqual(process.popen.wait(CUT_SHORT_S), 0)

    def start_again(self, made):
        """For the look at its tables; one that nobody signals twice waits for nobody at its end."""
        del made.environment["FANFOLD_SHUTDOWN_DELAY_MS"]
        made.start()

    def test_a_second_signal_ends_the_delay(self):
        home = folder(self)
        for name in ("writer", "reader"):
            for number in (signal.SIGTERM, signal.SIGINT):
                with self.subTest(service=name, signal=number):
                    self.check_second_signal(self.alone(name, home), number)
        made = self.embedded(environment=LONG_DELAY)
        self.check_second_signal(made.processes["serve"], signal.SIGTERM)
        self.start_again(made)

    def test_what_was_taken_before_the_second_signal_is_answered(self):
        made = self.embedded(environment=LONG_DELAY)
        served = made.processes["serve"]
        status, headers, _ = fanfold.Client(served.port).request("PUT", "/v1/users/1/following/2")
        self.assertEqual(status, 202)
        partition, offset = headers["Fanfold-Position"].split(":")
        waits = f"/v1/users/1/counts?min_position={partition}:{int(offset) + 1}&timeout_ms=3000"
        served.signal(signal.SIGTERM)
        fanfold.wait_until(lambda: self.is_stopping(served), "it is stopping")
        with socket.create_connection(("127.0.0.1", served.port), 30) as caller:
            caller.sendall(b"".join(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
                                    for path in ("/healthz", waits)))
            # They came together: once the first is answered the other one is under way.
            self.assertEqual(self.answered(caller), 200)
            served.signal(signal.SIGTERM)
            self.assertEqual(self.answered(caller), 409)
        self.assertEqual(served.popen.wait(CUT_SHORT_S), 0)
        self.start_again(made)

    @staticmethod
    def answered(caller):
        answer = http.client.HTTPResponse(caller)
        answer.begin()
        answer.read()
        return answer.status


if __name__ == "__main__":
    unittest.main()
