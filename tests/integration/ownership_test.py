"""Projectors that die, stop and come back: every event is applied once."""

import json
import random
import signal
import subprocess
import unittest

import fanfold
from fanfold import wait_until
from tiers import rest


def random_edges(users, edges, seed):
    """Follows and some unfollows, as JSONL lines; and the edges that stand at the end."""
    draw = random.Random(seed)
    lines, model = [], {}
    for n in range(edges):
        subject, object_ = draw.sample(range(1, users + 1), 2)
        kind = "unfollow" if model.get((subject, object_)) else "follow"
        model[(subject, object_)] = kind == "follow"
        lines.append(json.dumps({"type": kind, "subject": str(subject), "object": str(object_),
                                 "at": 1_600_000_000_000 + n}))
    return "\n".join(lines) + "\n", {edge for edge, active in model.items() if active}


class Takeover(fanfold.Case):
    def edges_in_tables(self, deployment):
        return {(int(user), int(target)) for shard in range(len(deployment.schemas))
                for user, target in deployment.sql(
                    shard, "SELECT user_id, target_id FROM following_g1 WHERE active = 1")}

    def applied(self, deployment):
        return sum(int(n) for shard in range(len(deployment.schemas)) for (n,) in deployment.sql(
            shard, "SELECT COALESCE(SUM(event_offset), 0) FROM progress"))

    def kill_loop(self, shards, kills):
        """kill -9 of one projector after another while an import runs, two of each kind running."""
        deployment = self.deployment(shards=shards, projectors=2)
        text, expected = random_edges(users=3_000, edges=120_000, seed=shards)
        file = deployment.folder / "edges.jsonl"
        file.write_text(text)
        draw = random.Random(shards)
        importing = subprocess.Popen(
            [str(fanfold.BIN / "fanfold"), "import", "--config", str(deployment.config), str(file)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=deployment.environment)
        self.addCleanup(importing.wait)
        names = [f"projector-{p}-{n}" for n in (1, 2) for p in ("following", "fans")]
        for round_ in range(kills):
            before = self.applied(deployment)
            wait_until(lambda: self.applied(deployment) > before, "something is applied")
            name = names[round_ % len(names)]
            deployment.processes[name].kill()
            _, projection, number = name.split("-")
            wait_until(lambda: draw.random() < 0.2, "a random moment", pause_s=0.05)
            deployment.start_projector(projection, int(number))
        self.assertEqual(importing.wait(120), 0)
        deployment.settle(180)
        self.assertEqual(self.edges_in_tables(deployment), expected)
        deployment.check_oracle(self)

    def test_projectors_killed_while_importing_on_four_shards(self):
        self.kill_loop(shards=4, kills=4)

    def test_stopped_inside_a_transaction_is_fenced(self):
        """SIGSTOP inside a transaction past the group's timeout; another takes over; the first goes on.

        A row lock held from outside keeps the transaction open at its last statement, where the
        process is stopped; the lock is held until the database has given up waiting for it, so that
        the first one comes back to a conflict and tries its transaction again: only the fence is then
        between it and a second count.
        """
        deployment = self.deployment(projectors=2)
        deployment.writer().request("PUT", "/v1/users/1/following/2?wait=decided")
        deployment.settle()
        epoch, owner, partition = deployment.sql(
            0, "SELECT owner_epoch, owner, `partition` FROM progress WHERE projection = 'following' "
               "AND next_offset > 0")[0]
        pid = int(owner.rsplit("/", 1)[1])
        first = next(p for p in deployment.processes.values() if p.pid == pid)
        self.assertEqual(first.metric("fanfold_fenced_total"), 0)
        locker = subprocess.Popen(
            ["mariadb", "--no-defaults", f"--socket={deployment.socket_of(0)}", "-uroot", "-N", "-B",
             "--unbuffered", deployment.schemas[0]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)
        self.addCleanup(locker.wait)
        self.addCleanup(locker.stdin.close)
        locker.stdin.write("BEGIN; SELECT n FROM following_count_g1 WHERE user_id = 1 FOR UPDATE;\n")
        locker.stdin.flush()
        self.assertEqual(locker.stdout.readline().strip(), "1")
        deployment.writer().request("PUT", "/v1/users/1/following/3")
        waits = ("SELECT COUNT(*) > 0 FROM information_schema.innodb_locks "
                 f"WHERE lock_table LIKE '%{deployment.schemas[0]}%'")
        # The server makes that view anew only when nobody has read it for 100 ms.
        wait_until(lambda: deployment.sql(0, waits) == [["1"]], "the batch waits for the lock",
                   pause_s=0.2)
        first.pause()
        wait_until(lambda: deployment.sql(0, waits) == [["0"]], "the lock wait times out",
                   pause_s=0.2)
        locker.stdin.write("ROLLBACK;\n")
        locker.stdin.flush()
        wait_until(lambda: deployment.sql(
            0, f"SELECT owner_epoch > {epoch} AND owner <> '{owner}' AND next_offset > 1 "
               f"FROM progress WHERE projection = 'following' AND `partition` = {partition}"
        ) == [["1"]], "the other one takes over and decides", 60)
        first.signal(signal.SIGCONT)
        wait_until(lambda: first.metric("fanfold_fenced_total") >= 1, "the first is fenced", 30)
        deployment.settle()
        counts = deployment.reader().get("/v1/users/1/counts")
        self.assertEqual(counts, {"user_id": "1", "following": 2, "fans": 0, "friends": 0})
        deployment.check_oracle(self)

    def test_two_processes_share_the_partitions(self):
        deployment = self.deployment(projectors=2)
        for projection in ("following", "fans"):
            owners = wait_until(lambda: self.two_owners(deployment, projection), "two owners")
            self.assertEqual(sum(owners.values()), fanfold.PARTITIONS)
        deployment.processes["projector-fans-1"].stop()
        wait_until(lambda: list(self.owners(deployment, "fans").values()) == [fanfold.PARTITIONS],
                   "one owner of all after the other left", 30)

    def test_a_paused_lane_goes_on_soon_after_its_row_says_running(self):
        deployment = self.deployment()
        fans = deployment.processes["projector-fans-1"]
        deployment.writer().request("PUT", "/v1/users/1/following/3")
        deployment.settle()
        deployment.sql(0, "UPDATE progress SET state = 'paused' WHERE projection = 'fans'")
        _, headers, _ = deployment.writer().request("PUT", "/v1/users/1/following/2")
        wait_until(lambda: fans.metric("fanfold_fenced_total") >= 1, "the batch is refused")
        fans_of_2 = lambda: deployment.sql(0, "SELECT fan_id FROM fans_g1 WHERE user_id = 2")
        self.assertEqual(fans_of_2(), [])
        counts = deployment.reader().get_at(headers["Fanfold-Position"], "/v1/users/2/counts")
        self.assertEqual(counts["fans"], 1, "the reader follows the outcomes by itself")
        deployment.sql(0, "UPDATE progress SET state = 'running' WHERE projection = 'fans'")
        wait_until(fans_of_2, "the lane goes on", 10)
        deployment.check_oracle(self)

    def owners(self, deployment, projection):
        return {owner: int(n) for owner, n in deployment.sql(
            0, f"SELECT owner, COUNT(*) FROM progress WHERE projection = '{projection}' "
               "AND owner <> '' GROUP BY owner")}

    def two_owners(self, deployment, projection):
        owners = self.owners(deployment, projection)
        return owners if len(owners) == 2 else None


class Writers(fanfold.Case):
    def test_limit_at_its_edge_accepts_exactly_one_of_50(self):
        """50 concurrent follows of one subject who follows 999 of 1,000. Each has seen the room for one, so
        that a process that decided by what it reads would let all in."""
        import concurrent.futures
        import threading
        deployment = self.deployment()
        lines = "".join(f"1\t{object_}\n" for object_ in range(2, 1001))
        deployment.cli("import", "-", stdin=lines)
        deployment.settle()

        all_have_looked = threading.Barrier(50, timeout=30)

        def follow(object_):
            self.assertEqual(deployment.reader().get("/v1/users/1/counts")["following"], 999)
            all_have_looked.wait()
            return deployment.writer().request(
                "PUT", f"/v1/users/1/following/{object_}?wait=decided&timeout_ms=10000")
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            answers = list(pool.map(follow, range(5000, 5050)))
        accepted = [a for a in answers if a[0] == 200 and a[2]["outcome"] == "followed"]
        told = [a for a in answers if a[0] == 422 and a[2]["code"] == "follow_limit"]
        self.assertEqual((len(accepted), len(told)), (1, 49))
        deployment.settle()
        self.assertEqual(deployment.reader().get("/v1/users/1/counts")["following"], 1000)
        deployment.check_oracle(self)

    def test_killed_writer_loses_nothing_it_acked(self):
        import threading
        deployment = self.deployment()
        acked, done = set(), threading.Event()

        def send(base):
            client = deployment.writer()
            for n in range(100_000):
                try:
                    status, _, _ = client.request("PUT", f"/v1/users/{base}/following/{base + n + 1}")
                except (OSError, fanfold.http.client.HTTPException):
                    return
                if status == 202:
                    acked.add((base, base + n + 1))
                    if len(acked) > 500:
                        done.set()
        threads = [threading.Thread(target=send, args=(base,)) for base in (10_000, 20_000, 30_000)]
        for thread in threads:
            thread.start()
        self.assertTrue(done.wait(30))
        deployment.processes["writer"].kill()
        for thread in threads:
            thread.join()
        deployment.settle()
        standing = {(int(user), int(target)) for user, target in deployment.sql(
            0, "SELECT user_id, target_id FROM following_g1 WHERE active = 1")}
        self.assertEqual({e for e in acked if e[1] - e[0] <= 1000} - standing, set())

    @rest
    def test_control_what_a_killed_writer_has_received_is_lost(self):
        """Whoever acked a request when it came, and not when the log has it, would have lied."""
        deployment = self.deployment()
        process, client = deployment.processes["writer"], deployment.writer()
        self.assertEqual(client.request("PUT", "/v1/users/1/following/2")[0], 202)
        process.pause()
        client.connection.request("PUT", "/v1/users/1/following/3")
        process.kill()
        with self.assertRaises((OSError, fanfold.http.client.HTTPException)):
            client.connection.getresponse()
        deployment.settle()
        self.assertEqual(deployment.sql(0, "SELECT target_id FROM following_g1"), [["2"]])


if __name__ == "__main__":
    unittest.main(verbosity=2)
