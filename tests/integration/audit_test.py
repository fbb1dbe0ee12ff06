"""Verify finds every kind of defect and nothing else; repair mends it; both while writes go on."""

import concurrent.futures
import contextlib
import itertools
import json
import random
import threading
import unittest

import fanfold
from fanfold import Ends
from ownership_test import random_edges

USERS = 400


class Defect:
    """A row, a count or a pair of them changed by hand; `expected`: kind, projection, user, other."""

    def __init__(self, name, statements, expected):
        self.name = name
        self.statements = statements  # (user whose shard, SQL)
        self.expected = expected


class AuditCase(fanfold.Case):
    def verify(self, made, *arguments):
        ran = made.cli("verify", "--json", *arguments, check=False)
        self.assertIn(ran.returncode, (0, 2), ran.stderr)
        report = json.loads(ran.stdout)
        self.assertEqual(ran.returncode, 2 if report["differences"] else 0)
        self.assertEqual(report["differences"], len(report["items"]))
        return {(item["kind"], item["projection"], int(item["user_id"]),
                 item["other_id"] and int(item["other_id"])) for item in report["items"]}

    @contextlib.contextmanager
    def live_load(self, made, users, to_users=()):
        """Follows and unfollows among `users`, and of `to_users` to them."""
        stop = threading.Event()

        def write():
            """How many were taken."""
            client = made.writer()
            draw = random.Random(5)
            for written in itertools.count():
                if stop.is_set():
                    return written
                subject, object_ = draw.sample(users, 2)
                if to_users and draw.random() < 0.3:
                    subject = draw.choice(to_users)
                method = draw.choice(("PUT", "DELETE"))
                status, _, body = client.request(
                    method, f"/v1/users/{subject}/following/{object_}")
                self.assertEqual(status, 202, body)

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            writers = [pool.submit(write) for _ in range(2)]
            try:
                yield
            finally:
                stop.set()
            for writer in writers:
                self.assertGreater(writer.result(), 0)


class Audit(AuditCase):
    def filled(self, shards):
        made = self.deployment(shards=shards, partitions=16)
        text, edges = random_edges(users=USERS, edges=8_000, seed=shards)
        made.cli("import", "-", "--format", "jsonl", stdin=text)
        made.settle()
        self.met = {(int(event["subject"]), int(event["object"]))
                    for event in map(json.loads, text.splitlines())}
        return made, sorted(edges)

    def shard_of(self, made, user):
        """The shard with the user's counts."""
        for shard in range(len(made.schemas)):
            for table in ("following_count_g1", "fan_count_g1"):
                if made.sql(shard, f"SELECT n FROM {table} WHERE user_id = {user}"):
                    return shard
        raise AssertionError(f"user {user} is nowhere")

    def plant(self, made, defect):
        made.ends = Ends.MENDED
        for user, statement in defect.statements:
            made.sql(self.shard_of(made, user), statement)

    def defects(self, edges, met):
        """One of each kind of FAULTS #11, each on an edge of its own, users apart; `met`: all edges
        that ever were."""
        picked, used = [], set()
        for a, b in edges:
            if not used & {a, b} and (b, a) not in met:
                picked.append((a, b))
                used |= {a, b}
        pick = iter(picked)
        a, b = next(pick)
        yield Defect("missing row of following", [
            (a, f"DELETE FROM following_g1 WHERE user_id = {a} AND target_id = {b}")],
            {("missing_row", "following", a, b), ("wrong_count", "following", a, None)})
        a, b = next(pick)
        yield Defect("missing row of fans", [
            (b, f"DELETE FROM fans_g1 WHERE user_id = {b} AND fan_id = {a}")],
            {("missing_row", "fans", b, a), ("wrong_count", "fans", b, None)})
        a, b = next(pick)
        yield Defect("extra row", [
            (b, f"INSERT INTO fans_g1 VALUES ({b}, 999999, 1, 5, 1)")],
            {("extra_row", "fans", b, 999999), ("wrong_count", "fans", b, None)})
        a, b = next(pick)
        yield Defect("wrong state", [
            (a, f"UPDATE following_g1 SET active = 0 WHERE user_id = {a} AND target_id = {b}")],
            {("wrong_state", "following", a, b), ("wrong_count", "following", a, None)})
        a, b = next(pick)
        yield Defect("wrong version", [
            (b, f"UPDATE fans_g1 SET version = version + 7 WHERE user_id = {b} AND fan_id = {a}")],
            {("wrong_version", "fans", b, a)})
        a, b = next(pick)
        yield Defect("wrong since", [
            (a, f"UPDATE following_g1 SET since_ms = 1 WHERE user_id = {a} AND target_id = {b}")],
            {("wrong_since", "following", a, b)})
        for delta in (1, -1):
            a, b = next(pick)
            yield Defect(f"count {delta:+}", [
                (b, f"UPDATE fan_count_g1 SET n = n + {delta} WHERE user_id = {b}")],
                {("wrong_count", "fans", b, None)})
        a, b = next(pick)
        yield Defect("swapped pair", [
            (a, f"UPDATE following_g1 SET user_id = {b}, target_id = {a} "
                f"WHERE user_id = {a} AND target_id = {b}")],
            {("missing_row", "following", a, b), ("extra_row", "following", b, a)})
        a, b = next(pick)
        yield Defect("removed from both tables and both counts", [
            (a, f"DELETE FROM following_g1 WHERE user_id = {a} AND target_id = {b}"),
            (a, f"UPDATE following_count_g1 SET n = n - 1 WHERE user_id = {a}"),
            (b, f"DELETE FROM fans_g1 WHERE user_id = {b} AND fan_id = {a}"),
            (b, f"UPDATE fan_count_g1 SET n = n - 1 WHERE user_id = {b}")],
            {("missing_row", "following", a, b), ("missing_row", "fans", b, a)})
        (a, _), (_, d) = next((one, other) for one, other in zip(pick, pick)
                              if (one[0], other[1]) not in met)
        yield Defect("added to both tables and both counts", [
            (a, f"INSERT INTO following_g1 VALUES ({a}, {d}, 1, 5, 1)"),
            (a, f"UPDATE following_count_g1 SET n = n + 1 WHERE user_id = {a}"),
            (d, f"INSERT INTO fans_g1 VALUES ({d}, {a}, 1, 5, 1)"),
            (d, f"UPDATE fan_count_g1 SET n = n + 1 WHERE user_id = {d}")],
            {("extra_row", "following", a, d), ("extra_row", "fans", d, a)})

    def check(self, shards):
        made, edges = self.filled(shards)
        strangers = list(range(10_000, 10_060))
        with self.live_load(made, strangers, to_users=range(1, USERS + 1)):
            for _ in range(3):
                self.assertEqual(self.verify(made), set(), "nothing was planted")
            planted = list(self.defects(edges, self.met))
            expected = set()
            for defect in planted:
                self.plant(made, defect)
                expected |= defect.expected
            found = self.verify(made)
            self.assertLessEqual(expected, found)
            dry = made.cli("repair", "--dry-run", "--json", check=False)
            self.assertEqual(dry.returncode, 2)
            self.assertEqual(json.loads(dry.stdout)["left"], len(found))
            mended = json.loads(made.cli("repair", "--json").stdout)
            self.assertEqual((mended["found"], mended["left"]), (len(found), 0))
            self.assertEqual(self.verify(made), set())
            # The lanes' memory followed: what comes next is folded onto the mended rows.
            for kind, projection, user, other in expected:
                if kind == "missing_row" and projection == "following":
                    for method in ("DELETE", "PUT"):
                        made.writer().request(method, f"/v1/users/{user}/following/{other}")
        made.settle()
        self.assertEqual(self.verify(made), set())
        made.check_oracle(self)
        records = sum(int(made.sql(shard, "SELECT COUNT(*) FROM repairs")[0][0])
                      for shard in range(shards))
        self.assertGreaterEqual(records, len(expected))

    def test_every_defect_is_found_and_mended_on_four_shards(self):
        self.check(4)

    def test_reader_shows_what_was_mended(self):
        made, edges = self.filled(1)
        made.ends = Ends.MENDED
        a, b = edges[0]
        before = made.reader().get(f"/v1/users/{b}/counts")
        made.sql(0, f"DELETE FROM fans_g1 WHERE user_id = {b} AND fan_id = {a}; "
                    f"UPDATE fan_count_g1 SET n = n - 1 WHERE user_id = {b}")
        made.processes["reader"].stop()
        made.start("reader", "fanfold-reader")
        fanfold.wait_until(made.processes["reader"].is_ready, "the reader", 30)
        drifted = made.reader().get(f"/v1/users/{b}/counts")
        self.assertEqual(drifted["fans"], before["fans"] - 1)
        made.cli("repair")
        fanfold.wait_until(lambda: made.reader().get(f"/v1/users/{b}/counts") == before,
                           "the mended count is read", 5)

    def test_sample_looks_at_its_users_alone(self):
        made, _ = self.filled(1)
        self.assertEqual(self.verify(made, "--sample", "50"), set())
        made.ends = Ends.DIFFERENT
        made.sql(0, "UPDATE fan_count_g1 SET n = n + 1")
        found = self.verify(made, "--sample", "50")
        self.assertTrue(0 < len(found) <= 50)
        self.assertEqual({kind for kind, *_ in found}, {"wrong_count"})

    def test_sample_is_cheaper_than_the_whole_in_proportion(self):
        """By the rows that the server has read, of this schema's tables alone."""
        made, _ = self.filled(1)
        self.addCleanup(made.sql, 0, "SET GLOBAL userstat = 0")
        made.sql(0, "SET GLOBAL userstat = 1")

        def rows_read(*arguments):
            made.sql(0, "FLUSH TABLE_STATISTICS")
            self.assertEqual(self.verify(made, *arguments), set())
            return int(made.sql(0, "SELECT SUM(rows_read) FROM information_schema.table_statistics "
                                   "WHERE table_schema = DATABASE() AND table_name LIKE '%g1'")[0][0])
        whole, sampled = rows_read(), rows_read("--sample", USERS // 20)
        print(f"rows read: {whole} by all, {sampled} by a sample of {USERS // 20} of {USERS} users")
        self.assertLess(sampled, whole / 5)  # a twentieth of the rows, and all counts

    def test_events_that_no_outcome_is_known_of_are_named(self):
        made, _ = self.filled(1)
        made.ends = Ends.DIFFERENT
        made.cli("lane", "pause", "fans")
        made.sql(0, "UPDATE progress SET event_offset = event_offset + 5 "
                    "WHERE projection = 'fans' AND `partition` = 3")
        ran = made.cli("verify", check=False)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("not_in_topics fans: fans/3 on shard 0 has folded events below", ran.stdout)
        self.assertTrue(ran.stdout.endswith("differences: 1\n"), ran.stdout)


class Auditor(fanfold.Case):
    """Drift is compensated without anyone asking, by one process of several."""

    def drifted(self, **options):
        made = self.deployment(shards=2, projectors=2, **options)
        made.ends = Ends.MENDED
        made.cli("import", "-", stdin="".join(f"{user} 7\n" for user in range(10, 60)))
        made.settle()
        for shard in range(2):
            made.sql(shard, "UPDATE following_count_g1 SET n = n + 1")
            made.sql(shard, "DELETE FROM fans_g1 WHERE fan_id < 20")
        return made

    def metric(self, made, name, projection):
        return sum(process.metric(name) for key, process in made.processes.items()
                   if key.startswith(f"projector-{projection}"))

    def test_drift_is_mended(self):
        made = self.drifted(environment={"FANFOLD_AUDIT": "repair"})
        for projection in ("following", "fans"):
            fanfold.wait_until(lambda: self.metric(made, "fanfold_repaired_total", projection) > 0,
                               f"{projection} is mended", 40)
        self.assertEqual(made.cli("verify").stdout, "differences: 0\n")
        made.check_oracle(self)
        self.assertEqual(self.metric(made, "fanfold_drift_total", "following"), 50)
        self.assertEqual(self.metric(made, "fanfold_drift_left", "following"), 0)
        self.assertEqual(made.sql(0, "SELECT DISTINCT reason FROM repairs"), [["auditor"]])

    def test_drift_is_only_told(self):
        made = self.drifted()
        fanfold.wait_until(lambda: self.metric(made, "fanfold_drift_total", "following") >= 50,
                           "drift is told", 40)
        self.assertEqual(made.sql(0, "SELECT COUNT(*) FROM repairs"), [["0"]])
        self.assertEqual(self.metric(made, "fanfold_drift_left", "following"), 50)
        made.cli("repair")
        fanfold.wait_until(lambda: self.metric(made, "fanfold_drift_left", "following") == 0,
                           "the next audit finds nothing", 60)
        reader = made.processes["reader"]
        fanfold.wait_until(lambda: reader.metric("fanfold_reader_repairs") > 50, "mended rows show")


class EmbeddedAudit(fanfold.Case):
    def test_drift_is_found_and_mended(self):
        for served in (False, True):
            with self.subTest(served=served):
                made = self.embedded(start=False)
                made.ends = Ends.MENDED
                made.cli("import", "-", stdin="1 2\n1 3\n2 1\n")
                if served:
                    made.start()
                self.assertEqual(made.cli("verify").stdout, "differences: 0\n")
                made.write_sql("DELETE FROM fans_g1 WHERE user_id = 2 AND fan_id = 1")
                ran = made.cli("verify", check=False)
                self.assertEqual(ran.returncode, 2)
                self.assertIn("missing_row fans user 2 other 1", ran.stdout)
                self.assertIn("wrong_count fans user 2", ran.stdout)
                made.cli("repair")
                self.assertEqual(made.cli("verify").stdout, "differences: 0\n")
                made.check_oracle(self)


    def test_drift_is_mended_by_the_process_that_serves(self):
        made = self.embedded(environment={"FANFOLD_AUDIT": "repair"})
        made.ends = Ends.MENDED
        made.cli("import", "-", stdin="1 2\n1 3\n2 1\n")
        made.settle()
        made.write_sql("DELETE FROM fans_g1 WHERE user_id = 2 AND fan_id = 1")
        fanfold.wait_until(
            lambda: made.processes["serve"].metric("fanfold_repaired_total") > 0, "mended", 40)
        made.check_oracle(self)
        self.assertEqual(made.reader().get("/v1/users/2/counts")["fans"], 1)


if __name__ == "__main__":
    unittest.main()
