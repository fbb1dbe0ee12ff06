"""`fanfold rebuild` is killed at each of its steps, where a lock in the database holds it, and called
again; the projectors are killed at each step of the decider's seat."""

import contextlib
import signal
import subprocess
import unittest

from faults import Case, Load, Session, differences, fanfold, wait_until
from tiers import rest


class RebuildCase(Case):
    def filled(self, events=60_000, shards=1):
        made = self.deployment(shards=shards)
        made.cli("import", "-", stdin="".join(
            f"{1 + n % 300} {400 + n // 300}\n" for n in range(events)))
        made.settle()
        return made

    def waiting_with(self, made, statement, shard=0):
        """Sessions of the database that wait with it."""
        return [session for (session,) in made.sql(
            shard, "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND "
                   f"info LIKE '{statement}%'")]

    @contextlib.contextmanager
    def stopped_at(self, made, lock, statement, command, shard=0):
        """While `lock` keeps the command from the statement, which never runs: it is killed then."""
        holder = Session(self, made, shard)
        self.assertEqual([line for line in holder.run(lock) if "ERROR" in line], [])
        if isinstance(command, tuple):
            command = self.begin(made, "rebuild", *command)
        else:
            command.send_signal(signal.SIGCONT)
        wait_until(lambda: self.waiting_with(made, statement, shard) or command.poll() is not None,
                   f"it waits with {statement}", 60)
        self.assertIsNone(command.poll(), statement)
        yield
        command.kill()
        for session in self.waiting_with(made, statement, shard):
            with contextlib.suppress(subprocess.CalledProcessError):  # it has ended by itself
                made.sql(shard, f"KILL {session}")
        wait_until(lambda: not self.waiting_with(made, statement, shard),
                   "the server has given it up")
        holder.run("ROLLBACK; UNLOCK TABLES")
        holder.close()

    def killed_at(self, made, lock, statement, *command):
        with self.stopped_at(made, lock, statement, command):
            pass

    def generations(self, made):
        return {(projection, int(generation)): state for projection, generation, state in made.sql(
            0, "SELECT projection, generation, state FROM generations")}

    def tables(self, made, shard=0):
        return {name for (name,) in made.sql(shard, "SHOW TABLES") if "_g" in name}

    def roles(self, made, generation):
        return {role for (role,) in made.sql(
            0, "SELECT DISTINCT role FROM progress WHERE projection = 'following' "
               f"AND generation = {generation}")}

    def read(self, made):
        return tuple(map(int, made.sql(
            0, "SELECT following_generation, fans_generation FROM catalog")[0]))

    def read_since(self, made):
        return int(made.sql(0, "SELECT updated_ms FROM catalog")[0][0])

    def check(self, made):
        made.settle()
        self.assertEqual(differences(made), 0)


# The first of what moves the pointer: whoever holds the catalog's row keeps a promotion from it.
TAKES_THE_CATALOG = "SELECT slot_map FROM catalog"


class RebuildKills(RebuildCase):
    def test_start_killed_while_it_makes_loads_counts_and_indexes(self):
        made = self.filled()
        # Left behind by nobody knows whom: what is made now must not take it over.
        made.sql(0, "CREATE TABLE fans_g2 LIKE fans_g1; INSERT INTO fans_g2 VALUES (1, 2, 1, 3, 4)")
        with Load(made, pause_s=0.01):
            self.killed_at(made, "LOCK TABLES generations READ", "INSERT INTO generations",
                           "start", "fans")
            self.assertNotIn(("fans", 2), self.generations(made))
            self.killed_at(made, "BEGIN; SELECT 1 FROM fans_g2 LIMIT 1", "DROP TABLE",
                           "start", "fans")
            loading = self.begin(made, "rebuild", "start", "fans", "--rate", 15_000)
            shown = made.processes["reader"].metric
            wait_until(lambda: shown("fanfold_reader_rebuild_done_items") > 0, "metrics show the load")
            self.assertLessEqual(shown("fanfold_reader_rebuild_done_items"),
                                 shown("fanfold_reader_rebuild_items"))
            fanfold.pause(loading)
            self.assertEqual(self.generations(made)["fans", 2], "loading")
            with self.stopped_at(made, "LOCK TABLES fan_count_g2 READ", "DELETE FROM fan_count_g2",
                                 loading):
                second = made.cli("rebuild", "start", "fans", check=False)
                self.assertEqual(second.returncode, 3, "while the first one counts")
                self.assertIn("another command makes or drops generations of fans", second.stderr)
                self.assertEqual(made.cli("rebuild", "cancel", "fans", check=False).returncode, 3)
            self.killed_at(made, "BEGIN; SELECT 1 FROM fans_g2 LIMIT 1", "ALTER TABLE fans_g2",
                           "start", "fans")
            self.assertEqual(self.generations(made)["fans", 2], "loading")
            made.cli("rebuild", "start", "fans")
            self.killed_at(made, "BEGIN; SELECT 1 FROM catalog FOR UPDATE", TAKES_THE_CATALOG,
                           "promote", "fans")
            self.assertEqual(self.read(made), (1, 1))
            made.cli("rebuild", "promote", "fans")
        self.assertEqual(self.read(made), (1, 2))
        self.check(made)

    @rest
    def test_control_a_generation_taken_for_loaded(self):
        """What a killed command leaves is not to be folded on: rows without their counts."""
        made = self.filled(events=6_000)
        loading = self.begin(made, "rebuild", "start", "fans", "--rate", 3_000)
        wait_until(lambda: "fan_count_g2" in self.tables(made), "its tables are made")
        with self.stopped_at(made, "LOCK TABLES fan_count_g2 READ", "DELETE FROM fan_count_g2",
                             loading):
            pass
        made.sql(0, "UPDATE generations SET state = 'folding' WHERE generation = 2")
        wait_until(lambda: made.sql(0, "SELECT 1 FROM progress WHERE generation = 2 AND owner <> ''"),
                   "the projector takes its lanes", 30)
        self.assertEqual(made.cli("rebuild", "promote", "fans", check=False).returncode, 2)
        self.assertEqual(self.read(made), (1, 1))

    def test_start_killed_when_one_shard_is_folded_and_the_other_is_not(self):
        made = self.filled(events=6_000, shards=2)
        with Load(made, pause_s=0.01):
            loading = self.begin(made, "rebuild", "start", "fans", "--rate", 3_000)
            wait_until(lambda: "fan_count_g2" in self.tables(made, 1), "its tables are made")
            with self.stopped_at(made, "LOCK TABLES fan_count_g2 READ", "DELETE FROM fan_count_g2",
                                 loading, shard=1):
                self.assertEqual(self.generations(made)["fans", 2], "folding", "shard 0 is done")
            made.cli("rebuild", "start", "fans")
            made.cli("rebuild", "promote", "fans")
        self.check(made)

    def test_all_killed_between_the_projections(self):
        """What is done is not done again: the other one is gone on with."""
        made = self.filled(events=6_000)
        with Load(made, pause_s=0.01):
            whole = self.begin(made, "rebuild", "all", "--yes", "--rate", 6_000)
            wait_until(lambda: self.read(made) == (2, 1) and self.roles(made, 2) == {"decides"},
                       "following is read and decides", 60)
            whole.kill()
            self.assertEqual(self.generations(made)["fans", 2], "loading")
            again = made.cli("rebuild", "all", "--yes")
            self.assertIn("A rebuild of fans was begun and not ended", again.stderr)
            self.assertEqual((self.read(made), len(self.generations(made))),
                             ((2, 2), 2 * len(fanfold.PROJECTIONS)))
            for done, step, read in (("fans", "rollback", (1, 1)), ("following", "promote", (2, 2))):
                made.cli("rebuild", step, done)
                made.cli("rebuild", step, "all")
                self.assertEqual(self.read(made), read, step)
            self.assertEqual(made.cli("rebuild", "promote", "all", check=False).returncode, 3)
        self.check(made)

    def test_promotion_and_rollback_killed_while_the_seat_goes_over(self):
        made = self.filled(events=3_000)
        made.cli("rebuild", "start", "following")
        orders = "BEGIN; SELECT 1 FROM generations FOR UPDATE"
        pointer = "BEGIN; SELECT 1 FROM catalog FOR UPDATE"
        with Load(made, pause_s=0.01):
            self.killed_at(made, orders, "SELECT projection, generation, state%FOR UPDATE",
                           "promote", "following")
            self.killed_at(made, pointer, TAKES_THE_CATALOG, "promote", "following")
            wait_until(lambda: self.roles(made, 2) == {"decides"}, "the seat is given all the same")
            self.assertEqual(self.read(made), (1, 1))
            made.cli("rebuild", "rollback", "following")
            self.assertEqual((self.roles(made, 1), self.roles(made, 2)), ({"decides"}, {"applies"}))
            self.killed_at(made, pointer, TAKES_THE_CATALOG, "promote", "following")
            made.cli("rebuild", "promote", "following")
            self.assertEqual((self.read(made), self.roles(made, 2)), ((2, 1), {"decides"}))
            self.killed_at(made, pointer, TAKES_THE_CATALOG, "rollback", "following")
            made.cli("rebuild", "rollback", "following")
            self.assertEqual((self.read(made), self.roles(made, 1)), ((1, 1), {"decides"}))
        self.check(made)

    def test_promotion_killed_when_it_is_read_is_ended_by_the_next_call(self):
        made = self.filled(events=3_000)
        made.cli("rebuild", "start", "following")
        projector = self.projector(made, "following")
        projector.pause()
        for call in (("promote", "following"), ("following", "--yes")):
            promoting = self.begin(made, "rebuild", "promote", "following")
            wait_until(lambda: self.read(made) == (2, 1), "it is read")
            promoting.kill()
            read_ms = self.read_since(made)
            ending = self.begin(made, "rebuild", *call)
            wait_until(lambda: self.read_since(made) > read_ms, "the next call waits for the seat")
            projector.signal(signal.SIGCONT)
            out, _ = ending.communicate(timeout=150)
            self.assertEqual(ending.returncode, 0, out)
            self.assertEqual(self.roles(made, 2), {"decides"}, call)
            self.assertEqual({g for _, g in self.generations(made)}, {1, 2}, call)
            made.cli("rebuild", "rollback", "following")
            projector.pause()
        projector.signal(signal.SIGCONT)
        self.check(made)

    def test_retire_and_cancel_killed_before_the_tables_are_gone(self):
        made = self.filled(events=3_000)
        made.cli("rebuild", "fans", "--yes")
        made.cli("rebuild", "start", "fans")
        for step, generation in (("retire", 1), ("cancel", 3)):
            table = f"fans_g{generation}"
            self.killed_at(made, f"BEGIN; SELECT 1 FROM {table} LIMIT 1", "DROP TABLE",
                           step, "fans")
            self.assertIn(table, self.tables(made))
            made.cli("rebuild", step, "fans")
            self.assertNotIn(("fans", generation), self.generations(made))
            self.assertEqual(self.tables(made) & {table, f"fan_count_g{generation}"}, set(), step)
            self.assertEqual(made.cli("rebuild", step, "fans", check=False).returncode, 3)
        self.check(made)


class SeatKills(RebuildCase):
    def lanes_with(self, made, generation, role):
        return int(made.sql(0, "SELECT COUNT(*) FROM progress WHERE projection = 'following' AND "
                               f"generation = {generation} AND role = '{role}'")[0][0])

    def is_to_decide(self, made, generation):
        return made.sql(0, "SELECT 1 FROM generations WHERE projection = 'following' AND "
                           f"generation = {generation} AND decides = 1") == [["1"]]

    def kill_both(self, made, moment, what):
        """kill -9 of both projectors of following at that moment, and others in their place."""
        wait_until(moment, what, 60, pause_s=0.002)
        for number in (1, 2):
            made.processes[f"projector-following-{number}"].kill()
        for number in (1, 2):
            made.start_projector("following", number)

    def check_killed(self, made, step, old, new):
        for number in (1, 2):
            made.processes[f"projector-following-{number}"].pause()
        moving = self.begin(made, "rebuild", step, "following")
        self.kill_both(made, lambda: self.is_to_decide(made, new), "the order is given")
        self.assertEqual(self.lanes_with(made, new, "decides"), 0)
        self.kill_both(made, lambda: self.lanes_with(made, old, "applies") > 0, "one has yielded")
        self.kill_both(made, lambda: self.lanes_with(made, old, "applies") == fanfold.PARTITIONS, "all have")
        self.kill_both(made, lambda: self.lanes_with(made, new, "decides") > 0, "one has taken it")
        out, _ = moving.communicate(timeout=150)
        self.assertIn(moving.returncode, (0, 2), out)
        if moving.returncode == 2:
            self.assertIn("have yet to decide, which goes on by itself", out)
        wait_until(lambda: self.lanes_with(made, new, "decides") == fanfold.PARTITIONS, "all have taken it", 60)
        self.assertEqual(self.lanes_with(made, old, "decides"), 0, step)

    def test_both_projectors_killed_at_every_step_of_the_seat(self):
        made = self.deployment(projectors=2)
        made.cli("import", "-", stdin="".join(f"{user} 7\n" for user in range(10, 400)))
        made.settle()
        made.cli("rebuild", "start", "following")
        with Load(made, pause_s=0.01):
            self.check_killed(made, "promote", 1, 2)
            self.check_killed(made, "rollback", 2, 1)
        self.check(made)
        self.assertEqual(made.sql(0, "SELECT COUNT(*) FROM progress WHERE state <> 'running'"),
                         [["0"]])


if __name__ == "__main__":
    unittest.main()
