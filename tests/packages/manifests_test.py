"""deploy/kubernetes is what Kubernetes' API says it may be."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "integration"))

from packages import program  # noqa: E402
from tiers import rest  # noqa: E402

SECONDS_MAX = 120
FOLDER = ROOT / "deploy" / "kubernetes"


def documents(kind):
    return [document for file in sorted(FOLDER.rglob("*.yaml")) for document in yaml.safe_load_all(file.read_text())
            if document["kind"] == kind]


@rest
class Manifests(unittest.TestCase):
    def validate(self, *files):
        ran = subprocess.run([program("kubernetes", "kubernetes-validate"), "--strict", *files], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=SECONDS_MAX)
        return ran.returncode, ran.stdout

    def test_each_is_valid(self):
        files = sorted(FOLDER.glob("*.yaml"))
        self.assertGreater(len(files), 4)
        returned, said = self.validate(*files)
        self.assertEqual(returned, 0, said)

    def test_one_that_is_not_is_found(self):
        right = (ROOT / "deploy/kubernetes/30-reader.yaml").read_text()
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(right.replace("selector:", "picks:"))
            file.flush()
            self.assertNotEqual(self.validate(file.name)[0], 0)


class Pods(unittest.TestCase):
    def test_names_of_services_are_no_settings(self):
        """Kubelet would set FANFOLD_READER_PORT to the address of the Service fanfold-reader."""
        for document in documents("Deployment") + documents("Job"):
            self.assertIs(document["spec"]["template"]["spec"].get("enableServiceLinks"), False, document["metadata"]["name"])

    def test_of_a_release_each(self):
        """`latest` is whatever was pushed last when a pod happens to start."""
        images = {container["image"] for document in documents("Deployment") + documents("Job")
                  for container in document["spec"]["template"]["spec"]["containers"]}
        version = re.search(r"project\(fanfold VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(images, {f"registry.example.com/fanfold:{version}"})

    def test_the_writer_has_no_database(self):
        """deploy/mysql/rights.sql makes no user for it."""
        writer, = (document for document in documents("Deployment") if document["metadata"]["name"] == "fanfold-writer")
        self.assertNotIn("mysql", yaml.safe_dump(writer))

    def test_what_is_scaled_has_no_number_that_applying_would_set(self):
        scaled = {document["spec"]["scaleTargetRef"]["name"] for document in documents("HorizontalPodAutoscaler")}
        deployments = {document["metadata"]["name"]: document["spec"] for document in documents("Deployment")}
        self.assertEqual(scaled, set(deployments))
        for name, spec in deployments.items():
            self.assertNotIn("replicas", spec, name)

    def test_projectors_of_two_releases_never_run_together(self):
        strategy, = (document["spec"]["strategy"] for document in documents("Deployment")
                     if document["metadata"]["name"] == "fanfold-projector")
        self.assertEqual(strategy, {"type": "Recreate"})


class Readme(unittest.TestCase):
    """What the README pipes into kubectl."""

    def piped(self, pattern, folder):
        script = re.search(pattern, (FOLDER / "README.md").read_text(), re.S)[1]
        return subprocess.run(["bash", "-ec", script], cwd=folder, stdout=subprocess.PIPE, check=True, timeout=SECONDS_MAX).stdout

    def test_the_rules_are_those_of_the_files(self):
        made = yaml.safe_load(self.piped(r"\$ (\(printf .*?\)) \|\n", ROOT))
        self.assertEqual((made["kind"], set(made["spec"])), ("PrometheusRule", {"groups"}))
        self.assertEqual(made["spec"]["groups"], [group for name in ("rules", "records")
                                                  for group in yaml.safe_load((ROOT / f"deploy/alerts/fanfold.{name}.yml").read_text())["groups"]])

    def test_a_token_is_sent_as_the_secret_has_it(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "token").write_text("abc_DEF\n")
            self.assertEqual(self.piped(r"\$ (tr [^|]*) \|", folder), b"abc_DEF")


class Reached(unittest.TestCase):
    """A request's Host is one of those that FANFOLD_HOSTS lists."""

    def containers(self):
        """(labels, container)"""
        for deployment in documents("Deployment"):
            template = deployment["spec"]["template"]
            for container in template["spec"]["containers"]:
                yield template["metadata"]["labels"], container

    def test_by_their_services_names(self):
        hosts = documents("ConfigMap")[0]["data"]["FANFOLD_HOSTS"].split(",")
        services = documents("Service")
        self.assertEqual(len(services), 2)
        for service in services:
            name = service["metadata"]["name"]
            for host in (name, f"{name}.fanfold", f"{name}.fanfold.svc", f"{name}.fanfold.svc.cluster.local", "api.example.com"):
                self.assertIn(host, hosts)

    def test_by_prometheus(self):
        monitor, = documents("PodMonitor")
        selected, = monitor["spec"]["selector"]["matchExpressions"]
        asked = {endpoint["port"] for endpoint in monitor["spec"]["podMetricsEndpoints"]}
        answer = set()
        for labels, container in self.containers():
            self.assertIn(labels[selected["key"]], selected["values"])
            ports = {port["name"] for port in container["ports"]} - {"http"}
            self.assertEqual(len(ports), 1, container["name"])
            answer |= ports
        self.assertEqual(asked, answer)
        for endpoint in monitor["spec"]["podMetricsEndpoints"]:
            self.assertEqual(endpoint["authorization"]["credentials"], {"name": "fanfold-prometheus", "key": "token"})


if __name__ == "__main__":
    unittest.main()
