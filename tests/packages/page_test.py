"""Blocks of docs/DEPLOY.md that one machine can judge: they are run as they stand, in a folder, beside stubs of others."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import page

ROOT = page.FILE.parents[1]
SECONDS_MAX = 60
SECRETS = "2 Secrets"


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
        """As one who has logged in types it."""
        return subprocess.run(["bash", "-c", script], cwd=self.folder, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=SECONDS_MAX,
                              env={"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "HOME": str(self.folder)})


class Certificates(Page):
    def setUp(self):
        super().setUp()
        self.stub("fanfold", "true")
        self.stub("java", "echo cluster")
        for number in (0, 1):
            _, (script,) = self.blocks.block(SECRETS, number)
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


if __name__ == "__main__":
    unittest.main()
