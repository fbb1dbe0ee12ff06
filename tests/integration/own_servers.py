"""Servers that a test may stop, beside the shared ones."""

import pathlib
import shutil
import signal
import sys
import tempfile

import fanfold  # noqa: F401, the path to fanfold_local
from fanfold_local import kafka, mariadb
from fanfold_local.ports import free_ports


def folder(case):
    home = pathlib.Path(tempfile.mkdtemp(prefix="fanfold-test-"))
    case.addCleanup(shutil.rmtree, home, ignore_errors=True)
    return home


def own_kafka(case, make=kafka.Cluster):
    port, controller_port = free_ports(2)
    cluster = make(folder(case), kafka.new_cluster_id(), [port], [controller_port], for_tests=True)
    case.addCleanup(lambda: cluster.nodes[0].stop(signal.SIGKILL))
    cluster.start()
    return cluster


def own_mariadb(case, port=None, make=mariadb.Server):
    home = folder(case)
    server = make(home, 0, port, home / "mariadb.sock", for_tests=True)
    case.addCleanup(lambda: server.process.stop(signal.SIGKILL))
    server.start()
    return server
