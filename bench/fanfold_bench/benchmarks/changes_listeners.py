"""Thousands who each listen to one user's changes: how late they are told, and what each costs."""

import json
import multiprocessing
import random
import re
import resource
import selectors
import socket
import time
from contextlib import ExitStack
from multiprocessing.connection import Connection
from typing import Any, Callable

from fanfold_local.ports import LOOPBACK

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..cpu import resident_bytes
from ..http_client import HttpClient
from ..reading import embedded
from .visible import percentile

LISTENERS = 10_000
EVENTS_PER_SECOND = 1_000
BATCH = 10
SECONDS = 10
CONNECT_PIECE = 500
PATIENCE_S = 60
P99_MS_MAX = 100
KIB_EACH_MAX = 32
# Whom listeners' users follow: of each event another one, by whom it is known.
FIRST_OBJECT = 1 << 40
TOLD = re.compile(rb'"object":"(\d+)"')


def write(port: int, users: int, first_object: int, sent: Connection) -> None:
    """A process of its own: batches at a steady rate, and when each of them was sent."""
    client, draw, times = HttpClient(port), random.Random(1), []
    due, object_ = time.monotonic(), first_object
    for _ in range(EVENTS_PER_SECOND * SECONDS // BATCH):
        due += BATCH / EVENTS_PER_SECOND
        time.sleep(max(due - time.monotonic(), 0))
        events = [{"type": "follow", "subject": str(draw.randrange(1, users + 1)),
                   "object": str(object_ + i)} for i in range(BATCH)]
        times.append((object_, time.monotonic()))
        client.request("POST", "/v1/events", 202, body=json.dumps({"events": events}))
        object_ += BATCH
    sent.send(times)


class Listeners:
    """Connections that read what they are told, and when they were told of whom."""

    def __init__(self, port: int):
        self.port, self.ready = port, selectors.DefaultSelector()
        self.sockets: list[socket.socket] = []
        self.told: dict[int, float] = {}
        self.begun: dict[Any, bytes] = {}  # of each the line that has not ended

    def close(self) -> None:
        self.ready.close()
        for one in self.sockets:
            one.close()

    def connect(self, query: str, reads: bool = True) -> None:
        one = socket.create_connection((LOOPBACK, self.port))
        one.sendall(f"GET /v1/changes{query} HTTP/1.1\r\nHost: {LOOPBACK}:{self.port}\r\n\r\n".encode())
        self.sockets.append(one)
        if reads:
            one.setblocking(False)
            self.ready.register(one, selectors.EVENT_READ)

    def add(self, users: range) -> None:
        """Returns when all of them are answered."""
        for first in range(users.start, users.stop, CONNECT_PIECE):
            piece = range(first, min(first + CONNECT_PIECE, users.stop))
            for user in piece:
                self.connect(f"?user={user}")
            self.read_until(lambda heads: heads >= len(piece), b"HTTP/1.1 200")

    def read_until(self, is_done: Callable[[int], bool], counted: bytes) -> None:
        count, until = 0, time.monotonic() + PATIENCE_S
        while not is_done(count):
            assert time.monotonic() < until, f"{count} of {len(self.sockets)} were told"
            for key, _ in self.ready.select(1):
                arrived = key.fileobj.recv(1 << 16)
                assert arrived, "a listener was cut"
                text, _, rest = (self.begun.pop(key.fd, b"") + arrived).rpartition(b"\n")
                if rest:
                    self.begun[key.fd] = rest
                count += text.count(counted)
                now = time.monotonic()
                for object_ in TOLD.findall(text):
                    assert self.told.setdefault(int(object_), now) == now, f"{object_} twice"


def latencies(listeners: Listeners, users: int, first_object: int) -> dict[str, float]:
    receiving, sending = multiprocessing.Pipe(duplex=False)
    writer = multiprocessing.Process(target=write,
                                     args=(listeners.port, users, first_object, sending))
    writer.start()
    try:
        events = EVENTS_PER_SECOND * SECONDS
        listeners.told.clear()
        listeners.read_until(lambda _: len(listeners.told) == events, b"")
        sent = {object_ + i: at for object_, at in receiving.recv() for i in range(BATCH)}
    finally:
        writer.kill()
        writer.join()
    late = sorted((at - sent[object_]) * 1000 for object_, at in listeners.told.items())
    return {"p50_ms": percentile(late, 50), "p99_ms": percentile(late, 99), "max_ms": late[-1]}


def allow_open_files() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def measure(bench: Run) -> Round:
    allow_open_files()
    home = bench.lab.work / f"changes-{time.monotonic_ns()}"
    home.mkdir()
    measured: dict[str, Any] = {}
    with ExitStack() as all_:
        served = all_.enter_context(embedded.served(
            bench.lab.binaries, home, home / "data", "--follow-limit",
            str(4 * EVENTS_PER_SECOND * SECONDS)))
        listeners = Listeners(served.port)
        all_.callback(listeners.close)
        bench.progress.show(f"  {EVENTS_PER_SECOND:,} follows a second to one listener")
        listeners.add(range(1, 2))
        measured["one"] = latencies(listeners, 1, FIRST_OBJECT)
        before = resident_bytes(served.pid)
        listeners.add(range(2, LISTENERS + 1))
        measured["kib_each"] = (resident_bytes(served.pid) - before) / 1024 / (LISTENERS - 1)
        bench.progress.show(f"  to {LISTENERS:,}")
        measured["all"] = latencies(listeners, LISTENERS, 2 * FIRST_OBJECT)
        listeners.connect("", reads=False)
        bench.progress.show("  beside one that does not read")
        measured["beside one"] = latencies(listeners, LISTENERS, 3 * FIRST_OBJECT)
    return measured


def figures(medians: Round) -> list[Figure]:
    at_most = Goal("ours", P99_MS_MAX, is_ceiling=True)
    return [Figure("changes-listeners, p99", "ms", medians["all"]["p99_ms"],
                   medians["one"]["p99_ms"], (at_most,)),
            Figure("changes-listeners, beside one that does not read, p99", "ms",
                   medians["beside one"]["p99_ms"], medians["all"]["p99_ms"], (at_most,)),
            Figure("changes-listeners, each", "KiB", medians["kib_each"], None,
                   (Goal("ours", KIB_EACH_MAX, is_ceiling=True),))]


def notes(medians: Round) -> list[str]:
    names = {"one": "one listener", "all": f"{LISTENERS:,} listeners",
             "beside one": "beside one to everybody that does not read"}
    return [f"{text}: {medians[name]['p50_ms']:.1f} ms at the median, {medians[name]['p99_ms']:.1f} at "
            f"p99, {medians[name]['max_ms']:.0f} at most" for name, text in names.items()]


BENCHMARK = Benchmark(
    name="changes-listeners",
    what=f"{LISTENERS:,} connections to GET /v1/changes of fanfold serve, each for one user, while "
         f"{EVENTS_PER_SECOND:,} follows a second are written in batches of {BATCH}: from before a "
         "batch is sent until each is read; beside the same to one listener, whose every event it is",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes,
    needs_servers=False)
