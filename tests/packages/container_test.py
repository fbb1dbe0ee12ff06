"""deploy/container/Dockerfile, without Docker: its commands are run in copies of the Debian that the build keeps."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import machines  # also finds tests/support
from packages_test import BUILD, COMMAND_SECONDS_MAX, ROLES, ROOT, packages
from ports import free_port
from tiers import rest

DOCKERFILE = (ROOT / "deploy/container/Dockerfile").read_text()
# Installs nothing, but says whether it could.
SIMULATES = """#!/bin/sh
for word; do [ "$word" = install ] && exec /usr/bin/apt-get --simulate "$@"; done
exec /usr/bin/apt-get "$@"
"""
SERVED = """
fanfold serve --dir /var/lib/fanfold --reader-port @PORT@ &
serve=$!
for _ in $(seq 100); do healthy @PORT@ && break; sleep 0.1; done
healthy @PORT@ && FANFOLD_HEALTH_PORT=@PORT@ healthy && echo is healthy
id -un
kill $serve; wait $serve
healthy @PORT@ 2> /dev/null || echo is not
"""


def stages():
    """(base, [(instruction, what)]) of each."""
    lines = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", DOCKERFILE, flags=re.M)).splitlines()
    told = [line.split(None, 1) for line in lines if line.strip()]
    starts = [number for number, (instruction, _) in enumerate(told) if instruction == "FROM"]
    return [(told[start][1].split()[0], told[start + 1:end]) for start, end in zip(starts, [*starts[1:], len(told)])]


@rest
class Container(unittest.TestCase):
    def setUp(self):
        self.build, self.final = stages()

    def root(self):
        root = pathlib.Path(tempfile.mkdtemp(prefix="fanfold-image-", dir=BUILD))
        self.addCleanup(shutil.rmtree, root, ignore_errors=True)
        machines.make_root(root)
        return root

    def inside(self, root, command, user="root"):
        as_user = [] if user == "root" else ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--no-new-privs"]
        ran = subprocess.run(machines.inside(root, *as_user, "bash", "-c", command), text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, check=False, timeout=COMMAND_SECONDS_MAX,
                             env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
                                  "DEBIAN_FRONTEND": "noninteractive"})
        self.assertEqual(ran.returncode, 0, ran.stdout)
        return ran.stdout

    def test_it_stands_on_the_debian_that_the_packages_are_for(self):
        self.assertEqual({self.build[0], self.final[0]}, {"debian:12-slim"})

    def test_nothing_in_it_runs_as_root_or_through_a_shell(self):
        told = dict(self.final[1])
        self.assertIn(told["USER"], ROLES)
        self.assertEqual(self.final[1][-1][0], "CMD")
        health = told["HEALTHCHECK"].split("CMD", 1)[1]
        for command in [health, told["CMD"], *([told["ENTRYPOINT"]] if "ENTRYPOINT" in told else [])]:
            words = json.loads(command)
            self.assertTrue(words and all(isinstance(word, str) for word in words), command)

    def test_what_is_made_here_does_not_go_in(self):
        kept_out = {line.rstrip("/") for line in (ROOT / ".dockerignore").read_text().split()}
        self.assertLessEqual({"build", "var", "deploy/kafka/libs"}, kept_out)

    def test_what_builds_it_can_be_installed(self):
        root = self.root()
        (root / "src").mkdir()
        shutil.copytree(ROOT / "deploy", root / "src/deploy", ignore=shutil.ignore_patterns("libs"))
        shim = root / "usr/local/bin/apt-get"
        shim.write_text(SIMULATES)
        shim.chmod(0o755)
        runs = [what for instruction, what in self.build[1] if instruction == "RUN"]
        self.assertEqual(runs[0], "deploy/install.sh only-build")
        self.inside(root, f"cd /src && {runs[0]}")
        targets = re.search(r"--target (.*)", runs[1]).group(1).split()
        self.assertEqual(sorted(targets), sorted(ROLES))
        shim.unlink()

    def test_the_image_as_it_is_made_and_asked_for_its_health(self):
        root = self.root()
        for instruction, what in self.final[1]:
            if instruction == "COPY":
                self.copy(root, *what.split())
            elif instruction == "RUN":
                self.inside(root, what)
        user = dict(self.final[1])["USER"]
        self.assertEqual(list((root / "var/lib/apt/lists").glob("*")), [])
        said = self.inside(root, SERVED.replace("@PORT@", str(free_port())), user)
        told = [line for line in said.splitlines() if not line.startswith("{")]
        self.assertEqual(told[-3:], ["is healthy", user, "is not"], said)
        self.assertIn("fanfold", self.inside(root, " ".join(json.loads(dict(self.final[1])["CMD"])), user))

    def copy(self, root, *words):
        *options, source, to = words
        to = root / to.lstrip("/")
        if options:
            self.assertEqual((options, source), (["--from=build"], "/src/build/packages/"))
            to.mkdir()
            for file in packages().values():
                shutil.copy(file, to)
        else:
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / source, to)


class Installed(unittest.TestCase):
    def files(self, folder):
        return {str(path.relative_to(folder)): path.stat().st_mode for path in folder.rglob("*") if not path.is_dir()}

    def test_make_install_puts_files_where_the_packages_do(self):
        with tempfile.TemporaryDirectory(prefix="fanfold-installed-", dir=BUILD) as folder:
            made, unpacked = pathlib.Path(folder) / "made", pathlib.Path(folder) / "unpacked"
            subprocess.run(["make", "-o", "build", "-C", ROOT, "install", f"DESTDIR={made}", "PREFIX=/usr"], check=True,
                           capture_output=True, timeout=COMMAND_SECONDS_MAX, env=os.environ | {"MAKEFLAGS": ""})
            for file in packages().values():
                subprocess.run(["dpkg-deb", "--extract", file, unpacked], check=True, timeout=COMMAND_SECONDS_MAX)
            self.assertEqual(self.files(made), self.files(unpacked))
            self.assertTrue((made / "etc/fanfold").is_dir())
            self.assertIn("usr/bin/fanfold", self.files(made))


if __name__ == "__main__":
    unittest.main(verbosity=2)
