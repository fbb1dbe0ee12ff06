"""Another log in the place of the one that the tables were folded from: nobody acts on it. Tables and log stay
as they are, whoever is on."""

import shutil
import signal
import unittest

import faults
from faults import Ends, Log, Topics, accounts_that_end, halted, tables_of, wait_until

PROJECTIONS = ("following", "fans")
TOPICS = ("relation-events", "relation-outcomes")


class WrongLog(faults.Case):
    PARTITIONS = 2
    USERS = range(1, 13)

    def setUp(self):
        """Every user follows three; all of it is folded, and auditors mend what they find."""
        self.made = self.deployment(partitions=self.PARTITIONS,
                                    environment={"FANFOLD_AUDIT": "repair"})
        self.made.ends = Ends.DIFFERENT
        self.made.cli("import", "-", stdin="".join(
            f"{user} {100 + n}\n" for user in self.USERS for n in range(3)))
        self.made.settle()

    def stop_projectors(self, *others):
        for projection in (*PROJECTIONS, *others):
            self.projector(self.made, projection).stop()

    def swap(self, records_max=None):
        """Somebody else's topics, longer than ours unless told: the same subjects, other objects."""
        records = Log(self.made).records
        topics = Topics(self.made)
        for topic in TOPICS:
            topics.create_again(topic)
            for partition in range(self.PARTITIONS):
                for record in records[topic][partition][:records_max]:
                    foreign = record["value"].replace('"object":"', '"object":"7')
                    self.made.put_raw(partition, record["key"], foreign.encode(), topic=topic)
                # By a copy of the last outcome, or a further event, longer than ours.
                self.made.put_raw(partition, record["key"], foreign.encode(), topic=topic)

    def ends(self):
        records = Log(self.made).records
        return {topic: {p: len(of) for p, of in records[topic].items()} for topic in TOPICS}

    def await_halts(self, reason):
        for projection in PROJECTIONS:
            wait_until(lambda: set(halted(self.made, projection).values()) == {reason},
                       f"{projection} halts", pause_s=0.2)

    def tables(self):
        """Of relations."""
        return [rows for rows in tables_of(self.made) if not rows or rows[0][0] != "fans"]

    def test_auditors_and_repair_leave_the_tables(self):
        self.stop_projectors()
        before = self.tables()
        self.swap()
        for projection in PROJECTIONS:
            self.start_again(self.made, projection)
        self.await_halts("log_mismatch")
        for projection in PROJECTIONS:
            process = self.projector(self.made, projection)
            wait_until(lambda: process.metric("fanfold_audit_failures_total") > 0,
                       f"the auditor of {projection} says why it does not audit", 60, pause_s=0.2)
            self.assertEqual(process.metric("fanfold_drift_total"), 0)
        for verb in (("repair",), ("rebuild", "start", "fans")):
            with self.subTest(verb=verb):
                ran = self.made.cli(*verb, check=False)
                self.assertNotEqual(ran.returncode, 0)
                self.assertIn("is halted (log_mismatch)", ran.stderr)
        self.assertEqual(self.tables(), before)
        self.assertEqual(self.made.sql(0, "SELECT COUNT(*) FROM repairs"), [["0"]])

    def test_lanes_that_did_not_run_meanwhile_look_again(self):
        """They keep their sessions, and the client sees no error."""
        before = self.tables()
        stopped = [self.projector(self.made, projection) for projection in PROJECTIONS]
        for process in stopped:
            process.pause()
        self.swap()
        for process in stopped:
            process.signal(signal.SIGCONT)
        self.await_halts("log_mismatch")
        self.assertEqual(self.tables(), before)

    def test_a_writer_that_has_seen_another_takes_nothing(self):
        """It runs all the while, and has no tables to compare with."""
        self.stop_projectors()
        self.made.processes["writer"].stop()
        writer = self.made.start("writer", "fanfold-writer")
        writer.await_ready(30)  # it has read what there is
        self.swap()
        wait_until(lambda: not writer.is_ready(), "it sees that", 60, pause_s=0.2)
        self.assertIn("no longer has the record", writer.readiness["detail"])
        ends = self.ends()
        for method, path, body in (("PUT", "/v1/users/1/following/201", None),
                                   ("PUT", "/v1/users/1/profile", '{"name":"A"}')):
            status, _, answer = self.made.writer().request(method, path, body)
            self.assertEqual((status, answer["code"]), (503, "log_unavailable"))
        self.assertEqual(self.ends(), ends)

    def test_an_erasure_that_is_under_way_appends_nothing(self):
        fans = range(1_000, 5_000)
        self.made.cli("import", "-", stdin="".join(f"{fan} 1\n" for fan in fans))
        self.made.settle()
        status, _, body = self.made.writer().request("DELETE", "/v1/users/1")
        self.assertEqual(status, 202, body)
        erased = self.projector(self.made, "profiles")
        wait_until(lambda: self.made.sql(0, "SELECT 1 FROM erasures WHERE is_open = 1 AND behind > 0"),
                   "it is in the midst of a list")
        erased.kill()
        self.assertEqual(accounts_that_end(self.made), 1)
        self.stop_projectors()
        self.swap(records_max=10)
        ends = self.ends()
        for projection in (*PROJECTIONS, "profiles"):
            self.start_again(self.made, projection)
        self.await_halts("log_truncated")
        erased = self.projector(self.made, "profiles")
        wait_until(lambda: "accounts are not erased" in erased.tail(1000), "it says why it waits",
                   60, pause_s=0.2)
        self.assertEqual(accounts_that_end(self.made), 1)
        self.assertEqual(self.ends(), ends)

    def test_a_projector_of_another_log_refuses_to_start(self):
        """A wrong word in a configuration halts nobody's lanes."""
        other = self.deployment(partitions=self.PARTITIONS, start=False)
        lanes = "SELECT projection, `partition`, owner_epoch, state FROM progress ORDER BY 1, 2"
        before = self.made.sql(0, lanes)
        own = self.made.environment
        self.made.environment = own | {"FANFOLD_SPACE": other.space}
        process = self.made.start_projector("fans", number=2)
        self.made.environment = own
        self.assertNotEqual(process.popen.wait(30), 0)
        self.assertIn("this is log", process.tail(5))
        self.assertEqual(self.made.sql(0, lanes), before)
        self.made.ends = Ends.CLEAN


class WrongFile(faults.Case):
    def folder_with(self, lines):
        made = self.embedded(start=False)
        made.cli("import", "-", stdin=lines)
        return made

    def tables_in(self, made):
        return [made.sql(0, f"SELECT * FROM {table} ORDER BY 1, 2") for table in ("following_g1", "fans_g1")]

    @staticmethod
    def put_log_of(other, made):
        for file in made.data.glob("log.db*"):
            file.unlink()
        for file in other.data.glob("log.db*"):
            shutil.copy(file, made.data / file.name)

    def test_a_folder_with_anothers_log_is_not_served(self):
        made = self.folder_with("1 2\n1 3\n2 1\n")
        other = self.folder_with("".join(f"{user} {user + 50}\n" for user in range(1, 20)))
        before = self.tables_in(made)
        made.ends = Ends.DIFFERENT
        self.put_log_of(other, made)
        ran = made.cli("status", check=False)
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("this is log", ran.stderr)
        self.assertEqual(self.tables_in(made), before)

    def test_a_log_that_was_moved_is_taken_for_what_it_is(self):
        made = self.folder_with("1 2\n1 3\n2 1\n")
        moved = self.embedded(start=False)
        made.cli("export", "--log", made.folder / "log.jsonl")
        moved.cli("import", "--log", made.folder / "log.jsonl")
        self.put_log_of(moved, made)
        self.assertEqual(made.cli("verify").stdout, "differences: 0\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
