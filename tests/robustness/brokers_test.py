"""Three brokers: one dies, leaders move, all are restarted in turn, all are gone for a while."""

import resource
import shutil
import signal
import types
import unittest

import faults
import fanfold
from faults import Load, Topics, wait_until
from own_servers import own_kafka
from tiers import rest

BROKERS = 3
PARTITIONS = 4
WRITE_PAUSE_S = 0.01
DOCTOR_CPU_SECONDS_MAX = 1.0  # a loop burns most of the 15 s that it waits


class BrokersCase(faults.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster = own_kafka(types.SimpleNamespace(addCleanup=cls.addClassCleanup), BROKERS)

    def setUp(self):
        super().setUp()
        self.cluster.start()  # what the test before has left stopped

    def await_in_sync(self, topics):
        wait_until(lambda: all(topics.spread(topic)[1] == BROKERS for topic in faults.TOPICS),
                   "all replicas are in sync", 90)


@rest
class EachInTurn(BrokersCase):
    def test_one_down_then_each_restarted_then_all_gone(self):
        cluster = self.cluster
        made = self.deployment(kafka=cluster, partitions=PARTITIONS)
        topics = Topics(made)
        with Load(made, pause_s=WRITE_PAUSE_S) as load:
            load.await_acks(100)
            self.one_dies(cluster, topics, load)
            self.each_is_restarted(cluster, topics, load)
            self.all_are_gone(cluster, made, load)
        self.check_everything(made, load.acked)
        self.assertEqual(set(load.answers) - {202, 503}, set())
        for process in made.processes.values():
            self.assertIsNone(process.popen.poll(), f"{process.name} goes on by itself")

    def one_dies(self, cluster, topics, load):
        self.assertIn(1, topics.spread("relation-events")[0])
        cluster.nodes[0].stop(signal.SIGKILL)
        load.await_acks(200, "writes are acked by two of three")
        wait_until(lambda: topics.spread("relation-events") == ({2, 3}, 2), "leaders moved")
        cluster.start()
        self.await_in_sync(topics)

    def each_is_restarted(self, cluster, topics, load):
        for node in cluster.nodes:
            node.stop()
            load.await_acks(50, f"writes are acked without {node.name}")
            cluster.start()
            self.await_in_sync(topics)

    def all_are_gone(self, cluster, made, load):
        for node in cluster.nodes:
            node.send(signal.SIGKILL)
        for node in cluster.nodes:
            node.stop(signal.SIGKILL)
        refused = load.answers[503]
        wait_until(lambda: load.answers[503] > refused + 10, "the writer refuses", 30)
        acked = len(load.acked)
        status, headers, body = made.writer().request("PUT", "/v1/users/1/following/2")
        self.assertEqual((status, body["code"]), (503, "log_unavailable"))
        self.assertGreaterEqual(int(headers["Retry-After"]), 1)
        self.assertEqual(len(load.acked), acked, "nothing is acked without a log")
        cluster.start()
        load.await_acks(200, "writes are acked again", 90)


class Brokers(BrokersCase):
    def test_two_of_three_gone_the_doctor_does_not_spin(self):
        cluster = self.cluster
        made = self.deployment(kafka=cluster, partitions=PARTITIONS, start=False)
        for node in cluster.nodes[1:]:
            node.stop(signal.SIGKILL)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ran = made.cli("doctor", check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
                        DOCTOR_CPU_SECONDS_MAX, ran.stdout)
        self.assertNotIn("librdkafka", ran.stderr)
        cluster.start()

    def lose_disk_of_a_leader(self, cluster, replicas):
        """Acked events, then kill -9 and an empty disk for one broker. Gives deployment and what was
        acked."""
        made = self.deployment(kafka=cluster, partitions=PARTITIONS, start=False)
        topics = Topics(made)
        for topic in faults.TOPICS:
            topics.create_again(topic, replicas)
        made.start("writer", "fanfold-writer")
        wait_until(made.processes["writer"].is_ready, "the writer", fanfold.START_TIMEOUT_S)
        with Load(made) as load:
            load.await_acks(300)
        cluster.nodes[0].stop(signal.SIGKILL)
        if replicas == 1:
            self.check_some_are_refused(made)
        for topic in faults.TOPICS:
            for partition in (cluster.home / "kafka" / "data").glob(f"{topics.name(topic)}-*"):
                shutil.rmtree(partition)
        cluster.start()
        if replicas == BROKERS:
            self.await_in_sync(topics)
        positions = faults.Log(made).events().keys()
        return made, load.acked, load.acked.keys() - positions

    def check_some_are_refused(self, made):
        """The control of `one_dies`: nobody else leads what the dead broker alone has."""
        for user in range(1, 8 * PARTITIONS):
            status, _, _ = made.writer().request("PUT", f"/v1/users/{user}/following/9")
            if status == 503:
                return
        self.fail("every write was acked without the broker")

    def test_disk_of_a_broker_lost(self):
        """With three replicas nothing acked is lost; the control, with one, shows what they are for."""
        cluster = self.cluster
        _, acked, lost = self.lose_disk_of_a_leader(cluster, 1)
        self.assertGreater(len(lost), 0, f"control: of {len(acked)} acked")
        made, acked, lost = self.lose_disk_of_a_leader(cluster, BROKERS)
        self.assertEqual(lost, set())
        made.start_projector("following")
        made.start_projector("fans")
        made.start("reader", "fanfold-reader")
        for process in made.processes.values():
            wait_until(process.is_ready, f"{process.name} ready", fanfold.START_TIMEOUT_S)
        self.check_everything(made, acked)


if __name__ == "__main__":
    unittest.main(verbosity=2)
