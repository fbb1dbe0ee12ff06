"""What a stack is started with."""

import os
import pathlib
import re
import sys
import tempfile
import tomllib
import unittest
from unittest import mock

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
COMPOSED = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text())["services"]
sys.path.insert(0, str(ROOT / "deploy" / "local"))

from fanfold_local import mariadb  # noqa: E402
from fanfold_local.process import PROJECTIONS  # noqa: E402
from fanfold_local.services import config_file, environment, services, write_config  # noqa: E402
from fanfold_local.settings import creation_of, read_start, record_counts  # noqa: E402


class Counts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)

    def start(self, **environment):
        start = read_start(self.home, environment)
        record_counts(self.home, start)
        return start.writers, start.readers, start.projectors

    def test_of_a_new_stack_are_one_each(self):
        self.assertEqual(self.start(), (1, 1, 1))

    def test_stay_until_others_are_asked_for(self):
        self.assertEqual(self.start(PROJECTORS="2", READERS="3"), (1, 3, 2))
        self.assertEqual(self.start(), (1, 3, 2))
        self.assertEqual(self.start(PROJECTORS="1"), (1, 3, 1))
        self.assertEqual(self.start(PROJECTORS=""), (1, 3, 1))


class Services(unittest.TestCase):
    def test_projectors_of_each_projection_there_is(self):
        registry = (ROOT / "common" / "ports" / "projection.h").read_text()
        self.assertEqual(PROJECTIONS, tuple(re.findall(r'ProjectionEntry\{\.name = "(\w+)"', registry)))

    def test_containers_of_each_projection_there_is(self):
        self.assertEqual([name for name in COMPOSED if name.startswith("projector-")],
                         [f"projector-{projection}" for projection in PROJECTIONS])
        pod, *_ = yaml.safe_load_all((ROOT / "deploy/kubernetes/40-projector.yaml").read_text())
        self.assertEqual([container["name"] for container in pod["spec"]["template"]["spec"]["containers"]],
                         list(PROJECTIONS))

    def test_all_containers_come_back(self):
        self.assertEqual({name for name, service in COMPOSED.items() if service.get("restart") != "unless-stopped"}, {"init"})

    def test_what_is_not_told_outside_listens_on_loopback(self):
        self.assertEqual(COMPOSED["mariadb"]["command"], ["--bind-address=127.0.0.1"])

    def test_the_network_is_of_a_container_that_nothing_ends(self):
        self.assertEqual({name for name, service in COMPOSED.items() if service.get("network_mode") != "service:net"}, {"net"})
        self.assertEqual(COMPOSED["net"]["command"], ["sleep", "infinity"])
        self.assertEqual(len(COMPOSED["net"]["ports"]), 2)
        self.assertNotEqual(COMPOSED["net"]["image"], COMPOSED["init"]["image"], "a release would replace it")

    def test_tokens_are_a_folders_since_each_change_is_another_file(self):
        for role in ("reader", "writer"):
            self.assertIn("/etc/fanfold/tokens.json", COMPOSED[role]["command"])
            self.assertEqual(COMPOSED[role]["volumes"], ["../var/compose/access:/etc/fanfold:ro"])

    def test_no_two_have_one_port(self):
        many = {kind: "3" for kind in ("WRITERS", "READERS", "PROJECTORS")}
        started = services(pathlib.Path("/a"), pathlib.Path("/b"), read_start(pathlib.Path("/a"), many))
        ports = [service.port for service in started]
        self.assertEqual(len(ports), 3 * (2 + len(PROJECTIONS)))
        self.assertEqual(len(set(ports)), len(ports))


class Configuration(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)

    def write(self, *sockets):
        created = creation_of(self.home, {"SHARDS": "2", "FANFOLD_SPACE": "x"})
        write_config(self.home, created, read_start(self.home, {}), "k:1,k:2", sockets)
        return tomllib.loads(config_file(self.home).read_text())

    def test_is_toml_that_says_what_is_meant(self):
        socket = pathlib.Path('/a "b\\c\x7f\U0001f600\t/s')
        told = self.write(socket)
        self.assertEqual(config_file(self.home).name, "fanfold.toml")
        self.assertEqual((told["mode"], told["space"], told["kafka_brokers"], told["partitions"]),
                         ("servers", "x", "k:1,k:2", 16))
        self.assertEqual(told["shards"], [f"mysql://root@localhost/x_fanfold_{shard}?socket={socket}"
                                          for shard in (0, 1)])

    def test_of_the_release_before_keeps_the_name_that_its_processes_run_with(self):
        (self.home / "fanfold.json").write_text('{"kafka_brokers": "k:0"}')
        for _ in range(2):
            self.assertEqual(self.write(pathlib.Path("/s"))["kafka_brokers"], "k:1,k:2")
            self.assertEqual(config_file(self.home).name, "fanfold.json")
        writer, *_ = services(self.home, pathlib.Path("/b"), read_start(self.home, {}))
        self.assertIn(str(self.home / "fanfold.json"), writer.command)


class Environment(unittest.TestCase):
    def test_of_another_deployment_does_not_reach_the_processes(self):
        told = {"FANFOLD_KAFKA_BROKERS": "k:1", "FANFOLD_SHARDS": "mysql://u@localhost/s",
                "FANFOLD_PARTITIONS": "8", "FANFOLD_DEPLOYMENT_ID": "0" * 32,
                "FANFOLD_KAFKA_SECURITY_PROTOCOL": "ssl", "FANFOLD_LOG_LEVEL": "debug"}
        with mock.patch.dict(os.environ, told, clear=True):
            self.assertEqual(environment(), {"FANFOLD_LOG_LEVEL": "debug"})


class MariaDb(unittest.TestCase):
    def test_two_servers_share_no_folder_for_temporary_files(self):
        home = pathlib.Path("/a")
        folders = [next(word for word in server.command if word.startswith("--tmpdir="))
                   for server in (mariadb.Server(home, index, None, home / "s") for index in (0, 1))]
        self.assertEqual(folders, ["--tmpdir=/a/mariadb-tmp", "--tmpdir=/a/mariadb-tmp-2"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
