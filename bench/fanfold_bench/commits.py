"""Programs of other commits: each in a checkout of its own, built there once and kept."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from .programs import run


@dataclass(frozen=True)
class Built:
    commit: str
    binaries: Path


def build(root: Path, folder: Path, commit: str, targets: list[str]) -> Built:
    """`root`: the clone. Raises LocalError when there is no such commit or it does not build."""
    # The clone may belong to another user than root, which git refuses unless told.
    git = ["git", "-c", f"safe.directory={root}", "-C", str(root)]
    name = run([*git, "rev-parse", "--short", "--verify", f"{commit}^{{commit}}"]).stdout.strip()
    checkout = folder / name
    if not checkout.exists():
        run([*git, "worktree", "prune"])
        run([*git, "worktree", "add", "--detach", str(checkout), name])
    run(["cmake", "-S", str(checkout), "--preset", "release"])
    build_folder = checkout / "build" / "release"
    run(["cmake", "--build", str(build_folder), "--parallel", "--target", *targets])
    return Built(name, build_folder / "bin")


def linked(folder: Path, names: dict[Built, list[str]]) -> Path:
    """Makes the folder anew, with these programs of these builds in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for built, programs in names.items():
        for program in programs:
            (folder / program).symlink_to(built.binaries / program)
    return folder
