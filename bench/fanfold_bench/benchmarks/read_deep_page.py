"""A page far down a very long list, beside its first one."""

from ..benchmark import Benchmark, Figure, Goal, Round, Run
from ..http_client import HttpClient
from ..reading import load
from ..reading.follow_lists import cursor
from ..reading.reading import Reading, prepare
from ..reading.requests import ReadRequest, check_answers, write_paths

LIMIT = 20
PAGE = 10_000
# Pages from there on, so that it is not one and the same.
PAGES = 100
# Where there are fewer users, so far down their fans.
SHARE_OF_FANS = 0.2
RATIO_MAX = 1.5
CONNECTIONS = 1


def request(reading: Reading, page: int) -> ReadRequest:
    """`page` counts from 1."""
    special = reading.special
    place = (page - 1) * LIMIT
    path = f"/v1/users/{special.celebrity}/fans?limit={LIMIT}"
    if place > 0:
        before = special.celebrity_fans[-place]
        path += f"&cursor={cursor(special.since(before), before)}"
    return ReadRequest(path, lambda: special.fans_before(place, LIMIT))


def measure(bench: Run) -> Round:
    reading: Reading = bench.prepared
    fans = len(reading.special.celebrity_fans)
    page = min(PAGE, int(fans * SHARE_OF_FANS) // LIMIT)
    first = [request(reading, 1)]
    deep = [request(reading, page + i) for i in range(PAGES)]
    reader = reading.warm_reader()
    check_answers(HttpClient(reader.port), [*first, *deep])
    loads = {}
    for name, requests in (("deep", deep), ("first", first)):
        bench.progress.show(f"  pages of fans: {name}, one connection")
        paths = write_paths(requests, reading.file("paths"))
        loads[name] = load.http(reader, paths, CONNECTIONS)
    return {"fans": fans, "page": page, **loads}


def figures(medians: Round) -> list[Figure]:
    deep, first = medians["deep"], medians["first"]
    return [Figure("read-deep-page p50", "ms", deep["p50_ms"], first["p50_ms"]),
            Figure("read-deep-page p99", "ms", deep["p99_ms"], first["p99_ms"],
                   (Goal("ratio", RATIO_MAX, is_ceiling=True),))]


def notes(medians: Round) -> list[str]:
    return [f"page {medians['page']:,.0f} and those behind it, of {medians['fans']:,.0f} fans, "
            f"{LIMIT} a page",
            *load.cpu_notes({name: medians[name] for name in ("deep", "first")})]


BENCHMARK = Benchmark(
    name="read-deep-page",
    what="a page far down the fans of a user who has very many, by its cursor, one connection; "
         "beside the first page",
    rounds=3,
    measure=measure,
    figures=figures,
    notes=notes,
    prepare=prepare)
