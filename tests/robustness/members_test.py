"""Members come, go and die in turn under load; crowds meet on one row; records come twice or late; and
clocks say anything."""

import json
import random
import socket
import struct
import unittest

import faults
import fanfold
from database_test import deadlocks
from faults import Load, Log, Session, wait_until
from tiers import rest

HOUR_MS = 3_600_000


class Members(faults.Case):
    ROUNDS = 3

    def owners(self, made, projection):
        return {owner for shard in range(len(made.schemas)) for (owner,) in made.sql(
            shard, f"SELECT DISTINCT owner FROM progress WHERE projection = '{projection}'")}

    def applied(self, made):
        return sum(int(n) for shard in range(len(made.schemas)) for (n,) in made.sql(
            shard, "SELECT COALESCE(SUM(event_offset), 0) FROM progress"))

    def await_progress(self, made):
        before = self.applied(made)
        wait_until(lambda: self.applied(made) > before + 50, "events are applied", 60)

    def await_owners(self, made, count):
        """Of each projection so many processes own lanes, all of them alive."""
        pids = {process.pid for process in made.processes.values() if process.popen.poll() is None}
        for projection in ("following", "fans"):
            def shared():
                owners = {owner.rsplit("/", 1)[-1] for owner in self.owners(made, projection)}
                return len(owners) == count and owners <= set(map(str, pids))
            wait_until(shared, f"{count} members own the lanes of {projection}", 60, 0.1)

    def test_members_join_leave_and_are_killed_in_turn(self):
        made = self.deployment(shards=2, projectors=2)
        with Load(made) as load:
            for _ in range(self.ROUNDS):
                for projection in ("following", "fans"):
                    self.start_again(made, projection, 3)
                self.await_owners(made, 3)
                self.await_progress(made)
                for projection in ("following", "fans"):
                    self.projector(made, projection, 1).kill()
                self.await_owners(made, 2)
                self.await_progress(made)
                for projection in ("following", "fans"):
                    self.assertEqual(self.projector(made, projection, 2).stop(), 0)
                self.await_owners(made, 1)
                self.await_progress(made)
                for number in (1, 2):
                    for projection in ("following", "fans"):
                        self.start_again(made, projection, number)
                for projection in ("following", "fans"):
                    self.projector(made, projection, 3).stop()
                self.await_owners(made, 2)
        self.check_everything(made, load.acked)


class SilentLeader:
    """Leads a consumer group and never says who gets what. Speaks JoinGroup 2 to the only broker:
    https://kafka.apache.org/protocol#The_Messages_JoinGroup."""

    API, VERSION, TIMEOUT_MS = 11, 2, 30_000

    def __init__(self, case, deployment, group):
        host, port = deployment.kafka.rsplit(":", 1)
        self.connection = socket.create_connection((host, int(port)), self.TIMEOUT_MS / 1000)
        case.addCleanup(self.connection.close)
        self.group, self.member = self.text(f"{deployment.space}-{group}"), ""
        topic = self.text(f"{deployment.space}-relation-events")
        self.subscription = self.sized(struct.pack(">hi", 0, 1) + topic + struct.pack(">i", 0))

    @staticmethod
    def text(value):
        return struct.pack(">h", len(value)) + value.encode()

    @staticmethod
    def sized(data):
        return struct.pack(">i", len(data)) + data

    def join(self):
        """Joins, or joins again: how many members have."""
        self.connection.sendall(self.sized(
            struct.pack(">hhi", self.API, self.VERSION, 1) + self.text("silent leader") + self.group
            + struct.pack(">ii", self.TIMEOUT_MS, self.TIMEOUT_MS) + self.text(self.member)
            + self.text("consumer") + struct.pack(">i", 1) + self.text("cooperative-sticky")
            + self.subscription))
        with self.connection.makefile("rb") as answer:
            def number(kind):
                return struct.unpack(f">{kind}", answer.read(struct.calcsize(f">{kind}")))[0]

            def text():
                return answer.read(number("h")).decode()
            number("i"), number("i"), number("i")  # bytes, correlation, throttle time
            error, _, _ = number("h"), number("i"), text()  # generation, protocol
            leader, self.member = text(), text()
            if error or leader != self.member:
                raise AssertionError(f"error {error}; the leader is {leader}")
            members = number("i")
            for _ in range(members):
                text(), answer.read(number("i"))
        return members


class Joining(faults.Case):
    def test_a_projector_stops_in_order_while_its_group_waits_for_the_leader(self):
        """librdkafka before 2.3.0 aborts when a member ends that has joined and was never assigned."""
        made = self.deployment(start=False)
        leader = SilentLeader(self, made, "fanfold-following")
        self.assertEqual(leader.join(), 1)
        projector = made.start_projector("following")
        wait_until(lambda: leader.join() == 2, "the projector joins")
        self.assertEqual(projector.stop(), 0, projector.tail())


class Crowd(faults.Case):
    FANS = 100_000

    def test_one_object_gains_many_fans_from_two_projectors_at_once(self):
        """Each projector moves the count of the same object with every batch."""
        made = self.deployment(projectors=2)
        made.cli("import", "-", stdin="".join(f"{fan} 7\n" for fan in range(1000, 1100)))
        made.settle()
        before = deadlocks(made)
        for projection in ("fans", "following"):
            self.projector(made, projection).pause()
            self.projector(made, projection, 2).pause()
        made.cli("import", "--no-wait", "-",
                 stdin="".join(f"{10_000 + fan} 7\n" for fan in range(self.FANS - 100)))
        for process in made.processes.values():
            process.signal(fanfold.signal.SIGCONT)
        made.settle(180)
        owners = made.sql(0, "SELECT COUNT(DISTINCT owner) FROM progress WHERE projection = 'fans'")
        self.assertEqual(owners, [["2"]])
        self.assertEqual(made.sql(0, "SELECT n FROM fan_count_g1 WHERE user_id = 7"),
                         [[str(self.FANS)]])
        self.assertEqual(deadlocks(made), before)
        self.check_everything(made)

    @rest
    def test_control_the_server_counts_a_deadlock(self):
        """Two that take the same rows in different orders, as batches do not."""
        made = self.deployment(start=False)
        made.sql(0, "INSERT INTO fan_count_g1 VALUES (7, 0), (8, 0)")
        before, one, other = deadlocks(made), Session(self, made), Session(self, made)
        one.run("BEGIN; UPDATE fan_count_g1 SET n = n + 1 WHERE user_id = 7")
        other.run("BEGIN; UPDATE fan_count_g1 SET n = n + 1 WHERE user_id = 8")
        one.send("UPDATE fan_count_g1 SET n = n + 1 WHERE user_id = 8")
        faults.await_held_open(made)
        other.run("UPDATE fan_count_g1 SET n = n + 1 WHERE user_id = 7")
        one.receive()
        self.assertEqual(deadlocks(made), before + 1)


class Repeats(faults.Case):
    def followed_and_left(self):
        """User 1 follows 2 and leaves; gives the deployment, user 1's partition and the raw outcomes."""
        made = self.deployment()
        partition, _ = self.follow(made, 1, 2)
        made.writer().request("DELETE", "/v1/users/1/following/2?wait=decided")
        made.settle()
        return made, partition, Log(made).records["relation-outcomes"][partition]

    def edge(self, made):
        return made.sql(0, "SELECT active, version FROM fans_g1 WHERE user_id = 2 AND fan_id = 1")

    def repeated(self, made):
        return self.projector(made, "fans").metric("fanfold_projector_repeats_total")

    def test_record_delivered_twice_and_an_old_one_late(self):
        made, partition, (follow, unfollow) = self.followed_and_left()
        before, reader = self.repeated(made), made.processes["reader"]
        skipped = reader.metric("fanfold_reader_repeated_outcomes_total")
        for record in (unfollow, follow):
            made.put_raw(partition, record["key"], record["value"].encode(), topic="relation-outcomes")
        wait_until(lambda: self.repeated(made) == before + 2, "both are dropped and counted")
        wait_until(lambda: reader.metric("fanfold_reader_repeated_outcomes_total") == skipped + 2,
                   "by the reader too")
        self.assertEqual(self.edge(made), [["0", "2"]])
        self.assertEqual(made.reader().get("/v1/users/2/counts")["fans"], 0)
        self.follow(made, 1, 3)
        self.assertEqual(self.check_everything(made), 2, "two copies stand in the topic")

    def test_copies_survive_a_projector_that_reads_them_again(self):
        """After a rewind every record comes again, the copies too."""
        made, partition, records = self.followed_and_left()
        for record in records:
            made.put_raw(partition, record["key"], record["value"].encode(), topic="relation-outcomes")
        self.follow(made, 1, 3)
        made.settle()
        for projection in ("fans", "following"):
            made.cli("lane", "rewind", projection, "--to", "0")
        self.assertEqual(self.check_everything(made), 2)
        self.assertEqual(self.edge(made), [["0", "2"]])

    @rest
    def test_control_the_same_outcome_at_the_position_that_is_due(self):
        """It would bring the edge back, were it not known by its position."""
        made, partition, (follow, _) = self.followed_and_left()
        late = json.loads(follow["value"]) | {"position": f"{partition}:2"}
        made.put_raw(partition, follow["key"], json.dumps(late, separators=(",", ":")).encode(),
                     topic="relation-outcomes")
        wait_until(lambda: self.edge(made) == [["1", "3"]], "the edge stands again")
        with self.assertRaises(AssertionError, msg="fans do not mirror following"):
            made.check_oracle(self)


class Clocks(faults.Case):
    def test_the_log_orders_events_and_their_times_do_not(self):
        """Two apps an hour apart, one of them going back: the last in the log wins. The control: the
        order of their times gives another graph."""
        made = self.deployment()
        draw, now_ms, events = random.Random(15), 1_700_000_000_000, []
        for n in range(3000):
            app = draw.randrange(2)
            at = now_ms + n + app * HOUR_MS - (2 * HOUR_MS if app and n > 1500 else 0)
            events.append({"type": draw.choice(("follow", "unfollow")), "at": at,
                           "subject": str(draw.randrange(1, 40)), "object": str(draw.randrange(40, 80))})
        for first in range(0, len(events), 500):
            status, _, body = made.writer().request(
                "POST", "/v1/events", json.dumps({"events": events[first:first + 500]}))
            self.assertEqual((status, {tuple(r) for r in body["results"]}),
                             (202, {("event_id", "position")}))
        made.settle()

        def fold(ordered):
            state = {}
            for event in ordered:
                edge, follows = (event["subject"], event["object"]), event["type"] == "follow"
                if follows and edge not in state:
                    state[edge] = str(event["at"])
                elif not follows:
                    state.pop(edge, None)
            return state
        rows = {(user, target): since for user, target, since in made.sql(
            0, "SELECT user_id, target_id, since_ms FROM following_g1 WHERE active = 1")}
        self.assertEqual(rows, fold(events))
        self.assertNotEqual(fold(events), fold(sorted(events, key=lambda event: event["at"])))
        self.check_everything(made)


if __name__ == "__main__":
    unittest.main(verbosity=2)
