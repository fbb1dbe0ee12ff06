"""A deployment on a Kafka and a MariaDB that want TLS and a password, and refuse anything else."""

import signal
import unittest

import fanfold
import roles
import secured


class Secured(fanfold.Case):
    PARTITIONS = 4

    def setUp(self):
        self.certificates = secured.Certificates(self)
        self.password = secured.Password(self)
        self.wrong = secured.Password(self)
        self.wrong.write("wrong")
        self.authority = self.certificates.path("ca.pem")
        self.other = self.certificates.path("other.pem")
        self.cluster = secured.secured_kafka(self, self.certificates, self.password)
        self.database = self.mariadb("server")

    def mariadb(self, certificate):
        return secured.secured_mariadb(self, self.certificates, certificate)

    def made(self, start=False):
        return self.deployment(
            start=start, partitions=self.PARTITIONS, kafka=self.cluster,
            mysql_sockets=[self.database.socket], password_of=self.password.of,
            dsn=self.dsn(self.database, self.password.file, self.authority),
            more=secured.kafka_options(self.password.file, self.certificates.believed,
                                       self.certificates.own))

    def dsn(self, database, password, authority):
        return secured.dsn(database, password, authority, self.certificates.own)

    def follow(self, deployment, object_):
        status, *_ = deployment.writer().request(
            "PUT", f"/v1/users/1/following/{object_}?wait=decided&timeout_ms=10000")
        return status == 200

    def test_each_refusal_says_which_it_is(self):
        made = self.made()
        made.cli("status")

        def refused(sentence, *flags):
            ran = made.cli("status", *flags, check=False)
            self.assertNotEqual(ran.returncode, 0, flags)
            self.assertIn(sentence, ran.stderr, flags)
            self.assertNotIn(self.password.text, ran.stderr)

        def shards(database, password=self.password.file, authority=self.authority):
            return "--shards", self.dsn(database, password, authority).format(
                user=f"{made.space}_operator", schema=made.schemas[0])

        misnamed, bare = self.mariadb("misnamed"), self.mariadb(None)
        refused("no certificate of ssl_ca vouches", *shards(self.database, authority=self.other))
        refused("is not for the host that the DSN names", *shards(misnamed))
        refused("SSL is required, but the server does not support it", *shards(bare))
        refused("Access denied", *shards(self.database, password=self.wrong.file))
        refused("missing cannot be opened",
                *shards(self.database, password=secured.no_file(self)))
        refused("self-signed certificate in certificate chain",
                "--kafka-ssl-ca-location", self.other)
        refused("IP address mismatch", "--kafka-brokers", self.cluster.misnamed)
        refused("does the broker speak TLS", "--kafka-brokers", self.cluster.bootstrap)
        refused("Invalid username or password", "--kafka-sasl-password-file", self.wrong.file)
        made.cli("status")

    def demand(self, deployment, of_user):
        """From now on every server wants it of every connection; none from before is left."""
        self.cluster.nodes[0].stop(signal.SIGTERM)
        self.cluster.start()
        for user in roles.mysql_users(deployment.space):
            roles.run_sql(self.database.socket, f"ALTER USER {user} {of_user}; KILL USER {user}")

    def goes_on(self, deployment, object_):
        fanfold.wait_until(lambda: self.follow(deployment, object_), "follows are decided again")
        deployment.settle()
        self.assertEqual(deployment.reader().get("/v1/users/1/counts")["following"], object_ - 1)

    def test_passwords_change_while_it_runs(self):
        deployment = self.made(start=True)
        self.goes_on(deployment, 2)
        self.password.write("second")
        self.demand(deployment, "IDENTIFIED BY 'second'")
        self.goes_on(deployment, 3)
        self.assertIn("differences: 0", deployment.cli("verify").stdout)
        for process in deployment.processes.values():
            for password in ("first", "second"):
                self.assertNotIn(f'"{password}"', process.log.read_text())

    def test_certificates_change_while_it_runs(self):
        deployment = self.made(start=True)
        self.goes_on(deployment, 2)
        self.certificates.own["key"].write_text("no key")

        def all_say(words, count=1, kind=""):
            for process in deployment.processes.values():
                if process.name.startswith(kind):
                    fanfold.wait_until(lambda of=process: of.log.read_text().count(words) >= count,
                                       f"{process.name}: {words}")

        def lanes_taken():
            return sum(process.log.read_text().count("lane taken")
                       for process in deployment.processes.values())

        all_say("what the file said before holds")
        self.assertTrue(self.follow(deployment, 3))
        self.certificates.show("other")
        all_say("lane taken", 2 * self.PARTITIONS, "projector")
        self.goes_on(deployment, 4)
        taken = lanes_taken()
        self.certificates.believe("other")
        all_say("no broker answers")
        self.assertTrue(self.follow(deployment, 5))
        self.assertIn("\nfanfold_kafka_files_broken 1\n", deployment.writer().request("GET", "/metrics")[2])
        self.certificates.believe("ca")
        all_say("the file is taken again", 2)
        self.assertEqual(lanes_taken(), taken)
        self.certificates.trust("other")
        self.demand(deployment, "REQUIRE ISSUER '/CN=other'")
        self.goes_on(deployment, 6)
        self.assertIn("differences: 0", deployment.cli("verify").stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
