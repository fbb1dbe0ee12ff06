"""Tables restored from an older backup, while the follow limit has changed, or because the log has lost
its tail: what was decided stays, as far as the log has it."""

import json
import subprocess
import unittest

import faults
from faults import Ends, Log, Topics, halted, wait_until
from tiers import rest

LIMIT = 3
PROJECTIONS = ("following", "fans")


class Backups(faults.Case):
    def dump(self, made):
        return [subprocess.run(
            ["mariadb-dump", "--no-defaults", f"--socket={made.socket_of(shard)}", "-uroot",
             "--single-transaction", schema], check=True, capture_output=True).stdout
            for shard, schema in enumerate(made.schemas)]

    def restore(self, made, dumps):
        for shard, dump in enumerate(dumps):
            self.restore_one(made, shard, dump)

    def restore_one(self, made, shard, dump):
        subprocess.run(["mariadb", "--no-defaults", f"--socket={made.socket_of(shard)}", "-uroot",
                        made.schemas[shard]], input=dump, check=True, capture_output=True)


class Restore(Backups):
    def set_limit(self, made, limit):
        content = json.loads(made.config.read_text())
        made.config.write_text(json.dumps(content | {"follow_limit": limit}))

    def write(self, made, subjects, objects, method="PUT"):
        return [made.writer().request(
            method, f"/v1/users/{subject}/following/{object_}?wait=decided&timeout_ms=10000")[0]
            for subject in subjects for object_ in objects]

    def at_the_limit(self, made):
        """What is decided before the backup, and after it: each user ends with other followings than
        a greater limit, or another order, would give."""
        self.write(made, range(1, 21), (101, 102))
        made.settle()
        dumps = self.dump(made)
        self.assertEqual(set(self.write(made, range(1, 21), (103,))), {200})
        self.assertEqual(set(self.write(made, range(1, 21), (104, 105))), {422}, "above the limit")
        self.write(made, range(1, 21), (101,), "DELETE")
        self.assertEqual(set(self.write(made, range(1, 21), (106,))), {200})
        made.settle()
        return dumps

    def rows(self, made):
        return [sorted(map(tuple, made.sql(
            shard, "SELECT user_id, target_id, active, since_ms, version FROM following_g1")))
            for shard in range(len(made.schemas))]

    def edges(self, made):
        return sorted(tuple(row[:3]) for rows in self.rows(made) for row in rows)

    def check_restored(self, shards, limit, running):
        made = self.deployment(shards=shards, follow_limit=LIMIT)
        dumps = self.at_the_limit(made)
        rows, outcomes = self.rows(made), Log(made).records["relation-outcomes"]
        projectors = [name for name in made.processes if name.startswith("projector")]
        if not running:
            for name in projectors:
                made.processes[name].stop()
            self.set_limit(made, limit)
        if running:
            made.ends = Ends.MENDED  # a restore under an audit is one
        self.restore(made, dumps)
        if not running:
            self.assertNotEqual(self.rows(made), rows, "the tables are older")
            for name in projectors:
                self.start_again(made, name.split("-")[1])
        self.check_everything(made)
        self.assertEqual(self.rows(made), rows)
        self.assertEqual(Log(made).records["relation-outcomes"], outcomes, "nothing was decided again")
        self.assertEqual(set(self.write(made, (1,), (107,))), {200 if limit > LIMIT else 422})
        self.check_everything(made)

    def test_with_a_greater_limit(self):
        self.check_restored(shards=1, limit=1000, running=False)

    def test_with_a_smaller_limit_on_two_shards(self):
        self.check_restored(shards=2, limit=1, running=False)

    def test_under_running_projectors(self):
        self.check_restored(shards=1, limit=LIMIT, running=True)

    @rest
    def test_control_the_same_events_decided_with_another_limit(self):
        """Whoever decides them again under the new limit gets other tables."""
        made = self.deployment(follow_limit=LIMIT)
        self.at_the_limit(made)
        again = self.deployment(follow_limit=1000)
        self.write(again, range(1, 21), (101, 102, 103, 104, 105))
        self.write(again, range(1, 21), (101,), "DELETE")
        self.write(again, range(1, 21), (106,))
        again.settle()
        self.assertNotEqual(self.edges(again), self.edges(made))


class RestoreFromBeforeAPromotion(Backups):
    """One shard of two lacks what the catalog reads."""

    def lanes(self, made):
        """(shard, projection, generation) → what its lanes say."""
        lanes = json.loads(made.cli("lane", "list", "--json").stdout)["lanes"]
        said = {}
        for lane in lanes:
            of = lane["shard"], lane["projection"], lane["generation"]
            said.setdefault(of, set()).add((lane["state"], lane["reason"]))
        return said

    def empty(self, made, shard):
        schema = made.schemas[shard]
        made.sql(shard, f"DROP DATABASE {schema}; CREATE DATABASE {schema}; USE {schema}")

    def answers(self, made, users):
        return {made.reader().request("GET", f"/v1/users/{user}/following")[0] for user in users}

    def test_halts_alone_by_name_until_it_is_loaded(self):
        made = self.deployment(shards=2)
        made.ends = Ends.MENDED
        made.cli("import", "-", stdin="".join(f"{user} {user + 1} 10\n" for user in range(1, 41)))
        made.settle()
        homes = [[int(user) for (user,) in made.sql(shard, "SELECT user_id FROM following_count_g1")]
                 for shard in range(2)]
        before = self.dump(made)[1]
        made.cli("rebuild", "all", "--yes")
        self.follow(made, homes[1][0], 5000)
        made.settle()
        made.sql(0, "UPDATE catalog SET updated_ms = updated_ms - 86400000")  # readers have left
        made.cli("rebuild", "retire", "all")
        projectors = [name for name in made.processes if name.startswith("projector")]
        for name in projectors:
            made.processes[name].stop()
        self.empty(made, 1)
        self.restore_one(made, 1, before)
        for name in projectors:
            self.start_again(made, name.split("-")[1])
        expected = [("running", "")], [("halted", "other_generations")]
        wait_until(lambda: all(list(said) == expected[shard]
                               for (shard, _, _), said in self.lanes(made).items()),
                   "the restored shard's lanes halt, those of the other go on", pause_s=0.2)
        self.follow(made, homes[0][0], 5001)
        self.assertEqual(self.answers(made, homes[0]), {200})
        wait_until(lambda: 200 not in self.answers(made, homes[1]), "the reader notices")
        self.assertRegex(made.cli("doctor", check=False).stdout,
                         r"following/\d+ of generation 1 on shard 1 is halted \(other_generations\)\n"
                         r".*fanfold rebuild following .* on this shard alone")
        made.cli("rebuild", "all", "--yes")
        made.settle()
        self.follow(made, homes[1][0], 5002)
        made.sql(0, "UPDATE catalog SET updated_ms = updated_ms - 86400000")
        made.cli("rebuild", "retire", "all")
        self.assertEqual({(generation, state) for (_, _, generation), says in self.lanes(made).items()
                          for state, _ in says}, {(2, "running")})
        made.settle()
        self.assertEqual(faults.differences(made), 0)
        self.assertEqual(self.answers(made, homes[0] + homes[1]), {200})


class RestoreOfALostTail(Backups):
    """The way out of log_truncated when nobody has the tail any more (docs/runbook.md)."""

    def lose_tail(self, topics):
        """Of these topics three records, which a backup does not know of."""
        made = self.deployment(partitions=4)
        for object_ in range(2, 10):
            partition, _ = self.follow(made, 1, object_)
        made.settle()
        dumps, kept = self.dump(made), Log(made).records
        for object_ in range(100, 103):
            self.follow(made, 1, object_)
        made.settle()
        self.stop_projectors(made)
        for topic in topics:
            Topics(made).create_again(topic)
            for record in kept[topic][partition]:
                made.put_raw(partition, record["key"], record["value"].encode(), topic=topic)
        return made, partition, dumps

    def stop_projectors(self, made):
        for projection in PROJECTIONS:
            self.projector(made, projection).stop()

    def start_projectors(self, made):
        for projection in PROJECTIONS:
            self.start_again(made, projection)

    def test_of_both_topics(self):
        made, partition, dumps = self.lose_tail(("relation-events", "relation-outcomes"))
        made.ends = Ends.MENDED
        self.start_projectors(made)
        wait_until(lambda: halted(made, "fans") == {partition: "log_truncated"} and
                   halted(made, "following"), "both halt", pause_s=0.2)
        self.stop_projectors(made)
        self.restore(made, dumps)
        self.start_projectors(made)
        self.start_writer_again(made)
        self.follow(made, 1, 5000, wait=False)
        made.settle()
        self.assertEqual(made.sql(0, "SELECT active FROM following_g1 WHERE user_id = 1 AND "
                                     "target_id = 5000"), [["1"]])
        self.check_everything(made)

    @rest
    def test_control_of_the_events_alone(self):
        """What is told of lost events is applied, and stands above the topic again."""
        made, partition, dumps = self.lose_tail(("relation-events",))
        for _ in range(2):
            self.start_projectors(made)
            wait_until(lambda: halted(made, "following") == {partition: "log_truncated"}, "it halts",
                       pause_s=0.2)
            self.stop_projectors(made)
            self.restore(made, dumps)


if __name__ == "__main__":
    unittest.main(verbosity=2)
