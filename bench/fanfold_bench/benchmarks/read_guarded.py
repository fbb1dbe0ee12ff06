"""The cost of asking who asks, of counting them, and of TLS: a relation check of a folder's process."""

import random
import shutil
import subprocess
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Iterator

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..graph import generate
from ..programs import run
from ..reading import baselines, embedded, load

USERS_ASKED = 2_000
REQUESTS = 20_000
TURNS = 10
TOKENS_RATIO_MAX = 1.03
LIMITS_RATIO_MAX = 1.02
# Where it is measured nobody reaches it.
RATE_LIMIT = "1000000"
ANSWER = '{"user_id":"1234","items":[{"user_id":"5678","relation":"following"}]}'


class Guarded:
    """A folder with a graph, a token and a certificate."""

    def __init__(self, bench: Run):
        self.home, self.binaries = bench.lab.work / "guarded", bench.lab.binaries
        self.home.mkdir()
        graph = self.home / "graph.tsv"
        generate(self.binaries, bench.users, graph)
        run([*self.fanfold("import"), str(graph), "--dir", str(self.home / "data")])
        self.paths = self.home / "paths"
        users = random.sample(range(1, bench.users + 1), min(USERS_ASKED, bench.users))
        self.paths.write_text("".join(
            f"/v1/users/{random.choice(users)}/relations?to={random.choice(users)}\n"
            for _ in range(REQUESTS)))
        self.tokens, self.certificate, self.key = (self.home / name for name in
                                                   ("tokens.json", "own.pem", "own.key"))
        self.token = self.make_token()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-keyout", str(self.key), "-out", str(self.certificate)], check=True,
                       capture_output=True)

    def fanfold(self, verb: str) -> list[str]:
        return [str(self.binaries / "fanfold"), verb]

    def make_token(self) -> str:
        return subprocess.run(
            [*self.fanfold("token"), "make", "--scopes", "relations:read", "--tokens-file",
             str(self.tokens)], check=True, capture_output=True, text=True).stdout.strip()

    def asking_for_tokens(self) -> list[str]:
        return ["--access", "tokens", "--tokens-file", str(self.tokens)]

    def over_tls(self) -> list[str]:
        return ["--tls-certificate-file", str(self.certificate), "--tls-key-file", str(self.key)]

    @contextmanager
    def served(self, *options: str) -> Iterator[load.Target]:
        """A copy of the folder with these options, on the server's core, while the context lasts."""
        folder = Path(tempfile.mkdtemp(dir=self.home))
        shutil.copytree(self.home / "data", folder, dirs_exist_ok=True)
        try:
            with embedded.served(self.binaries, folder, folder, *options) as target:
                yield target
        finally:
            shutil.rmtree(folder)


def in_turn(guarded: Guarded, targets: dict[str, load.Target]) -> Round:
    """Each for a second, again and again, since what else the machine does changes faster than a
    measurement takes: the medians. The first turn brings the lists into memory."""
    turns = [{name: load.http(target, guarded.paths, seconds=1, token=guarded.token,
                              tls="tls" in name) for name, target in targets.items()}
             for _ in range(TURNS + 1)][1:]
    return {name: {figure: median(turn[name][figure] for turn in turns)
                   for figure in ("per_second", "cpu_us")} | {"cores": turns[-1][name]["cores"]}
            for name in targets}


def measure(bench: Run) -> Round:
    guarded: Guarded = bench.prepared
    ways = {"open": [], "tokens": guarded.asking_for_tokens(),
            "limits": [*guarded.asking_for_tokens(), "--rate-limit", RATE_LIMIT],
            "tls": [*guarded.asking_for_tokens(), *guarded.over_tls()]}
    with ExitStack() as all_:
        targets = {name: all_.enter_context(guarded.served(*options))
                   for name, options in ways.items()}
        server = all_.enter_context(
            baselines.nginx(guarded.home, ANSWER, guarded.certificate, guarded.key))
        targets["nginx_tls"] = load.Target("nginx", server.pid, server.port, {})
        bench.progress.show(f"  a check a request: {', '.join(targets)}")
        return in_turn(guarded, targets)


def figures(medians: Round) -> list[Figure]:
    cpu = {name: load_["cpu_us"] for name, load_ in medians.items()}
    return [Figure("read-guarded, tokens beside open", "CPU µs", cpu["tokens"], cpu["open"],
                   (Goal("ratio", TOKENS_RATIO_MAX, is_ceiling=True),), of_its_own=True),
            Figure("read-guarded, limits beside tokens", "CPU µs", cpu["limits"], cpu["tokens"],
                   (Goal("ratio", LIMITS_RATIO_MAX, is_ceiling=True),), of_its_own=True),
            Figure("read-guarded, TLS beside nginx's", "CPU µs", cpu["tls"], cpu["nginx_tls"])]


def notes(medians: Round) -> list[str]:
    return load.cpu_notes(medians)


BENCHMARK = Benchmark(
    name="read-guarded",
    what="one relation a request of fanfold serve, from memory, 64 connections that last: open, "
         "with a token, with a limit too, over TLS; in turn, a second each, and nginx's fixed answer",
    rounds=5,
    measure=measure,
    figures=figures,
    notes=notes,
    prepare=Guarded,
    needs_servers=False)
