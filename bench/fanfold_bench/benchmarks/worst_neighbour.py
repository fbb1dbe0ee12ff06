"""Each route at its largest, asked for without end by eight connections: what does another client see?"""

import http.client
import json
import multiprocessing
import os
import selectors
import socket
import subprocess
import time
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Optional

from fanfold_local.ports import LOOPBACK

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..cpu import generator_core
from ..http_client import HttpClient
from ..programs import run
from ..reading import embedded, load

CONNECTIONS = 8
QUIET_PER_SECOND = 200
SECONDS = 3
P99_MS_MAX = 10
BELOW = 10
P99_GZIP_MS_MAX = 25
# Of one user, whom a list shows whole.
FOLLOWS = 1_000
POSTS = 200
PAGE = 200
# The most that a post may say, and the most that this is as JSON.
CONTENT = "\x01" * 4_096
NAME, BIO = "\x01" * 50, "\x01" * 160
# Whom the quiet client asks about: nothing that the others ask for is theirs.
QUIET, QUIET_FOLLOWS = 900_001, 900_002
GZIP = "Accept-Encoding: gzip"


@dataclass(frozen=True)
class Noise:
    name: str
    path: str
    method: str = "GET"
    body: Optional[str] = None
    headers: tuple[str, ...] = ()
    is_of_operators: bool = False

    @property
    def is_gzip(self) -> bool:
        return GZIP in self.headers

    def gzipped(self) -> "Noise":
        return Noise(f"{self.name}, gzip", self.path, self.method, self.body, (*self.headers, GZIP),
                     self.is_of_operators)


def events(count: int, event: dict[str, object]) -> str:
    return json.dumps({"events": [event] * count})


def all_noises() -> list[Noise]:
    of, page = "/v1/users/1", f"limit={PAGE}"
    others = ",".join(str(user) for user in range(1_001, 1_101))
    targets = [str(user) for user in range(1_001, 2_001)]
    reads = [Noise("feed", f"{of}/feed?{page}&expand=profile"),
             Noise("feed/latest", f"{of}/feed/latest?{page}&expand=profile"),
             Noise("feed/unread", f"{of}/feed/unread"),
             Noise("feed/history", f"{of}/feed/history?{page}&expand=profile"),
             Noise("posts", f"/v1/users/2/posts?{page}&expand=profile"),
             Noise("following", f"{of}/following?{page}&expand=profile"),
             Noise("fans", f"/v1/users/2/fans?{page}&viewer=1&expand=profile"),
             Noise("friends", f"/v1/users/2/friends?{page}&expand=profile"),
             Noise("following/common", f"{of}/following/common?with=3&{page}&expand=profile"),
             Noise("fans/known", f"/v1/users/2/fans/known?viewer=1&{page}&expand=profile"),
             Noise("counts", f"/v1/counts?users={others}"),
             Noise("relations", f"{of}/relations?to={others}"),
             Noise("POST relations", f"{of}/relations", "POST", json.dumps({"to": targets})),
             Noise("suggestions", f"{of}/suggestions?limit=100&expand=profile"),
             Noise("fans/export", "/v1/users/2/fans/export"),
             Noise("projections", "/v1/projections"),
             Noise("openapi", "/openapi.yaml")]
    post = {"type": "post", "author": "4", "content": CONTENT, "post_id": "1", "at": 1}
    follow = {"type": "follow", "subject": "5", "object": "6"}
    shown = {"items": [{"author": "2", "post_id": str(1 + i % POSTS)} for i in range(PAGE)]}
    metrics = Noise("metrics", "/metrics", is_of_operators=True)
    return [*reads, *(read.gzipped() for read in reads if read.method == "GET"), metrics, metrics.gzipped(),
            Noise("HEAD feed", f"{of}/feed?{page}&expand=profile", "HEAD"),
            Noise("HEAD feed, gzip", f"{of}/feed?{page}&expand=profile", "HEAD", headers=(GZIP,)),
            Noise("POST events", "/v1/events", "POST", events(1_000, follow)),
            Noise("POST post-events", "/v1/post-events", "POST", events(900, post)),
            Noise("POST post-events, not JSON", "/v1/post-events", "POST", "[" * (24 << 20)),
            Noise("POST a post", "/v1/users/4/posts", "POST", json.dumps({"content": CONTENT, "post_id": "1"})),
            Noise("PUT profile", "/v1/users/4/profile", "PUT", json.dumps({"name": NAME, "bio": BIO})),
            Noise("POST feed/shown", f"{of}/feed/shown", "POST", json.dumps(shown))]


class Filled:
    """A folder with a user whose every list, and whose feed, is as large as a page may be."""

    def __init__(self, bench: Run):
        self.home, self.binaries = bench.lab.work / "neighbours", bench.lab.binaries
        self.home.mkdir()
        self.data = self.home / "data"
        follows, posts = self.home / "follows.tsv", self.home / "posts.jsonl"
        listed = range(1_001, 1_001 + FOLLOWS)
        pairs = [(QUIET, QUIET_FOLLOWS), (1, 2)]
        for user in listed[:FOLLOWS - 1]:
            pairs += [(1, user), (2, user), (3, user), (user, 2)]
        pairs += [(user, user + 1 + i) for user in listed[:100] for i in range(50)]
        follows.write_text("".join(f"{subject} {object_}\n" for subject, object_ in pairs))
        with posts.open("w") as lines:
            for post in range(1, POSTS + 1):
                line = {"author": "2", "post_id": str(post), "content": CONTENT, "at": post}
                lines.write(json.dumps(line) + "\n")
        for arguments in ([str(follows)], ["--posts", str(posts)]):
            run([str(self.binaries / "fanfold"), "import", *arguments, "--dir", str(self.data)])

    def fill_profiles(self, port: int) -> None:
        client = HttpClient(port)
        for user in [2, *range(1_001, 1_001 + FOLLOWS)]:
            client.request("PUT", f"/v1/users/{user}/profile", 202, json.dumps({"name": NAME, "bio": BIO}))


def quiet(port: int) -> dict[str, float]:
    """Asks at a steady rate; the latencies' percentiles, in ms, from when each was due."""
    connection, took = http.client.HTTPConnection(LOOPBACK, port), []
    due = time.monotonic()
    for _ in range(QUIET_PER_SECOND * SECONDS):
        due += 1 / QUIET_PER_SECOND
        time.sleep(max(due - time.monotonic(), 0))
        connection.request("GET", f"/v1/users/{QUIET}/relations?to={QUIET_FOLLOWS}")
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
        took.append((time.monotonic() - due) * 1000)
    took.sort()
    return {"p50_ms": took[len(took) // 2], "p99_ms": took[len(took) * 99 // 100], "max_ms": took[-1]}


def script_of(home: Path, noise: Noise) -> Path:
    body, script = home / "body", home / "noise.lua"
    body.write_text(noise.body or "")
    headers = "".join(f'wrk.headers["{name}"] = "{value}"\n' for name, _, value in
                      (header.partition(": ") for header in noise.headers))
    sends = (f'wrk.body = io.open("{body}"):read("*a")\nwrk.headers["Content-Type"] = "application/json"\n'
             if noise.body else "")
    script.write_text(f'wrk.method = "{noise.method}"\n{headers}{sends}')
    return script


def ask_for_heads(port: int, noise: Noise, told: Connection) -> None:
    """A process of its own, below the quiet client; wrk waits for bodies that do not come."""
    os.nice(BELOW)
    headers = "".join(f"{header}\r\n" for header in noise.headers)
    request = f"HEAD {noise.path} HTTP/1.1\r\nHost: {LOOPBACK}:{port}\r\n{headers}\r\n".encode()
    asked, until = 0, time.monotonic() + SECONDS + 2
    with selectors.DefaultSelector() as ready, ExitStack() as all_:
        for _ in range(CONNECTIONS):
            one = all_.enter_context(socket.create_connection((LOOPBACK, port)))
            one.sendall(request)
            ready.register(one, selectors.EVENT_READ)
        while time.monotonic() < until:
            for key, _ in ready.select(0.1):
                if key.fileobj.recv(1 << 16).endswith(b"\r\n\r\n"):
                    asked += 1
                    key.fileobj.sendall(request)
    told.send(asked / (SECONDS + 2))


def beside_heads(target: load.Target, noise: Noise) -> dict[str, float]:
    receiving, sending = multiprocessing.Pipe(duplex=False)
    asking = multiprocessing.Process(target=ask_for_heads, args=(target.port, noise, sending))
    asking.start()
    try:
        time.sleep(1)
        return {**quiet(target.port), "noise_per_second": receiving.recv()}
    finally:
        asking.kill()
        asking.join()


# Below the quiet client, with which they share a core.
def beside(filled: Filled, target: load.Target, noise: Noise) -> dict[str, float]:
    if noise.method == "HEAD":
        return beside_heads(target, noise)
    port = target.operations if noise.is_of_operators else target.port
    with subprocess.Popen(
            ["taskset", "--cpu-list", str(generator_core()), "nice", "-n", str(BELOW), "wrk", "-t1",
             f"-c{CONNECTIONS}", f"-d{SECONDS + 2}s", "-s", str(script_of(filled.home, noise)),
             f"http://{LOOPBACK}:{port}{noise.path}"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as asking:
        try:
            time.sleep(1)
            seen = quiet(target.port)
            said = asking.communicate()[0]
        finally:
            asking.kill()
    rates = [line.split()[1] for line in said.splitlines() if line.startswith("Requests/sec:")]
    return {**seen, "noise_per_second": float(rates[0]) if rates else 0.0}


def measure(bench: Run) -> Round:
    filled: Filled = bench.prepared
    os.sched_setaffinity(0, {generator_core()})
    measured = {}
    with embedded.served(filled.binaries, filled.home, filled.data) as target:
        filled.fill_profiles(target.port)
        quiet(target.port)
        measured["alone"] = quiet(target.port) | {"noise_per_second": 0.0}
        for noise in all_noises():
            bench.progress.show(f"  beside {noise.name}")
            measured[noise.name] = beside(filled, target, noise)
    return measured


def figures(medians: Round) -> list[Figure]:
    alone = medians["alone"]["p99_ms"]
    return [Figure(f"worst-neighbour, {noise.name}, p99 of another", "ms", medians[noise.name]["p99_ms"], alone,
                   (Goal("ours", P99_GZIP_MS_MAX if noise.is_gzip else P99_MS_MAX, is_ceiling=True),),
                   of_its_own=True) for noise in all_noises()]


def notes(medians: Round) -> list[str]:
    return [f"{name}: {of['p50_ms']:.2f} ms at the median, {of['p99_ms']:.2f} at p99, {of['max_ms']:.1f} at "
            f"most, beside {of['noise_per_second']:,.1f} a second" for name, of in medians.items()]


BENCHMARK = Benchmark(
    name="worst-neighbour",
    what="200 checks a second by one client, alone and beside eight connections that ask for each route "
         "at its largest without end, as it is and as gzip",
    rounds=1,
    measure=measure,
    figures=figures,
    notes=notes,
    prepare=Filled,
    needs_servers=False)
