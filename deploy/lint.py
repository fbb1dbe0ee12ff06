#!/usr/bin/env python3
"""lint.py format|tidy BUILD_DIR: clang-format over every tracked source, or clang-tidy over every
tracked one that BUILD_DIR compiles and that has changed since it was found clean (with what it
includes). Prints findings only; exit 1 when there are some."""

import hashlib
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLANG_FORMAT = "clang-format-19"
CLANG_TIDY = "clang-tidy-19"
# What g++ is told and clang does not know; warnings are the compiler's business.
GCC_ONLY_FLAGS = {"-fcoroutines", "-Wno-restrict", "-Wno-maybe-uninitialized", "-Werror"}
# Boost 1.74 takes clang for one without coroutines.
CLANG_ONLY_FLAGS = ["-DBOOST_ASIO_HAS_CO_AWAIT=1"]


def tracked(*patterns: str) -> list[str]:
    # The clone may belong to another user than root, which git refuses unless told.
    command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "--", *patterns]
    listing = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return [name for name in listing.stdout.splitlines() if (ROOT / name).exists()]


def check_format() -> bool:
    files = tracked("*.h", "*.cc")

    def is_formatted(name: str) -> bool:
        command = [CLANG_FORMAT, "--dry-run", "-Werror", name]
        return subprocess.run(command, cwd=ROOT, stderr=subprocess.DEVNULL,
                              check=False).returncode == 0

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        wrong = [name for name, good in zip(files, pool.map(is_formatted, files)) if not good]
    for name in wrong:
        print(f"{name}: not as {CLANG_FORMAT} writes it (make format)")
    print(f"{CLANG_FORMAT}: {len(files)} files, {len(wrong) or 'none'} to format")
    return not wrong


def commands_for_clang(build: Path) -> Path:
    """A folder with the build's compile commands in clang's words."""
    commands = json.loads((build / "compile_commands.json").read_text())
    for command in commands:
        words = [word for word in command["command"].split(" ") if word not in GCC_ONLY_FLAGS]
        command["command"] = " ".join([words[0], *CLANG_ONLY_FLAGS, *words[1:]])
    folder = build / "lint"
    folder.mkdir(exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(commands))
    return folder


def what_tidy_reads(command: str, directory: str) -> str:
    """A digest of the source with all that it includes, comments too, and of the checks."""
    words = shlex.split(command)
    words = ["clang++-19", *words[1:words.index("-o")], "-w", "-E", "-C", "-P", "-dD",
             f"-fmacro-prefix-map={ROOT}=", words[-1]]
    text = subprocess.run(words, cwd=directory, stdout=subprocess.PIPE, check=True).stdout
    checks = b"".join((ROOT / name).read_bytes() for name in tracked(".clang-tidy", "*/.clang-tidy"))
    return hashlib.sha256(checks + text).hexdigest()


def check_tidy(build: Path) -> bool:
    folder = commands_for_clang(build)
    compiled = {c["file"]: c for c in json.loads((folder / "compile_commands.json").read_text())}
    files = [name for name in tracked("*.cc") if str(ROOT / name) in compiled]
    clean = folder / "clean"
    clean.mkdir(exist_ok=True)

    def tidy(name: str) -> bool:
        command = compiled[str(ROOT / name)]
        mark = clean / what_tidy_reads(command["command"], command["directory"])
        if mark.exists():
            return True
        result = subprocess.run([CLANG_TIDY, "--quiet", "-p", str(folder), name], cwd=ROOT,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                check=False)
        if result.returncode == 0:
            mark.touch()
        else:
            print((result.stdout or result.stderr).strip(), flush=True)
        return result.returncode == 0

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        failed = list(pool.map(tidy, files)).count(False)
    print(f"{CLANG_TIDY}: {len(files)} files, {failed or 'none'} with findings")
    return failed == 0


def main() -> int:
    verb, build = sys.argv[1], Path(sys.argv[2]).resolve()
    clean = check_format() if verb == "format" else check_tidy(build)
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
