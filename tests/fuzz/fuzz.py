#!/usr/bin/env python3
"""fuzz.py test TARGET: a short run, as ctest does it; another each time, but for FANFOLD_FUZZ_SEED.
fuzz.py run RUNS [TARGET…]: so many runs of each, or of those; what they find new stays in build/fuzz.
fuzz.py keep [TARGET…]: makes the corpus anew of what was kept and what was found."""

import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build/fuzz"
RUNS_OF_TEST = 20_000
BYTES_MAX = 512  # of an input: limits that larger ones meet are unit tests'
SECONDS_MAX = 10  # of one input


def targets() -> list[str]:
    return sorted(file.name.removesuffix("_fuzz.cc") for file in HERE.glob("*_fuzz.cc"))


def corpus_file(target: str) -> Path:
    return HERE / "corpus" / f"{target}.txt"


def kept(target: str) -> list[bytes]:
    """An input a line, escaped as Python does."""
    file = corpus_file(target)
    lines = file.read_text(encoding="ascii").splitlines() if file.exists() else []
    return [line.encode("ascii").decode("unicode_escape").encode("latin-1") for line in lines]


def keep(target: str, inputs: list[bytes]) -> None:
    lines = {one.decode("latin-1").encode("unicode_escape").decode("ascii") for one in inputs if one}
    corpus_file(target).parent.mkdir(exist_ok=True)
    corpus_file(target).write_text("".join(f"{line}\n" for line in sorted(lines)), encoding="ascii")


def unpack(inputs: list[bytes], folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for number, one in enumerate(inputs):
        (folder / f"kept-{number:04}").write_bytes(one)
    return folder


def call(target: str, *arguments: str | Path) -> str | None:
    """What the target printed; nothing where it failed, which is shown."""
    program = BUILD / "bin" / f"{target}_fuzz"
    if not program.exists():
        sys.exit(f"{program} is not there: make build-fuzzers builds it")
    (BUILD / "failures").mkdir(exist_ok=True)
    done = subprocess.run(
        [program, f"-max_len={BYTES_MAX}", f"-timeout={SECONDS_MAX}",
         f"-artifact_prefix={BUILD}/failures/{target}-", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if done.returncode == 0:
        return done.stdout
    print(f"{target}:\n{done.stdout[-8000:]}", flush=True)
    return None


def run(target: str, runs: int, found: Path, *arguments: str) -> bool:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        seeds = unpack(kept(target), Path(folder) / "kept")
        found.mkdir(parents=True, exist_ok=True)
        said = call(target, f"-runs={runs}", *arguments, found, seeds)
    covered = re.findall(r"cov: (\d+)", said or "")
    result = f"clean, {covered[-1]} edges" if covered else "FAILED"
    print(f"{target:20} {runs:10} runs {time.monotonic() - began:8.1f} s  {result}", flush=True)
    return said is not None


def run_test(target: str) -> bool:
    seed = os.environ.get("FANFOLD_FUZZ_SEED") or random.randrange(1, 2**32)
    print(f"FANFOLD_FUZZ_SEED={seed}", flush=True)
    with tempfile.TemporaryDirectory() as found:
        return run(target, RUNS_OF_TEST, Path(found), f"-seed={seed}")


def keep_what_is_new(target: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        seeds = unpack(kept(target), Path(folder) / "kept")
        merged = Path(folder) / "merged"
        merged.mkdir()
        found = BUILD / "found" / target
        if call(target, "-set_cover_merge=1", "-use_counters=0", merged, seeds, found) is None:
            return False
        keep(target, [file.read_bytes() for file in merged.iterdir()])
    print(f"{target:20} {len(kept(target)):5} inputs {corpus_file(target).stat().st_size:8} bytes")
    return True


def main() -> int:
    match sys.argv[1:]:
        case ["test", target]:
            good = [run_test(target)]
        case ["run", runs, *some]:
            good = [run(target, int(runs), BUILD / "found" / target) for target in some or targets()]
        case ["keep", *some]:
            good = [keep_what_is_new(target) for target in some or targets()]
        case _:
            sys.exit(__doc__)
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
