"""The embedded mode as processes: `fanfold serve`, and the verbs on its folder, served or not."""

import concurrent.futures
import itertools
import json
import os
import select
import signal
import socket
import subprocess
import unittest

import fanfold
import graphs_test

COUNT_OF_USERS = 50


class Graphs(graphs_test.GraphCase):
    def test_wikivote(self):
        self.check_graph("wikivote", self.embedded())


class FollowLimit(graphs_test.LimitCase):
    def test_wikivote_with_a_limit_of_50(self):
        self.check_limit("wikivote", self.embedded(follow_limit=self.LIMIT))


class Verbs(fanfold.Case):
    PATIENCE_S = 10

    def test_folder_that_nobody_serves_is_opened_and_folded(self):
        made = self.embedded(start=False)
        made.cli("import", "-", stdin="1 2\n1 3\n2 1\n")
        status = json.loads(made.cli("status", "--json").stdout)
        self.assertEqual({p["projection"]: p["lag_events"] for p in status["projections"]},
                         dict.fromkeys(fanfold.PROJECTIONS, 0))
        self.assertIn("nothing is parked", made.cli("parked", "list").stdout)
        tail = made.cli("tail", "--from-start", "--count", "3", "--json").stdout.splitlines()
        self.assertEqual(len(tail), 3)
        made.start()
        self.assertEqual(made.reader().get("/v1/users/1/counts"),
                         {"user_id": "1", "following": 2, "fans": 1, "friends": 1})

    def test_what_an_operator_did_is_in_the_log_of_his_machine(self):
        made = self.embedded()
        devices = made.folder / "dev"
        devices.mkdir()
        for name in ("null", "urandom", "random", "zero"):
            there = os.stat(f"/dev/{name}")
            os.mknod(devices / name, there.st_mode, there.st_rdev)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
            log.bind(str(devices / "log"))
            log.settimeout(10)
            # A /dev of its own: whatever log this machine has is left alone.
            in_namespace = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /dev && exec "$@"',
                            str(devices), str(fanfold.BIN / "fanfold")]
            for verb, code in ((["lane", "pause", "fans", "--reason", "lunch"], 0),
                               (["status"], 0), (["lane", "pause", "fans/99"], 1)):
                ran = subprocess.run([*in_namespace, *verb, *made.place], capture_output=True,
                                     text=True, env=made.environment, timeout=60)
                self.assertEqual(ran.returncode, code, ran.stderr)
            lines = [json.loads(text[text.index("{"):]) for text in
                     (log.recv(4096).decode() for _ in range(2))]
            self.assertEqual([line["exit"] for line in lines], [0, 1])
            self.assertIn("lane pause fans --reason lunch", lines[0]["what"])
            self.assertEqual(lines[0]["who"].split()[0], "root")
            log.setblocking(False)
            with self.assertRaises(BlockingIOError):
                log.recv(4096)

    def test_second_process_is_refused_by_name(self):
        made = self.embedded()
        ran = made.cli("serve", check=False)
        self.assertEqual(ran.returncode, 3)
        self.assertIn(str(made.processes["serve"].pid), ran.stderr)
        self.assertIn(str(made.data), ran.stderr)

    def test_import_into_a_served_folder_goes_through_it(self):
        made = self.embedded()
        imported = json.loads(made.cli(
            "import", "-", "--json",
            stdin="1 2 500\n3 3\nx\n" + "".join(f"4 {n}\n" for n in range(5, 3000))).stdout)
        self.assertEqual(imported["appended"], 1 + 2995)
        self.assertEqual((imported["followed"], imported["rejected"]), (1 + 1000, 1995))
        self.assertEqual(imported["reasons"], {"follow_limit": 1995})
        self.assertEqual(imported["refused"][0], {"line": 1004, "outcome": "rejected", "reason": "follow_limit",
                                                  "subject": "4", "object": "1005"})
        made.settle()
        items = list(made.reader().pages("/v1/users/1/following"))
        self.assertEqual(items, [{"user_id": "2", "since": 500}])
        self.assertEqual(made.reader().get("/v1/users/4/counts")["following"], 1000)
        made.check_oracle(self)

    def test_folder_whose_serve_was_killed_is_its_own_though_another_serve_has_the_pid(self):
        killed, other = self.embedded(), self.embedded()
        killed.processes["serve"].kill()
        (killed.data / "serve.json").write_text((other.data / "serve.json").read_text())
        killed.cli("import", "-", stdin="5 6\n")
        other.settle()
        self.assertEqual(other.reader().get("/v1/users/5/counts")["following"], 0)
        killed.start()
        self.assertEqual(killed.reader().get("/v1/users/5/counts")["following"], 1)

    def test_older_log_beside_newer_tables_is_refused(self):
        made = self.embedded(start=False)
        made.cli("import", "-", stdin="1 2\n")
        older = {log: log.read_bytes() for log in made.data.glob("log.db*")}
        made.cli("import", "-", stdin="1 3\n1 4\n")
        newer = {log: log.read_bytes() for log in made.data.glob("log.db*")}
        for log in newer:
            log.unlink()
        for log, content in older.items():
            log.write_bytes(content)
        for verb in ["serve"], ["status"], ["import", "-"]:
            ran = made.cli(*verb, check=False, stdin="3 4\n")
            self.assertEqual(ran.returncode, 3, verb)
            self.assertIn("lacks 2 of the 3 events", ran.stderr)
        for log, content in newer.items():
            log.write_bytes(content)
        self.assertIn("differences: 0", made.cli("verify").stdout)

    def test_verb_on_a_folder_that_is_not_there_makes_none(self):
        made = self.embedded(start=False)
        for verb in ["status"], ["verify"], ["wait"], ["doctor"], ["export", "--log", "-"]:
            ran = made.cli(*verb, check=False)
            self.assertEqual(ran.returncode, 1, verb)
            self.assertIn("`fanfold serve --dir", ran.stderr)
            self.assertFalse(made.data.exists(), verb)
        made.cli("init")
        made.cli("status")

    def test_new_log_beside_old_tables_is_refused(self):
        made = self.embedded(start=False)
        made.cli("import", "-", stdin="1 2\n")
        log, away = made.data / "log.db", made.data / "log.away"
        log.rename(away)
        for verb in ["serve"], ["status"], ["import", "-"]:
            ran = made.cli(*verb, check=False, stdin="3 4\n")
            self.assertEqual(ran.returncode, 3, verb)
            self.assertIn(str(log), ran.stderr)
            self.assertIn("new log", ran.stderr)
            self.assertFalse(log.exists(), verb)
        # As a process leaves it that is killed while making it.
        log.touch()
        self.assertIn("lacks 1 of the 1 events", made.cli("serve", check=False).stderr)
        fresh = self.embedded(start=False)
        fresh.data.mkdir(exist_ok=True)
        (fresh.data / "log.db").touch()
        fresh.cli("status")
        # As an earlier build left it, which made a new one.
        (fresh.data / "log.db").rename(log)
        self.assertEqual(made.cli("serve", check=False).returncode, 3)
        away.rename(log)
        made.cli("import", "-", stdin="3 4\n")
        made.start()
        self.assertEqual(made.reader().get("/v1/users/3/counts")["following"], 1)

    def test_tail_beside_a_serve_goes_on_as_the_log_grows(self):
        made = self.embedded()
        tails = [self.begin(made, "tail", "--from-start", *topic) for topic in ([], ["--outcomes"])]
        for user in range(1, 4):
            made.writer().request("PUT", f"/v1/users/{user}/following/9?wait=decided")
            for tail in tails:
                ready, _, _ = select.select([tail.stdout], [], [], self.PATIENCE_S)
                self.assertTrue(ready, f"the {user}. is told")
                self.assertIn(str(user), tail.stdout.readline())

    def test_stop_and_start_keep_everything(self):
        made = self.embedded()
        made.writer().request("PUT", "/v1/users/1/following/2?wait=decided")
        self.assertEqual(made.processes["serve"].stop(), 0)
        made.start()
        status, _, answer = made.writer().request(
            "PUT", "/v1/users/1/following/2?wait=decided&timeout_ms=10000")
        self.assertEqual((status, answer["outcome"]), (200, "unchanged"))


class Kills(fanfold.Case):
    KILLS = 5

    def test_kill_9_loses_nothing_acked(self):
        made = self.embedded()
        acked = set()
        objects = itertools.count(1)
        for _ in range(self.KILLS):
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                writers = [pool.submit(self.follow_until_killed, made, objects, acked)
                           for _ in range(4)]
                before = len(acked)
                fanfold.wait_until(lambda: len(acked) > before + 200, "writes are acked")
                made.processes["serve"].kill()
                for writer in writers:
                    writer.result()
            made.start()
        made.settle()
        reader = made.reader()
        for user in range(1, COUNT_OF_USERS + 1):
            listed = {int(i["user_id"]) for i in reader.pages(f"/v1/users/{user}/following")}
            lost = {o for u, o in acked if u == user} - listed
            self.assertEqual(lost, set(), f"acked follows of {user}")
        made.check_oracle(self)

    def follow_until_killed(self, made, objects, acked):
        client = made.writer()
        while True:
            object_ = next(objects) + 1000
            user = object_ % COUNT_OF_USERS + 1
            try:
                status, _, _ = client.request("PUT", f"/v1/users/{user}/following/{object_}")
            except (OSError, fanfold.http.client.HTTPException):
                return
            if status == 202:
                acked.add((user, object_))

    def test_import_killed_again_and_again_ends_whole(self):
        made = self.embedded()
        graph = fanfold.ROOT / "deploy/sample/wikivote.tsv.gz"
        for _ in range(3):
            importing = subprocess.Popen(
                [str(fanfold.BIN / "fanfold"), "import", str(graph), "--dir", str(made.data)],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=made.environment)
            start = self.records(made)
            fanfold.wait_until(lambda: self.records(made) > start + 5000, "the import is under way")
            made.processes["serve"].signal(signal.SIGKILL)
            made.processes["serve"].popen.wait()
            self.assertNotEqual(importing.wait(60), 0, "an import without its log tells so")
            made.start()
        made.cli("import", graph)
        made.settle()
        edges = set(graphs_test.edges_of_file(graph))
        rows = {(int(s), int(o)) for s, o in made.sql(
            0, "SELECT user_id, target_id FROM following_g1 WHERE active = 1")}
        self.assertEqual(rows, edges)
        made.check_oracle(self)

    @staticmethod
    def records(made):
        projections = made.reader().get("/v1/projections")["projections"]
        following = next(p for p in projections if p["projection"] == "following")
        return sum(int(position.split(":")[1])
                   for position in following["positions"].split(",") if position)


if __name__ == "__main__":
    unittest.main()
