"""The first page of a feed over HTTP, from memory."""

import json
import random
from contextlib import ExitStack
from statistics import median

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..http_client import HttpClient
from ..programs import run
from ..reading import baselines, embedded, load

OWNERS = 20
FOLLOWINGS = 1_000
AUTHORS = 5_000
POSTS_EACH = 40
LIMIT = 20
CONTENT = "x" * 100
AT_ONCE = 16
TURNS = 5
PAGES_PER_CPU_SECOND_MIN = 5_000
ALONE_P50_MS_MAX = 0.5
ALONE_P99_MS_MAX = 3


class Feeds:
    """A folder in which some owners follow a thousand each, and all authors have published."""

    def __init__(self, bench: Run):
        self.home, self.binaries = bench.lab.work / "feeds", bench.lab.binaries
        self.home.mkdir()
        draw = random.Random(1)
        authors = range(1, AUTHORS + 1)
        self.owners = range(AUTHORS + 1, AUTHORS + OWNERS + 1)
        follows, posts = self.home / "follows.tsv", self.home / "posts.jsonl"
        self.following = {owner: draw.sample(authors, FOLLOWINGS) for owner in self.owners}
        self.scores = {(author, post): draw.randrange(1 << 40)
                       for post in range(1, POSTS_EACH + 1) for author in authors}
        follows.write_text("".join(f"{owner} {author}\n" for owner, followed in
                                   self.following.items() for author in followed))
        with posts.open("w") as lines:
            for (author, post), score in self.scores.items():
                line = {"author": str(author), "post_id": str(post), "content": CONTENT, "at": score}
                lines.write(json.dumps(line) + "\n")
        data = str(self.home / "data")
        run([str(self.binaries / "fanfold"), "import", str(follows), "--dir", data])
        run([str(self.binaries / "fanfold"), "import", "--posts", str(posts), "--dir", data])
        self.paths = self.home / "paths"
        self.paths.write_text("".join(f"/v1/users/{owner}/feed?limit={LIMIT}\n" for owner in self.owners))


def serve(feeds: Feeds, all_: ExitStack) -> load.Target:
    return all_.enter_context(
        embedded.served(feeds.binaries, feeds.home, feeds.home / "data"))


def page(port: int, owner: int) -> str:
    return HttpClient(port).request("GET", f"/v1/users/{owner}/feed?limit={LIMIT}", 200)[0]


def measure(bench: Run) -> Round:
    feeds: Feeds = bench.prepared
    with ExitStack() as all_:
        served = serve(feeds, all_)
        answer = page(served.port, feeds.owners[0])
        fixed = all_.enter_context(baselines.nginx(feeds.home, answer))
        nginx = load.Target("nginx", fixed.pid, fixed.port, {})
        bench.progress.show(f"  the first {LIMIT} posts of {FOLLOWINGS:,} authors, {AT_ONCE} and 1 "
                            "connections")
        turns = [{"feeds": load.http(served, feeds.paths, AT_ONCE, seconds=1),
                  "nginx": load.http(nginx, feeds.paths, AT_ONCE, seconds=1),
                  "alone": load.http(served, feeds.paths, 1, seconds=1)}
                 for _ in range(TURNS + 1)][1:]
    return {name: {figure: median(turn[name][figure] for turn in turns)
                   for figure in ("per_second", "per_cpu_second", "cpu_us", "p50_ms", "p99_ms")}
            | {"cores": turns[-1][name]["cores"]} for name in turns[0]}


def figures(medians: Round) -> list[Figure]:
    alone = medians["alone"]
    return [Figure("feed-page, 16 at once", "pages/CPU s", medians["feeds"]["per_cpu_second"],
                   medians["nginx"]["per_cpu_second"],
                   (Goal("ours", PAGES_PER_CPU_SECOND_MIN),)),
            Figure("feed-page, alone, p50", "ms", alone["p50_ms"], None,
                   (Goal("ours", ALONE_P50_MS_MAX, is_ceiling=True),)),
            Figure("feed-page, alone, p99", "ms", alone["p99_ms"], None,
                   (Goal("ours", ALONE_P99_MS_MAX, is_ceiling=True),))]


def notes(medians: Round) -> list[str]:
    return load.cpu_notes(medians)


BENCHMARK = Benchmark(
    name="feed-page",
    what=f"the first {LIMIT} posts with what they say, of an owner who follows {FOLLOWINGS:,} of "
         f"{AUTHORS:,} authors with {POSTS_EACH} posts each, of fanfold serve, from memory; beside "
         "nginx's fixed answer of the same page",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes,
    prepare=Feeds,
    needs_servers=False)
