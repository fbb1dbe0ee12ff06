"""A folded graph and the reader of it, which the benchmarks of reading share. Writer and projectors
are stopped once all is folded, but for the benchmarks that write."""

from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Iterator, Optional

from fanfold_local.services import Service

from ..benchmark import Run
from ..cpu import pin, server_core
from ..folding import SETTLE_SECONDS, fold
from ..graph import Graph, generate
from ..lab import Deployment, Lab
from ..programs import run
from . import baselines
from .follow_lists import FollowLists
from .load import Target
from .paced_writes import PacedWrites
from .special_users import SpecialUsers
from .warming import ask_for_all

WRITE_SIDE = ("writer", "projector-following", "projector-fans")


class Reading:
    def __init__(self, lab: Lab, deployment: Deployment, lists: FollowLists, special: SpecialUsers):
        self.lab = lab
        self.deployment = deployment
        self.lists = lists
        self.special = special
        # Of the generated graph, those who follow somebody or are followed.
        self.users = [user for user in sorted(lists.following.keys() | lists.fans.keys())
                      if user <= special.users]
        self._warm: Optional[Target] = None
        self._fresh = special.celebrity_fans.stop

    def cold_reader(self, *options: str) -> Target:
        """One that has just started, with nothing in memory; the only one there is."""
        self._warm = None
        return self._target(self.deployment.restart("reader", *options))

    def warm_reader(self) -> Target:
        """One with everybody's lists in memory, but for the celebrity's fans'."""
        return self._warm or self.warm_up(self.cold_reader())

    def warm_up(self, reader: Target) -> Target:
        """Makes this the warm one; quick when it is."""
        of_pairs = [user for pair in self.special.pairs for user in pair]
        ask_for_all(reader.port, [*self.users, *of_pairs])
        self._warm = reader
        return reader

    def target_of(self, baseline: baselines.Baseline) -> Target:
        return Target(baseline.process.name, baseline.pid, baseline.port, {})

    @cached_property
    def redis(self) -> Target:
        return self.target_of(baselines.redis(self.lab.work / "baselines", self.lists))

    @contextmanager
    def written(self, per_second: int) -> Iterator[PacedWrites]:
        """Users of the graph follow each other at this rate while the context lasts; when it has
        ended, all of it can be read."""
        self.deployment.launch(*WRITE_SIDE)
        try:
            with PacedWrites(self.deployment.service("writer").port, self.lists, self.users,
                             per_second) as writes:
                yield writes
            run(self.deployment.command("wait", "--timeout", str(SETTLE_SECONDS)))
        finally:
            self.deployment.stop(*WRITE_SIDE)

    def fresh_users(self, count: int) -> range:
        """Whom nobody has mentioned."""
        first = self._fresh
        self._fresh += count
        return range(first, self._fresh)

    def file(self, name: str) -> Path:
        return self.lab.work / name

    def _target(self, service: Service) -> Target:
        pid = int(service.process.pid_file.read_text())
        pin(pid, server_core())
        return Target("reader", pid, service.port, self.lab.pids())


def prepare(bench: Run) -> Reading:
    """Returns when all can be read."""
    bench.progress.say(f"a graph of {bench.users:,} users, to be read")
    path = bench.lab.work / "graph.tsv"
    graph = generate(bench.lab.binaries, bench.users, path)
    special = SpecialUsers(bench.users)
    follows = graph.follows + special.append_pairs(path)
    lists = FollowLists(path)
    follows += special.append_celebrity(path)
    deployment = bench.lab.deployment()
    deployment.launch(*WRITE_SIDE, "reader")
    fold(bench, deployment, Graph(path, follows, graph.marginals))
    deployment.stop(*WRITE_SIDE)
    bench.lab.database.rest()
    return Reading(bench.lab, deployment, lists, special)
