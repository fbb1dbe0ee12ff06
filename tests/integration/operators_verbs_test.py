"""The verbs that an operator looks into a deployment with, on Kafka and MariaDB and on a folder."""

import contextlib
import json
import sqlite3
import unittest

import fanfold
from topics import Topics


def answer(ran):
    return json.loads(ran.stdout)


class Explain(fanfold.Case):
    def tell(self, made, subject, object_, code=0):
        ran = made.cli("explain", subject, object_, "--json", check=False)
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return answer(ran)

    def write_story(self, made):
        writer = made.writer()
        positions = []
        for method, path in (("PUT", "/v1/users/1/following/2"), ("PUT", "/v1/users/1/following/2"),
                             ("PUT", "/v1/users/1/following/3"),
                             ("DELETE", "/v1/users/2/fans/1")):
            status, _, body = writer.request(method, path + "?wait=decided&timeout_ms=10000")
            self.assertEqual(status, 200, body)
            positions.append(body["position"])
        made.settle()
        return positions

    def check_story(self, made):
        positions = self.write_story(made)
        told = self.tell(made, "1", "2")
        self.assertEqual([(e["position"], e["type"], e["by"], e["outcome"]) for e in told["events"]], [
            (positions[0], "follow", "subject", "followed"),
            (positions[1], "follow", "subject", "unchanged"),
            (positions[3], "unfollow", "object", "unfollowed")])
        last = int(positions[3].split(":")[1])
        since = told["events"][0]["at"]
        for row, projection, user, count in zip(told["rows"], ("following", "fans"), "12", (1, 0)):
            self.assertEqual((row["projection"], row["user_id"], row["count"], row["verdict"]),
                             (projection, user, count, "agrees"))
            self.assertEqual(row["row"], {"active": False, "since": since, "version": last + 1})
            self.assertEqual(row["lane"]["state"], "running")
            self.assertGreater(row["lane"]["position"], last)
        text = made.cli("explain", "1", "2").stdout
        for part in (*positions[:2], "unfollowed", "unchanged"):
            self.assertIn(part, text)
        nothing = self.tell(made, "7", "8")
        self.assertEqual((nothing["events"], [row["row"] for row in nothing["rows"]]),
                         ([], [None, None]))

    def check_trace(self, made):
        """One follow, from its PUT to both tables."""
        trace = {"X-Request-Id": "r/17", "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
        status, told, _ = made.writer().request("PUT", "/v1/users/1/following/2?wait=decided&timeout_ms=10000",
                                                headers=trace)
        self.assertEqual((status, {name: told[name] for name in trace}), (200, trace))
        made.settle()
        story = self.tell(made, "1", "2")
        fields = {"request_id": trace["X-Request-Id"], "traceparent": trace["traceparent"]}
        self.assertEqual({name: story["events"][0][name] for name in fields}, fields)
        self.assertEqual([row["verdict"] for row in story["rows"]], ["agrees", "agrees"])
        self.assertTrue(all(row["row"]["active"] for row in story["rows"]))
        self.assertIn("request r/17", made.cli("explain", "1", "2").stdout)
        for topic in ([], ["--outcomes"]):
            record = json.loads(made.cli("tail", *topic, "--from-start", "--count", "1", "--json").stdout)["value"]
            self.assertEqual({name: record[name] for name in fields}, fields)
        status, told, _ = made.reader().request("GET", "/v1/users/0/counts", headers=trace | {"X-Request-Id": "a b"})
        self.assertEqual((status, told.get("X-Request-Id"), told["traceparent"]), (400, None, trace["traceparent"]))

    def test_a_follow_is_found_from_its_put_to_both_tables(self):
        self.check_trace(self.deployment())

    def test_a_follow_is_found_in_a_served_folder(self):
        self.check_trace(self.embedded())

    def test_story_of_an_edge(self):
        self.check_story(self.deployment(shards=4))

    def test_story_of_an_edge_in_a_served_folder(self):
        self.check_story(self.embedded())

    def test_story_of_an_edge_in_a_folder_that_nobody_serves(self):
        made = self.embedded(start=False)
        made.cli("import", "-", stdin="1 2 500\n")
        told = self.tell(made, "1", "2")
        self.assertEqual([row["verdict"] for row in told["rows"]], ["agrees", "agrees"])
        self.assertEqual(told["rows"][1]["row"]["since"], 500)

    def test_row_changed_by_hand_is_shown_and_repair_named(self):
        made = self.deployment(shards=2)
        self.write_story(made)
        shard = next(shard for shard in range(2) if made.sql(
            shard, "SELECT 1 FROM fans_g1 WHERE user_id = 3"))
        made.ends = fanfold.Ends.DIFFERENT
        made.sql(shard, "UPDATE fans_g1 SET since_ms = since_ms + 1 WHERE user_id = 3")
        told = self.tell(made, "1", "3", code=2)
        self.assertEqual([row["verdict"] for row in told["rows"]], ["agrees", "differs"])
        row = told["rows"][1]
        self.assertEqual(row["told"]["since"] + 1, row["row"]["since"])
        self.assertIn("fanfold repair", made.cli("explain", "1", "3", check=False).stdout)

    def test_garbage_of_the_subject_is_counted(self):
        made = self.deployment()
        home = int(self.write_story(made)[0].split(":")[0])
        made.put_raw(home, "1", b"garbage")
        made.put_raw(home, "1", b'{"v":1,"type":"follow","subject":"1","object":"2","at":1.5}')
        made.put_raw(home, "9", b"garbage")
        made.put_raw(home, "9", b'{"v":1,"type":"follow","subject":"1","object":"2","at":1}')
        made.settle()
        told = self.tell(made, "1", "2")
        self.assertEqual(told["unreadable"], 2)
        self.assertEqual((told["events"][-1]["outcome"], told["events"][-1]["reason"]),
                         ("parked", "key_mismatch"))

    def test_wrong_ids_are_told(self):
        made = self.embedded(start=False)
        made.cli("init")
        for arguments in (("1", "1"), ("0", "1"), ("1", "x")):
            ran = made.cli("explain", *arguments, check=False)
            self.assertEqual(ran.returncode, 1, arguments)
            self.assertTrue(ran.stderr)


class NamedByVariables(fanfold.Case):
    """Verbs without --config and --dir, wherever they are called."""

    def name(self, made, variables):
        made.environment |= variables
        made.place = []

    def check_reached(self, made):
        status, _, body = made.writer().request("PUT", "/v1/users/1/following/2?wait=decided")
        self.assertEqual(status, 200, body)
        made.settle()
        event, = answer(made.cli("explain", "1", "2", "--json"))["events"]
        self.assertEqual(event["position"], body["position"])

    def check_two_are_refused(self, made, *names):
        ran = made.cli("status", check=False)
        self.assertEqual(ran.returncode, 3, ran.stdout + ran.stderr)
        for name in names:
            self.assertIn(name, ran.stderr)

    def test_servers(self):
        made = self.deployment(shards=2)
        told = json.loads(made.config.read_text())
        self.name(made, {
            "FANFOLD_" + key.replace(".", "_").upper():
                ",".join(value) if isinstance(value, list) else str(value)
            for key, value in told.items()})
        self.check_reached(made)
        other = made.cli("status", "--dir", made.folder / "nothing", check=False)
        self.assertIn("nothing", other.stderr)
        made.environment["FANFOLD_FOLDER"] = str(made.folder)
        self.check_two_are_refused(made, "FANFOLD_FOLDER", "FANFOLD_KAFKA_BROKERS")
        del made.environment["FANFOLD_FOLDER"]

    def test_folder_served_or_not(self):
        made = self.embedded(start=False)
        self.name(made, {"FANFOLD_FOLDER": str(made.data)})
        made.cli("init")
        self.assertTrue((made.data / "log.db").exists())
        made.start()
        self.check_reached(made)
        made.environment["FANFOLD_SHARDS"] = "mysql://u@localhost/s"
        self.check_two_are_refused(made, "FANFOLD_FOLDER", "FANFOLD_SHARDS")
        del made.environment["FANFOLD_SHARDS"]


class Replay(fanfold.Case):
    EVENT = b'{"v":1,"event_id":"foreign","type":"follow","subject":"1","object":"2","at":777}'

    def replay(self, made, *arguments, code=0):
        ran = made.cli("parked", "replay", *arguments, "--json", check=False)
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return answer(ran)["items"]

    def home_of(self, made, subject="1"):
        _, _, body = made.writer().request("PUT", f"/v1/users/{subject}/following/99?wait=decided")
        return int(body["position"].split(":")[0])

    def parked(self, made, count):
        def rows():
            listed = answer(made.cli("parked", "list", "--json"))["items"]
            return len(listed) >= count and [item["position"] for item in listed]
        return fanfold.wait_until(rows, f"{count} records are parked")

    def following(self, made):
        return [(i["user_id"], i["since"]) for i in made.reader().pages("/v1/users/1/following")]

    def test_wrong_partition_is_replayed_into_the_right_one(self):
        made = self.deployment(shards=2)
        home = self.home_of(made)
        made.put_raw((home + 1) % fanfold.PARTITIONS, "1", self.EVENT)
        position, = self.parked(made, 1)
        dry, = self.replay(made, position, "--dry-run")
        self.assertEqual((dry["result"], dry["new_position"]), ("would_replay", None))
        done, = self.replay(made, position)
        self.assertEqual(done["result"], "replayed")
        self.assertEqual(done["new_position"].split(":")[0], str(home))
        made.settle()
        self.assertIn(("2", 777), self.following(made))
        story = answer(made.cli("explain", "1", "2", "--json"))
        self.assertEqual([(e["replay_of"], e["outcome"]) for e in story["events"]],
                         [(position, "followed")])
        self.assertNotEqual(story["events"][0]["event_id"], "foreign")
        again, = self.replay(made, position, code=3)
        self.assertIn(done["new_position"], again["detail"])
        self.assertIn("stays in", made.cli("parked", "drop", position).stdout)
        self.assertIn("nothing is parked", made.cli("parked", "list").stdout)
        gone = made.cli("parked", "drop", position, check=False)
        self.assertEqual(gone.returncode, 1)
        self.assertIn(position, gone.stderr)
        made.check_oracle(self)

    def test_later_event_of_the_edge_stands_in_the_way(self):
        made = self.deployment()
        home = self.home_of(made)
        made.put_raw(home, "7", self.EVENT)
        made.put_raw((home + 1) % fanfold.PARTITIONS, "1", self.EVENT)
        positions = self.parked(made, 2)
        _, _, later = made.writer().request("DELETE", "/v1/users/1/following/2?wait=decided")
        for item in self.replay(made, *positions, code=3):
            self.assertEqual(item["result"], "refused")
            self.assertIn(later["position"], item["detail"])
        made.settle()
        self.assertEqual([user for user, _ in self.following(made)], ["99"])

    def test_event_behind_the_scan_supersedes_the_replay(self):
        """What the scan could not see is refused by the decider, who compares versions."""
        made = self.deployment()
        home = self.home_of(made)
        _, _, later = made.writer().request("PUT", "/v1/users/1/following/2?wait=decided")
        offset = int(later["position"].split(":")[1])
        made.put_raw(home, "1", self.EVENT[:-1].replace(b"follow", b"unfollow", 1)
                     + f',"if_version":{offset},"replay_of":"3:5"}}'.encode())
        made.settle()
        story = answer(made.cli("explain", "1", "2", "--json"))
        self.assertEqual((story["events"][-1]["outcome"], story["events"][-1]["reason"]),
                         ("rejected", "superseded"))
        self.assertIn("2", [user for user, _ in self.following(made)])

    def test_garbage_and_outcomes_say_what_to_do(self):
        made = self.deployment()
        home = self.home_of(made)
        made.put_raw(home, "1", b"garbage")
        made.put_raw(home, "1", b"garbage", topic="relation-outcomes")
        self.parked(made, 2)
        items = self.replay(made, "--all", code=1)
        self.assertEqual({item["result"] for item in items}, {"unreadable", "refused"})
        details = " ".join(item["detail"] for item in items)
        for words in ("malformed", "sent again", "it is an outcome"):
            self.assertIn(words, details)
        ran = made.cli("parked", "replay", f"{home}:4242", check=False)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("nothing is parked", ran.stdout)

    def put_into_folder(self, made, partition, key, value):
        """A record that no API would write, while nobody has the folder open."""
        with contextlib.closing(sqlite3.connect(made.data / "log.db")) as log, log:
            table = f"events_{partition}"
            offset, = log.execute(f"SELECT coalesce(max(offset), -1) + 1 FROM {table}").fetchone()
            log.execute(f"INSERT INTO {table} (offset, appended_ms, key, value) VALUES (?, 1, ?, ?)",
                        (offset, key, value))

    def folder_with_a_parked_one(self):
        made = self.embedded(start=False)
        made.cli("import", "-", stdin="1 99\n")
        home = answer(made.cli("explain", "1", "99", "--json"))["partition"]
        self.put_into_folder(made, (home + 1) % 16, b"1", self.EVENT)
        return made

    def check_folder(self, made):
        position, = self.parked(made, 1)
        stray, = answer(made.cli("explain", "1", "2", "--json"))["strays"]
        self.assertEqual((stray["position"], stray["reason"]), (position, "wrong_partition"))
        done, = self.replay(made, position)
        self.assertEqual(done["result"], "replayed")
        made.settle()
        story = answer(made.cli("explain", "1", "2", "--json"))
        event, = story["events"]
        self.assertEqual((event["replay_of"], event["outcome"], event["at"]),
                         (position, "followed", 777))
        self.assertEqual(event["if_version"], 1)
        self.replay(made, position, code=3)
        made.cli("parked", "drop", position)
        self.assertIn("nothing is parked", made.cli("parked", "list").stdout)

    def test_folder_that_nobody_serves(self):
        self.check_folder(self.folder_with_a_parked_one())

    def test_served_folder_replays_through_its_process(self):
        made = self.folder_with_a_parked_one()
        made.start()
        self.check_folder(made)


class Doctor(fanfold.Case):
    def look(self, made):
        ran = made.cli("doctor", "--json", check=False)
        checks = {check["name"]: check for check in answer(ran)["checks"]}
        levels = {check["level"] for check in checks.values()}
        code = 1 if "unknown" in levels else 2 if "problem" in levels else 0
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return checks

    def found(self, made, name):
        """What is said of one check, its advice included."""
        check = self.look(made)[name]
        return " ".join(f"{f['level']}: {f['what']} {f['do']}" for f in check["findings"])

    def test_sound_deployment_rests_on_one_broker_alone(self):
        made = self.deployment(shards=2)
        made.cli("import", "-", stdin="1 2\n3 4\n")
        made.settle()
        checks = self.look(made)
        levels = {name: check["level"] for name, check in checks.items()}
        self.assertEqual(levels.pop("replicas"), "warning", checks)
        self.assertEqual(set(levels.values()), {"ok"}, checks)
        self.assertIn("1 replica", checks["replicas"]["findings"][0]["what"])
        self.assertIn("MariaDB", checks["versions"]["text"])
        text = made.cli("doctor", check=False).stdout
        self.assertIn("ok       retention", text)
        self.assertIn("\n  do: ", text)

    def test_what_is_wrong_is_found(self):
        made = self.deployment(shards=2)
        home = int(made.writer().request(
            "PUT", "/v1/users/1/following/2?wait=decided")[2]["position"].split(":")[0])
        Topics(made).configure("relation-events", {"retention.ms": "1000", "cleanup.policy": "compact"})
        found = self.found(made, "retention")
        self.assertIn("retention.ms is 1000", found)
        self.assertIn("cleanup.policy is compact", found)
        self.assertIn("kafka-configs.sh", found)
        made.put_raw(home, "1", b"garbage")
        made.settle()
        self.assertIn("1 records", self.found(made, "parked"))
        self.addCleanup(made.sql, 0, "SET GLOBAL innodb_flush_log_at_trx_commit = 1")
        made.sql(0, "SET GLOBAL innodb_flush_log_at_trx_commit = 2")
        self.assertIn("innodb_flush_log_at_trx_commit is 2", self.found(made, "durability"))
        made.sql(1, "ALTER TABLE fans_g1 DROP INDEX page; DELETE FROM schema_migrations "
                    "WHERE name LIKE '0002%'; UPDATE progress SET state = 'halted', "
                    "state_reason = 'log_mismatch' WHERE projection = 'fans' AND `partition` = 3")
        self.assertIn("shard 1: fans_g1 has no index page", self.found(made, "tables"))
        self.assertIn("shard 1 has not had 0002", self.found(made, "migrations"))
        lanes = self.found(made, "lanes")
        self.assertIn("fans/3 of generation 1 on shard 1 is halted (log_mismatch)", lanes)
        self.assertIn("fanfold lane resume fans/3", lanes)

    def test_init_says_where_feeds_are_not_made_as_the_configuration_has_it(self):
        made = self.deployment()
        made.environment = made.environment | {"FANFOLD_FEED": "hybrid"}
        self.assertIn("do: run `fanfold feed mode hybrid`", made.cli("init").stdout)
        made.cli("feed", "mode", "hybrid")
        self.assertNotIn("feed", made.cli("init").stdout)
        made.cli("feed", "mode", "pull")
        self.assertNotIn("feed", made.cli("init").stdout, "somebody has chosen since")

    def test_index_that_was_dropped_is_told_by_name_and_made_again_by_init(self):
        made = self.deployment()
        made.writer().request("PUT", "/v1/users/1/following/2?wait=decided")
        made.sql(0, "ALTER TABLE fans_g1 DROP INDEX page")
        ready = lambda: made.reader().request("GET", "/readyz")  # noqa: E731
        fanfold.wait_until(lambda: ready()[0] == 503, "the reader notices")
        self.assertIn("page", ready()[2]["detail"])
        self.assertIn("shard 0: fans_g1 has its index page again", made.cli("init").stdout)
        fanfold.wait_until(lambda: ready()[0] == 200, "the reader notices again")
        self.assertEqual(self.look(made)["tables"]["level"], "ok")
        made.sql(0, "ALTER TABLE fans_g1 DROP INDEX page")
        statement = "shard 0: ALTER TABLE `fans_g1` ADD INDEX `page` (`"
        shown = made.cli("doctor", "--fix", check=False)
        self.assertIn(statement, shown.stderr)
        self.assertEqual(shown.returncode, 2, shown.stdout)
        fixed = made.cli("doctor", "--fix", "--yes")
        self.assertIn(statement, fixed.stderr)
        self.assertIn("shard 0: fans_g1 has its index page again", fixed.stdout)
        self.assertEqual(self.look(made)["tables"]["level"], "ok")
        Topics(made).configure("relation-events", {"retention.ms": "1000"})
        named = made.cli("init", check=False)
        self.assertEqual(named.returncode, 2, named.stdout)
        self.assertIn("retention.ms is 1000", named.stdout)

    def test_projectors_that_are_gone_are_told_and_show_as_lag(self):
        made = self.deployment()
        self.assertEqual(self.look(made)["projectors"]["level"], "ok")
        made.processes["projector-following-1"].stop()
        made.processes["projector-fans-1"].kill()
        made.cli("import", "--no-wait", "-", stdin="1 2\n")

        def are_told():
            checks = self.look(made)
            said = " ".join(finding["what"] for finding in checks["projectors"]["findings"])
            return (checks["lag"]["level"] == "warning" and "no projector of following runs" in said
                    and "no projector of fans runs; its lanes say running" in said)

        fanfold.wait_until(are_told, "both are told, and the lag", timeout_s=60, pause_s=1)

    def test_shard_that_is_away_is_told_with_what_was_not_looked_at(self):
        made = self.deployment(shards=2)
        config = json.loads(made.config.read_text())
        first, second = config["shards"]
        for away, shards in ((0, [first + ".gone", second]), (1, [first, second + ".gone"])):
            made.config.write_text(json.dumps(config | {"shards": shards}))
            checks = self.look(made)
            self.assertEqual(checks["retention"]["level"], "ok")
            for name in ("shards", "database", "versions", "migrations", "tables", "durability", "clocks",
                         "lanes", "lag", "generations", "parked"):
                self.assertEqual(checks[name]["level"], "unknown", f"{name} without shard {away}")
            self.assertIn(f"shard {away}", json.dumps(checks["lanes"]))
        made.config.write_text(json.dumps(config))

    def test_generation_that_was_left_half_loaded_is_told(self):
        made = self.deployment(start=False)
        made.sql(0, "INSERT INTO generations (projection, generation, state) VALUES ('fans', 2, 'loading')")
        self.assertIn("generation 2 of fans was left half loaded", self.found(made, "generations"))
        self.assertIn("fanfold rebuild cancel fans", self.found(made, "generations"))

    def test_broker_that_is_away_is_told_beside_what_can_be_looked_at(self):
        made = self.deployment(start=False)
        config = json.loads(made.config.read_text())
        made.config.write_text(json.dumps(config | {"kafka_brokers": "127.0.0.1:1"}))
        checks = self.look(made)
        for name in ("topics", "retention", "replicas", "shape", "foreign", "projectors", "lag"):
            self.assertEqual(checks[name]["level"], "unknown", name)
        self.assertEqual(checks["tables"]["level"], "ok")
        made.config.write_text(json.dumps(config))

    def test_configuration_that_disagrees_is_found(self):
        made = self.deployment(start=False)
        config = json.loads(made.config.read_text())
        made.config.write_text(json.dumps(config | {"partitions": 32}))
        self.assertIn("configuration is 32", self.found(made, "shape"))
        made.config.write_text(json.dumps(config))

    def test_folder_served_or_not(self):
        made = self.embedded(start=False)
        made.cli("import", "-", stdin="1 2\n")
        self.assertEqual({check["level"] for check in self.look(made).values()}, {"ok"})
        made.start()
        self.assertEqual({check["level"] for check in self.look(made).values()}, {"ok"})
        with contextlib.closing(sqlite3.connect(made.data / "tables.db")) as tables, tables:
            tables.execute("DROP INDEX fans_g1_page")
            tables.execute("UPDATE progress SET state = 'halted', state_reason = 'log_mismatch' "
                           "WHERE projection = 'fans' AND \"partition\" = 3")
        self.assertIn("fans_g1 has no index fans_g1_page", self.found(made, "tables"))
        made.processes["serve"].stop()
        self.assertIn("fanfold lane resume fans/3", self.found(made, "lanes"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
