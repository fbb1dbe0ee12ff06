"""Servers that a test may stop, beside the shared ones."""

import pathlib
import shutil
import signal
import sys
import tempfile

import fanfold

sys.path.insert(0, str(fanfold.ROOT / "deploy" / "local"))

from fanfold_local import kafka, mariadb  # noqa: E402
from fanfold_local.ports import free_ports  # noqa: E402


def folder(case):
    home = pathlib.Path(tempfile.mkdtemp(prefix="fanfold-test-"))
    case.addCleanup(shutil.rmtree, home, ignore_errors=True)
    return home


def own_kafka(case):
    port, controller_port = free_ports(2)
    cluster = kafka.Cluster(folder(case), kafka.new_cluster_id(), [port], [controller_port],
                            for_tests=True)
    case.addCleanup(lambda: cluster.nodes[0].stop(signal.SIGKILL))
    cluster.start()
    return cluster


def own_mariadb(case):
    home = folder(case)
    server = mariadb.Server(home, 0, None, home / "mariadb.sock", for_tests=True)
    case.addCleanup(lambda: server.process.stop(signal.SIGKILL))
    server.start()
    return server
