"""Blocks of docs/DEPLOY.md that one machine can judge: they are run as they stand, in a folder, beside stubs of others."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import page
from machines import TYPED

ROOT = page.FILE.parents[1]
SECONDS_MAX = 60
SECRETS, BACKUP, GONE = "2 Secrets", "Back up", "A machine is gone"
# Of a schema, where there is no `fail` in the folder, and whole where there is no `cut`.
DUMP = """echo "-- of $2, $(cat now)"
[ ! -e fail ] || exit 2
[ -e cut ] || echo "-- Dump completed on 2026-11-27  6:20:25"
"""


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        self.blocks = page.ThreeMachines()

    def stub(self, name, script):
        program = self.folder / "bin" / name
        program.write_text(f"#!/bin/bash\n{script}\n")
        program.chmod(0o755)

    def run_here(self, script):
        (self.folder / "script").write_text(script)
        return subprocess.run(["bash", "-c", TYPED, self.folder / "script"], cwd=self.folder, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=SECONDS_MAX,
                              env={"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "HOME": str(self.folder)})


class Tokens(unittest.TestCase):
    def test_none_is_an_argument_which_everybody_on_the_machine_sees(self):
        for file in ("docs/DEPLOY.md", "README.md", "deploy/compose.yaml"):
            shown = re.findall(r"-H (\S*)\W+Authorization", (ROOT / file).read_text())
            self.assertEqual(set(shown), {"@<(echo"}, file)


class Certificates(Page):
    def setUp(self):
        super().setUp()
        self.stub("fanfold", "true")
        self.stub("java", "echo cluster")
        for number in (0, 1):
            _, (script,), _ = self.blocks.block(SECRETS, number)
            ran = self.run_here(script)
            self.assertEqual(ran.returncode, 0, ran.stdout)

    def serves_as(self, purpose, certificate):
        ran = subprocess.run(["openssl", "verify", "-purpose", purpose, "-CAfile", "ca.pem", certificate],
                             cwd=self.folder / "secrets", capture_output=True, check=False, timeout=SECONDS_MAX)
        return ran.returncode == 0

    def test_a_role_has_no_key_of_a_client(self):
        for machine in "abc":
            with self.subTest(machine):
                self.assertTrue(self.serves_as("sslserver", f"{machine}.pem"))
                self.assertFalse(self.serves_as("sslclient", f"{machine}.pem"))

    def test_brokers_know_each_other(self):
        settings = (ROOT / "deploy/kafka/three-machines.properties").read_text()
        users = re.search(r"^super.users=(.*)$", settings, re.M)[1].split(";")
        self.assertEqual(len(users), 3)
        for machine, user in zip("abc", users):
            with self.subTest(machine):
                file = f"broker-{machine}.pem"
                self.assertTrue(self.serves_as("sslserver", file) and self.serves_as("sslclient", file))
                said = self.run_here("openssl x509 -noout -subject -nameopt RFC2253 -ext subjectAltName "
                                     f"-in secrets/{file}").stdout
                self.assertIn(f"subject={user.removeprefix('User:')}\n", said)
                self.assertIn(f"DNS:{machine}.example.com\n", said)


class Backups(Page):
    def setUp(self):
        super().setUp()
        self.stub("mariadb", 'case $* in *SHOW*) cat schemas ;; *) echo "$@" >> asked; cat > /dev/null ;; esac')
        self.stub("mariadb-dump", DUMP)
        self.stub("fanfold", "cat now; [ ! -e fail ]")
        self.tell(schemas="fanfold_0 fanfold_2", now="first")

    def stub(self, name, script):
        super().stub(name, f"cd {self.folder}\n{script}")

    def tell(self, **files):
        for name, content in files.items():
            (self.folder / name).write_text(content)

    def succeeds(self, title, number):
        _, (script,), _ = self.blocks.block(title, number)
        return self.run_here(script.replace("/var/backups", str(self.folder))).returncode == 0

    def kept(self, name):
        return self.run_here(f"zcat < fanfold/{name}").stdout

    def test_what_fails_leaves_the_last_good_dump(self):
        self.assertTrue(self.succeeds(BACKUP, 0))
        for wrong in ("fail", "cut"):
            with self.subTest(wrong):
                self.tell(now="second", **{wrong: ""})
                self.assertFalse(self.succeeds(BACKUP, 0))
                self.assertIn("of fanfold_0, first\n", self.kept("fanfold_0.sql.gz"))
                (self.folder / wrong).unlink()
        self.assertTrue(self.succeeds(BACKUP, 0))
        self.assertIn("of fanfold_2, second\n", self.kept("fanfold_2.sql.gz"))
        self.assertIn("of fanfold_2, first\n", self.kept("fanfold_2.sql.gz~"))

    def test_no_schema_is_no_backup(self):
        self.tell(schemas="")
        self.assertFalse(self.succeeds(BACKUP, 0))

    def test_what_fails_leaves_the_last_good_log(self):
        self.assertTrue(self.succeeds(BACKUP, 1))
        self.tell(now="second", fail="")
        self.assertFalse(self.succeeds(BACKUP, 1))
        self.assertEqual(self.kept("log.jsonl.gz"), "first")

    def test_no_shard_is_dropped_for_a_dump_that_is_cut(self):
        self.assertTrue(self.succeeds(BACKUP, 0))
        dump = self.folder / "fanfold/fanfold_2.sql.gz"
        dump.write_bytes(dump.read_bytes()[:-4])
        self.assertFalse(self.succeeds(GONE, 1))
        self.assertFalse((self.folder / "asked").exists())


class Packages(Page):
    """Of deploy/config/three-machines.sh, which the page has in the operator's shell."""

    def setUp(self):
        super().setUp()
        self.policy = self.folder / "policy-rc.d"
        functions = (ROOT / "deploy/config/three-machines.sh").read_text()
        self.assertIn("/usr/sbin/policy-rc.d", functions)
        self.script = functions.replace("/usr/sbin/policy-rc.d", str(self.policy)) + "fanfold_packages ./a.deb\n"

    def while_apt(self, does):
        self.stub("apt-get", f"[ -x {self.policy} ] && ! {self.policy} && echo restarts nothing\n{does}")
        return self.run_here(self.script)

    def test_services_are_left_alone_for_as_long_as_apt_runs(self):
        for does, ended in (("true", 0), ("exit 100", 100), ("kill -TERM $PPID", 1), ("kill -HUP $PPID", 1)):
            with self.subTest(does):
                ran = self.while_apt(does)
                self.assertIn("restarts nothing", ran.stdout)
                self.assertEqual(ran.returncode != 0, ended != 0)
                self.assertFalse(self.policy.exists())

    def test_the_machines_own_policy_is_kept(self):
        self.policy.write_text("its own")
        self.assertNotEqual(self.while_apt("true").returncode, 0)
        self.assertEqual(self.policy.read_text(), "its own")


if __name__ == "__main__":
    unittest.main()
