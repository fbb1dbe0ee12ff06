"""Schemathesis asks each process for whatever its openapi.yaml allows and forbids, and finds nothing.

Two checks are left out. `positive_data_acceptance`: a schema cannot say which ids, cursors and positions
there are, and those that there are not are refused. `use_after_free`: a user who is deleted is one
without relations, not a 404, and their rows go by and by.
"""

import subprocess
import unittest

import fanfold
from packages import program
from tiers import rest

SEED, EXAMPLES_MAX, TIMEOUT_S = 1, 40, 300
OUTPUT_CHARACTERS_MAX = 20_000
# Everybody follows everybody, so that the ids of the examples are somebody and their positions reached.
USERS = 200


class SchemathesisCase(fanfold.Case):
    def check(self, deployed, *names):
        deployed.cli("import", "-", stdin="".join(
            f"{user}\t{other}\t{user * other}\n"
            for user in range(1, USERS + 1) for other in range(1, USERS + 1) if user != other))
        deployed.settle()
        for name in names:
            with self.subTest(process=name):
                self.check_process(deployed, deployed.processes[name])

    def check_process(self, deployed, process):
        ran = subprocess.run(
            [program("schemathesis", "schemathesis"), "run", f"http://127.0.0.1:{process.port}/openapi.yaml",
             "--exclude-path", "/v1/changes",  # which does not end
             "--exclude-checks", "positive_data_acceptance,use_after_free", "--seed", str(SEED),
             "--max-examples", str(EXAMPLES_MAX), "--continue-on-failure", "--no-color",
             "--generation-database", "none"],
            cwd=deployed.folder, capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(ran.returncode, 0, ran.stdout[:OUTPUT_CHARACTERS_MAX] + ran.stderr)
        self.assertRegex(ran.stdout, r"\d{2,} generated, \d+ passed", "it asked for something")


@rest
class Processes(SchemathesisCase):
    def test_writer_reader_and_projector(self):
        self.check(self.deployment(shards=2), "writer", "reader", "projector-following-1")


@rest
class Embedded(SchemathesisCase):
    def test_everything_in_one_process(self):
        self.check(self.embedded(), "serve")


if __name__ == "__main__":
    unittest.main()
