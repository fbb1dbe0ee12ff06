"""Topics that have other partitions than the deployment: more are left alone, fewer are refused. Shards in
the wrong order, missing, or of another deployment: refused."""

import json
import unittest

import faults
import fanfold
from faults import TOPICS, Topics, tables_of, wait_until

PARTITIONS, RAISED = 4, 8
USERS = range(1, 17)


class Partitions(faults.Case):
    def setUp(self):
        self.made = self.deployment(shards=2, partitions=PARTITIONS)

    def raise_and_restart(self):
        topics = Topics(self.made)
        for topic in TOPICS:
            topics.raise_partitions(topic, RAISED)
        for process in self.made.processes.values():
            process.stop()
        self.made.start_all()

    def doctor(self, check):
        ran = self.made.cli("doctor", "--json", check=False)
        return next(c for c in json.loads(ran.stdout)["checks"] if c["name"] == check)["level"]

    def test_raised_then_restarted_every_user_stays_where_he_was(self):
        homes = {user: self.follow(self.made, user, 5000)[0] for user in USERS}
        self.raise_and_restart()
        for user, home in homes.items():
            status, headers, body = self.made.writer().request(
                "DELETE", f"/v1/users/{user}/following/5000?wait=decided&timeout_ms=10000")
            position = headers["Fanfold-Position"]
            self.assertEqual((status, body.get("outcome"), int(position.split(":")[0])),
                             (200, "unfollowed", home), body)
            items = self.made.reader().get_at(position, f"/v1/users/{user}/relations?to=5000")["items"]
            self.assertEqual(items[0]["relation"], "none", "the edge of before is ended")
        self.made.cli("init")  # as `make stack` does at each start
        self.assertEqual((self.doctor("shape"), self.doctor("foreign")), ("warning", "ok"))
        self.check_everything(self.made)

    def test_foreign_records_lose_nothing_and_are_told(self):
        home, _ = self.follow(self.made, 1, 5000)
        self.raise_and_restart()
        event = {"v": 1, "type": "follow", "subject": "1", "object": "6000", "at": 1}
        self.made.put_raw(PARTITIONS + home, "1", json.dumps(event).encode())
        self.made.put_raw(PARTITIONS + home, "1", b"garbage", topic="relation-outcomes")
        self.made.cli("import", "-", stdin="".join(f"{n} {n + 1}\n" for n in range(1, 200)))
        self.made.settle()
        reader = self.made.processes["reader"]
        wait_until(lambda: reader.metric("fanfold_reader_foreign_records") == 2, "they are counted")
        self.assertEqual(self.doctor("foreign"), "problem")
        self.assertEqual(self.made.sql(0, "SELECT MAX(`partition`) FROM progress"), [["3"]])
        status = json.loads(self.made.cli("status", "--json").stdout)
        self.assertEqual((status["partitions"], {p["lag_events"] for p in status["projections"]}),
                         (PARTITIONS, {0}))
        shown = self.made.cli("tail", "--from-start", "--count", "200", "--json").stdout
        self.assertNotIn('"object":"6000"', shown)
        self.check_everything(self.made)

    def test_fewer_are_refused_by_name(self):
        for process in self.made.processes.values():
            process.stop()
        config = json.loads(self.made.config.read_text())
        fewer = self.deployment(partitions=PARTITIONS // 2, start=False)
        self.made.config.write_text(json.dumps(config | {"space": fewer.space}))
        said = f"relation-events has {PARTITIONS // 2} partitions, the deployment {PARTITIONS}"
        for projection in ("following", "fans"):
            self.check_ends(self.made.start_projector(projection), said)
        for name, binary in (("writer", "fanfold-writer"), ("reader", "fanfold-reader")):
            process = self.made.start(name, binary)
            wait_until(lambda: not process.is_ready() and said in str(process.readiness),
                       f"{name} says why it is not ready")
        for verb in (["wait"], ["status"], ["tail"], ["explain", "1", "2"], ["import", "-"],
                     ["export", "--log", self.made.folder / "log.jsonl"], ["init"]):
            ran = self.made.cli(*verb, check=False, stdin="1 2\n")
            self.assertEqual(ran.returncode, 3, f"{verb} {ran.stderr}")
            self.assertIn(f"has {PARTITIONS // 2} partitions", ran.stderr)
        self.made.config.write_text(json.dumps(config))

    def check_ends(self, process, said):
        self.assertEqual(process.popen.wait(fanfold.START_TIMEOUT_S), 1)
        self.assertIn(said, process.tail())

    def test_a_configuration_without_the_number_is_refused(self):
        config = json.loads(self.made.config.read_text())
        whole = self.made.config.read_text()
        del config["partitions"]
        self.made.config.write_text(json.dumps(config))
        self.made.processes["writer"].stop()
        self.check_ends(self.made.start("writer", "fanfold-writer"), "partitions is missing")
        self.made.config.write_text(whole)


class Shards(faults.Case):
    SHARDS = 4
    VERBS = (["wait"], ["status"], ["lane", "list"], ["lane", "pause", "fans"], ["verify"], ["repair"],
             ["explain", "1", "2"], ["parked", "list"], ["rebuild", "all", "--yes"], ["import", "-"],
             ["init"])

    def setUp(self):
        self.made = self.deployment(shards=self.SHARDS, partitions=PARTITIONS)
        for user in USERS:
            self.follow(self.made, user, user + 1)
        self.made.settle()
        for process in self.made.processes.values():
            process.stop()
        self.config = json.loads(self.made.config.read_text())

    def check_refused(self, changed, said):
        """Every process names it, and nothing is written."""
        before, identities = tables_of(self.made), self.identities()
        self.made.config.write_text(json.dumps(self.config | changed))
        for projection in ("following", "fans"):
            process = self.made.start_projector(projection)
            self.assertEqual(process.popen.wait(fanfold.START_TIMEOUT_S), 1)
            self.assertIn(said, process.tail())
        reader = self.made.start("reader", "fanfold-reader")
        wait_until(lambda: not reader.is_ready() and said in str(reader.readiness), "the reader says why")
        for user in USERS:
            status, _, body = self.made.reader().request("GET", f"/v1/users/{user}/following")
            if status != 503:  # of a shard that is where it belongs
                self.assertEqual([item["user_id"] for item in body["items"]], [str(user + 1)])
        reader.stop()
        for verb in self.VERBS:
            ran = self.made.cli(*verb, check=False, stdin="1 2\n")
            self.assertEqual(ran.returncode, 3, f"{verb}: {ran.stdout}{ran.stderr}")
            self.assertIn(said, ran.stderr)
        self.assertIn(said, self.made.cli("doctor", "--json", check=False).stdout)
        self.assertEqual((tables_of(self.made), self.identities()), (before, identities))
        self.made.config.write_text(json.dumps(self.config))

    def identities(self):
        return [self.made.sql(shard, "SELECT * FROM schema_identity") for shard in range(self.SHARDS)]

    def check_all_fold(self):
        self.made.start_all()
        self.follow(self.made, USERS[0], USERS[0] + 2)
        self.made.settle()
        self.check_everything(self.made)

    def test_swapped(self):
        one, two, three, four = self.config["shards"]
        self.check_refused({"shards": [two, one, three, four]}, "shard 0: its schema is shard 1's")
        self.check_refused({"shards": [one, three, two, four]}, "shard 1: its schema is shard 2's")

    def test_missing(self):
        self.check_refused({"shards": self.config["shards"][:2]}, "its schema says 4 partitions on 4 shards")

    def test_of_another_deployment(self):
        other = self.deployment(shards=self.SHARDS, partitions=PARTITIONS, start=False)
        foreign = json.loads(other.config.read_text())["shards"]
        mine = self.config["shards"]
        self.check_refused({"shards": [mine[0], foreign[0], *mine[2:]]}, "shard 1: its schema is shard 0's")
        self.check_refused({"shards": [mine[0], foreign[1], *mine[2:]]},
                           "shard 1: its schema is of deployment")
        shown = json.loads(self.made.cli("identity", "show", "--json").stdout)
        pinned = {"deployment_id": shown["shards"][0]["deployment_id"]}
        self.check_refused({"shards": [foreign[0], *mine[1:]]} | pinned,
                           "shard 0: its schema is of deployment")
        fewer = self.deployment(shards=self.SHARDS, partitions=2 * PARTITIONS, start=False)
        self.check_refused({"shards": json.loads(fewer.config.read_text())["shards"]},
                           "its schema says 8 partitions on 4 shards")

    def test_pinned(self):
        self.check_refused({"deployment_id": "0" * 32}, "which `deployment_id` pins")
        shown = json.loads(self.made.cli("identity", "show", "--json").stdout)
        pinned = self.config | {"deployment_id": shown["shards"][0]["deployment_id"]}
        self.made.config.write_text(json.dumps(pinned))
        self.check_all_fold()

    def test_a_copy_gets_an_id_of_its_own(self):
        before = json.loads(self.made.cli("identity", "show", "--json").stdout)["shards"][0]
        reader = self.made.start("reader", "fanfold-reader")
        wait_until(reader.is_ready, "it is at the schemas")
        refused = self.made.cli("identity", "renew", "--yes", check=False)
        self.assertEqual(refused.returncode, 3, refused.stderr)
        self.assertIn("sessions are at its schema", refused.stderr)
        reader.stop()
        unasked = self.made.cli("identity", "renew", check=False, stdin="")
        self.assertEqual(unasked.returncode, 3, unasked.stderr)
        self.assertEqual(self.made.cli("identity", "show").returncode, 0)
        renewed = json.loads(self.made.cli("identity", "renew", "--yes", "--json").stdout)
        self.assertEqual(renewed["from"], before["deployment_id"])
        after = json.loads(self.made.cli("identity", "show", "--json").stdout)["shards"]
        self.assertEqual({(shard["deployment_id"], shard["renewed_from"]) for shard in after},
                         {(renewed["deployment_id"], before["deployment_id"])})
        self.check_all_fold()

    def forget(self):
        """As the release before has left them."""
        for shard in range(self.SHARDS):
            self.made.sql(shard, "DROP TABLE schema_identity; "
                                 "DELETE FROM schema_migrations WHERE name LIKE '0009%'")

    def check_not_adopted(self, shards, said):
        before = tables_of(self.made)
        self.made.config.write_text(json.dumps(self.config | {"shards": shards}))
        ran = self.made.cli("init", check=False)
        self.assertEqual(ran.returncode, 3, ran.stderr)
        self.assertIn(said, ran.stderr)
        self.assertEqual(tables_of(self.made), before)
        for shard in range(self.SHARDS):
            self.assertEqual(self.made.sql(shard, "SHOW TABLES LIKE 'schema_identity'"), [])
        self.made.config.write_text(json.dumps(self.config))

    def test_what_a_release_before_has_left_is_adopted_in_its_place_alone(self):
        self.forget()
        one, two, three, four = self.config["shards"]
        self.check_not_adopted([two, one, three, four], "shard 0: its schema has no catalog")
        self.check_not_adopted([one, three, two, four], "which is shard 2's")
        self.check_not_adopted([one, two], "shard 0: the catalog says 4 partitions on 4 shards")
        projector = self.made.start_projector("following")
        wait_until(lambda: not projector.is_ready() and "does not say yet" in str(projector.readiness),
                   "it waits for init")
        projector.stop()
        self.made.cli("init")
        self.check_all_fold()

    def test_users_tell_where_lanes_do_not(self):
        self.forget()
        for shard in (1, 2):
            self.made.sql(shard, "CREATE TABLE kept AS SELECT * FROM progress WHERE projection <> 'fans'; "
                                 "DELETE FROM progress WHERE projection <> 'fans'")
        one, two, three, four = self.config["shards"]
        self.check_not_adopted([one, three, two, four], "who is shard 2's")
        for shard in (1, 2):
            self.made.sql(shard, "INSERT INTO progress SELECT * FROM kept; DROP TABLE kept")
        self.made.cli("init")
        self.check_all_fold()

    def test_a_second_catalog_is_taken_away(self):
        self.forget()
        self.made.sql(1, f"INSERT INTO catalog (partitions, shards) VALUES ({PARTITIONS}, {self.SHARDS})")
        self.check_not_adopted(self.config["shards"], "shard 1: its schema is a shard 0's")
        self.made.sql(1, "DELETE FROM catalog")
        self.made.cli("init")
        self.check_all_fold()


if __name__ == "__main__":
    unittest.main(verbosity=2)
