"""What tests make once for a build folder: whichever needs it first."""

import fcntl
import inspect
import shutil


def made_once(folder, make, of=""):
    """That folder. `make` fills it where it is not there, or was made otherwise, or of something else than `of`."""
    made_of, wanted = folder / "made_of", of + inspect.getsource(make)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made_of.exists() or made_of.read_text() != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            made_of.write_text(wanted)
    return folder
