"""What changes, as it happens: GET /v1/changes, and the topics that stand behind it."""

import collections
import contextlib
import http.client
import json
import random
import subprocess
import threading
import time
import unittest

import access_test
import fanfold
from packages import program
from tiers import rest

ROOT = fanfold.ROOT
Change = collections.namedtuple("Change", "id type data")
# Longer than a heartbeat takes, and the last part that a process gives.
READ_TIMEOUT_S = 40


class Listener:
    """A client that follows changes: what it was told, and its last id."""

    def __init__(self, port, query="", last_id=None, token=None, accept="*/*"):
        self.changes, self.last_id, self.ended = [], last_id, None
        headers = {"Accept": accept} | ({"Last-Event-ID": last_id} if last_id else {})
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=READ_TIMEOUT_S)
        self.connection.request("GET", f"/v1/changes{query}", headers=headers)
        self.answer = self.connection.getresponse()
        if self.answer.status != 200:
            raise AssertionError(f"{self.answer.status} {self.answer.read()}")
        self.greeted = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        fields = {}
        try:
            for raw in self.answer:
                line = raw.decode().rstrip("\n")
                if line:
                    name, _, value = line.partition(": ")
                    fields[name] = value
                    continue
                self.take(fields)
                fields = {}
            self.ended = "whole"
        except (OSError, ValueError, AttributeError, http.client.HTTPException) as error:
            self.ended = repr(error)

    def take(self, fields):
        if "id" in fields:
            self.last_id = fields["id"]
            self.greeted.set()
        if "data" in fields:
            self.changes.append(Change(fields.get("id"), fields["event"], json.loads(fields["data"])))

    def await_greeting(self):
        if not self.greeted.wait(READ_TIMEOUT_S):
            raise AssertionError("no greeting")
        return self

    def await_changes(self, count):
        fanfold.wait_until(lambda: len(self.changes) >= count or self.ended, f"{count} changes", 30)
        return self.changes

    def close(self):
        """As a client that goes; once more it does nothing."""
        with contextlib.suppress(OSError, AttributeError):  # it has gone by itself
            self.connection.sock.shutdown(2)
        self.thread.join()
        self.connection.close()
        return self


class Changes(fanfold.Case):
    def listen(self, made, *arguments, **options):
        listener = Listener(made.processes[made.READER].port, *arguments, **options)
        self.addCleanup(listener.close)
        return listener.await_greeting()

    def write(self, made, method, path, body=None):
        status, _, answer = made.writer().request(method, f"/v1/users/{path}",
                                                  json.dumps(body) if body is not None else None)
        self.assertIn(status, (200, 202), answer)
        self.positions.append(answer["position"])
        return answer["position"]

    def restart(self, made):
        made.processes[made.READER].stop()
        if made.READER == "serve":
            made.start()
        else:
            made.start("reader", "fanfold-reader").await_ready(30)

    def check_changes(self, made):
        self.positions = []
        everything = self.listen(made)
        of_two = self.listen(made, "?user=2")
        posts_alone = self.listen(made, "?user=2&types=posted,post_deleted")
        refused = self.listen(made, "?types=rejected")
        positions = [self.write(made, "PUT", "1/following/2?wait=decided")]
        everything.await_changes(1)  # before the other follows back
        positions += [
            self.write(made, "PUT", "1/following/2?wait=decided"),  # changes nothing
            self.write(made, "PUT", "2/following/1?wait=decided")]
        everything.await_changes(2)  # while both follow: whether they are friends is asked then
        positions += [
            self.write(made, "DELETE", "1/following/2?wait=decided"),
            self.write(made, "PUT", "2/profile", {"name": "Bo"}),
            self.write(made, "POST", "2/posts?wait=decided", {"content": "hello", "post_id": "5", "at": 7}),
            self.write(made, "DELETE", "2/posts/5?wait=decided"),
            self.write(made, "PUT", "3/following/4?wait=decided")]
        late = {"type": "unfollow", "subject": "1", "object": "2", "if_version": 0}
        _, _, answer = made.writer().request("POST", "/v1/events", json.dumps({"events": [late]}))
        self.assertEqual([change.data for change in refused.await_changes(1)],
                         [{"position": answer["results"][0]["position"], "subject": "1", "object": "2",
                           "reason": "superseded"}])
        told = {change.data["position"]: change for change in everything.await_changes(7)}
        self.assertEqual(set(told), set(positions) - {positions[1]})
        self.assertEqual([told[positions[at]].type for at in (0, 2, 3, 4, 5, 6)],
                         ["followed", "followed", "unfollowed", "profile_changed", "posted", "post_deleted"])
        self.assertNotIn("became_friends", told[positions[0]].data)
        self.assertTrue(told[positions[2]].data["became_friends"])
        self.assertEqual(told[positions[4]].data["profile"]["name"], "Bo")
        self.assertEqual(told[positions[5]].data, {"position": positions[5], "author": "2", "post_id": "5",
                                                   "score": 7, "type": 0})
        self.assertEqual(len(of_two.await_changes(6)), 6)
        self.assertEqual([change.type for change in posts_alone.await_changes(2)], ["posted", "post_deleted"])
        # From the first, from a position, from an id, as from the middle of the stream.
        self.assertEqual(len(self.listen(made, "?from=earliest").await_changes(7)), 7)
        behind = self.listen(made, f"?from={positions[0]}&user=1")  # where user 2 writes, from now on
        self.assertEqual([change.type for change in behind.await_changes(1)], ["unfollowed"])
        middle = everything.changes[3]
        resumed = self.listen(made, last_id=middle.id)
        self.assertEqual([c.data for c in resumed.await_changes(3)], [c.data for c in everything.changes[4:]])
        self.check_cuts(made)
        self.check_restart(made)

    def check_cuts(self, made):
        """One who is cut again and again has had everything once."""
        pick = random.Random(5)
        types = "?types=followed,unfollowed"
        listener, had = self.listen(made, types), []
        before = self.decided(made)
        for burst in range(12):
            events = [{"type": pick.choice(["follow", "unfollow"]), "subject": str(pick.randint(10, 30)),
                       "object": str(pick.randint(40, 45))} for _ in range(50)]
            status, _, answer = made.writer().request("POST", "/v1/events", json.dumps({"events": events}))
            self.assertEqual(status, 202)
            self.positions += [result["position"] for result in answer["results"]]
            if burst % 3:
                listener.await_changes(1)
            had += listener.close().changes
            listener = self.listen(made, types, last_id=listener.last_id)
        made.cli("wait")
        expected = self.decided(made) - before
        fanfold.wait_until(lambda: len(had) + len(listener.changes) >= len(expected), "all of it")
        had = [change.data["position"] for change in had + listener.changes]
        self.assertEqual(len(had), len(set(had)), "nothing is repeated")
        self.assertEqual(set(had), expected)

    def decided(self, made):
        """Where relations changed, as the topic has it."""
        ends = {}
        for partition, offset in (map(int, at.split(":")) for at in self.positions if "/" not in at):
            ends[partition] = max(ends.get(partition, 0), offset + 1)
        told = made.cli("tail", "--outcomes", "--from-start", "--json", "--count", sum(ends.values())).stdout
        values = [json.loads(line)["value"] for line in told.splitlines()]
        return {value["position"] for value in values if value["outcome"] in ("followed", "unfollowed")}

    def check_restart(self, made):
        """A process that stops ends its streams, at once; whoever comes back has missed nothing."""
        listener = self.listen(made)
        self.write(made, "PUT", "50/following/51?wait=decided")
        listener.await_changes(1)
        began = time.monotonic()
        self.restart(made)
        self.assertLess(time.monotonic() - began, 30)
        listener.thread.join(10)
        self.assertEqual(listener.ended, "whole")
        self.write(made, "PUT", "52/following/53?wait=decided")
        again = self.listen(made, last_id=listener.last_id)
        self.assertEqual([c.data["subject"] for c in again.await_changes(1)], ["52"])

    def test_changes_on_two_shards(self):
        self.check_changes(self.deployment(shards=2))

    def test_changes_in_one_process(self):
        self.check_changes(self.embedded())

    @rest
    def test_a_consumer_of_the_topics_sees_the_same(self):
        """The documented contract, by a client that is not ours, with copies in the topics."""
        made = self.deployment(environment={"FANFOLD_AUDIT": "off"})
        self.positions = []
        listener = self.listen(made)
        for number in range(40):
            self.write(made, "PUT", f"{number % 5 + 1}/following/{number % 7 + 10}")
            self.write(made, "POST", f"{number % 5 + 1}/posts", {"content": "x", "post_id": str(number % 9 + 1)})
        # Who decides is killed between two of its outcomes: what it appended comes again.
        for projection in ("following", "posts"):
            made.processes[f"projector-{projection}-1"].kill()
            made.start_projector(projection, 2)
        for number in range(40):
            self.write(made, "DELETE", f"{number % 5 + 1}/following/{number % 7 + 10}?wait=decided&timeout_ms=10000")
            self.write(made, "DELETE", f"{number % 5 + 1}/posts/{number % 9 + 1}?wait=decided&timeout_ms=10000")
        made.settle()
        kinds = {"relation-outcomes": ("followed", "unfollowed"), "post-outcomes": ("posted", "post_deleted")}
        changed = {}
        for topic, moves in kinds.items():
            outcomes = self.consume(made, topic, 80)
            self.assertEqual(len({outcome["position"] for outcome in outcomes}), 80)
            prefix = "" if topic == "relation-outcomes" else "post-events/"
            changed |= {prefix + o["position"]: o["outcome"] for o in outcomes if o["outcome"] in moves}
        told = {change.data["position"]: change.type for change in listener.await_changes(len(changed))}
        self.assertEqual(told, changed)
        self.assertEqual(len(listener.changes), len(changed))

    def check_restored(self, restore):
        """A backup is restored, and other events come in the place of those that it lacks."""
        source = self.embedded()
        follow = "{}/following/{}?wait=decided"
        self.positions = []
        for number in range(20):
            self.write(source, "PUT", follow.format(number + 1, 100))
        listener = self.listen(source, "?from=earliest")
        listener.await_changes(20)
        backup = source.folder / "log.jsonl"
        source.cli("export", "--log", backup)
        within = listener.last_id
        for number in range(30):
            self.write(source, "PUT", follow.format(number % 20 + 1, 200 + number))
        listener.await_changes(50)
        beyond = listener.last_id
        self.assertTrue(beyond.startswith("c2-"), beyond)
        made = restore(backup)
        port = made.processes[made.READER].port
        for others in (0, 60):  # shorter than what was told, and longer
            for number in range(others):
                self.write(made, "PUT", follow.format(number % 20 + 1, 300 + number))
            with self.subTest(others=others):
                self.check_log_changed(port, {"Last-Event-ID": beyond})
        self.check_log_changed(port, {}, f"?from={self.positions[0].split(':')[0]}:100000")
        told = self.listen(made, last_id=beyond, accept="text/event-stream")
        told.thread.join(10)
        self.assertEqual([(change.type, change.data) for change in told.changes],
                         [("log_changed", {"from": "earliest"})])
        self.assertEqual(len(self.listen(made, last_id=told.last_id).await_changes(80)), 80)
        # What the backup has, the restored log has told: an id outlives the move.
        again = self.listen(made, last_id=within).await_changes(60)
        self.assertEqual({change.data["object"] for change in again}, {str(300 + n) for n in range(60)})

    def check_log_changed(self, port, headers, query=""):
        status, _, answer = fanfold.Client(port).request("GET", f"/v1/changes{query}", headers=headers)
        self.assertEqual((status, answer["code"], answer["from"]), (410, "log_changed", "earliest"))

    def test_back_after_a_restore_of_a_folder(self):
        def restore(backup):
            made = self.embedded(start=False)
            made.cli("import", "--log", backup)
            made.start()
            return made
        self.check_restored(restore)

    def test_back_after_a_restore_of_a_log_on_kafka(self):
        def restore(backup):
            made = self.deployment(partitions=16, start=False)
            made.cli("import", "--log", backup)
            made.start_all()
            return made
        self.check_restored(restore)

    def consume(self, made, topic, count):
        ran = subprocess.run(
            [program("kafka_python", "python3"), ROOT / "docs/examples/follow_outcomes.py", made.kafka,
             f"{made.space}-{topic}", "--until", str(count)], capture_output=True, text=True, timeout=120)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return [json.loads(line) for line in ran.stdout.splitlines()]


class Tokens(access_test.AccessCase):
    def test_streams_end_with_what_granted_them(self):
        token = self.make("changes:read")
        made = self.served()
        port = made.processes["serve"].port
        expires = self.issuer.key.sign(scope="changes:read", exp=int(time.time()) + 5)
        listeners = {name: Listener(port, token=held).await_greeting()
                     for name, held in (("revoked", token), ("expired", expires), ("kept", self.token))}
        began = time.monotonic()
        self.fanfold("token", "revoke", token.split("_")[0])
        listeners["revoked"].thread.join(10)
        self.assertEqual(listeners["revoked"].ended, "whole")
        self.assertLess(time.monotonic() - began, 5)
        listeners["expired"].thread.join(15)
        self.assertEqual(listeners["expired"].ended, "whole")
        self.assertIsNone(listeners["kept"].ended)
        for listener in listeners.values():
            self.addCleanup(listener.close)
        listeners["kept"].close()


if __name__ == "__main__":
    unittest.main()
