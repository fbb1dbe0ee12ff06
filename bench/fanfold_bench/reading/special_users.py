"""Users whom no generated graph is sure to have: one with very many fans, and pairs who follow
many, some of them in common. Their ids stand above the generated ones."""

import random
from dataclasses import dataclass
from pathlib import Path

from .follow_lists import Answer, Edges, page

FOLLOWINGS = 1000
IN_COMMON = 200
PAIRS_MIN = 10
USERS_A_PAIR = 10_000  # of the graph
OBJECTS = 5000  # whom the pairs follow
# 2025-01-01T00:00:00Z
SINCE_FROM_MS = 1_735_689_600_000
SINCE_SPAN_MS = 365 * 24 * 3600 * 1000


@dataclass(frozen=True)
class SpecialUsers:
    """A million fans and 100 pairs beside a million users; fewer beside fewer."""

    users: int

    @property
    def pairs(self) -> list[tuple[int, int]]:
        first = self.users + 1
        count = max(self.users // USERS_A_PAIR, PAIRS_MIN)
        return [(first + 2 * i, first + 2 * i + 1) for i in range(count)]

    @property
    def celebrity(self) -> int:
        return self._objects.stop

    @property
    def celebrity_fans(self) -> range:
        """The newest last."""
        return range(self.celebrity + 1, self.celebrity + 1 + self.users)

    @property
    def _objects(self) -> range:
        first = self.pairs[-1][1] + 1
        return range(first, first + OBJECTS)

    def append_pairs(self, path: Path) -> int:
        """How many follows."""
        rng = random.Random(1)
        with open(path, "a", encoding="ascii") as file:
            for one, other in self.pairs:
                drawn = rng.sample(self._objects, 2 * FOLLOWINGS - IN_COMMON)
                for user, objects in ((one, drawn[:FOLLOWINGS]), (other, drawn[-FOLLOWINGS:])):
                    for object_ in objects:
                        since = SINCE_FROM_MS + rng.randrange(SINCE_SPAN_MS)
                        file.write(f"{user}\t{object_}\t{since}\n")
        return 2 * FOLLOWINGS * len(self.pairs)

    def append_celebrity(self, path: Path) -> int:
        """How many follows."""
        with open(path, "a", encoding="ascii") as file:
            for fan in self.celebrity_fans:
                file.write(f"{fan}\t{self.celebrity}\t{self.since(fan)}\n")
        return len(self.celebrity_fans)

    def since(self, fan: int) -> int:
        return SINCE_FROM_MS + fan - self.celebrity_fans.start

    def fans_before(self, place: int, limit: int) -> Answer:
        """A page of the celebrity's fans that begins at this place, from 0, newest first."""
        newest_first = self.celebrity_fans[::-1]
        edges: Edges = {fan: self.since(fan) for fan in newest_first[place:place + limit + 1]}
        return page(edges, limit)
