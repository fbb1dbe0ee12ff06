"""Servers that a test may stop, beside the shared ones."""

import pathlib
import shutil
import signal
import sys
import tempfile

import fanfold  # noqa: F401, the path to roles and fanfold_local
import roles
import servers
from fanfold_local import mariadb


def folder(case):
    home = pathlib.Path(tempfile.mkdtemp(prefix="fanfold-test-"))
    case.addCleanup(shutil.rmtree, home, ignore_errors=True)
    return home


def own_kafka(case, brokers=1, make=roles.Cluster):
    cluster = roles.new_cluster(folder(case), brokers, make)
    case.addCleanup(lambda: [node.stop(signal.SIGKILL) for node in cluster.nodes])
    cluster.start()
    servers.prefer(cluster.home)
    return cluster


def own_mariadb(case, port=None, make=mariadb.Server):
    home = folder(case)
    server = make(home, 0, port, home / "mariadb.sock", for_tests=True)
    case.addCleanup(lambda: server.process.stop(signal.SIGKILL))
    server.start()
    servers.prefer(home)
    return server
