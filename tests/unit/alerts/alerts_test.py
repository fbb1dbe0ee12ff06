"""Every alert of deploy/alerts fires where it should and nowhere beside, as Prometheus' own promtool judges: a table
of series, with what is told when it fires."""

import subprocess
import tempfile
import unittest
from dataclasses import dataclass, field
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]
RULES = ROOT / "deploy" / "alerts" / "fanfold.rules.yml"
RECORDS = ROOT / "deploy" / "alerts" / "fanfold.records.yml"
RUNBOOK = "docs/runbook.md"
GROWS = "0+1x800"
STANDS = "5x800"
EVALUATED = {"15s": "1m", "15m": "15m", "1h": "30m"}  # how often, by how far apart the samples are
PROJECTIONS = ("following", "fans", "profiles", "posts", "feed")


@dataclass
class Case:
    alert: str
    at: str  # when it has fired; what is quiet is looked at then, too
    fires: dict  # series → values, in promtool's notation
    quiet: dict
    summary: str
    labels: dict = field(default_factory=dict)
    interval: str = "15s"


def errors(cause, **labels):
    extra = "".join(f',{name}="{value}"' for name, value in labels.items())
    return f'fanfold_http_server_errors_total{{cause="{cause}"{extra}}}'


def reads(code):
    return f'fanfold_reader_requests_total{{code="{code}"}}'


def refused(code):
    return f'fanfold_writer_refused_total{{code="{code}"}}'


def folded(projection):
    return f'fanfold_projector_records_total{{projection="{projection}"}}'


def audits(ended, projection="fans"):
    return f'fanfold_audit_{ended}_total{{projection="{projection}"}}'


def claims(projections):
    return {f'fanfold_claims_total{{projection="{projection}"}}': STANDS for projection in projections}


def lag(instance="r1", labels=""):
    return f'fanfold_reader_lag_seconds{{projection="fans",instance="{instance}"{labels}}}'


def up(instance, job="fanfold"):
    return f'up{{job="{job}",instance="{instance}"}}'


def slow(fast):
    """One of a hundred appends, or more, takes above a second, unless all are fast."""
    bucket = 'fanfold_writer_append_seconds_bucket{{le="{}"}}'
    return {bucket.format("1"): "0+10x800" if fast else STANDS, bucket.format("2.5"): "0+10x800",
            bucket.format("+Inf"): "0+10x800"}


APPENDED = 'fanfold_writer_events_appended_total{topic="relation-events"}'
POSTED = 'fanfold_writer_events_appended_total{topic="post-events"}'
BUILD = 'fanfold_build_info{job="fanfold",instance="r2",version="1"}'
QUEUE, COLD = 'fanfold_reader_queue{instance="r1"}', 'fanfold_reader_queue_cold{instance="r1"}'
EVICTIONS, MISSES, HITS = (f'fanfold_reader_cache_{what}_total{{instance="r1"}}' for what in ("evictions", "misses", "hits"))
FOLLOWS = 'fanfold_reader_follows_outcomes{instance="r1"}'
FOREIGN = 'fanfold_reader_foreign_records{topic="relation-events"}'
HALTED = 'fanfold_reader_lanes{projection="fans",state="halted"}'
FENCED, PARKED = 'fanfold_fenced_total{projection="fans"}', 'fanfold_parked_total{projection="fans"}'
ROOM = 'fanfold_folder_free_bytes{instance="s1"}'
FILE = 'fanfold_access_file_broken{file="tokens",instance="r1"}'
EXPIRES = 'fanfold_tls_certificate_expiry_timestamp_seconds{instance="r1"}'
TLS, KAFKA = (f'fanfold_{whose}_files_broken{{instance="r1"}}' for whose in ("tls", "kafka"))

CASES = [
    Case("FanfoldRequestsFail", "7m", {errors("internal", instance="r1"): GROWS}, {errors("overloaded", instance="r1"): GROWS},
         "r1 answers 500, which no retry mends.", {"instance": "r1"}),
    Case("FanfoldServerErrors", "25m", {errors("overloaded"): GROWS}, {errors("not_ready"): GROWS},
         "Requests are answered 5xx again and again: overloaded.", {"cause": "overloaded"}),
    Case("FanfoldNotReady", "12m", {errors("not_ready", instance="r1"): GROWS}, {errors("internal", instance="r1"): GROWS},
         "r1 says that it is not ready.", {"instance": "r1"}),
    Case("FanfoldInstanceDown", "12m", {up("r1"): "1 0x800", up("r2"): "1x800", BUILD: "1x800"},
         {up("r1"): "1x800", up("r2"): "1x800", BUILD: "1x800", up("n1", job="node"): "0x800"},
         "r1 does not answer, others do.", {"instance": "r1", "job": "fanfold"}),
    Case("FanfoldDown", "12m", {BUILD: "1x40 stale"}, {BUILD: "1x800"}, "No process of Fanfold answers."),
    Case("FanfoldWriterDown", "2m", {BUILD: "1x800"}, {BUILD: "1x800", "fanfold_writer_waiters": "0x800"},
         "No writer answers: nothing can be written."),
    Case("FanfoldLogAway", "5m", {refused("log_unavailable"): GROWS, APPENDED: STANDS},
         {refused("log_unavailable"): GROWS, APPENDED: GROWS}, "Every write is refused: Kafka takes nothing."),
    Case("FanfoldWritesRefused", "12m", {refused("overloaded"): GROWS}, {refused("self_follow"): GROWS},
         "Some writes are refused with 503."),
    Case("FanfoldAppendsSlow", "20m", slow(fast=False), slow(fast=True),
         "One append of a hundred takes Kafka more than a second."),
    Case("FanfoldReaderDown", "2m", {BUILD: "1x800"}, {BUILD: "1x800", QUEUE: "0x800"}, "No reader answers: nothing can be read."),
    Case("FanfoldNoReaderReady", "6m", {errors("not_ready", instance="r1"): GROWS, QUEUE: "0x800"},
         {errors("not_ready", instance="r1"): GROWS, QUEUE: "0x800", QUEUE.replace("r1", "r2"): "0x800"},
         "No reader is ready: a balancer sends none of them anything."),
    # One after the other is started anew: four minutes are when a rate knows of all of them yet.
    Case("FanfoldNoReaderReady", "4m", {errors("not_ready", instance="r1"): GROWS, QUEUE: "0x800"},
         {series: values for n, started in ((1, 8), (2, 9), (3, 10))
          for series, values in ((errors("not_ready", instance=f"r{n}"), f"0x{started} 5x780"),
                                 (QUEUE.replace("r1", f"r{n}"), "0x800"))},
         "No reader is ready: a balancer sends none of them anything."),
    # FanfoldReaderDown says that.
    Case("FanfoldNoReaderReady", "6m", {errors("not_ready", instance="r1"): GROWS, QUEUE: "0x800"}, {},
         "No reader is ready: a balancer sends none of them anything."),
    Case("FanfoldReadsRefused", "10m", {reads(503): GROWS, reads(200): "0+90x800"}, {reads(503): GROWS, reads(200): "0+110x800"},
         "More than one read of a hundred is refused with 503."),
    Case("FanfoldDatabaseDown", "6m", {errors("store_unavailable"): GROWS, folded("fans"): STANDS},
         {errors("store_unavailable"): GROWS, folded("fans"): GROWS},
         "Reads are refused for want of tables, and no shard takes rows."),
    # Nobody writes, and reads are refused for another reason.
    Case("FanfoldDatabaseDown", "6m", {errors("store_unavailable"): GROWS, folded("fans"): STANDS},
         {reads(503): GROWS, errors("overloaded"): GROWS, folded("fans"): STANDS},
         "Reads are refused for want of tables, and no shard takes rows."),
    Case("FanfoldReaderOverloaded", "3m", {QUEUE: "400x800", COLD: "101x800"}, {QUEUE: "400x800", COLD: "100x800"},
         "Reads wait for the database, and are refused soon."),
    Case("FanfoldReaderNotFollowing", "6m", {FOLLOWS: "0x800"}, {FOLLOWS: "1x800"},
         "r1 answers from the tables as they are.", {"instance": "r1"}),
    Case("FanfoldForeignRecords", "6m", {FOREIGN: "1x800"}, {FOREIGN: "0x800"},
         "relation-events holds records in partitions that the deployment has not.", {"topic": "relation-events"}),
    Case("FanfoldReaderMemory", "50m", {EVICTIONS: GROWS, MISSES: "0+6x800", HITS: "0+10x800"},
         {EVICTIONS: GROWS, MISSES: "0+4x800", HITS: "0+10x800"},
         "The lists that are asked for do not fit into the memory of r1.", {"instance": "r1"}),
    Case("FanfoldProjectorsDown", "2m", {BUILD: "1x800", **claims(PROJECTIONS[1:])}, {BUILD: "1x800", **claims(PROJECTIONS)},
         "No projector of following answers.", {"projection": "following"}),
    Case("FanfoldNothingFolded", "12m", {APPENDED: GROWS, folded("following"): GROWS, folded("fans"): STANDS},
         {APPENDED: GROWS, folded("following"): GROWS, folded("fans"): GROWS},
         "Events come into relation-events and nothing is folded.", {"topic": "relation-events"}),
    Case("FanfoldNothingFolded", "12m", {POSTED: GROWS, folded("posts"): STANDS, folded("fans"): GROWS},
         {APPENDED: STANDS, folded("following"): STANDS, folded("fans"): STANDS, POSTED: GROWS, folded("posts"): GROWS},
         "Events come into post-events and nothing is folded.", {"topic": "post-events"}),
    Case("FanfoldLagGrows", "30m", {lag(): "0+10x800"}, {lag(): "90x800"},
         "The tables of fans are 20m 0s behind, and fall further behind.", {"projection": "fans"}),
    Case("FanfoldLaneHalted", "1m", {HALTED: "2x800"}, {HALTED: "0x800"}, "Lanes of fans have halted: 2 of them.",
         {"projection": "fans"}),
    Case("FanfoldLaneStands", "40m", {lag(): "0+15x800"}, {lag(): "0+13x800"}, "A lane of fans stands still.",
         {"projection": "fans"}),
    # Paused after five minutes, it wakes somebody a quarter of an hour later, and not before.
    Case("FanfoldLaneStands", "21m", {lag(): "0x20 0+15x800"}, {lag(): "0x48 0+15x800"}, "A lane of fans stands still.",
         {"projection": "fans"}),
    Case("FanfoldDiskLow", "7m", {ROOM: f"{(1 << 30) - (1 << 20)}x800"}, {ROOM: f"{1 << 30}x800"},
         "The disk of the folder of s1 has 1023MiB left.", {"instance": "s1"}),
    Case("FanfoldDiskFull", "3m", {ROOM: f"{63 << 20}x800"}, {ROOM: f"{64 << 20}x800"},
         "The disk of the folder of s1 is full, or soon: 63MiB left.", {"instance": "s1"}),
    Case("FanfoldFencedRepeating", "25m", {FENCED: GROWS}, {FENCED: "0+0.1x800"},
         "Batches of fans are dropped again and again: two owners.", {"projection": "fans"}),
    Case("FanfoldRecordsParked", "8m", {PARKED: "0x20 1x780"}, {PARKED: "0x800"}, "Records were set aside by fans.",
         {"projection": "fans"}),
    # Set aside before the process was first asked, and long ago.
    Case("FanfoldRecordsParked", "80m", {PARKED: "_x100 5x700"}, {PARKED: STANDS}, "Records were set aside by fans.",
         {"projection": "fans"}),
    # A lane stands, and its lag is asked of the second reader 15 s later.
    Case("FanfoldClocksApart", "15m", {lag("r1"): "0x800", lag("r2"): "21x800"}, {lag("r1"): "0+15x800", lag("r2"): "15+15x800"},
         "Two readers disagree about the lag of fans by more than 20 s.", {"projection": "fans"}),
    Case("FanfoldErasingStands", "10m", {"fanfold_erasures_still_seconds": "901x800"},
         {"fanfold_erasures_still_seconds": "900x800"}, "A deleted account keeps its relations."),
    Case("FanfoldInboxesStand", "10m", {"fanfold_inboxes_still_seconds": "301x800"},
         {"fanfold_inboxes_still_seconds": "300x800"},
         "Inboxes of hybrid mode are not kept: feeds are pulled, which costs the readers more."),
    Case("FanfoldDrift", "8m", {"fanfold_drift_total": "0x20 3x780"}, {"fanfold_drift_total": STANDS},
         "Rows or counts are not what the topics say."),
    Case("FanfoldDriftLeft", "70m", {"fanfold_drift_left": "2x800"}, {"fanfold_drift_left": "0x800"},
         "The last audit left drift that nobody has mended."),
    Case("FanfoldAuditFails", "60m", {audits("failures"): GROWS, audits("passes"): STANDS, audits("passes", "posts"): GROWS},
         {audits("failures"): GROWS, audits("passes"): GROWS}, "The audit of fans cannot come to its end.", {"projection": "fans"}),
    # One that takes long, and what was away once.
    Case("FanfoldAuditFails", "60m", {audits("failures"): GROWS, audits("passes"): STANDS},
         {audits("failures"): "0x80 1x720", audits("passes"): STANDS}, "The audit of fans cannot come to its end.", {"projection": "fans"}),
    # Each of whose passes takes half an hour to fail.
    Case("FanfoldAuditFails", "12h", {audits("failures"): "".join(f"{n}x1 " for n in range(400)), audits("passes"): STANDS},
         {audits("failures"): "".join(f"{n}x1 " for n in range(400)), audits("passes"): "0x20 1x700"},
         "The audit of fans cannot come to its end.", {"projection": "fans"}, interval="15m"),
    Case("FanfoldAuditStands", "100h", {audits("passes"): STANDS, audits("passes", "posts"): GROWS}, {audits("passes"): GROWS},
         "No audit of fans has reached its end for three days.", {"projection": "fans"}, interval="1h"),
    # Of a deployment that is not three days old.
    Case("FanfoldAuditStands", "100h", {audits("passes"): STANDS}, {audits("passes"): "_x60 0x700"},
         "No audit of fans has reached its end for three days.", {"projection": "fans"}, interval="1h"),
    Case("FanfoldAccessFileBroken", "2m", {FILE: "1x800"}, {FILE: "0x800"},
         "A file of tokens or keys cannot be taken: what it said before holds.", {"file": "tokens", "instance": "r1"}),
    Case("FanfoldCertificateEnds", "15m", {EXPIRES: f"{13 * 86400}x800"}, {EXPIRES: f"{15 * 86400}x800"},
         "The certificate that a process shows ends within 14 days.", {"instance": "r1"}),
    Case("FanfoldTlsFilesBroken", "2m", {TLS: "1x800"}, {TLS: "0x800"},
         "A new certificate or key cannot be taken: the old one is shown.", {"instance": "r1"}),
    Case("FanfoldKafkaFilesBroken", "2m", {KAFKA: "1x800"}, {KAFKA: "0x800"},
         "What is new in the files for Kafka cannot be taken, or no broker answers it.", {"instance": "r1"}),
]


def rules():
    document = yaml.safe_load(RULES.read_text(encoding="utf-8"))
    return {rule["alert"]: rule for group in document["groups"] for rule in group["rules"]}


def promtool_test(case, severity, series, fires):
    told = {"exp_labels": {**case.labels, "severity": severity},
            "exp_annotations": {"summary": case.summary, "runbook_url": f"{RUNBOOK}#{case.alert.lower()}"}}
    return {"interval": case.interval, "name": f"{case.alert} {'fires' if fires else 'is quiet'}",
            "input_series": [{"series": name, "values": values} for name, values in series.items()],
            "alert_rule_test": [{"eval_time": case.at, "alertname": case.alert, "exp_alerts": [told] if fires else []}]}


class Alerts(unittest.TestCase):
    def test_every_alert_has_its_case(self):
        self.assertEqual({case.alert for case in CASES}, set(rules()))

    def test_each_fires_where_it_should_and_nowhere_beside(self):
        for interval, evaluated in EVALUATED.items():
            with self.subTest(interval=interval):
                self.judge([case for case in CASES if case.interval == interval], evaluated)

    def test_one_process_that_stops_is_one_page(self):
        series = {up("s1"): "1x40 0x800", **{name: "0x40 stale" for name in (
            'fanfold_build_info{job="fanfold",instance="s1",version="1"}', "fanfold_writer_waiters", QUEUE, COLD, FOLLOWS, APPENDED,
            ROOM, lag(), HALTED, *claims(PROJECTIONS), *map(folded, PROJECTIONS))}}
        case = next(case for case in CASES if case.alert == "FanfoldDown")
        test = promtool_test(case, "page", series, fires=True)
        test["alert_rule_test"] = [
            *test["alert_rule_test"], *({"eval_time": "40m", "alertname": name, "exp_alerts": []} for name in rules() if name != case.alert)]
        self.judge_tests(RULES, [test], "1m")

    def test_where_the_runbook_is_prometheus_says(self):
        case = next(case for case in CASES if case.alert == "FanfoldDown")
        test = promtool_test(case, "page", case.fires, fires=True)
        test["external_labels"] = {"runbook": "https://wiki.example.com/runbook"}
        alert, = test["alert_rule_test"][0]["exp_alerts"]
        alert["exp_annotations"]["runbook_url"] = "https://wiki.example.com/runbook#fanfolddown"
        self.judge_tests(RULES, [test], "1m")

    def judge(self, cases, evaluated):
        severity = {name: rule["labels"]["severity"] for name, rule in rules().items()}
        tests = [promtool_test(case, severity[case.alert], series, fires)
                 for case in cases for series, fires in ((case.fires, True), (case.quiet, False))]
        self.judge_tests(RULES, tests, evaluated)

    def judge_tests(self, rules_file, tests, evaluated):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "fanfold.test.yml"
            file.write_text(yaml.safe_dump({"rule_files": [str(rules_file)], "evaluation_interval": evaluated, "tests": tests}),
                            encoding="utf-8")
            ran = subprocess.run(["promtool", "test", "rules", str(file)], capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_projectors_are_scaled_by_one_number(self):
        *_, scaler = yaml.safe_load_all((ROOT / "deploy/kubernetes/40-projector.yaml").read_text(encoding="utf-8"))
        scaled_by, = (metric["external"]["metric"]["name"] for metric in scaler["spec"]["metrics"])
        lags = [{"series": lag(instance, f',namespace="{namespace}"'), "values": f"{seconds}x800"}
                for instance, namespace, seconds in (("r1", "a", 7), ("r2", "a", 8), ("r3", "b", 9))]
        wanted = [{"labels": f'{scaled_by}{{namespace="{namespace}"}}', "value": seconds}
                  for namespace, seconds in (("a", 8), ("b", 9))]
        self.judge_tests(RECORDS, [{"interval": "15s", "input_series": lags, "promql_expr_test": [
            {"expr": scaled_by, "eval_time": "2m", "exp_samples": wanted}]}], "15s")

    def test_the_rules_are_valid(self):
        ran = subprocess.run(["promtool", "check", "rules", str(RULES), str(RECORDS)], capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)


if __name__ == "__main__":
    unittest.main()
