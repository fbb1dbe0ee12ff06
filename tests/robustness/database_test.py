"""The database dies, refuses and forgets to answer: transactions are repeated whole, never half."""

import json
import signal
import subprocess
import unittest

import faults
import fanfold
from commit_cutter import CommitCutter
from faults import Ends, Load, Session, await_held_open, differences, wait_until
from own_servers import own_mariadb
from tiers import rest


def deadlocks(deployment):
    return int(deployment.sql(0, "SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'")[0][1])


class Database(faults.Case):
    KILLS = 4

    def test_killed_and_restarted_under_load(self):
        """Each time while a batch is open: a lock held from outside keeps it so."""
        server = own_mariadb(self)
        made = self.deployment(mysql_sockets=[server.socket], shards=2)
        with Load(made) as load:
            for round_ in range(self.KILLS):
                load.await_acks(200)
                shard = round_ % 2
                holder = Session(self, made, shard)
                holder.run("BEGIN; SELECT n FROM following_count_g1 FOR UPDATE")
                self.assertGreater(await_held_open(made, shard), 0, "rows of the batch are written")
                server.process.stop(signal.SIGKILL)
                holder.close()
                load.await_acks(200, "the writer needs the log alone")
                server.start()
            self.assertEqual(set(load.answers), {202}, "the writer has noticed nothing")
        self.check_everything(made, load.acked)

    @rest
    def test_control_killed_without_transactions(self):
        """What an engine without them has written of the open batch is there after the restart, and the
        batch is decided a second time on top of it."""
        server = own_mariadb(self)
        made = self.deployment(mysql_sockets=[server.socket])
        self.follow(made, 1, 2)
        made.settle()
        made.ends = Ends.DIFFERENT
        made.sql(0, "ALTER TABLE following_g1 ENGINE = MyISAM")
        holder = Session(self, made)
        holder.run("BEGIN; SELECT n FROM following_count_g1 WHERE user_id = 1 FOR UPDATE")
        self.follow(made, 1, 3, wait=False)
        await_held_open(made)
        server.process.stop(signal.SIGKILL)
        holder.close()
        server.start()
        made.settle()
        self.assertGreater(differences(made), 0)

    def test_lock_wait_timeout(self):
        """1205 undoes the statement alone; the rows before it must not come in with the next try."""
        made = self.deployment()
        self.follow(made, 1, 2)
        made.settle()
        projector = self.projector(made, "following")
        holder = Session(self, made)
        holder.run("BEGIN; SELECT n FROM following_count_g1 WHERE user_id = 1 FOR UPDATE")
        self.follow(made, 1, 3, wait=False)
        self.assertGreater(await_held_open(made), 0)
        row = lambda: made.sql(0, "SELECT 1 FROM following_g1 WHERE target_id = 3")

        def retried():
            self.assertEqual(row(), [], "half a batch")
            return projector.metric("fanfold_projector_retries_total") >= 2
        wait_until(retried, "the batch is tried again", 30)
        holder.run("ROLLBACK")
        wait_until(row, "the batch is in")
        self.check_everything(made)

    @rest
    def test_control_lock_wait_timeout_without_a_rollback(self):
        """Whoever begins again without one commits the half that stands."""
        made = self.deployment(start=False)
        made.ends = Ends.DIFFERENT
        made.sql(0, "INSERT INTO following_count_g1 VALUES (1, 1)")
        holder, victim = Session(self, made), Session(self, made)
        holder.run("BEGIN; SELECT n FROM following_count_g1 WHERE user_id = 1 FOR UPDATE")
        victim.run("SET innodb_lock_wait_timeout = 1; SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
        errors = victim.run("BEGIN; INSERT INTO following_g1 VALUES (1, 3, 1, 5, 1);"
                            "UPDATE following_count_g1 SET n = n + 1 WHERE user_id = 1")
        self.assertIn("ERROR 1205", "".join(errors))
        victim.run("BEGIN")
        self.assertEqual(made.sql(0, "SELECT COUNT(*) FROM following_g1"), [["1"]])

    def test_deadlock(self):
        """A foreign transaction holds the count that the batch wants and wants the row that the batch
        has written; it has written more, so the batch is the victim."""
        made = self.deployment()
        self.follow(made, 1, 2)
        made.settle()
        projector, before = self.projector(made, "following"), deadlocks(made)
        made.sql(0, "CREATE TABLE weight (n INT) ENGINE = InnoDB")
        foreign = Session(self, made)
        foreign.run("BEGIN; INSERT INTO weight SELECT seq FROM seq_1_to_1000; "
                    "SELECT n FROM following_count_g1 WHERE user_id = 1 FOR UPDATE")
        self.follow(made, 1, 3, wait=False)
        await_held_open(made)
        foreign.run("SELECT 1 FROM following_g1 WHERE user_id = 1 AND target_id = 3 FOR UPDATE")
        wait_until(lambda: projector.metric("fanfold_projector_retries_total") >= 1, "1213 is met")
        self.assertEqual(deadlocks(made), before + 1)
        self.assertEqual(made.sql(0, "SELECT 1 FROM following_g1 WHERE target_id = 3"), [])
        foreign.run("ROLLBACK")
        wait_until(lambda: made.sql(0, "SELECT 1 FROM following_g1 WHERE target_id = 3"),
                   "the batch is in")
        self.check_everything(made)

    @rest
    def test_control_deadlock_without_beginning_again(self):
        """The victim's transaction is gone as a whole; who goes on in it commits its other half."""
        made = self.deployment(start=False)
        made.ends = Ends.DIFFERENT
        made.sql(0, "INSERT INTO following_count_g1 VALUES (1, 1), (2, 1)")
        made.sql(0, "CREATE TABLE weight (n INT) ENGINE = InnoDB")
        foreign, victim = Session(self, made), Session(self, made)
        foreign.run("BEGIN; INSERT INTO weight SELECT seq FROM seq_1_to_1000; "
                    "SELECT n FROM following_count_g1 WHERE user_id = 1 FOR UPDATE")
        victim.run("BEGIN; INSERT INTO following_g1 VALUES (1, 3, 1, 5, 1)")
        victim.send("UPDATE following_count_g1 SET n = n + 1 WHERE user_id = 1")
        await_held_open(made)
        foreign.run("SELECT 1 FROM following_g1 WHERE user_id = 1 AND target_id = 3 FOR UPDATE")
        self.assertIn("ERROR 1213", "".join(victim.receive()))
        foreign.run("ROLLBACK")
        victim.run("UPDATE following_count_g1 SET n = n + 1 WHERE user_id = 1; COMMIT")
        self.assertEqual(made.sql(0, "SELECT n FROM following_count_g1 WHERE user_id = 1"), [["2"]])
        self.assertEqual(made.sql(0, "SELECT * FROM following_g1"), [], "counted, and not there")

    def test_connection_lost_during_commit(self):
        """Some were applied, some not, and nobody says which; the position does."""
        made = self.deployment(start=False)
        cutter = CommitCutter(made.socket_of(0), every=16)
        self.addCleanup(cutter.close)
        plain = made.config.read_text()
        made.config.write_text(json.dumps(json.loads(plain) | {
            "shards": [made.dsn(f"127.0.0.1:{cutter.port}/{made.schemas[0]}?")]}))
        for projection in ("following", "fans"):
            self.start_again(made, projection)
        made.config.write_text(plain)
        for name, binary in (("writer", "fanfold-writer"), ("reader", "fanfold-reader")):
            wait_until(made.start(name, binary).is_ready, name, fanfold.START_TIMEOUT_S)
        with Load(made) as load:
            wait_until(lambda: min(cutter.cut_after, cutter.cut_before) >= 10, "COMMITs are cut", 120)
            cutter.cutting = False
        self.check_everything(made, load.acked)

    @rest
    def test_control_commit_repeated_until_it_is_answered(self):
        """By whoever looks at no position: the first COMMIT has not arrived, the second one has."""
        made = self.deployment(start=False)
        cutter = CommitCutter(made.socket_of(0), every=2)
        self.addCleanup(cutter.close)
        made.ends = Ends.DIFFERENT
        made.sql(0, "INSERT INTO following_count_g1 VALUES (1, 0)")

        def count_one_more():
            return subprocess.run(
                ["mariadb", "--no-defaults", "--protocol=tcp", "--host=127.0.0.1", "--skip-ssl",
                 f"--port={cutter.port}", "-uroot", made.schemas[0], "-e",
                 "BEGIN; UPDATE following_count_g1 SET n = n + 1 WHERE user_id = 1; COMMIT"],
                capture_output=True, timeout=30).returncode
        self.assertNotEqual((count_one_more(), count_one_more()), (0, 0))
        self.assertEqual((cutter.cut_before, cutter.cut_after), (1, 1))
        cutter.cutting = False
        self.assertEqual(count_one_more(), 0)
        self.assertEqual(made.sql(0, "SELECT n FROM following_count_g1"), [["2"]], "counted twice")

    def test_shard_0_away_when_projectors_start(self):
        """It has the catalog, without which nobody knows whose lanes are whose."""
        server = own_mariadb(self)
        made = self.deployment(mysql_sockets=[server.socket, fanfold.servers()["MYSQL_SOCKET"]],
                               shards=2)
        for user in range(1, 17):
            self.follow(made, user, 5000)
        made.settle()
        for name in list(made.processes):
            if name.startswith("projector"):
                made.processes.pop(name).stop()
        claims = made.sql(1, "SELECT SUM(owner_epoch) FROM progress")
        server.process.stop(signal.SIGKILL)
        projectors = [made.start_projector(projection) for projection in ("following", "fans")]
        for process in projectors:
            wait_until(lambda: not process.is_ready() and isinstance(process.readiness, dict) and
                       "waiting for the deployment: shard 0" in str(process.readiness),
                       f"{process.name} says what it waits for")
            self.assertIn("waiting for the deployment", process.tail())
        self.assertEqual(made.sql(1, "SELECT SUM(owner_epoch) FROM progress"), claims,
                         "no lane is made or claimed")
        server.start()
        for process in projectors:
            process.await_ready(fanfold.START_TIMEOUT_S)
        self.follow(made, 17, 5000)
        self.check_everything(made)

    def test_shard_1_away_when_projectors_start(self):
        """Its lanes wait for it, and no other's."""
        server = own_mariadb(self)
        made = self.deployment(mysql_sockets=[fanfold.servers()["MYSQL_SOCKET"], server.socket],
                               shards=2)
        self.follow(made, 1, 5000)
        made.settle()
        for name in list(made.processes):
            if name.startswith("projector"):
                made.processes.pop(name).stop()
        server.process.stop(signal.SIGKILL)
        projectors = [made.start_projector(projection) for projection in fanfold.PROJECTIONS]
        before = made.sql(0, "SELECT COUNT(*) FROM following_g1")
        users = iter(range(2, 1000))

        def shard_0_folds():
            self.follow(made, next(users), 5000, wait=False)
            return made.sql(0, "SELECT COUNT(*) FROM following_g1") != before

        wait_until(shard_0_folds, "lanes of shard 0 fold without shard 1", 60, 0.1)
        self.assertFalse(projectors[0].is_ready())
        server.start()
        for process in projectors:
            process.await_ready(60)
        self.check_everything(made)

    def test_connections_killed_under_load(self):
        made = self.deployment(shards=2)
        killed = 0
        with Load(made) as load:
            for round_ in range(60):
                ids = [row[0] for row in made.sql(0, """
                    SELECT id FROM information_schema.processlist p WHERE db = DATABASE()
                    AND id IN (SELECT owner_connection FROM progress)""")]
                for id_ in ids:
                    subprocess.run(["mariadb", "--no-defaults", f"--socket={made.socket_of(0)}",
                                    "-uroot", "-e", f"KILL CONNECTION {id_}"], capture_output=True)
                killed += len(ids)
                load.await_acks(10)
        self.assertGreater(killed, 20)
        self.check_everything(made, load.acked)


if __name__ == "__main__":
    unittest.main(verbosity=2)
