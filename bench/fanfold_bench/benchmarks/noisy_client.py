"""One client asks without end, another one now and then: what does the other one see?"""

import http.client
import subprocess
import time

from fanfold_local.ports import LOOPBACK

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..cpu import generator_core
from ..reading import load
from .read_guarded import Guarded

# How much each client may ask; the noisy one asks as much as it is answered.
RATE_LIMIT = 500
QUIET_PER_SECOND = 200
SECONDS = 10
P99_RATIO_MAX = 1.2


def quiet(guarded: Guarded, port: int) -> dict[str, float]:
    """Asks at a steady rate; the latencies' percentiles, in ms, from when each was due."""
    connection, paths = http.client.HTTPConnection(LOOPBACK, port), guarded.paths.read_text().split()
    headers, took = {"Authorization": f"Bearer {guarded.token}"}, []
    due = time.monotonic()
    for number in range(QUIET_PER_SECOND * SECONDS):
        due += 1 / QUIET_PER_SECOND
        time.sleep(max(due - time.monotonic(), 0))
        connection.request("GET", paths[number % len(paths)], headers=headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
        took.append((time.monotonic() - due) * 1000)
    took.sort()
    return {"p50_ms": took[len(took) // 2], "p99_ms": took[len(took) * 99 // 100]}


def beside_noise(guarded: Guarded, port: int, token: str) -> dict[str, float]:
    noise = subprocess.Popen(
        ["taskset", "--cpu-list", str(generator_core()), "wrk", "-t1", f"-c{load.CONNECTIONS}",
         f"-d{SECONDS + 2}s", "-H", f"Authorization: Bearer {token}",
         f"http://{LOOPBACK}:{port}/v1/users/1/relations?to=2"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(1)
        return quiet(guarded, port)
    finally:
        noise.kill()
        noise.wait()


def measure(bench: Run) -> Round:
    guarded: Guarded = bench.prepared
    noisy = guarded.make_token()
    measured = {}
    for name, limit in (("unlimited", 0), ("limited", RATE_LIMIT)):
        bench.progress.show(f"  one noisy client, {name}")
        with guarded.served(*guarded.asking_for_tokens(), "--rate-limit", str(limit)) as target:
            quiet(guarded, target.port)
            measured[f"{name} alone"] = quiet(guarded, target.port)
            measured[f"{name} beside noise"] = beside_noise(guarded, target.port, noisy)
    return measured


def figures(medians: Round) -> list[Figure]:
    return [Figure("noisy-client, p99 of another", "ms", medians["limited beside noise"]["p99_ms"],
                   medians["limited alone"]["p99_ms"],
                   (Goal("ratio", P99_RATIO_MAX, is_ceiling=True),)),
            Figure("noisy-client, without a limit", "ms", medians["unlimited beside noise"]["p99_ms"],
                   medians["unlimited alone"]["p99_ms"])]


def notes(medians: Round) -> list[str]:
    return [f"{name}: {of['p50_ms']:.2f} ms at the median, {of['p99_ms']:.2f} at p99"
            for name, of in medians.items()]


BENCHMARK = Benchmark(
    name="noisy-client",
    what="200 checks a second by one client, alone and beside 64 connections of another that ask "
         "without end; a limit of 500 a second for each, and none",
    rounds=5,
    measure=measure,
    figures=figures,
    notes=notes,
    prepare=Guarded,
    needs_servers=False)
