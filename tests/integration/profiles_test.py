"""Profiles, and the end of accounts: on a real Kafka and a real MariaDB, and in one process."""

import json
import unittest

import fanfold

USER, FOLLOWED, FANS = 1, range(10, 30), range(20, 60)


class Profiles(fanfold.Case):
    def put(self, made, user, **profile):
        status, headers, body = made.writer().request(
            "PUT", f"/v1/users/{user}/profile", json.dumps(profile))
        self.assertEqual((status, headers["Fanfold-Position"]), (202, body["position"]))
        return body["position"]

    def delete(self, made, user):
        status, _, body = made.writer().request("DELETE", f"/v1/users/{user}")
        self.assertEqual(status, 202, body)
        return body["position"]

    def account(self, made, user, position=None):
        path = f"/v1/users/{user}"
        return made.reader().get(f"{path}?min_position={position}" if position else path)

    def related(self, made):
        made.cli("import", "-", stdin="".join(
            [f"{USER} {other}\n" for other in FOLLOWED] + [f"{fan} {USER}\n" for fan in FANS]
            + [f"{fan} 2\n" for fan in FANS]))
        made.settle()

    def erased(self, made, user=USER):
        fanfold.wait_until(lambda: self.account(made, user)["erase"] == "done",
                           f"user {user} is erased", timeout_s=30)
        self.assertEqual({self.account(made, user)[end] for end in ("following", "fans", "friends")}, {0})

    def check_profiles(self, made):
        self.related(made)
        at = self.put(made, USER, name="Ann", bio="é\"\\'")
        told = self.account(made, USER, at)
        self.assertEqual(told["profile"],
                         {"name": "Ann", "avatar_url": None, "bio": "é\"\\'", "verified": False})
        self.assertEqual((told["following"], told["fans"], told["friends"], told["deleted"], told["erase"]),
                         (len(FOLLOWED), len(FANS), len(set(FOLLOWED) & set(FANS)), False, None))
        at = self.put(made, 20, name="Bob", verified=True)
        page = made.reader().get(f"/v1/users/{USER}/fans?expand=profile&limit=200&min_position={at}")
        names = {item["user_id"]: item["profile"] and item["profile"]["name"] for item in page["items"]}
        self.assertEqual(names, {str(fan): "Bob" if fan == 20 else None for fan in FANS})
        many = made.reader().get(f"/v1/users?ids=20,{USER},999")["items"]
        self.assertEqual([item["profile"] and item["profile"]["name"] for item in many], ["Bob", "Ann", None])
        told = json.loads(made.cli("explain", "20", "--json").stdout)["rows"]
        self.assertEqual([(row["projection"], len(row["records"]), row["verdict"]) for row in told],
                         [("profiles", 1, "agrees")])
        self.assertIn("row in generation 1", made.cli("explain", "20").stdout)
        made.cli("rebuild", "profiles", "--yes")
        self.assertEqual(self.account(made, 20)["profile"]["name"], "Bob")
        self.assertEqual(json.loads(made.cli("verify", "--json").stdout)["differences"], 0)

    def check_account_stays_ended(self, made):
        """Whatever asks for it, and whoever follows it, on whichever shard."""
        for method, path, body in (("PUT", f"/v1/users/{USER}/following/2", None),
                                   ("POST", f"/v1/users/{USER}/posts", json.dumps({"content": "late"}))):
            status, _, answer = made.writer().request(method, f"{path}?wait=decided", body)
            self.assertEqual((status, answer["code"]), (422, "user_deleted"))
        for fan in (20, 21, 22, 23):
            status, _, _ = made.writer().request("PUT", f"/v1/users/{fan}/following/{USER}?wait=decided")
            self.assertIn(status, (200, 422))
        at = self.put(made, USER, name="of a stale client")
        told = self.account(made, USER, at)
        self.assertEqual((told["profile"], told["deleted"]), (None, True))
        made.settle()
        fanfold.wait_until(lambda: self.account(made, USER)["fans"] == 0, "its fans are taken back", timeout_s=30)
        told = self.account(made, USER)
        self.assertEqual((told["following"], told["fans"], told["profile"], told["deleted"]), (0, 0, None, True))

    def check_account_ends(self, made):
        self.related(made)
        self.put(made, USER, name="Ann")
        told = self.account(made, USER, self.delete(made, USER))
        self.assertEqual((told["profile"], told["deleted"]), (None, True))
        self.assertIn(told["erase"], ("running", "done"))
        self.erased(made)
        for other in (*FOLLOWED, *FANS):
            counts = made.reader().get(f"/v1/users/{other}/counts")
            self.assertEqual((counts["following"], counts["fans"]), (int(other in FANS), 0))
        self.assertEqual(made.reader().get("/v1/users/2/counts")["fans"], len(FANS))
        self.check_account_stays_ended(made)
        self.assertEqual(made.writer().request("POST", f"/v1/users/{USER}/restore")[0], 202)
        made.settle()
        told = self.account(made, USER)
        self.assertEqual((told["profile"], told["deleted"], told["erase"]), (None, False, None))
        # A rebuild and a second deletion end nothing twice: the new follow stays.
        status, _, _ = made.writer().request("PUT", f"/v1/users/20/following/{USER}?wait=decided")
        self.assertEqual(status, 200)
        at = self.put(made, USER, name="Ann again")
        self.assertFalse(self.account(made, USER, at)["deleted"])
        made.cli("rebuild", "profiles", "--yes")
        made.cli("lane", "rewind", "profiles", "--to", "0")
        made.settle()
        told = self.account(made, USER)
        self.assertEqual((told["profile"]["name"], told["deleted"], told["erase"], told["fans"]),
                         ("Ann again", False, None, 1))
        self.assertEqual(json.loads(made.cli("verify", "--json").stdout)["differences"], 0)
        self.delete(made, USER)
        fanfold.wait_until(lambda: self.account(made, USER)["fans"] == 0, "its second end", timeout_s=30)

    def test_profiles_on_two_shards(self):
        self.check_profiles(self.deployment(shards=2))

    def test_profiles_in_one_process(self):
        self.check_profiles(self.embedded())

    def test_end_on_two_shards(self):
        self.check_account_ends(self.deployment(shards=2))

    def test_end_in_one_process(self):
        self.check_account_ends(self.embedded())

    def test_a_stopped_lane_keeps_its_accounts_waiting_and_is_told(self):
        made = self.deployment(shards=2)
        self.related(made)
        self.put(made, 2, name="fine")
        made.cli("lane", "pause", "fans/3")
        made.cli("import", "-", stdin="".join(f"{user} {USER}\n" for user in range(100, 200)))
        self.delete(made, USER)
        fanfold.wait_until(lambda: "1 accounts that are being erased" in made.cli("status").stdout,
                           "status tells it")
        told = json.loads(made.cli("status", "--json").stdout)["projections"]
        self.assertEqual([p["open"]["count"] for p in told if "open" in p], [1])
        self.assertEqual(self.account(made, USER)["erase"], "running")
        # Who erases is killed: another one goes on.
        made.processes["projector-profiles-1"].kill()
        made.start_projector("profiles", 2)
        made.cli("lane", "resume", "fans/3")
        self.erased(made)
        self.assertNotIn("erased", made.cli("status").stdout)

    def test_a_row_changed_by_hand_is_found_explained_and_mended(self):
        made = self.deployment(shards=2, environment={"FANFOLD_AUDIT": "off"})
        made.ends = fanfold.Ends.MENDED
        positions = {user: self.put(made, user, name=f"n{user}") for user in (1, 2, 3)}
        made.settle()
        self.assertEqual(self.account(made, 2, positions[2])["profile"]["name"], "n2")
        for shard in range(2):
            made.sql(shard, "UPDATE profiles_g1 SET name = 'changed' WHERE user_id = 2")
        explained = made.cli("explain", "2", check=False)
        self.assertEqual(explained.returncode, 2)
        self.assertIn("`fanfold repair` mends them", explained.stdout)
        found = json.loads(made.cli("verify", "--json", check=False).stdout)
        self.assertEqual([(item["kind"], item["projection"], item["user_id"]) for item in found["items"]],
                         [("wrong_document", "profiles", "2")])
        made.cli("repair")
        self.assertEqual(made.cli("explain", "2").returncode, 0)
        self.assertEqual(self.account(made, 2)["profile"]["name"], "n2")

    def test_a_log_is_written_without_an_erased_account(self):
        made = self.deployment()
        self.related(made)
        self.put(made, USER, name="Ann")
        for owner, author in ((USER, 2), (2, USER)):
            self.assertEqual(made.writer().request("POST", f"/v1/users/{owner}/feed/shown", json.dumps(
                {"items": [{"author": str(author), "post_id": "7"}]}))[0], 202)
        log = made.folder / "log.jsonl"
        refused = made.cli("export", "--log", log, "--without", USER, check=False)
        self.assertEqual(refused.returncode, 3)
        self.assertIn("is not erased", refused.stderr)
        self.delete(made, USER)
        self.erased(made)
        told = json.loads(made.cli("erase", USER, "--json").stdout)
        ended = len(FOLLOWED) + len(FANS)
        self.assertEqual([told["account"], *(topic["records"] for topic in told["topics"])],
                         ["erased", 2 * ended, 2 * ended, 2, 0, 0, 5])
        self.assertIn(f"--without {USER}", made.cli("erase", USER).stdout)
        made.cli("export", "--log", log, "--without", USER)
        moved = self.deployment(start=False)
        moved.cli("import", "--log", log)
        moved.start_all()
        moved.settle()
        told = json.loads(moved.cli("erase", USER, "--json").stdout)
        self.assertEqual([topic["records"] for topic in told["topics"]], [0] * 6)
        for table in ("following_g1", "fans_g1"):
            column = "target_id" if table == "following_g1" else "fan_id"
            rows = f"SELECT * FROM {table} WHERE user_id <> {USER} AND {column} <> {USER} ORDER BY 1, 2"
            self.assertEqual(moved.sql(0, rows), made.sql(0, rows))
            self.assertEqual(moved.sql(0, f"SELECT * FROM {table} WHERE {USER} IN (user_id, {column})"), [])
        self.assertEqual(self.account(moved, USER)["deleted"], False)
        self.check_nobody_speaks_of_what_was_erased(moved)

    def check_nobody_speaks_of_what_was_erased(self, made):
        """It is parked, for a reason that only who asks for it is told of."""
        self.assertEqual(json.loads(made.cli("verify", "--json").stdout)["differences"], 0)
        parked = lambda *of: json.loads(made.cli("parked", "list", *of, "--json").stdout)["items"]  # noqa: E731
        self.assertEqual({row["reason"] for row in parked("--reason", "erased")}, {"erased"})
        self.assertEqual(parked(), [])
        checks = json.loads(made.cli("doctor", "--json", check=False).stdout)["checks"]
        self.assertEqual([check["level"] for check in checks if check["name"] == "parked"], ["ok"])
        for name, process in made.processes.items():
            if name.startswith("projector"):
                self.assertEqual(process.metric("fanfold_parked_total"), 0, f"{name}: an alert stands on it")
        # The control: what is parked for another reason is told everywhere.
        made.put_raw(0, "1", b"garbage")
        made.settle()
        self.assertEqual([row["reason"] for row in parked()], ["malformed"])
        self.assertEqual(made.processes["projector-following-1"].metric("fanfold_parked_total"), 1)

    def test_a_log_in_other_partitions_has_no_account_live_again(self):
        made = self.deployment(partitions=16)
        self.related(made)
        self.put(made, USER, name="Ann")
        self.put(made, 2, name="Bob")
        self.delete(made, USER)
        self.erased(made)
        log = made.folder / "log.jsonl"
        made.cli("export", "--log", log)
        for partitions in (8, 32):
            moved = self.deployment(partitions=partitions, start=False)
            moved.cli("import", "--log", log)
            moved.start_all()
            moved.settle()
            told = self.account(moved, USER)
            self.assertEqual((told["profile"], told["deleted"], told["following"], told["fans"]),
                             (None, True, 0, 0))
            told = self.account(moved, 2)
            self.assertEqual((told["profile"]["name"], told["fans"]), ("Bob", len(FANS)))
            self.assertIn("nothing is parked", moved.cli("parked", "list").stdout)

    def test_a_moved_log_erases_nothing_twice(self):
        made = self.deployment()
        self.related(made)
        self.delete(made, USER)
        self.erased(made)
        log = made.folder / "log.jsonl.gz"
        made.cli("export", "--log", log)
        moved = self.deployment(start=False)
        moved.cli("import", "--log", log)
        _, *before = moved.cli("export", "--log", "-").stdout.splitlines()
        moved.start_all()
        moved.settle()
        self.erased(moved)
        header, *after = moved.cli("export", "--log", "-").stdout.splitlines()
        self.assertIn('"nothing_open":true', header)
        self.assertEqual(after, before)


if __name__ == "__main__":
    unittest.main(verbosity=2)
