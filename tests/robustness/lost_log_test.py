"""A log that is not the one the tables were folded from, or not all of it: lanes halt with the reason
and nothing is written."""

import json
import signal
import time
import unittest

import faults
from faults import Ends, Log, Topics, differences, halted, tables_of, wait_until
from tiers import rest

PROJECTIONS = ("following", "fans")
STANDSTILL_S = 6  # more than ShardWorker::kStandstillMs


class LostLog(faults.Case):
    EVENTS = 8

    def setUp(self):
        """User 1's partition has EVENTS events of theirs, all of them folded."""
        self.made = self.deployment(partitions=4)
        for object_ in range(2, 2 + self.EVENTS):
            self.partition, _ = self.follow(self.made, 1, object_)
        self.made.settle()
        self.topics = Topics(self.made)
        self.log = Log(self.made)

    def stop_projectors(self):
        """In order, so that their last transactions are in; gives the tables."""
        for projection in PROJECTIONS:
            self.projector(self.made, projection).stop()
        return tables_of(self.made)

    def put_again(self, topic, records):
        for record in records:
            self.made.put_raw(self.partition, record["key"], record["value"].encode(), topic=topic)

    def put_foreign(self, count):
        """Events of user 1 that another log would have."""
        for n in range(count):
            event = {"v": 1, "type": "follow", "subject": "1", "object": str(7000 + n), "at": n}
            self.made.put_raw(self.partition, "1", json.dumps(event).encode())

    def await_halt(self, projection, reason):
        wait_until(lambda: halted(self.made, projection) == {self.partition: reason},
                   f"{projection} halts for {reason}", pause_s=0.2)

    def check_stopped(self, projection, reason, before):
        self.await_halt(projection, reason)
        self.assertEqual(tables_of(self.made), before)
        ran = self.made.cli("wait", "--timeout", "1", check=False)
        self.assertEqual(ran.returncode, 3, "a halted lane is waited for by nobody")

    def test_events_created_again_and_empty(self):
        before = self.stop_projectors()
        self.topics.create_again("relation-events")
        self.start_again(self.made, "following")
        self.start_writer_again(self.made)
        self.follow(self.made, 1, 5000, wait=False)
        self.check_stopped("following", "log_truncated", before)

    @rest
    def test_control_a_lane_that_begins_the_new_log_at_its_start(self):
        """As auto.offset.reset would have it: outcomes are told as those of other events."""
        self.stop_projectors()
        self.topics.create_again("relation-events")
        self.made.sql(0, "UPDATE progress SET next_offset = 0, event_offset = 0, folded_offset = 0, "
                         "published_offset = 0, event_digest = 0, applied_digest = 0 WHERE projection = 'following'")
        for projection in PROJECTIONS:
            self.start_again(self.made, projection)
        self.start_writer_again(self.made)
        self.follow(self.made, 1, 5000, wait=False)
        self.made.ends = Ends.DIFFERENT
        wait_until(lambda: self.made.sql(0, "SELECT 1 FROM following_g1 WHERE target_id = 5000"),
                   "the foreign event is folded")
        self.assertGreater(differences(self.made), 0)

    def test_events_created_again_under_running_projectors(self):
        before = tables_of(self.made)
        self.topics.create_again("relation-events")
        self.check_stopped("following", "log_truncated", before)

    def test_events_created_again_and_longer_than_before(self):
        before = self.stop_projectors()
        self.topics.create_again("relation-events")
        self.put_foreign(self.EVENTS + 2)
        self.start_again(self.made, "following")
        self.check_stopped("following", "log_mismatch", before)

    def test_events_replaced_while_the_projector_stands_still(self):
        """It goes on with the connections and the position that it had."""
        before = tables_of(self.made)
        projector = self.projector(self.made, "following")
        projector.pause()
        stopped = time.monotonic()
        self.topics.create_again("relation-events")
        self.put_foreign(self.EVENTS + 2)
        wait_until(lambda: time.monotonic() - stopped > STANDSTILL_S, "a standstill")
        projector.signal(signal.SIGCONT)
        self.check_stopped("following", "log_mismatch", before)

    @rest
    def test_control_a_lane_that_does_not_know_its_last_record(self):
        self.stop_projectors()
        self.topics.create_again("relation-events")
        self.put_foreign(self.EVENTS + 2)
        self.made.sql(0, "UPDATE progress SET event_digest = 0, applied_digest = 0")
        self.start_again(self.made, "following")
        foreign = lambda: self.made.sql(0, "SELECT 1 FROM following_g1 WHERE target_id > 6999")
        wait_until(lambda: len(foreign()) == 2, "the foreign events are folded")

    def test_events_cut_short(self):
        before = self.stop_projectors()
        self.topics.create_again("relation-events")
        self.put_again("relation-events",
                       self.log.records["relation-events"][self.partition][:self.EVENTS - 3])
        self.start_again(self.made, "following")
        self.check_stopped("following", "log_truncated", before)

    def test_events_deleted_before_they_were_folded(self):
        before = self.stop_projectors()
        for object_ in range(100, 106):
            self.follow(self.made, 1, object_, wait=False)
        self.topics.delete_records("relation-events", self.partition, self.EVENTS + 4)
        ran = self.made.cli("export", "--log", self.made.folder / "whole.jsonl", check=False)
        self.assertIn(f"begins at {self.partition}:{self.EVENTS + 4}", ran.stderr, "acked, and gone")
        self.start_again(self.made, "following")
        self.check_stopped("following", "retention_gap", before)

    def test_an_offset_that_holds_no_event(self):
        """As compaction leaves them; here the end of a foreign producer's transaction."""
        event = {"v": 1, "type": "follow", "subject": "1", "object": "7000", "at": 1}
        self.made.put_raw(self.partition, "1", json.dumps(event).encode(), in_transaction=True)
        wait_until(lambda: self.made.sql(0, "SELECT 1 FROM following_g1 WHERE target_id = 7000") and
                   self.made.sql(0, "SELECT 1 FROM fans_g1 WHERE user_id = 7000") and
                   not self.made.sql(0, "SELECT 1 FROM outbox"),
                   "the event before the gap is folded, and its outcome published")
        before = tables_of(self.made)
        self.follow(self.made, 1, 5000, wait=False)
        self.check_stopped("following", "log_gap", before)
        self.assertEqual(
            self.made.sql(0, "SELECT next_offset FROM progress WHERE projection = 'following' AND "
                             f"`partition` = {self.partition}"), [[str(self.EVENTS + 1)]])

    def test_outcomes_deleted_before_they_were_folded(self):
        self.projector(self.made, "fans").stop()
        for object_ in range(100, 106):
            self.follow(self.made, 1, object_)
        self.projector(self.made, "following").stop()
        self.made.ends = Ends.DIFFERENT
        before = tables_of(self.made)
        self.topics.delete_records("relation-outcomes", self.partition, self.EVENTS + 4)
        self.start_again(self.made, "fans")
        self.check_stopped("fans", "retention_gap", before)

    def lose_tail_of_the_outcomes(self):
        """Three of them; gives the tables, and how many are left."""
        before = self.stop_projectors()
        self.topics.create_again("relation-outcomes")
        left = self.EVENTS - 3
        self.put_again("relation-outcomes",
                       self.log.records["relation-outcomes"][self.partition][:left])
        return before, left

    @rest
    def test_control_a_lane_that_decides_again_what_is_lost(self):
        """On top of its own rows: what was told as new is told as known, and the tables differ from it."""
        self.made.ends = Ends.DIFFERENT
        _, left = self.lose_tail_of_the_outcomes()
        self.made.sql(0, f"UPDATE progress SET next_offset = {left}, event_offset = {left}, "
                         f"folded_offset = {left}, outcome_offset = {left}, "
                         f"published_offset = {left}, event_digest = 0, applied_digest = 0 "
                         f"WHERE `partition` = {self.partition} AND projection IN {PROJECTIONS}")
        for projection in PROJECTIONS:
            self.start_again(self.made, projection)
        self.made.settle()
        self.assertGreater(differences(self.made), 0)

    def test_tail_of_the_outcomes_lost(self):
        """The lane that decides would have to decide again what was told; the other one has folded what
        is not in the topic any more."""
        self.made.ends = Ends.DIFFERENT
        before, _ = self.lose_tail_of_the_outcomes()
        for projection in PROJECTIONS:
            self.start_again(self.made, projection)
        self.follow(self.made, 1, 5000, wait=False)
        self.check_stopped("following", "outcomes_truncated", before)
        self.check_stopped("fans", "log_truncated", before)

    def test_lane_goes_on_when_the_log_is_back(self):
        """The halt is an operator's to end, and ends nothing else."""
        self.made.ends = Ends.MENDED
        self.stop_projectors()
        self.topics.create_again("relation-outcomes")
        records = self.log.records["relation-outcomes"][self.partition]
        self.put_again("relation-outcomes", records[:-2])
        for projection in PROJECTIONS:
            self.start_again(self.made, projection)
        self.await_halt("following", "outcomes_truncated")
        self.await_halt("fans", "log_truncated")
        self.put_again("relation-outcomes", records[-2:])
        for projection in PROJECTIONS:
            self.made.cli("lane", "resume", projection)
        self.follow(self.made, 1, 5000)
        self.check_everything(self.made)


if __name__ == "__main__":
    unittest.main(verbosity=2)
