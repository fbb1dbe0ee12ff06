"""A folded graph and the reader of it, which the benchmarks of reading share. Nobody writes: writer
and projectors are stopped once all is folded."""

from functools import cached_property
from pathlib import Path
from typing import Optional

from fanfold_local.services import Service

from ..benchmark import Run
from ..cpu import pin, server_core
from ..folding import fold
from ..graph import Graph, generate
from ..lab import Deployment, Lab
from . import baselines
from .follow_lists import FollowLists
from .load import Target
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

    def cold_reader(self, *options: str) -> Target:
        """One that has just started, with nothing in memory; the only one there is."""
        self._warm = None
        return self._target(self.deployment.restart("reader", *options))

    def warm_reader(self) -> Target:
        """One with everybody's lists in memory, but for the celebrity's fans'."""
        if self._warm is None:
            target = self.cold_reader()
            ask_for_all(target.port, [*self.users, *self.lists_of_pairs()])
            self._warm = target
        return self._warm

    def lists_of_pairs(self) -> list[int]:
        return [user for pair in self.special.pairs for user in pair]

    def target_of(self, baseline: baselines.Baseline) -> Target:
        return Target(baseline.process.name, baseline.pid, baseline.port, {})

    @cached_property
    def redis(self) -> Target:
        return self.target_of(baselines.redis(self.lab.work / "baselines", self.lists))

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
