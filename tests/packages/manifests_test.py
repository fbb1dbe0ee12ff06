"""deploy/kubernetes is what Kubernetes' API says it may be."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "integration"))

from packages import program  # noqa: E402

SECONDS_MAX = 120


class Manifests(unittest.TestCase):
    def validate(self, *files):
        ran = subprocess.run([program("kubernetes", "kubernetes-validate"), "--strict", *files], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=SECONDS_MAX)
        return ran.returncode, ran.stdout

    def test_each_is_valid(self):
        files = sorted((ROOT / "deploy" / "kubernetes").glob("*.yaml"))
        self.assertGreater(len(files), 4)
        returned, said = self.validate(*files)
        self.assertEqual(returned, 0, said)

    def test_one_that_is_not_is_found(self):
        right = (ROOT / "deploy/kubernetes/30-reader.yaml").read_text()
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(right.replace("replicas:", "copies:"))
            file.flush()
            self.assertNotEqual(self.validate(file.name)[0], 0)


if __name__ == "__main__":
    unittest.main()
