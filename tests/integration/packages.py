"""Programs from PyPI, in environments of this build folder."""

import fcntl
import pathlib
import shutil
import subprocess
import sys

import fanfold

FOLDER = pathlib.Path(__file__).parent


def program(requirements, name):
    """That program of an environment with what `requirements`.txt names, installed when it is not that."""
    environment = fanfold.BIN.parent / requirements
    installed = environment / "requirements.txt"
    wanted = FOLDER.joinpath(requirements).with_suffix(".txt").read_text()
    with open(fanfold.BIN.parent / f"{requirements}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not installed.exists() or installed.read_text() != wanted:
            shutil.rmtree(environment, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", environment], check=True)
            subprocess.run([environment / "bin/pip", "install", "-q", "-r",
                            FOLDER / f"{requirements}.txt"], check=True)
            installed.write_text(wanted)
    return environment / "bin" / name
