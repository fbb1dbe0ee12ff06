"""What processes tell Prometheus is what docs/METRICS.md says, the dashboard shows all of it, and real faults wake
whom they should."""

import contextlib
import json
import math
import signal
import socket
import unittest

import fanfold
import prometheus
import tls_test
from fanfold import Client, wait_until
from fanfold_local.process import PROJECTIONS
from own_servers import own_kafka, own_mariadb

DASHBOARD = fanfold.ROOT / "deploy" / "grafana" / "fanfold.json"
RATE_LIMIT = 500
# Of rebuilds that load: they are gone before anybody looks.
PASSING = {"fanfold_reader_rebuild_items", "fanfold_reader_rebuild_done_items"}
# Asked for in words: a transfer coding that nobody has to know.
UNKNOWN_CODING = b"PUT /v1/users/1/following/2 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: zstd\r\n\r\n"


def answer_to(port, request):
    with contextlib.closing(socket.create_connection(("127.0.0.1", port), timeout=10)) as raw:
        raw.sendall(request)
        return raw.recv(65_536)


def body(**content):
    return json.dumps(content)


class Made:
    """A deployment of processes, and one process with everything that is turned on by settings."""

    def __init__(self, case):
        self.case = case
        self.servers = case.deployment()
        self.served = case.served()
        self.secured_port = case.port

    def ports(self):
        ports = {name: process.port for name, process in self.servers.processes.items()}
        return ports | {"serve": self.served.processes["serve"].port}

    def use(self):
        """Something of everything."""
        write, read = self.servers.writer(), self.servers.reader()
        for path in ("1/following/2?wait=decided", "2/following/1", "3/following/3"):
            write.request("PUT", f"/v1/users/{path}")
        write.request("PUT", "/v1/users/1/profile", body(name="Ada"))
        write.request("POST", "/v1/users/2/posts?wait=decided", body(content="Hello"))
        write.request("POST", "/v1/users/1/feed/shown", body(items=[]))
        for path in ("1/following", "1/fans?expand=profile", "1/counts", "1", "1/feed", "2/posts"):
            read.request("GET", f"/v1/users/{path}")
        read.request("GET", "/v1/changes")
        answer_to(self.servers.processes["writer"].port, UNKNOWN_CODING)
        with contextlib.closing(self.case.connection()) as connection:
            self.case.ask(connection, "/v1/users/1/counts")


class MetricsCase(tls_test.TlsCase):
    def settings(self):
        return super().settings() | {"rate_limit": RATE_LIMIT}


class Told(MetricsCase):
    OWN_FAILURES = {"reader": ["store_unavailable"], "writer": ["log_unavailable"],
                    "serve": ["store_unavailable", "log_unavailable", "reader_unavailable"]}

    def test_what_is_told_is_what_is_documented_and_shown(self):
        made = Made(self)
        made.use()
        made.servers.settle()
        self.check_scrapes(made)
        watching = prometheus.Prometheus(self, made.ports())
        self.check_dashboard(made, watching)

    def check_scrapes(self, made):
        documented, seen = prometheus.documented(), set()
        for name, port in made.ports().items():
            with self.subTest(name):
                text = Client(port).request("GET", "/metrics")[2]
                self.assertEqual(prometheus.checked(text), "")
                for cause in ("internal", *self.OWN_FAILURES.get(name, ())):
                    self.assertIn(f'fanfold_http_server_errors_total{{cause="{cause}"}} 0\n', text, "what a first one is seen beside")
                told = prometheus.exported(text)
                seen |= set(told)
                # A series that nothing has happened to yet has no labels.
                for metric, (type_, labels, meaning) in told.items():
                    self.assertEqual((type_, meaning), (documented[metric][0], documented[metric][2]), metric)
                    self.assertIn(labels, (documented[metric][1], frozenset()), metric)
                self.assertLessEqual({"process_cpu_seconds_total", "fanfold_build_info"}, set(told))
        self.assertEqual(seen, set(documented) - PASSING)

    def check_dashboard(self, made, watching):
        queries = {target["expr"].replace("$__rate_interval", prometheus.WINDOW).replace("$instance", ".*")
                   for panel in json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
                   for target in panel.get("targets", [])}
        self.assertGreater(len(queries), 50)
        empty = set(queries)

        def all_shown():
            made.use()
            for query in list(empty):
                samples = watching.query(query)
                if any(not math.isnan(float(sample["value"][1])) for sample in samples):
                    empty.discard(query)
            return not empty

        try:
            wait_until(all_shown, "every query has data", 60, 1)
        except AssertionError:
            self.fail(f"without data: {sorted(empty)}")


class Woken(MetricsCase):
    """Each fault fires the alerts that are for it."""

    # Durations that are numbers.
    THRESHOLDS = {"FanfoldLagGrows": ("> 60", "> 2")}

    def expect(self, *alerts, meanwhile=lambda: None):
        """Those of one name, and of these labels where some are given."""
        wanted = [(alert, {}) if isinstance(alert, str) else alert for alert in alerts]

        def missing():
            firing = self.watching.firing()
            return [want for want in wanted
                    if not any(name == want[0] and want[1].items() <= labels.items() for name, labels in firing)]

        def all_fire():
            meanwhile()
            return not missing()

        try:
            wait_until(all_fire, "alerts", 60, 0.5)
        except AssertionError:
            self.fail(f"{missing()} do not fire; firing: {self.watching.firing()}")

    def expect_none(self, *alerts, meanwhile=lambda: None):
        def are_over():
            meanwhile()
            return not {name for name, _ in self.watching.firing()} & set(alerts)

        wait_until(are_over, f"{alerts} are over", 90, 0.5)

    def follow(self, *_):
        self.number += 1
        with contextlib.suppress(OSError):
            Client(self.made.processes["writer"].port, 10).request("PUT", f"/v1/users/{self.number}/following/7")

    def read(self):
        self.number += 1
        with contextlib.suppress(OSError):
            Client(self.made.processes["reader"].port, 10).request("GET", f"/v1/users/{10**9 + self.number}/following")

    def start_again(self, name):
        old = self.made.processes[name]
        self.made.processes[name] = fanfold.Process(name, old.popen.args, old.port, self.made.folder,
                                                    self.made.environment)
        self.made.processes[name].await_ready(60)

    def test_real_faults_wake_whom_they_should(self):
        self.number = 100
        kafka, mariadb = own_kafka(self), own_mariadb(self)
        self.made = self.deployment(kafka=kafka, mysql_sockets=[mariadb.socket],
                                    environment={"FANFOLD_AUDIT": "report"})
        ports = {name: process.port for name, process in self.made.processes.items()}
        self.made.ends = fanfold.Ends.DIFFERENT
        self.watching = prometheus.Prometheus(self, ports, self.THRESHOLDS)
        self.follow()
        self.made.settle()
        self.processes_that_are_gone()
        self.records_that_cannot_be_read()
        self.tables_that_differ()
        self.lanes_that_stand()
        self.the_log_away(kafka)
        self.the_database_away(mariadb)

    def processes_that_are_gone(self):
        for name, alert in (("writer", "FanfoldWriterDown"), ("reader", "FanfoldReaderDown"),
                            ("projector-posts-1", ("FanfoldProjectorsDown", {"projection": "posts"}))):
            self.made.processes[name].kill()
            self.expect(alert)
            self.start_again(name)
        self.expect_none("FanfoldWriterDown", "FanfoldReaderDown", "FanfoldProjectorsDown")
        self.made.processes["projector-fans-1"].kill()
        self.expect("FanfoldNothingFolded", ("FanfoldLagGrows", {"projection": "fans"}), meanwhile=self.follow)
        self.expect(("FanfoldLaneStands", {"projection": "fans"}))
        self.start_again("projector-fans-1")
        self.expect_none("FanfoldNothingFolded", "FanfoldLagGrows", meanwhile=self.follow)

    def records_that_cannot_be_read(self):
        self.made.put_raw(0, "5", b"garbage")
        self.expect(("FanfoldRecordsParked", {"projection": "following"}))

    def lanes_that_stand(self):
        gap = body(v=1, position="3:1000", event_id="x", outcome="followed", subject="5", object="6", at=1, since=1)
        self.made.put_raw(3, "5", gap.encode(), topic="relation-outcomes")
        self.expect(("FanfoldLaneHalted", {"projection": "fans"}))

    def tables_that_differ(self):
        self.made.sql(0, "UPDATE following_g1 SET since_ms = since_ms + 1")
        self.expect("FanfoldDrift", "FanfoldDriftLeft")

    def the_log_away(self, kafka):
        for node in kafka.nodes:
            node.stop(signal.SIGKILL)
        self.expect("FanfoldLogAway", "FanfoldWritesRefused", ("FanfoldServerErrors", {"cause": "log_unavailable"}),
                    meanwhile=self.follow)
        kafka.start()

    def the_database_away(self, mariadb):
        mariadb.process.stop(signal.SIGKILL)

        def ask():
            self.read()
            with contextlib.suppress(OSError):
                Client(self.made.processes["reader"].port, 10).request("GET", "/readyz")

        self.expect("FanfoldDatabaseDown", "FanfoldReadsRefused", ("FanfoldNotReady", {"instance": "reader"}),
                    ("FanfoldServerErrors", {"cause": "store_unavailable"}), meanwhile=ask)
        mariadb.start()

    def test_files_that_cannot_be_taken_wake_whom_they_should(self):
        self.served()
        self.watching = prometheus.Prometheus(self, {"serve": self.operations_port})
        self.expect(("FanfoldCertificateEnds", {"instance": "serve"}))  # this one is two days old at its end
        whole = self.tokens_file.read_text()
        self.tokens_file.write_text(whole[:-9])
        self.certificate.write_text("garbage")
        self.expect(("FanfoldAccessFileBroken", {"file": "tokens"}), "FanfoldTlsFilesBroken")
        self.tokens_file.write_text(whole)
        self.show("server")
        self.expect_none("FanfoldAccessFileBroken", "FanfoldTlsFilesBroken")


if __name__ == "__main__":
    unittest.main()
