"""What a benchmark is, and what it is held against."""

from dataclasses import dataclass
from typing import Any, Callable, Optional

from .lab import Lab
from .progress import Progress

# What one round measured: numbers, and folders of numbers, by name.
Round = dict[str, Any]


@dataclass(frozen=True)
class Goal:
    of: str  # "ours" or "ratio"
    limit: float
    is_ceiling: bool = False

    def is_met(self, value: float) -> bool:
        return value <= self.limit if self.is_ceiling else value >= self.limit


@dataclass(frozen=True)
class Figure:
    """A line of the table. Ratio = ours / baseline: below 1 is good for a time, bad for a rate."""

    name: str
    unit: str
    ours: float
    baseline: Optional[float]
    goals: tuple[Goal, ...] = ()
    of_its_own: bool = False  # the baseline is Fanfold's, too: what something costs it

    @property
    def ratio(self) -> Optional[float]:
        return self.ours / self.baseline if self.baseline else None

    def verdicts(self) -> list[tuple[Goal, bool]]:
        values = {"ours": self.ours, "ratio": self.ratio}
        return [(goal, goal.is_met(values[goal.of])) for goal in self.goals]


@dataclass(frozen=True)
class Run:
    """What one round is given: a folder; a Kafka and a MariaDB, empty or as they were prepared."""

    lab: Lab
    progress: Progress
    users: int
    prepared: Any = None  # what the benchmark's prepare() returned


@dataclass(frozen=True)
class Benchmark:
    name: str
    what: str
    rounds: int  # unless told
    measure: Callable[[Run], Round]
    # Of the medians over the rounds.
    figures: Callable[[Round], list[Figure]]
    notes: Callable[[Round], list[str]]
    # A round before the first that does not count: a broker is slow until it has run hot.
    warms_up: bool = False
    # Without, its Lab has a folder only.
    needs_servers: bool = True
    # Before its rounds. Benchmarks one after the other that have the same share its result and Lab.
    prepare: Optional[Callable[[Run], Any]] = None
