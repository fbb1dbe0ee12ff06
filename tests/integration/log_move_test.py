"""The log moves from the embedded folder to Kafka and MariaDB, and back: tables equal row by row."""

import gzip
import unittest

import fanfold
import graphs_test

TABLES = {"following_g1": "user_id, target_id, active, since_ms, version",
          "fans_g1": "user_id, fan_id, active, since_ms, version",
          # Whether a count of 0 has a row says only how events fell into batches.
          "following_count_g1 WHERE n <> 0": "user_id, n", "fan_count_g1 WHERE n <> 0": "user_id, n"}


def rows_of(made, versions=True):
    """The rows of every table over all shards, sorted."""
    rows = {}
    for table, columns in TABLES.items():
        if not versions:
            columns = columns.removesuffix(", version")
        rows[table] = sorted(
            row for shard in range(len(made.schemas))
            for row in made.sql(shard, f"SELECT {columns} FROM {table}"))
    return rows


class LogMove(fanfold.Case):
    def setUp(self):
        self.source = self.embedded(start=False)
        graph = fanfold.ROOT / "deploy/sample/wikivote.tsv.gz"
        self.source.cli("import", graph)
        # Unfollows, follows again, and what was decided to change nothing or be rejected.
        edges = list(graphs_test.edges_of_file(graph))
        event = '{{"type":"{}","subject":"{}","object":"{}","at":{}}}\n'
        self.source.cli("import", "-", stdin="".join(
            [event.format("unfollow", s, o, 5) for s, o in edges[::7]] +
            [event.format("follow", s, o, 6) for s, o in edges[::21]] +
            [event.format("remove_fan", s, o, 7) for s, o in edges[::50]] +
            [event.format("follow", 3_000_000, n, 8) for n in range(1, 1100)]))
        self.log = self.source.folder / "log.jsonl"
        self.source.cli("export", "--log", self.log)
        self.rows = rows_of(self.source)
        self.assertGreater(len(self.rows["following_g1"]), 100_000)

    def check_equal(self, made, versions=True):
        expected = self.rows if versions else rows_of(self.source, versions=False)
        rows = rows_of(made, versions)
        for table in TABLES:
            self.assertEqual(len(rows[table]), len(expected[table]), table)
            self.assertTrue(rows[table] == expected[table], f"{table} differs")

    def grown(self, **options):
        """A deployment into which the log was imported, and only then started."""
        made = self.deployment(start=False, **options)
        made.cli("import", "--log", self.log)
        made.start_all(timeout_s=120)  # ready once the outcomes are read
        made.settle()
        return made

    def test_to_kafka_and_back(self):
        # Another limit: what was decided stays decided.
        made = self.grown(shards=2, partitions=16, follow_limit=10)
        self.check_equal(made)
        made.check_oracle(self)
        back = made.folder / "back.jsonl.gz"
        exported = made.cli("export", "--log", "-").stdout
        back.write_bytes(gzip.compress(exported.encode()))
        folder = self.embedded(start=False)
        folder.cli("import", "--log", back)
        self.check_equal(folder)
        # It goes on from there.
        folder.start()
        status, _, answer = folder.writer().request(
            "PUT", "/v1/users/4000000/following/2?wait=decided&timeout_ms=10000")
        self.assertEqual((status, answer["outcome"]), (200, "followed"))

    def test_into_other_partitions_it_is_folded_afresh(self):
        self.check_equal(self.grown(shards=1, partitions=8), versions=False)

    def test_name_that_killed_projectors_left_keeps_no_log_out(self):
        made = self.deployment(partitions=16)
        for projection in fanfold.PROJECTIONS:
            made.processes[f"projector-{projection}-1"].kill()
        fanfold.wait_until(
            lambda: made.cli("import", "--log", self.log, check=False).returncode == 0,
            "their sessions end", timeout_s=60, pause_s=1)
        owners = made.sql(0, "SELECT COUNT(*) FROM progress WHERE owner <> ''")
        self.assertNotEqual(owners, [["0"]])
        for projection in fanfold.PROJECTIONS:
            made.start_projector(projection)
        made.settle()
        self.check_equal(made)

    def test_projectors_on_half_a_log_decide_nothing(self):
        made = self.deployment(partitions=16, start=False)
        lines = self.log.read_text().splitlines(keepends=True)
        half = "".join(lines[:len(lines) * 3 // 4])  # every outcome, half of the events
        self.assertEqual(made.cli("import", "--log", "-", stdin=half, check=False).returncode, 1)
        before = self.outcomes(made)
        made.start_projector("following")
        without_events = [[str(p), "log_truncated"] for p in range(12, 16)]
        fanfold.wait_until(lambda: made.sql(0, """
            SELECT `partition`, state_reason FROM progress
            WHERE state = 'halted' AND `partition` >= 12 ORDER BY 1""") == without_events,
            "the lanes without events halt")
        self.assertEqual(self.outcomes(made), before)

    @staticmethod
    def outcomes(made):
        exported = made.cli("export", "--log", "-").stdout.splitlines()
        return sum(line.startswith('{"topic":"relation-outcomes"') for line in exported)

    def test_refusals(self):
        served = self.embedded()
        ran = served.cli("import", "--log", self.log, check=False)
        self.assertEqual(ran.returncode, 3)
        self.assertIn("stop it first", ran.stderr)
        made = self.deployment(partitions=16)
        ran = made.cli("import", "--log", self.log, check=False)
        self.assertEqual(ran.returncode, 3)
        self.assertIn("projectors of following run, 1 by their consumer group", ran.stderr)
        ran = self.source.cli("import", "--log", self.log, check=False)
        self.assertEqual(ran.returncode, 3)
        self.assertIn("is imported into an empty one", ran.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
