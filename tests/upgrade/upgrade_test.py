"""What earlier releases left behind opens with this build: schemas and topics, folders. Nothing is
rebuilt, and every answer is the one that was given."""

import sys
import unittest

import release
from release import fanfold

sys.path.insert(0, str(fanfold.ROOT / "tests/robustness"))

from faults import Session, wait_until  # noqa: E402

OLDEST, LAST = "87f57e1", "eee409a2"
WITH_ENUMS = "cfaf2c7"
NAMED = ("progress", "outbox", "parked", "repairs", "generations", "rebuild_loads")
KEPT = ", ".join(f"{table}_g{generation}" for table, generation in (
    ("following", 2), ("following_count", 2), ("fans", 1), ("fan_count", 1), ("fans", 2),
    ("fan_count", 2)))


class Upgrade(fanfold.Case):
    def check_upgraded(self, made, answers):
        now = release.shown(made)
        self.assertEqual(set(now), set(answers))
        for asked, answer in answers.items():
            self.assertEqual(now[asked], answer, asked)
        made.cli("lane", "resume", "fans/3")
        for user in release.USERS:
            status, _, answer = made.writer().request(
                "PUT", f"/v1/users/{user}/following/{user + 1000}?wait=decided&timeout_ms=10000")
            self.assertEqual((status, answer["outcome"]), (200, "followed"))
        made.settle()
        made.cli("verify")


class Servers(Upgrade):
    def restored(self, name):
        """Topics and schemas as that release has left them."""
        self.files = release.Files(name)
        made = self.deployment(shards=release.SHARDS, partitions=release.PARTITIONS, start=False)
        made.has_repaired = True
        log = made.folder / "log.jsonl"
        log.write_bytes(self.files.content["log.jsonl"])
        made.cli("import", "--log", log)
        for shard, schema in enumerate(made.schemas):
            made.sql(shard, f"DROP DATABASE {schema}; CREATE DATABASE {schema} CHARACTER SET utf8mb4 "
                            "COLLATE utf8mb4_bin")
            release.database(made, shard, "mariadb", input=self.files.content[f"shard{shard}.sql"])
        return made

    def checksums(self, made):
        return [made.sql(shard, f"CHECKSUM TABLE {KEPT}") for shard in range(release.SHARDS)]

    def types(self, made, shard):
        return dict(made.sql(shard, "SELECT table_name, data_type FROM information_schema.columns "
                                    "WHERE table_schema = DATABASE() AND column_name = 'projection'"))

    def check_opens(self, name):
        made = self.restored(name)
        rows = self.checksums(made)
        made.cli("init")
        self.assertEqual(self.checksums(made), rows)
        made.start_all()
        self.check_upgraded(made, self.files.answers("servers"))

    def test_schemas_of_the_oldest(self):
        self.check_opens(OLDEST)

    def test_schemas_of_the_last(self):
        self.check_opens(LAST)

    def test_a_migration_that_was_killed_goes_on(self):
        """The copy of `repairs`, the fourth of six, waits for a session when init is killed."""
        made = self.restored(WITH_ENUMS)
        rows = self.checksums(made)
        session = Session(self, made)
        session.run("BEGIN; SELECT COUNT(*) FROM repairs")
        killed = self.begin(made, "init")
        waiting = wait_until(lambda: [row for row in made.sql(0, "SHOW PROCESSLIST")
                                      if "metadata lock" in row[6]], "the copy waits")
        killed.kill()
        killed.wait()
        made.sql(0, f"KILL {waiting[0][0]}")
        wait_until(lambda: waiting[0][0] not in {row[0] for row in made.sql(0, "SHOW PROCESSLIST")},
                   "its session is gone")
        session.close()
        self.assertEqual([self.types(made, 0)[table] for table in NAMED],
                         ["varchar"] * 3 + ["enum"] * 3)
        made.cli("init")
        for shard in range(release.SHARDS):
            self.assertEqual({self.types(made, shard)[table] for table in NAMED}, {"varchar"})
        self.assertEqual(self.checksums(made), rows)
        made.start_all()
        self.check_upgraded(made, self.files.answers("servers"))


class Folder(Upgrade):
    def check_opens(self, name):
        files = release.Files(name)
        made = self.embedded(start=False)
        made.has_repaired = True
        files.unpack("folder", made.data)
        made.start()
        self.check_upgraded(made, files.answers("folder"))

    def test_folder_of_the_oldest(self):
        self.check_opens(OLDEST)

    def test_folder_of_the_last(self):
        self.check_opens(LAST)


if __name__ == "__main__":
    unittest.main(verbosity=2)
