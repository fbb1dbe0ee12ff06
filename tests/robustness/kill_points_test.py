"""A projector killed at each point of a batch's life: after its return everything is applied once."""

import unittest

import faults
from faults import Ends, Session, Topics, await_held_open, differences, halted, wait_until
from tiers import rest


class KillPoints(faults.Case):
    def started(self, **options):
        made = self.deployment(**options)
        self.follow(made, 1, 2)
        made.settle()
        return made

    def killed_before_commit(self, made, projection):
        """Kills the projector while its batch waits for the last row it writes, a count's."""
        table, user = (("following_count_g1", 1) if projection == "following" else ("fan_count_g1", 2))
        holder = Session(self, made)
        self.assertEqual(holder.run(f"BEGIN; SELECT n FROM {table} WHERE user_id = {user} FOR UPDATE"),
                         ["1"])
        if projection == "following":
            self.follow(made, 1, 3, wait=False)
        else:
            self.follow(made, 3, 2)
        held = await_held_open(made)
        self.projector(made, projection).kill()
        holder.run("ROLLBACK")
        return held

    def check_killed_before_commit(self, projection):
        made = self.started()
        before = made.sql(0, f"SELECT * FROM {projection}_g1")
        held = self.killed_before_commit(made, projection)
        self.assertGreaterEqual(held, 2, "position and edge were written when it died")
        wait_until(lambda: made.sql(0, f"SELECT COUNT(*) FROM information_schema.processlist p JOIN "
                                       f"progress ON owner_connection = p.id WHERE projection = "
                                       f"'{projection}'") == [["0"]], "its session ends")
        self.assertEqual(made.sql(0, f"SELECT * FROM {projection}_g1"), before, "nothing of it stays")
        self.start_again(made, projection)
        self.check_everything(made)
        self.assertEqual(len(made.sql(0, f"SELECT * FROM {projection}_g1")), 2)

    def test_following_before_commit(self):
        self.check_killed_before_commit("following")

    def test_fans_before_commit(self):
        self.check_killed_before_commit("fans")

    @rest
    def test_control_before_commit_without_transactions(self):
        """An engine that keeps what was written before the kill: the event is decided a second time on
        top of its own row."""
        made = self.started()
        made.ends = Ends.DIFFERENT
        made.sql(0, "ALTER TABLE following_g1 ENGINE = MyISAM")
        self.killed_before_commit(made, "following")
        self.start_again(made, "following")
        made.settle()
        self.assertGreater(differences(made), 0)

    def test_following_after_one_shard_and_before_the_other(self):
        made = self.deployment(shards=2)
        users = self.users_by_shard(made)
        holder = Session(self, made, 1)
        self.assertEqual(holder.run("BEGIN; SELECT n FROM following_count_g1 "
                                    f"WHERE user_id = {users[1]} FOR UPDATE"), ["1"])
        for user in users:
            self.follow(made, user, 1001, wait=False)
        await_held_open(made, 1)
        rows = lambda shard: made.sql(shard, "SELECT user_id FROM following_g1 WHERE target_id = 1001")
        wait_until(lambda: rows(0), "the first shard commits")
        self.assertEqual(rows(1), [])
        self.projector(made, "following").kill()
        holder.run("ROLLBACK")
        self.start_again(made, "following")
        self.check_everything(made)
        self.assertEqual((len(rows(0)), len(rows(1))), (1, 1))

    def killed_between_shards(self, made):
        """Kills the fans projector when one shard has committed its part of two outcomes of one partition
        and the other one has not. Gives what tells the rows of a shard."""
        users = self.users_by_shard(made)
        for user in users:
            self.follow(made, 1001, user)
        made.settle()
        holder = Session(self, made, 1)
        self.assertEqual(holder.run("BEGIN; SELECT n FROM fan_count_g1 "
                                    f"WHERE user_id = {users[1]} FOR UPDATE"), ["1"])
        for user in users:
            partition, offset = self.follow(made, 1002, user)
        await_held_open(made, 1)
        rows = lambda shard: made.sql(shard, "SELECT user_id FROM fans_g1 WHERE fan_id = 1002")
        wait_until(lambda: made.sql(0, "SELECT next_offset FROM progress WHERE projection = 'fans' "
                                       f"AND `partition` = {partition}") == [[str(offset + 1)]],
                   "the first shard is past both")
        self.assertEqual((len(rows(0)), rows(1)), (1, []))
        self.projector(made, "fans").kill()
        holder.run("ROLLBACK")
        return rows

    def test_fans_after_one_shard_and_before_the_other(self):
        """The outcomes of one partition are folded on both shards, each with its own position."""
        made = self.deployment(shards=2)
        rows = self.killed_between_shards(made)
        self.start_again(made, "fans")
        self.check_everything(made)
        self.assertEqual((len(rows(0)), len(rows(1))), (1, 1))

    @rest
    def test_control_one_position_for_both_shards(self):
        """That of the shard which has committed: the other one never gets its part."""
        made = self.deployment(shards=2)
        made.ends = Ends.DIFFERENT
        rows = self.killed_between_shards(made)
        made.sql(1, f"UPDATE progress one JOIN {made.schemas[0]}.progress other USING (projection, "
                    "generation, `partition`) SET one.next_offset = other.next_offset, "
                    "one.event_offset = other.event_offset, one.applied_mark = other.applied_mark, "
                    "one.applied_digest = other.applied_digest, "
                    "one.outcome_offset = other.outcome_offset, "
                    "one.published_offset = other.published_offset WHERE projection = 'fans'")
        self.start_again(made, "fans")
        made.settle()
        self.assertEqual(rows(1), [])
        self.assertGreater(differences(made), 0)

    def users_by_shard(self, made):
        """A user of each shard, who follows somebody already."""
        users = {}
        for user in range(1, 100):
            partition, _ = self.follow(made, user, 1000)
            users.setdefault(partition % 2, user)
            if len(users) == 2:
                made.settle()
                return users[0], users[1]

    def killed_before_publishing(self, made):
        """Kills the following projector when an outcome is decided and its topic takes none. Gives the
        partition."""
        topics = Topics(made)
        topics.configure("relation-outcomes", {"max.message.bytes": "1"})
        partition, offset = self.follow(made, 1, 3, wait=False)
        wait_until(lambda: made.sql(0, "SELECT first_offset, next_offset FROM outbox") ==
                   [[str(offset), str(offset + 1)]], "the outcome stands in the outbox")
        self.projector(made, "following").kill()
        self.assertEqual(len(faults.Log(made).outcomes(partition)), offset, "it is not in the topic")
        self.assertEqual(made.sql(0, "SELECT fan_id FROM fans_g1 WHERE user_id = 3"), [])
        topics.configure("relation-outcomes", {"max.message.bytes": None})
        if halted(made, "following"):  # it was refused before it was killed, and said so
            made.cli("lane", "resume", f"following/{partition}")
        return partition

    def test_after_commit_before_publishing(self):
        made = self.started()
        self.killed_before_publishing(made)
        self.start_again(made, "following")
        self.check_everything(made)
        self.assertEqual(made.sql(0, "SELECT fan_id FROM fans_g1 WHERE user_id = 3"), [["1"]])

    def test_rewound_before_publishing(self):
        """What the outbox alone holds was decided: the rewound lane publishes it, and decides it no more."""
        made = self.started()
        partition = self.killed_before_publishing(made)
        made.cli("lane", "rewind", f"following/{partition}", "--to", "0")
        self.start_again(made, "following")
        self.assertEqual(self.check_everything(made), 0, "each outcome stands in the topic once")
        self.assertEqual(made.sql(0, "SELECT fan_id FROM fans_g1 WHERE user_id = 3"), [["1"]])

    @rest
    def test_control_after_commit_without_the_outbox(self):
        """What was decided is nowhere then, and the lane says so instead of deciding it again."""
        made = self.started()
        partition = self.killed_before_publishing(made)
        made.ends = Ends.DIFFERENT
        made.sql(0, "DELETE FROM outbox")
        self.start_again(made, "following")
        wait_until(lambda: halted(made, "following") == {partition: "outcomes_truncated"},
                   "the lane halts")
        self.assertGreater(differences(made), 0)

    def killed_after_publishing(self, made):
        """Kills the following projector when an outcome is in its topic and in the outbox too. Gives its
        position. A trigger holds the transaction that deletes the row; the one that writes it deletes
        none."""
        wait_until(lambda: made.sql(0, "SELECT 1 FROM outbox") == [], "nothing is left to delete")
        made.sql(0, "CREATE TABLE gate (id INT PRIMARY KEY) ENGINE = InnoDB; "
                    "INSERT INTO gate VALUES (1)")
        made.sql(0, "CREATE TRIGGER outbox_gate BEFORE DELETE ON outbox FOR EACH ROW "
                    "SET @passed = (SELECT id FROM gate WHERE id = 1 LOCK IN SHARE MODE)")
        holder = Session(self, made)
        self.assertEqual(holder.run("BEGIN; SELECT id FROM gate FOR UPDATE"), ["1"])
        partition, offset = self.follow(made, 1, 3)
        await_held_open(made)
        self.projector(made, "following").kill()
        self.assertEqual(len(faults.Log(made).outcomes(partition)), offset + 1, "it is in the topic")
        holder.run("ROLLBACK")
        self.assertEqual(made.sql(0, "SELECT first_offset FROM outbox"), [[str(offset)]])
        self.assertEqual(made.sql(0, "SELECT published_offset FROM progress WHERE projection = "
                                     f"'following' AND `partition` = {partition}"), [[str(offset)]],
                         "the tables do not know that it is published")
        return partition, offset

    def test_after_publishing_before_the_outbox_row_is_deleted(self):
        made = self.started()
        self.killed_after_publishing(made)
        self.start_again(made, "following")
        self.assertEqual(self.check_everything(made), 0, "it was found in the topic")
        wait_until(lambda: made.sql(0, "SELECT 1 FROM outbox") == [], "the outbox row leaves")

    @rest
    def test_control_after_publishing_without_a_look_at_the_topic(self):
        """To a lane that has seen the topic to its end the outcome is still to be published."""
        made = self.started()
        partition, offset = self.killed_after_publishing(made)
        made.sql(0, f"UPDATE progress SET outcome_offset = {offset + 1} WHERE projection = 'following' "
                    f"AND `partition` = {partition}")
        self.start_again(made, "following")
        wait_until(lambda: made.sql(0, "SELECT 1 FROM outbox") == [], "it is published")
        self.assertEqual(self.check_everything(made), 1, "it stands in the topic twice")


if __name__ == "__main__":
    unittest.main(verbosity=2)
