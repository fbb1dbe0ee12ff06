"""Programs from PyPI, in environments of this build folder."""

import pathlib
import subprocess
import sys

import fanfold  # also finds tests/support
from made_once import made_once

FOLDER = pathlib.Path(__file__).parent


def program(requirements, name):
    """That program of an environment with what `requirements`.txt names, installed when it is not that."""
    wanted = (FOLDER / requirements).with_suffix(".txt")

    def install(environment):
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        subprocess.run([environment / "bin/pip", "install", "-q", "-r", wanted], check=True)

    return made_once(fanfold.BIN.parent / requirements, install, of=wanted.read_text()) / "bin" / name
