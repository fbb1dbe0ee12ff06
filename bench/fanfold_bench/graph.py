"""The follow graph that is folded, and whether it is of the shape that the design names."""

import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from fanfold_local.errors import LocalError

TOLERANCE = 0.03


@dataclass(frozen=True)
class Marginal:
    name: str
    wanted: float

    def is_met(self, measured: float) -> bool:
        return abs(measured / self.wanted - 1) <= TOLERANCE


MARGINALS = [
    Marginal("share_who_follow", 0.40),
    Marginal("mean_followings", 7.9),
    Marginal("share_who_have_fans", 0.35),
    Marginal("mean_fans", 9.2),
    Marginal("share_of_both", 0.26),
    Marginal("mean_followings_of_both", 8.3),
    Marginal("mean_fans_of_both", 10.4),
]


@dataclass(frozen=True)
class Graph:
    path: Path  # TSV: subject object since_ms
    follows: int
    marginals: dict[str, float]

    def off(self) -> list[str]:
        """The marginals that are not within the tolerance."""
        return [f"{m.name} {self.marginals[m.name]:.3f} instead of {m.wanted}" for m in MARGINALS
                if not m.is_met(self.marginals[m.name])]


def generate(binaries: Path, users: int, path: Path) -> Graph:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        command = [str(binaries / "fanfold"), "generate", "--users", str(users)]
        if subprocess.run(command, stdout=file, check=False).returncode != 0:
            raise LocalError(f"{' '.join(command)} failed")
    followings: Counter[bytes] = Counter()
    fans: Counter[bytes] = Counter()
    with open(path, "rb") as file:
        for line in file:
            subject, object_, _ = line.split(b"\t")
            followings[subject] += 1
            fans[object_] += 1
    return Graph(path, followings.total(), _marginals(users, followings, fans))


def _marginals(users: int, followings: Counter[bytes], fans: Counter[bytes]) -> dict[str, float]:
    both = followings.keys() & fans.keys()
    return {
        "share_who_follow": len(followings) / users,
        "mean_followings": _mean(followings.total(), len(followings)),
        "share_who_have_fans": len(fans) / users,
        "mean_fans": _mean(fans.total(), len(fans)),
        "share_of_both": len(both) / users,
        "mean_followings_of_both": _mean(sum(followings[user] for user in both), len(both)),
        "mean_fans_of_both": _mean(sum(fans[user] for user in both), len(both)),
    }


def _mean(total: int, count: int) -> float:
    return total / count if count else 0.0
