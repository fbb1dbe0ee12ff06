"""A Kafka whose brokers start at a third of the CPU: the classes that each would load, and the storage that a JVM
would format, are made once for the jars that are there, and go with them."""

import contextlib
import shutil
import tempfile
from pathlib import Path

from fanfold_local import kafka
from ports import free_port

MADE = kafka.DEPLOY / "libs/quick"
CLASSES, CHECKPOINT = "classes.jsa", "bootstrap.checkpoint"


def shared_classes():
    """What a JVM that runs from the jars is told; nothing where there is no archive of them."""
    return [f"-XX:SharedArchiveFile={MADE / CLASSES}"] if (MADE / CLASSES).exists() else []


class Cluster(kafka.Cluster):
    def start(self):
        if not MADE.exists():
            make()
        super().start()

    def _java(self):
        java, *options = super()._java()
        return [java, *shared_classes(), *options]

    def _make_storage(self, index):
        """As Kafka formats it: but for its time, the checkpoint is the same of every cluster and node."""
        data = self._directory(index) / "data"
        data.mkdir()
        shutil.copy(MADE / CHECKPOINT, data)
        (data / "meta.properties").write_text(
            f"version=1\ncluster.id={self.cluster_id}\nnode.id={index + 1}\ndirectory.id={kafka.new_cluster_id()}\n")


class FirstCluster(kafka.Cluster):
    """Formatted by Kafka itself; leaves an archive of the classes that it has loaded."""

    def command(self, index):
        java, *options = super().command(index)
        return [java, f"-XX:ArchiveClassesAtExit={self.home / CLASSES}", *options]


def make():
    with tempfile.TemporaryDirectory(prefix="quick-", dir=MADE.parent) as folder:
        home, made = Path(folder), Path(folder) / "made"
        first = FirstCluster(home, kafka.new_cluster_id(), [free_port()], [free_port()], for_tests=True)
        try:
            first.start()
        finally:
            is_whole = first.nodes[0].stop()
        made.mkdir()
        shutil.move(home / "kafka/data" / CHECKPOINT, made)
        if is_whole and (home / CLASSES).exists():  # half an archive would end every JVM
            shutil.move(home / CLASSES, made)
        with contextlib.suppress(OSError):  # somebody else was faster
            made.rename(MADE)
