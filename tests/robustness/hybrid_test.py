"""Inboxes while generations change, accounts end and the log holds what nobody can read: each feed stays what the
tables say."""

import signal
import unittest

from faults import (Accounts, Ends, Log, accounts_that_end, differences, fanfold, relations_of_ended,
                    wait_until)
from feeds import AUTHOR, OWNER, Case, Feeds, Reads
from tiers import rest

WRITE_PAUSE_S = 0.02
GARBAGE = (b"garbage", b"", b"[]", b'{"v":1,"position":"0:0"}', b'{"v":99,"type":"posted"}')
LACKS = "fans of generation 2 lack what those of another one had"
READ = ("fans", "posts", "following")


class Generations(Case):
    def read_generation(self, made, projection):
        return dict(made.sql(0, "SELECT projection, generation FROM catalog_reads")).get(projection, "1")

    @rest
    def test_there_and_back_while_posts_are_delivered(self):
        """Each move begins inboxes anew; nobody is refused meanwhile, and no post is missing afterwards."""
        made = self.hybrid()
        with Feeds(made, pause_s=WRITE_PAUSE_S) as load:
            load.await_acks(200)
            for projection in READ:
                made.cli("rebuild", "start", projection)
            with Reads(made) as reads:
                for projection in READ:
                    for step in ("promote", "rollback"):
                        made.cli("rebuild", step, projection)
                        self.assertEqual(self.read_generation(made, projection) == "1", step == "rollback")
                        self.await_deliveries(made, what=f"deliveries go on after the {step} of {projection}")
                        wait_until(lambda: self.owners_of_inboxes(made), "inboxes are made anew")
            self.assertEqual(reads.refused, [])
            self.assertGreater(reads.answered, 0)
        self.check_all(made, load.acked)

    def inbox(self, made):
        return made.sql(0, f"SELECT made, maker, stand FROM inboxes WHERE owner_id = {OWNER}")[0]

    def folded(self, made, partition):
        """By the fans of either generation."""
        return [int(offset) for (offset,) in made.sql(
            0, f"SELECT folded_offset FROM progress WHERE projection = 'fans' AND `partition` = {partition} "
               "ORDER BY generation")]

    def test_promoted_slightly_behind_and_rolled_back_at_once(self):
        """What is posted meanwhile reaches the fan whom the later generation does not know yet: her inbox is of the
        one before, which is read again."""
        made = self.hybrid(shards=1)
        made.cli("import", "-", stdin="".join(f"{fan} {AUTHOR + 1}\n" for fan in range(1, 800)))
        made.settle()
        state = lambda: made.sql(0, "SELECT state FROM generations WHERE projection = 'fans' AND generation = 2")  # noqa: E731
        starting = self.begin(made, "rebuild", "start", "fans", "--rate", 300)
        loaded = lambda: made.processes["reader"].metric("fanfold_reader_rebuild_done_items")  # noqa: E731
        wait_until(lambda: loaded() > 0, "its load knows its end")
        fanfold.pause(starting)
        self.assertEqual(state(), [["loading"]])
        partition, _ = self.follow(made, OWNER, AUTHOR)
        made.settle()
        self.await_inbox(made)
        inbox, fans = self.inbox(made), self.projector(made, "fans")
        fans.pause()
        starting.send_signal(signal.SIGCONT)
        wait_until(lambda: state() == [["folding"]], "it is loaded", 60)
        starting.kill()
        made.cli("rebuild", "promote", "fans")
        first, second = self.folded(made, partition)
        self.assertLess(second, first, "it lacks the fan")
        feed = self.projector(made, "feed")
        wait_until(lambda: feed.metric("fanfold_inboxes_being_made") > 0, "inboxes of the later one are begun")
        posted = self.post(made)
        wait_until(lambda: self.is_delivered(made, posted) or LACKS in feed.log.read_text(),
                   "the post is delivered, or waits for the fan")
        made.cli("rebuild", "rollback", "fans")
        self.assertEqual(self.inbox(made), inbox, "the one of before is read")
        fans.signal(signal.SIGCONT)
        self.check_all(made)


class Ended(Accounts):
    """Of a few of those whom the other load knows."""

    ENDED = 8


class Hybrid(Case):
    @rest
    def test_rebuilt_while_accounts_end_and_posts_are_delivered(self):
        made = self.hybrid()
        with (Feeds(made, pause_s=WRITE_PAUSE_S) as load,
              Ended(made, threads=1, pause_s=5 * WRITE_PAUSE_S) as accounts):
            load.await_acks(200)
            for projection in (*READ, "feed"):
                accounts.await_acks(5)
                made.cli("rebuild", projection, "--yes")
                self.await_deliveries(made, what=f"deliveries go on after the rebuild of {projection}")
            load.await_acks(50)
        wait_until(lambda: accounts_that_end(made) == 0, "accounts are erased", 120)
        self.check_all(made, load.acked | accounts.acked)
        log = Log(made)
        self.assertEqual(relations_of_ended(made, log), [])
        ended = {event["user"] for event in log.events("user-events").values() if event["type"] == "user_deleted"}
        self.assertGreater(len(ended), 0)

    def test_foreign_records_among_outcomes_of_posts(self):
        """Deliveries pass them, and so does the reader; both count them."""
        made = self.hybrid(shards=1)
        self.follow(made, OWNER, AUTHOR)
        at = [self.post(made)]
        made.settle()
        self.await_inbox(made)
        partition = int(at[0].split("/")[1].split(":")[0])
        for garbage in GARBAGE:
            made.put_raw(partition, str(AUTHOR), garbage, topic="post-outcomes")
        at += [self.post(made), self.post(made)]
        feed, reader = self.projector(made, "feed"), made.processes["reader"]
        wait_until(lambda: self.is_delivered(made, at[-1]), "deliveries go on")
        self.assertEqual(feed.metric("fanfold_inbox_unreadable_total"), len(GARBAGE))
        page = made.reader().get_at(at[-1], f"/v1/users/{OWNER}/feed")
        self.assertEqual(len(page["items"]), len(at))
        self.assertEqual(reader.metric("fanfold_reader_posts_unreadable_outcomes_total"), len(GARBAGE))
        self.assertEqual(reader.metric("fanfold_reader_lost_total"), 0)
        self.check_all(made)
        self.check_oracle_bites(made)

    def check_oracle_bites(self, made):
        """The control: a delivery that is left out is found in the inbox, and missing from the feed."""
        made.check_end(self)
        made.ends = Ends.DIFFERENT
        made.sql(0, f"DELETE FROM inbox_parts WHERE owner_id = {OWNER} AND source >= 0")
        self.assertEqual(differences(made), 1)
        with self.assertRaises(AssertionError):
            self.check_feeds(made)


if __name__ == "__main__":
    unittest.main(verbosity=2)
