"""What administrators of the database and of Kafka do while everybody works: locks for backups, read-only servers,
queries that are killed, other retention, partitions moved to other brokers."""

import collections
import contextlib
import json
import subprocess
import unittest

import faults
import fanfold
import roles
from fanfold_local.kafka import DEPLOY
from faults import Ends, Load, Session, Topics, await_held_open, wait_until
from feeds import Case, Feeds, Reads
from own_servers import own_kafka, own_mariadb
from tiers import rest

WRITE_PAUSE_S = 0.02
RETENTION_MS = 8_000  # longer than a lane stands still on a slow machine
# What batches of each, and deliveries, have to write.
KILLED = ("following_count_g1", "fan_count_g1", "progress WHERE projection = 'posts'",
          "progress WHERE projection = 'feed'", "inbox_progress")
TOO_LONG, READ_ONLY, INTERRUPTED = 1969, 1290, 1317  # as MariaDB numbers its errors
WAITS = ("SELECT trx_mysql_thread_id FROM information_schema.innodb_trx JOIN information_schema.processlist p "
         "ON p.id = trx_mysql_thread_id WHERE trx_state = 'LOCK WAIT' AND p.db = DATABASE()")
RUNS = ("SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND command = 'Query' "
        "AND id <> CONNECTION_ID()")


class Database(Case):
    ROUNDS = 3

    def on_own_server(self):
        server = own_mariadb(self)
        return self.hybrid(shards=1, mysql_sockets=[server.socket])

    def told(self, made, error):
        """How often projectors have told of that error of the database."""
        return sum(f"database error {error}:" in line for log in made.folder.glob("projector-*.log")
                   for line in log.read_text().splitlines())

    def await_told(self, made, error, what):
        before = self.told(made, error)
        wait_until(lambda: self.told(made, error) > before, what, 60)

    def folded(self, made):
        return int(made.sql(0, "SELECT SUM(event_offset) FROM progress")[0][0])

    def await_folding(self, made):
        before = self.folded(made)
        wait_until(lambda: self.folded(made) > before, "lanes go on", 60)

    def check_stands(self, made, load):
        """Nobody commits, and the writer goes on acking: it needs the log alone."""
        before = self.folded(made)
        load.await_acks(50, "the writer needs the log alone")
        self.assertEqual(self.folded(made), before, "nobody commits")

    def standing(self, made):
        """How many sessions of this deployment wait for the lock of a backup."""
        return int(made.sql(0, "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE() AND "
                               "state LIKE 'Waiting for%' AND state LIKE '%lock'")[0][0])

    @rest
    def test_flush_tables_with_read_lock(self):
        """As dumps take it: nobody commits meanwhile, everybody reads."""
        made = self.on_own_server()
        with Feeds(made, pause_s=WRITE_PAUSE_S) as load, Reads(made) as reads:
            for round_ in range(self.ROUNDS):
                load.await_acks(50)
                backup = Session(self, made)
                backup.run("FLUSH TABLES WITH READ LOCK")
                wait_until(lambda: self.standing(made) > 1, "batches wait for its end")
                self.check_stands(made, load)
                if round_ == 0:
                    self.await_told(made, TOO_LONG, "it takes longer than a statement is waited for")
                backup.run("UNLOCK TABLES")
                backup.close()
                self.await_folding(made)
        self.assertEqual((set(load.answers), reads.refused), ({202}, []))
        self.check_all(made, load.acked)

    @rest
    def test_read_only_there_and_back(self):
        """As a failover sets it: whole batches are refused, and come again."""
        made = self.on_own_server()
        with Feeds(made, pause_s=WRITE_PAUSE_S) as load, Reads(made) as reads:
            for _ in range(self.ROUNDS):
                load.await_acks(50)
                made.sql(0, "SET GLOBAL read_only = 1")
                self.await_told(made, READ_ONLY, "batches are refused")
                self.check_stands(made, load)
                made.sql(0, "SET GLOBAL read_only = 0")
                self.await_folding(made)
        self.assertEqual((set(load.answers), reads.refused), ({202}, []))
        self.check_all(made, load.acked)

    @rest
    def test_queries_killed(self):
        """Of batches that wait for a lock, one table after the other; and whatever runs just now."""
        made = self.hybrid()
        with Feeds(made, pause_s=WRITE_PAUSE_S) as load:
            load.await_acks(100)
            for table in KILLED:
                for shard in range(len(made.schemas)):
                    self.kill_a_batch_at(made, table, shard)
                    self.kill_what_runs(made, shard)
                    load.await_acks(20)
        self.assertEqual(set(load.answers), {202})
        self.check_all(made, load.acked)

    def kill_a_batch_at(self, made, table, shard):
        holder = Session(self, made, shard)
        holder.run(f"BEGIN; SELECT 1 FROM {table} FOR UPDATE")
        self.assertGreaterEqual(await_held_open(made, shard, 60), 0)
        before = self.told(made, INTERRUPTED)
        self.assertGreater(self.kill(made, shard, WAITS), 0)
        # Who delivers tells of the same error once.
        still = lambda: self.projector(made, "feed").metric("fanfold_inboxes_still_seconds")  # noqa: E731
        wait_until(lambda: self.told(made, INTERRUPTED) > before or still() > 0,
                   f"who waits for {table} is interrupted")
        holder.run("ROLLBACK")
        holder.close()

    def kill_what_runs(self, made, shard):
        for _ in range(20):
            self.kill(made, shard, RUNS)

    def kill(self, made, shard, which):
        """How many statements were told to end."""
        ids = [id_ for (id_,) in made.sql(shard, which)]
        for id_ in ids:
            with contextlib.suppress(subprocess.CalledProcessError):  # its session has ended
                made.sql(shard, f"KILL QUERY {id_}")
        return len(ids)


class ForgetfulKafka(roles.Cluster):
    """Looks more often for what is to be deleted."""

    def _properties(self, index):
        return super()._properties(index) | {
            "log.retention.check.interval.ms": 500, "log.segment.delete.delay.ms": 100, "log.initial.task.delay.ms": 500}


def follows_asked(load):
    """Who follows whom, by what was asked in the order of the log."""
    follows = set()
    place = lambda position: tuple(map(int, position.split(":")))  # noqa: E731
    for position in sorted(load.asked, key=place):
        method, path = load.asked[position]
        subject, object_ = path.split("/")[3::2]
        (follows.add if method == "PUT" else follows.discard)((subject, object_))
    return follows


class Kafka(Case):
    def partition_folders(self, cluster, topics, topic):
        """By broker, of the partitions that it has."""
        return [list((node / "data").glob(f"{topics.name(topic)}-[0-9]"))
                for node in sorted(cluster.home.glob("kafka*")) if (node / "data").exists()]

    def retention(self, made):
        checks = json.loads(made.cli("doctor", "--json", check=False).stdout)["checks"]
        return next(check for check in checks if check["name"] == "retention")["level"]

    @rest
    def test_retention_that_deletes_what_is_folded(self):
        """Lanes and the reader go on behind it, and begin anew behind it; the doctor tells."""
        cluster = own_kafka(self, make=ForgetfulKafka)
        made = self.deployment(kafka=cluster)
        made.ends = Ends.DIFFERENT  # the topics do not say any more what the tables have
        topics = Topics(made)
        begins_later = lambda: not any(  # noqa: E731
            (folder / "00000000000000000000.log").exists() for topic in faults.TOPICS[:2]
            for folders in self.partition_folders(cluster, topics, topic) for folder in folders)
        with Load(made, pause_s=WRITE_PAUSE_S) as load:
            load.await_acks(100)
            for topic in faults.TOPICS[:2]:
                topics.configure(topic, {"retention.ms": str(RETENTION_MS), "segment.ms": "500"})
            wait_until(begins_later, "the first events and outcomes are deleted", 60)
            self.assertEqual(self.retention(made), "problem")
            for topic in faults.TOPICS[:2]:
                topics.configure(topic, {"retention.ms": "-1", "segment.ms": None})
            self.assertEqual(self.retention(made), "ok")
            load.await_acks(100)
            for process in list(made.processes.values()):
                if process.name.startswith("projector") or process.name == "reader":
                    process.stop()
            made.start("reader", "fanfold-reader")
            for projection in fanfold.PROJECTIONS:
                self.start_again(made, projection)
            load.await_acks(50)
        self.assertEqual(set(load.answers), {202})
        self.check_tables(made, follows_asked(load))
        made.sql(0, "UPDATE following_g1 SET active = 0 WHERE active = 1 LIMIT 1")
        with self.assertRaises(AssertionError):  # the control
            self.check_tables(made, follows_asked(load))

    def check_tables(self, made, follows):
        """The oracle where the log has lost its beginning: what was asked."""
        made.settle()
        pairs = lambda what: {tuple(row) for row in made.sql(0, what)}  # noqa: E731
        self.assertEqual(pairs("SELECT user_id, target_id FROM following_g1 WHERE active = 1"), follows)
        self.assertEqual(pairs("SELECT fan_id, user_id FROM fans_g1 WHERE active = 1"), follows)
        for count, user in (("following_count", 0), ("fan_count", 1)):
            counted = collections.Counter(edge[user] for edge in follows)
            self.assertEqual(pairs(f"SELECT user_id, n FROM {count}_g1 WHERE n <> 0"),
                             {(user, str(n)) for user, n in counted.items()})

    def reassign(self, cluster, topics, brokers):
        """As an admin does, with Kafka's own command. Returns when nobody else has the partitions."""
        plan = cluster.home / "plan.json"
        plan.write_text(json.dumps({"version": 1, "partitions": [
            {"topic": topics.name(topic), "partition": partition, "replicas": brokers}
            for topic in faults.TOPICS for partition in range(topics.partitions)]}))
        subprocess.run(["java", "-XX:TieredStopAtLevel=1", "-cp", f"{DEPLOY / 'libs'}/*",
                        "org.apache.kafka.tools.reassign.ReassignPartitionsCommand", "--bootstrap-server",
                        cluster.bootstrap, "--reassignment-json-file", plan, "--execute"],
                       check=True, capture_output=True, timeout=120)
        wanted = [topics.partitions if broker in brokers else 0 for broker in range(1, 4)]
        wait_until(lambda: all([*map(len, self.partition_folders(cluster, topics, topic))] == wanted and
                               topics.spread(topic)[1] == len(brokers) for topic in faults.TOPICS),
                   f"{brokers} have all partitions, and nobody else", 90)

    @rest
    def test_partitions_moved_to_other_brokers(self):
        cluster = own_kafka(self, 3)
        made = self.hybrid(kafka=cluster, shards=1)
        topics = Topics(made)
        with Feeds(made, pause_s=WRITE_PAUSE_S) as load:
            load.await_acks(50)
            for brokers in ([1, 2], [2, 3], [3, 1], [1, 2, 3]):
                self.reassign(cluster, topics, brokers)
                self.assertLessEqual(topics.spread("relation-events")[0], set(brokers))
                load.await_acks(50, f"writes are acked by {brokers}")
        self.assertEqual(set(load.answers) - {202, 503}, set())
        self.check_all(made, load.acked)


if __name__ == "__main__":
    unittest.main(verbosity=2)
