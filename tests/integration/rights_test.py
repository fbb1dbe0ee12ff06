"""Each role may what its work wants, and nothing of the next one's."""

import os
import re
import subprocess
import unittest

import fanfold
import quick_kafka
import roles
from broker import LITERAL, PREFIXED, TOPIC_DENIED, Broker
from log_records import TOPICS

WITH_TABLES = ("reader", "projector", "operator")
DENIED = {1044, 1142, 1227}  # of a schema, of a table, of the server
MISSING = "lacks the right Write on the topic"
KAFKA = fanfold.ROOT / "deploy/kafka"


class Tables(fanfold.Case):
    # Of no row, in every table, and who may.
    ROWS = (
        ("SELECT * FROM {table} LIMIT 0", {"reader", "projector", "operator"}),
        ("INSERT INTO {table} SELECT * FROM {table} LIMIT 0", {"projector", "operator"}),
        ("REPLACE INTO {table} SELECT * FROM {table} LIMIT 0", {"projector", "operator"}),
        ("UPDATE {table} SET {column} = {column} WHERE FALSE", {"projector", "operator"}),
        ("DELETE FROM {table} WHERE FALSE", {"projector", "operator"}),
    )
    # In this order.
    SHAPES = (
        ("CREATE TABLE beside (n INT)", {"operator"}),
        ("ALTER TABLE beside ADD m INT", {"operator"}),
        ("CREATE INDEX by_n ON beside (n)", {"operator"}),
        ("DROP TABLE beside", {"operator"}),
        ("CREATE DATABASE {space}_9", {"operator"}),
        ("DROP DATABASE {space}_9", {"operator"}),
    )
    # Not even an operator.
    OTHERS = (
        "SELECT * FROM {other}.progress LIMIT 0",
        "INSERT INTO {other}.progress SELECT * FROM {other}.progress LIMIT 0",
        "CREATE TABLE {other}.beside (n INT)",
        "DROP TABLE {other}.progress",
        "DROP DATABASE {other}",
        "CREATE DATABASE {space}x_0",
        "SELECT * FROM mysql.global_priv",
        "CREATE USER {space}_more",
        "GRANT SELECT ON {space}_0.* TO {space}_reader",
        "SET GLOBAL max_connections = 500",
    )

    def setUp(self):
        self.made = self.deployment(shards=2, start=False)

    def denied(self, role, shard, statements):
        """Those of the statements that the role's user is denied; the others are done."""
        ran = subprocess.run(
            ["mariadb", "--no-defaults", f"--socket={self.made.socket_of(shard)}", "--force", "-N",
             f"-u{self.made.space}_{role}", f"-p{roles.password(role)}", self.made.schemas[shard]],
            input="\n".join(f"{statement};" for statement in statements), capture_output=True, text=True)
        errors = re.findall(r"^ERROR (\d+) \(\w+\) at line (\d+)", ran.stderr, re.M)
        self.assertEqual({int(code) for code, _ in errors} - DENIED, set(), ran.stderr)
        self.assertEqual(bool(errors), bool(ran.stderr), ran.stderr)
        return {statements[int(line) - 1] for _, line in errors}

    def check(self, shard, statements):
        """Of (statement, who may)."""
        for role in WITH_TABLES:
            self.assertEqual(self.denied(role, shard, [statement for statement, _ in statements]),
                             {statement for statement, may in statements if role not in may}, role)

    def test_rows_of_every_table(self):
        for shard in (0, 1):
            columns = self.made.sql(shard, "SELECT table_name, column_name FROM information_schema.columns "
                                           "WHERE table_schema = DATABASE() AND ordinal_position = 1")
            self.assertGreater(len(columns), 15)
            for table, column in columns:
                self.check(shard, [(statement.format(table=table, column=f"`{column}`"), may)
                                   for statement, may in self.ROWS])

    def test_what_tables_there_are(self):
        """Who may make them comes last, and leaves none."""
        for shard in (0, 1):
            self.check(shard, [(statement.format(space=self.made.space), may)
                               for statement, may in self.SHAPES])

    def test_nothing_beside_the_deployment(self):
        other = self.deployment(start=False).schemas[0]
        statements = [statement.format(other=other, space=self.made.space) for statement in self.OTHERS]
        self.check(0, [(statement, set()) for statement in statements])

    def test_the_writer_is_not_let_in(self):
        with self.assertRaisesRegex(AssertionError, "1045"):
            self.denied("writer", 0, ["SELECT 1"])

    def test_lanes_in_another_users_transaction_are_waited_for(self):
        holder = subprocess.Popen(
            ["mariadb", "--no-defaults", f"--socket={self.made.socket_of(0)}", "-uroot", "-N", "-B",
             "--unbuffered", self.made.schemas[0]],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.addCleanup(holder.stdout.close)
        self.addCleanup(holder.communicate)
        self.made.start_projector("following").await_ready(fanfold.START_TIMEOUT_S)
        holder.stdin.write("BEGIN; UPDATE progress SET owner_connection = CONNECTION_ID(), "
                           "updated_ms = updated_ms + 1; SELECT 'held';\n")
        self.assertEqual(holder.stdout.readline(), "held\n")
        self.made.processes["projector-following-1"].kill()
        taker = self.made.start_projector("following", 2)
        fanfold.wait_until(lambda: "You are not owner of thread" in taker.log.read_text(), "it is refused")
        holder.stdin.write("COMMIT; SELECT 'done';\n")
        self.assertEqual(holder.stdout.readline(), "done\n")
        taker.await_ready(fanfold.START_TIMEOUT_S)

    def test_a_verb_as_another_role(self):
        for role in ("reader", "projector"):
            ran = self.made.run_cli("init", ["--config", self.made.config_of(role)], [], False, None)
            self.assertNotEqual(ran.returncode, 0)
            self.assertIn("denied", ran.stderr)


class Log(fanfold.Case):
    READS, WRITES = {"Describe", "Read"}, {"Describe", "Write"}
    OPERATES = {"Create", "Describe", "DescribeConfigs", "Read", "Write"}
    MAY = {
        #                     writer   projector        reader   operator
        "relation-events":   (WRITES,  READS | WRITES,  READS,   OPERATES),
        "relation-outcomes": (READS,   READS | WRITES,  READS,   OPERATES),
        "user-events":       (WRITES,  READS,           READS,   OPERATES),
        "post-events":       (WRITES,  READS | WRITES,  READS,   OPERATES),
        "feed-events":       (WRITES,  READS | WRITES,  READS,   OPERATES),
        "post-outcomes":     (READS,   READS | WRITES,  READS,   OPERATES),
        "of its group":      (set(),   READS,           set(),   {"Describe"}),
    }

    def setUp(self):
        self.made = self.deployment(start=False)
        self.place = fanfold.shared_kafka()

    def as_role(self, role):
        return Broker(self.place.role_bootstrap, roles.USERS + role, roles.password(role))

    def names(self):
        return [f"{self.made.space}-{topic}" for topic in TOPICS]

    def test_each_topic(self):
        # Brokers know of groups once one has had a member.
        self.made.start_projector("following").await_ready(fanfold.START_TIMEOUT_S)
        for number, role in enumerate(roles.ROLES):
            with self.as_role(role) as broker:
                told = broker.may(self.names())
                told = {name.removeprefix(f"{self.made.space}-"): may for name, may in told.items()}
                told["of its group"] = broker.may_of_group(f"{self.made.space}-fanfold-following")
                self.assertEqual(told, {what: may[number] for what, may in self.MAY.items()}, role)
                self.assertEqual(broker.may_of_group("fanfold-following"), set(), role)

    def test_a_reader_writes_nowhere(self):
        with self.as_role("reader") as broker:
            self.assertEqual({broker.error_of_writing(name) for name in self.names()}, {TOPIC_DENIED})
        with self.as_role("writer") as broker:
            self.assertNotEqual(broker.error_of_writing(self.names()[0]), TOPIC_DENIED)
        ran = self.made.run_cli("import", ["--config", self.made.config_of("reader")], ["-"], False, "1 2\n")
        self.assertEqual(ran.returncode, 1, ran.stdout)
        self.assertIn(MISSING, ran.stderr)
        self.assertNotIn("urged", ran.stderr)
        self.assertEqual(fanfold.Log(self.made).records, {topic: {} for topic in TOPICS})

    def writer_as(self, role):
        port = fanfold.free_port()
        writer = fanfold.Process("writer", [fanfold.BIN / "fanfold-writer", "--config", self.made.config_of(role),
                                            "--port", port], port, self.made.folder, self.made.environment)
        self.made.processes["writer"] = writer
        return writer

    def follow(self):
        return self.made.writer().request("PUT", "/v1/users/1/following/2")

    def await_not_ready(self, writer):
        def says_why():
            return not writer.is_ready() and MISSING in str(writer.readiness)
        fanfold.wait_until(says_why, "the writer is not ready, and says why")

    def test_a_writer_that_may_write_nowhere_is_not_ready_until_it_may(self):
        writer = self.writer_as("reader")
        self.await_not_ready(writer)
        status, _, body = self.follow()
        self.assertEqual((status, body["code"]), (503, "log_unavailable"))
        self.assertNotIn(MISSING, body["detail"], "reasons are for operators")
        with Broker(self.made.kafka) as broker:
            broker.create_acls([("topic", name, LITERAL, roles.USERS + "reader", "Write")
                                for name in self.names()[:1] + self.names()[2:]])
        # Nobody writes, who asks first whether it is ready.
        writer.await_ready(fanfold.START_TIMEOUT_S)
        self.assertEqual(self.follow()[0], 202)

    def test_a_writer_whose_right_is_taken_away_is_not_ready_until_it_is_back(self):
        writer = self.writer_as("writer")
        writer.await_ready(fanfold.START_TIMEOUT_S)
        self.assertEqual(self.follow()[0], 202)
        with Broker(self.made.kafka) as broker:
            broker.delete_acls({("topic", self.names()[0], LITERAL)})
        fanfold.wait_until(lambda: self.follow()[0] == 503, "a write is refused")
        self.await_not_ready(writer)
        roles.allow_in_kafka(self.made.kafka, self.made.space)
        fanfold.wait_until(lambda: self.follow()[0] == 202, "writes are taken again")
        fanfold.wait_until(writer.is_ready, "the writer is ready", 5)

    def test_nobody_deletes_a_topic(self):
        for role in ("writer", "operator"):
            with self.as_role(role) as broker:
                self.assertEqual(set(broker.delete_topics(self.names()).values()), {TOPIC_DENIED}, role)

    def test_the_doctor_sees_topics_and_brokers(self):
        checks = dict(re.findall(r"^ok +(\w+) +(.*)", self.made.cli("doctor", check=False).stdout, re.M))
        self.assertLessEqual({"retention", "producers"}, set(checks))

    def test_the_script_says_the_same(self):
        """As the tests' own, for a deployment of another space."""
        space = f"{self.made.space}s"
        subprocess.run([KAFKA / "acls.sh", "--bootstrap-server", self.made.kafka],
                       env=os.environ | {"SPACE": space, "JDK_JAVA_OPTIONS": " ".join(quick_kafka.shared_classes())},
                       check=True, capture_output=True)
        with Broker(self.made.kafka) as broker:
            for name in TOPICS:
                mine = broker.acls("topic", f"{self.made.space}-{name}")
                self.assertEqual(broker.acls("topic", f"{space}-{name}"), mine)
                self.assertGreater(len(mine), 0)
            mine = broker.acls("group", f"{self.made.space}-fanfold-", PREFIXED)
            self.assertEqual(broker.acls("group", f"{space}-fanfold-", PREFIXED), mine)
            self.assertGreater(len(mine), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
