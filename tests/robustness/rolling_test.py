"""Services are replaced behind a balancer, one at a time, and nobody who asks sees it."""

import collections
import os
import pathlib
import sys
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "integration"))

import access_test  # noqa: E402
import fanfold  # noqa: E402
from balancer import Balancer  # noqa: E402

# Of another release, to be rolled from and back to.
OTHER_BIN = pathlib.Path(os.environ.get("FANFOLD_OTHER_BIN", fanfold.BIN))
DELAY_MS = 1_500
READERS, WRITERS = ("reader", "reader-2"), ("writer", "writer-2")


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


if __name__ == "__main__":
    unittest.main()
