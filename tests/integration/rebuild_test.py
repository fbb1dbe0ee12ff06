"""Tables are thrown away and built again from the topics while everything runs."""

import itertools
import json
import signal
import threading
import time
import unittest
from functools import partial

import fanfold
from audit_test import AuditCase
from fanfold import Ends, wait_until
from freshness_test import Caller
from ownership_test import random_edges
from tiers import rest


STAR = 50_000    # has fans and following that nobody changes
MARKED = 60_000  # likewise; generation 1 holds another `since` than those made from the topics


class Walker(threading.Thread):
    """Walks both lists of one user, page by page, and expects the same of each walk."""

    def __init__(self, made, others):
        super().__init__()
        self.reader, self.others = fanfold.StrictClient(made.reader_port), others
        self.stop, self.walks, self.wrong = threading.Event(), 0, []

    def run(self):
        try:
            while not self.stop.is_set():
                self.walk("following")
                self.walk("fans")
                counts = self.reader.get(f"/v1/users/{STAR}/counts")
                if {counts[name] for name in ("following", "fans", "friends")} != {len(self.others)}:
                    self.wrong.append(counts)
        except Exception as error:  # shown by the test
            self.wrong.append(repr(error))

    def walk(self, name):
        pages = self.reader.pages(f"/v1/users/{STAR}/{name}?viewer={STAR}", limit=20)
        met = [(int(item["user_id"]), item["relation"]) for item in pages]
        if met != [(user, "friend") for user in self.others]:
            self.wrong.append((name, met))
        self.walks += 1


class Pager(threading.Thread):
    """Asks for one long page of MARKED's, whose `since` tells which generation each item is of."""

    def __init__(self, made):
        super().__init__()
        self.reader, self.stop = fanfold.StrictClient(made.reader_port), threading.Event()
        self.seen, self.wrong = set(), []

    def run(self):
        try:
            while not self.stop.is_set():
                for name in ("following", "fans"):
                    items = self.reader.get(f"/v1/users/{MARKED}/{name}?limit=200")["items"]
                    marks = {item["since"] for item in items}
                    self.seen |= {(name, mark) for mark in marks}
                    if len(items) != 200 or len(marks) != 1:
                        self.wrong.append((name, len(items), marks))
                self.stop.wait(0.01)
        except Exception as error:  # shown by the test
            self.wrong.append(repr(error))


class Stranger(threading.Thread):
    """Asks for users whom nobody has asked for lately, so that the tables answer."""

    def __init__(self, made, number):
        super().__init__()
        self.reader, self.users = made.reader(), itertools.cycle(range(1 + number, 3_900, 4))
        self.stop, self.reads, self.wrong = threading.Event(), 0, []

    def run(self):
        for user in self.users:
            if self.stop.is_set():
                return
            path = f"/v1/users/{user}/fans"
            try:
                status, _, body = self.reader.request("GET", path)
            except Exception as error:  # shown by the test
                status, body = 0, repr(error)
            if status == 503 and body["code"] == "overloaded":
                continue  # the machine's business; tables that are gone are another code
            if status != 200:
                self.wrong.append((path, status, body))
            self.reads += 1


def days_later(made):
    """As if the catalog had named what it names for long: no reader is waited for any more."""
    write = made.write_sql if isinstance(made, fanfold.Embedded) else partial(made.sql, 0)
    write("UPDATE catalog SET updated_ms = updated_ms - 86400000")


class Rebuild(AuditCase):
    def filled(self, shards, users=400, edges=8_000):
        made = self.deployment(shards=shards)
        text, expected = random_edges(users=users, edges=edges, seed=shards)
        made.cli("import", "-", "--format", "jsonl", stdin=text)
        made.settle()
        return made, expected

    def generations(self, made):
        listed = json.loads(made.cli("rebuild", "status", "--json").stdout)["generations"]
        return {(g["projection"], g["generation"]): (g["state"], g["read"], g["decides"])
                for g in listed}

    def roles(self, made, generation):
        return {role for shard in range(len(made.schemas)) for (role,) in made.sql(
            shard, "SELECT DISTINCT role FROM progress WHERE projection = 'following' "
                   f"AND generation = {generation}")}

    def tables(self, made):
        return {name for shard in range(len(made.schemas))
                for (name,) in made.sql(shard, "SHOW TABLES") if "_g" in name}

    def is_decided(self, made, subject, object_):
        """A log that stood still is asked again, as the answer says; then the first request may have been the one."""
        path, asked = f"/v1/users/{subject}/following/{object_}?wait=decided&timeout_ms=10000", []

        def is_answered():
            asked.append(made.writer().request("PUT", path))
            return asked[-1][0] != 503

        wait_until(is_answered, "the log takes it", 60, 0.5)
        status, _, answer = asked[-1]
        self.assertEqual(status, 200, answer)
        self.assertIn(answer["outcome"], ["followed"] if len(asked) == 1 else ["followed", "unchanged"])

    def check_live(self, shards):
        made, _ = self.filled(shards)
        made.ends = Ends.MENDED
        made.sql(0, "DELETE FROM fans_g1")  # what a rebuild is for
        strangers = list(range(10_000, 10_060))
        with self.live_load(made, strangers):
            made.cli("rebuild", "all", "--yes")
            known = self.generations(made)
            self.assertEqual(known[("fans", 2)], ("folding", True, False))
            self.assertEqual(known[("following", 2)], ("folding", True, True))
            self.assertEqual(known[("following", 1)], ("folding", False, False))
            self.assertEqual(self.roles(made, 1), {"applies"})
            self.assertEqual(self.roles(made, 2), {"decides"})
            self.assertEqual(self.verify(made), set())
            self.is_decided(made, 20_000, 20_001)
            for round_ in range(2):
                made.cli("rebuild", "rollback", "following")
                self.assertEqual(self.roles(made, 1), {"decides"})
                self.is_decided(made, 20_000, 20_100 + round_)
                made.cli("rebuild", "promote", "following")
                self.assertEqual(self.roles(made, 2), {"decides"})
                self.is_decided(made, 20_000, 20_200 + round_)
        made.settle()
        self.assertEqual(self.verify(made), set())
        days_later(made)
        made.cli("rebuild", "retire", "all")
        self.assertEqual(self.tables(made), {"following_g2", "following_count_g2", "fans_g2",
                                             "fan_count_g2", "profiles_g2", "posts_g2",
                                             "shown_g2"})
        self.is_decided(made, 20_000, 20_300)
        made.settle()
        self.assertEqual(self.verify(made), set())
        self.assertEqual(made.reader().get("/v1/users/20000/counts")["following"], 6)

    def test_live_on_four_shards(self):
        self.check_live(4)

    @rest
    def test_readers_notice_nothing(self):
        """Twice round for both projections: no error, no answer that is older than what was asked
        for, no page of a walk that does not fit the one before."""
        made = self.deployment(shards=2)
        others = list(range(STAR + 1, STAR + 301))
        made.cli("import", "-", stdin="".join(
            f"{user} {other} 1000\n{other} {user} 1000\n"
            for other in others for user in (STAR, MARKED)))
        made.settle()
        made.ends = Ends.MENDED
        for shard in range(2):
            for table in ("following_g1", "fans_g1"):
                made.sql(shard, f"UPDATE {table} SET since_ms = 2000 WHERE user_id = {MARKED}")
        made.cli("rebuild", "start", "all")
        callers = [Caller(made, number, float("inf")) for number in range(2)]
        walker, pager = Walker(made, others[::-1]), Pager(made)
        threads = [walker, pager, *callers]
        for thread in threads:
            thread.start()
        try:
            for _ in range(2):
                made.cli("rebuild", "promote", "all")
                asked = [caller.asked for caller in callers]
                wait_until(lambda: all(caller.asked > before + 20 or caller.stale for caller, before
                                       in zip(callers, asked)), "the callers go on", 30)
                made.cli("rebuild", "rollback", "all")
            made.cli("rebuild", "promote", "all")
        finally:
            walker.stop.set()
            pager.stop.set()
            for caller in callers:
                caller.until = 0
            for thread in threads:
                thread.join()
        self.assertEqual(walker.wrong[:3], [])
        self.assertGreater(walker.walks, 10)
        self.assertEqual(pager.wrong[:3], [])
        self.assertEqual(pager.seen, {(name, mark) for name in ("following", "fans")
                                      for mark in (1000, 2000)}, "both generations were read")
        for caller in callers:
            self.assertEqual(caller.stale[:3], [])
            self.assertGreater(caller.asked, 50)
        made.settle()
        self.assertEqual(self.verify(made), set())

    def test_what_was_built_wrong_is_not_promoted(self):
        made, _ = self.filled(1)
        made.cli("rebuild", "start", "fans")
        made.sql(0, "DELETE FROM fans_g2 WHERE user_id < 50")
        ran = made.cli("rebuild", "promote", "fans", check=False)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("missing_row fans", ran.stderr)
        told = json.loads(made.cli("rebuild", "verify", "fans", "--json", check=False).stdout)
        self.assertEqual(told["differences"], len(told["items"]))
        self.assertIn("missing_row", {item["kind"] for item in told["items"]})
        self.assertFalse(self.generations(made)[("fans", 2)][1])

    def test_rollback_to_one_of_several_may_be_repeated(self):
        made = self.deployment()
        for _ in range(2):
            made.cli("rebuild", "fans", "--yes")
        made.cli("rebuild", "start", "fans")
        for wanted, code, read in ((2, 0, 2), (2, 0, 2), (3, 3, 2), (4, 3, 2), (9, 1, 2), (1, 0, 1),
                                   (1, 0, 1)):
            ran = made.cli("rebuild", "rollback", "fans", "--generation", wanted, check=False)
            self.assertEqual((ran.returncode, made.sql(0, "SELECT fans_generation FROM catalog")),
                             (code, [[str(read)]]), (wanted, ran.stderr))

    def test_cancel_leaves_nothing_behind(self):
        made, _ = self.filled(2)
        before = self.tables(made)
        made.cli("rebuild", "start", "all")
        days_later(made)
        made.cli("rebuild", "cancel", "all")
        self.assertEqual(self.tables(made), before)
        self.assertEqual(set(self.generations(made)),
                         {(projection, 1) for projection in fanfold.PROJECTIONS})
        for shard in range(2):
            self.assertEqual(made.sql(shard, "SELECT COUNT(*) FROM progress WHERE generation > 1"),
                             [["0"]])
        for step, kind in (("retire", "older"), ("cancel", "newer")):
            refused = made.cli("rebuild", step, "all", check=False)
            self.assertEqual(refused.returncode, 3)
            self.assertIn(f"there is no {kind} generation to drop", refused.stderr)
        self.assertEqual(self.tables(made), before)
        self.is_decided(made, 20_000, 20_001)

    def test_steps_without_a_generation_are_refused(self):
        made = self.deployment()
        for step in ("verify", "promote", "rollback"):
            self.assertEqual(made.cli("rebuild", step, "fans", check=False).returncode, 3, step)

    def test_lanes_that_stand_refuse_a_promotion(self):
        """Of fans those of the new generation alone: a lane that cannot go on is a reason to rebuild."""
        made, _ = self.filled(1)
        made.cli("rebuild", "start", "all")
        for lane, generation, refused in (("fans/3", 2, True), ("fans/3", 1, False),
                                          ("following/3", 1, True), ("following/3", 2, True)):
            place = (lane, "--generation", generation)
            made.cli("lane", "pause", *place, "--reason", "by the test")
            projection = lane.split("/")[0]
            ran = made.cli("rebuild", "promote", projection, check=False)
            self.assertEqual(ran.returncode, 3 if refused else 0, (place, ran.stderr))
            if refused:
                self.assertIn(f"{lane} of generation {generation} on shard 0 is paused", ran.stderr)
            made.cli("lane", "resume", *place)
        made.cli("rebuild", "promote", "following")

    def places(self, made):
        """What a promotion or a rollback moves."""
        return (made.sql(0, "SELECT following_generation, fans_generation FROM catalog"),
                [made.sql(shard, "SELECT projection, generation, decides FROM generations "
                                 "ORDER BY 1, 2") for shard in range(len(made.schemas))],
                self.roles(made, 1), self.roles(made, 2))

    def test_lanes_that_stand_refuse_a_rollback(self):
        """Those of the generation before, and those that have the seat: nothing is changed."""
        made, _ = self.filled(2)
        made.cli("rebuild", "all", "--yes")
        before = self.places(made)
        for lane, generation, refused in (("fans/3", 1, True), ("following/3", 1, True),
                                          ("following/3", 2, True)):
            place = (lane, "--generation", generation)
            made.cli("lane", "pause", *place, "--reason", "by the test")
            ran = made.cli("rebuild", "rollback", lane.split("/")[0], check=False)
            self.assertEqual(ran.returncode, 3, (place, ran.stderr))
            self.assertRegex(ran.stderr,
                             rf"{lane} of generation {generation} on shard \d is paused")
            self.assertIn(f"lane resume {lane} --generation {generation}", ran.stderr)
            self.assertEqual(self.places(made), before, place)
            made.cli("lane", "resume", *place)
        made.cli("lane", "pause", "fans/3", "--generation", 2, "--reason", "by the test")
        made.cli("rebuild", "rollback", "all")
        self.assertEqual(self.roles(made, 1), {"decides"})
        made.cli("lane", "resume", "fans/3", "--generation", 2)

    def test_a_rollback_takes_the_seat_of_a_lane_that_its_tables_halted(self):
        """What it had decided is kept, and the event that it could not take is decided."""
        made, _ = self.filled(2)
        made.cli("rebuild", "following", "--yes")
        for shard in range(2):
            made.sql(shard, "ALTER TABLE following_g2 MODIFY target_id INT NOT NULL")
        self.is_decided(made, 20_000, 20_001)
        made.writer().request("PUT", "/v1/users/20000/following/3000000000")
        halted = "SELECT 1 FROM progress WHERE state_reason = 'batch_refused' AND generation = 2"
        wait_until(lambda: any(made.sql(shard, halted) for shard in range(2)), "it halts")
        told = made.cli("rebuild", "rollback", "following").stderr
        self.assertRegex(told, r"following/\d+ of generation 2 on shard \d, which its own tables")
        self.assertEqual(self.deciders(made), set(range(fanfold.PARTITIONS)))
        self.assertEqual(self.roles(made, 1), {"decides"})
        made.settle()
        self.assertEqual(self.verify(made), set())
        self.assertEqual(made.reader().get("/v1/users/20000/counts")["following"], 2)

    def left_behind(self, made, generation, projector):
        """The lanes of that generation of fans say running, lack more than is folded in a moment,
        and nobody folds them."""
        made.cli("lane", "pause", "fans", "--generation", generation, "--reason", "by the test")
        made.cli("import", "-", stdin="".join(
            f"{30_000 + n % 60} {40_000 + n}\n" for n in range(20_000)))
        made.settle()
        projector.pause()
        made.cli("lane", "resume", "fans", "--generation", generation)

    def behind(self, made, generation):
        """Events that its lanes of fans lack of those that the read ones hold."""
        [[lacking]] = made.sql(
            0, "SELECT CAST(SUM(n.event_offset) - SUM(o.event_offset) AS INT) FROM progress n JOIN "
               "progress o USING (projection, `partition`) WHERE projection = 'fans' AND "
               f"n.generation = {3 - generation} AND o.generation = {generation}")
        return int(lacking)

    def check_waits(self, made, step, generation, projector):
        """Not read before it has caught up, though its lanes stand far behind when it begins."""
        self.left_behind(made, generation, projector)
        moving = self.begin(made, "rebuild", step, "fans")
        # After five seconds, for which what is nearly there is waited for.
        self.assertIn("0 events caught up", moving.stdout.readline())
        self.assertTrue(self.generations(made)[("fans", 3 - generation)][1])
        self.assertIsNone(moving.poll())
        self.assertGreater(self.behind(made, generation), 16_384)
        projector.signal(signal.SIGCONT)
        said, _ = moving.communicate(timeout=100)
        self.assertEqual(moving.returncode, 0, said)
        self.assertTrue(self.generations(made)[("fans", generation)][1])
        self.assertEqual(self.behind(made, generation), 0)

    def test_what_is_far_behind_is_read_when_it_has_caught_up(self):
        made = self.deployment()
        made.cli("import", "-", stdin="1 2\n")
        made.cli("rebuild", "start", "fans")
        projector = made.processes["projector-fans-1"]
        self.check_waits(made, "promote", 2, projector)
        self.check_waits(made, "rollback", 1, projector)

    def ordered_back(self, made):
        """As builds did that looked at no lane: one of generation 1 is paused, and it is read and
        to decide all the same."""
        made.cli("lane", "pause", "following/3", "--generation", 1, "--reason", "by the test")
        for shard in range(len(made.schemas)):
            made.sql(shard, "UPDATE generations SET decides = (generation = 1) "
                            "WHERE projection = 'following'")
        made.sql(0, "UPDATE catalog_reads SET generation = 1 WHERE projection = 'following'")
        wait_until(lambda: self.roles(made, 2) == {"applies"}, "all have given up the seat", 20)
        wait_until(lambda: self.deciders(made) == set(range(fanfold.PARTITIONS)) - {3}, "the others decide", 20)

    def deciders(self, made):
        return {int(partition) for shard in range(len(made.schemas)) for (partition,) in made.sql(
            shard, "SELECT `partition` FROM progress WHERE role = 'decides' AND projection = 'following'")}

    def test_a_partition_that_nobody_decides_has_two_ways_on(self):
        made, _ = self.filled(2)
        made.cli("rebuild", "following", "--yes")
        self.ordered_back(made)
        began = time.monotonic()
        told = made.cli("rebuild", "rollback", "following", check=False)
        self.assertEqual(told.returncode, 3)
        self.assertIn("following/3 of generation 1 on shard 1 is paused", told.stderr)
        self.assertLess(time.monotonic() - began, 20)
        made.cli("lane", "resume", "following/3", "--generation", 1)
        made.cli("rebuild", "rollback", "following")
        self.assertEqual((self.roles(made, 1), self.roles(made, 2)), ({"decides"}, {"applies"}))
        made.cli("rebuild", "promote", "following")
        self.ordered_back(made)
        made.cli("rebuild", "promote", "following")
        self.assertEqual(self.deciders(made), set(range(fanfold.PARTITIONS)))
        self.assertEqual((self.roles(made, 1), self.roles(made, 2)), ({"applies"}, {"decides"}))
        made.cli("lane", "resume", "following/3", "--generation", 1)
        made.settle()
        self.assertEqual(self.verify(made), set())

    def test_a_partition_that_nobody_decides_is_decided_by_a_new_generation(self):
        """Neither lane that there is may go on; fans are built again beside it."""
        made, _ = self.filled(2)
        made.cli("rebuild", "following", "--yes")
        self.ordered_back(made)
        made.cli("lane", "pause", "following/3", "--generation", 2, "--reason", "by the test")
        text, _ = random_edges(users=400, edges=1_000, seed=9)
        made.cli("import", "--no-wait", "-", "--format", "jsonl", stdin=text)
        days_later(made)
        made.cli("rebuild", "cancel", "following")
        for step in (("fans", "--yes"), ("start", "following"), ("promote", "following")):
            ran = self.begin(made, "rebuild", *step)
            said, _ = ran.communicate(timeout=60)
            self.assertEqual(ran.returncode, 0, said)
        self.assertEqual(self.deciders(made), set(range(fanfold.PARTITIONS)))
        self.assertEqual(self.roles(made, 1), {"applies"})
        made.settle()
        made.cli("lane", "resume", "following/3", "--generation", 1)
        self.assertEqual(self.verify(made), set())

    def test_a_lane_paused_while_the_seat_goes_over_is_told_by_name(self):
        made, _ = self.filled(1)
        made.cli("rebuild", "start", "following")
        projector = made.processes["projector-following-1"]
        projector.pause()
        moving = self.begin(made, "rebuild", "promote", "following")
        wait_until(lambda: self.generations(made)[("following", 2)][1], "it is read")
        made.cli("lane", "pause", "following/3", "--generation", 2, "--reason", "by the test")
        said, _ = moving.communicate(timeout=30)
        projector.signal(signal.SIGCONT)
        self.assertEqual(moving.returncode, 3, said)
        self.assertIn("it is read, but generation 2 of following has yet to decide", said)
        self.assertIn("following/3 of generation 2 on shard 0 is paused", said)
        # Nobody takes the lane before the second promotion has begun.
        projector.pause()
        made.cli("lane", "resume", "following/3", "--generation", 2)
        sessions = len(made.sql(0, "SHOW PROCESSLIST"))
        moving = self.begin(made, "rebuild", "promote", "following")
        wait_until(lambda: len(made.sql(0, "SHOW PROCESSLIST")) > sessions, "it has begun")
        projector.signal(signal.SIGCONT)
        said, _ = moving.communicate(timeout=30)
        self.assertEqual(moving.returncode, 0, said)
        self.assertEqual(self.roles(made, 2), {"decides"})

    def test_retire_lets_readers_leave_first(self):
        """That a cancel after a rollback waits as long is a unit test's."""
        made = self.deployment(shards=2)
        made.cli("import", "-", stdin="".join(
            f"{1 + n % 2_000} {3_000 + n // 20}\n" for n in range(20_000)))
        made.settle()
        reads = [Stranger(made, number) for number in range(4)]
        for read in reads:
            read.start()
        try:
            made.cli("rebuild", "start", "fans")
            made.cli("rebuild", "promote", "fans")
            made.cli("rebuild", "retire", "fans")
            before = [read.reads for read in reads]
            wait_until(lambda: all(read.reads > reads_before + 20 for read, reads_before
                                   in zip(reads, before)), "they go on", 30)
        finally:
            for read in reads:
                read.stop.set()
            for read in reads:
                read.join()
        for read in reads:
            self.assertEqual(read.wrong[:3], [])
            self.assertGreater(read.reads, 100)

    def test_killed_rebuild_goes_on_and_a_second_one_is_refused(self):
        made, _ = self.filled(1, users=3_000, edges=120_000)
        first = self.begin(made, "rebuild", "start", "fans")
        rows = "SELECT 1 FROM fans_g2 LIMIT 1"
        wait_until(lambda: "fans_g2" in self.tables(made) and made.sql(0, rows),
                   "something is loaded", pause_s=0.005)
        fanfold.pause(first)
        self.assertEqual(self.generations(made)[("fans", 2)][0], "loading",
                         "it was stopped on its way")
        second = made.cli("rebuild", "start", "fans", check=False)
        self.assertEqual(second.returncode, 3)
        self.assertIn("another command makes or drops generations of fans", second.stderr)
        first.kill()
        made.cli("rebuild", "start", "fans")
        made.cli("rebuild", "promote", "fans")
        self.assertEqual(self.verify(made), set())


class Past(AuditCase):
    """Side generations: the tables as of a moment, for those who ask for them."""

    def listed(self, made, path, **query):
        query = "&".join(f"{name}={value}" for name, value in query.items())
        return [item["user_id"] for item in made.reader().get(f"{path}?{query}")["items"]]

    def moment(self, made):
        """Behind everything that is in the log, before everything that comes."""
        made.settle()
        then = int(time.time() * 1000) + 1
        wait_until(lambda: time.time() * 1000 > then + 1, "the moment is past")
        return then

    def generations(self, made):
        listed = json.loads(made.cli("rebuild", "status", "--json").stdout)["generations"]
        return {(g["projection"], g["generation"], g["state"], g["until_ms"]) for g in listed}

    def check(self, made):
        made.cli("import", "-", stdin="1 2 10\n1 3 20\n2 1 30\n7 8 40\n")
        then = self.moment(made)
        made.writer().request("DELETE", "/v1/users/1/following/2")
        _, headers, _ = made.writer().request("PUT", "/v1/users/1/following/4")
        made.settle()
        told = made.cli("rebuild", "all", "--until", str(then)).stdout
        self.assertRegex(told, r"generation 2 of fans is to be as of 2.*Z, positions \d+:\d+,\d+:")
        self.assertIn("generation 2 of following is verified, differences: 0", told)
        self.assertEqual(self.listed(made, "/v1/users/1/following", generation=2), ["3", "2"])
        self.assertEqual(self.listed(made, "/v1/users/1/following"), ["4", "3"])
        self.assertEqual(self.listed(made, "/v1/users/1/following", generation=1), ["4", "3"])
        self.assertEqual(self.listed(made, "/v1/users/1/friends", generation=2), ["2"])
        self.assertEqual(self.listed(made, "/v1/users/4/fans", generation=2), [])
        self.assertEqual(made.reader().get("/v1/users/1/counts?generation=2"),
                         {"user_id": "1", "following": 2, "fans": 1, "friends": 1})
        self.assertEqual(made.reader().get("/v1/users/1/relations?to=2&generation=2")["items"],
                         [{"user_id": "2", "relation": "friend"}])
        status, answered, body = made.reader().request(
            "GET", f"/v1/users/1/following?generation=2&timeout_ms=100"
                   f"&min_position={headers['Fanfold-Position']}")
        self.assertEqual((status, body["code"]), (409, "position_not_reached"))
        self.assertGreater(int(answered["Fanfold-Lag-Ms"]), 0)
        status, _, body = made.reader().request("GET", "/v1/users/1/counts?generation=9")
        self.assertEqual((status, body["code"]), (400, "invalid_argument"))
        self.assertIn("no generation 9 of", body["detail"])
        self.assertIn(("fans", 2, "side", then), self.generations(made))
        self.assertIn("the tables hold what the log holds", made.cli("doctor").stdout)
        self.assertEqual(made.cli("rebuild", "promote", "all", check=False).returncode, 3)
        self.assertIn("is there", made.cli("rebuild", "start", "all", "--until", str(then)).stdout)
        made.cli("rebuild", "start", "fans")
        self.assertIn(("fans", 3, "folding", None), self.generations(made))
        self.damage(made)
        spoilt = made.cli("rebuild", "verify", "fans", "--generation", "2", check=False)
        self.assertEqual(spoilt.returncode, 2)
        self.assertIn("missing_row fans user 8 other 7", spoilt.stderr)
        days_later(made)
        made.cli("rebuild", "cancel", "all", "--generation", "2")
        self.assertEqual({number for _, number, _, _ in self.generations(made)}, {1, 3})
        self.assertEqual(made.cli("verify").stdout, "differences: 0\n")

    def damage(self, made):
        for shard in range(len(made.schemas)):
            made.sql(shard, "DELETE FROM fans_g2 WHERE user_id = 8")

    def test_on_two_shards(self):
        self.check(self.deployment(shards=2))

    def test_a_time_that_is_none_or_before_all_events_or_to_come_is_refused(self):
        made = self.deployment()
        made.cli("import", "-", stdin="1 2 10\n")
        made.settle()
        before = self.generations(made)
        early = made.cli("rebuild", "all", "--until", "2020-01-01T00:00:00Z", check=False)
        self.assertEqual(early.returncode, 3)
        self.assertRegex(early.stderr, r"held no event yet at 2020-.*: its first one is of 2\d{3}-")
        self.assertEqual(self.generations(made), before)
        self.assertEqual(made.cli("rebuild", "all", "--until", "yesterday",
                                  check=False).returncode, 1)
        to_come = made.cli("rebuild", "all", "--until", "2999-01-01T00:00:00Z", check=False)
        self.assertEqual(to_come.returncode, 3)
        self.assertIn("to come", to_come.stderr)


class EmbeddedRebuild(fanfold.Case):
    def test_past_of_a_served_folder(self):
        made = self.embedded()
        made.cli("import", "-", stdin="1 2 10\n1 3 20\n")
        made.settle()
        then = int(time.time() * 1000) + 1
        wait_until(lambda: time.time() * 1000 > then + 1, "the moment is past")
        made.writer().request("DELETE", "/v1/users/1/following/2?wait=decided")
        made.cli("rebuild", "all", "--until", str(then))
        wait_until(lambda: made.reader().request(
            "GET", "/v1/users/1/counts?generation=2")[0] == 200, "the reader knows it", 10)
        self.assertEqual(made.reader().get("/v1/users/1/counts?generation=2")["following"], 2)
        self.assertEqual(made.reader().get("/v1/users/1/counts")["following"], 1)

    def check(self, made):
        made.cli("rebuild", "all", "--yes")
        self.assertEqual(made.cli("verify").stdout, "differences: 0\n")
        tables = {name for (name,) in made.sql(0, "SELECT name FROM sqlite_master")}
        self.assertLessEqual({"fans_g2", "following_g2"}, tables)
        made.cli("rebuild", "rollback", "following")
        made.cli("rebuild", "promote", "following")
        days_later(made)
        made.cli("rebuild", "retire", "all")
        made.cli("import", "-", stdin="5 6\n")
        made.cli("wait")
        self.assertEqual(made.cli("verify").stdout, "differences: 0\n")
        self.assertEqual(made.sql(0, "SELECT n FROM following_count_g2 WHERE user_id = 5"), [["1"]])

    def test_served_folder(self):
        made = self.embedded()
        made.cli("import", "-", stdin="1 2\n1 3\n2 1\n")
        made.settle()
        self.check(made)
        wait_until(lambda: made.reader().get("/v1/users/5/counts")["following"] == 1, "read", 10)

    def test_folder_that_nobody_serves(self):
        made = self.embedded(start=False)
        made.cli("import", "-", stdin="1 2\n1 3\n2 1\n")
        self.check(made)


if __name__ == "__main__":
    unittest.main()
