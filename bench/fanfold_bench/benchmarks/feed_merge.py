"""A feed's page merged from the posts of authors in memory, without a database and HTTP."""

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..programs import micro

FIRST_PAGE_US_MAX = 60
BYTES_A_POST_MAX = 16
FOLLOWED_MIN = 300_000


def measure(bench: Run) -> Round:
    bench.progress.show("  merging")
    return micro(bench.lab.work, bench.lab.binaries / "bench_feed_merge")


def figures(medians: Round) -> list[Figure]:
    by_sorting = medians["SortedPage"]["cpu_time"]
    return [Figure("feed-merge, first page", "CPU µs", medians["FirstPage"]["cpu_time"], by_sorting,
                   (Goal("ours", FIRST_PAGE_US_MAX, is_ceiling=True),)),
            Figure("feed-merge, page at a cursor", "CPU µs", medians["NextPage"]["cpu_time"],
                   by_sorting),
            Figure("feed-merge, unread", "CPU µs", medians["UnreadOf"]["cpu_time"], None),
            Figure("feed-merge, held", "bytes/post", medians["FirstPage"]["bytes_a_post"], None,
                   (Goal("ours", BYTES_A_POST_MAX, is_ceiling=True),)),
            Figure("feed-merge, followed", "posts/CPU s", medians["Followed"]["items_per_second"], None,
                   (Goal("ours", FOLLOWED_MIN),))]


def notes(_: Round) -> list[str]:
    return ["owners with 1,000 followings of 100,000 authors with 32 posts each, ids below 2^32, "
            "another owner each time; pages of 20"]


BENCHMARK = Benchmark(
    name="feed-merge",
    what="a feed's page merged from its authors' posts in memory; beside all of these posts sorted",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes,
    needs_servers=False)
