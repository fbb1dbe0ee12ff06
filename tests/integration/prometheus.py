"""A real Prometheus that scrapes what a test runs, and judges copies of the alerts with shorter durations."""

import json
import pathlib
import re
import subprocess
import urllib.parse
import urllib.request

import yaml

import fanfold
from own_servers import folder
from ports import free_port

RULES = fanfold.ROOT / "deploy" / "alerts" / "fanfold.rules.yml"
INTERVAL_S = 1
# What a rule looks back at, instead of minutes: the rate of a counter wants some scrapes.
WINDOW = "8s"


def shortened(rules, thresholds):
    """The rules as they are, but that they look back at seconds and wait for nothing. `thresholds`: durations that
    are a number in an expression, by alert, as (what, instead)."""
    document = yaml.safe_load(rules)
    for group in document["groups"]:
        for rule in group["rules"]:
            rule["for"] = "0s"
            rule["expr"] = re.sub(r"\[\d+[mhd]\]", f"[{WINDOW}]", rule["expr"])
            if rule["alert"] in thresholds:
                what, instead = thresholds[rule["alert"]]
                assert what in rule["expr"], rule["expr"]
                rule["expr"] = rule["expr"].replace(what, instead)
    return yaml.safe_dump(document)


class Prometheus:
    def __init__(self, case, targets, thresholds=None):
        """`targets`: instance → port."""
        home = folder(case)
        (home / "rules.yml").write_text(shortened(RULES.read_text(encoding="utf-8"), thresholds or {}))
        scrapes = [{"targets": [f"127.0.0.1:{port}"], "labels": {"instance": name}} for name, port in targets.items()]
        (home / "prometheus.yml").write_text(yaml.safe_dump({
            "global": {"scrape_interval": f"{INTERVAL_S}s", "evaluation_interval": f"{INTERVAL_S}s",
                       "scrape_timeout": f"{INTERVAL_S}s"},
            "rule_files": [str(home / "rules.yml")],
            "scrape_configs": [{"job_name": "fanfold", "static_configs": scrapes}]}))
        self.port = free_port()
        self.log = home / "prometheus.log"
        with open(self.log, "ab") as out:
            self.popen = subprocess.Popen(
                ["prometheus", f"--config.file={home}/prometheus.yml", f"--storage.tsdb.path={home}/data",
                 f"--web.listen-address=127.0.0.1:{self.port}", "--log.level=warn"],
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=home)
        case.addCleanup(self.stop)
        fanfold.wait_until(self.is_ready, "Prometheus ready")

    def is_ready(self):
        assert self.popen.poll() is None, self.log.read_text()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/ready", timeout=5):
                return True
        except OSError:
            return False

    def ask(self, path, **parameters):
        query = urllib.parse.urlencode(parameters)
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{path}?{query}", timeout=10) as answer:
            return json.load(answer)["data"]

    def query(self, expression):
        """The samples it has now."""
        return self.ask("query", query=expression)["result"]

    def firing(self):
        """(alert, its labels without its name and severity) of those that fire now."""
        alerts = [alert["labels"] for alert in self.ask("alerts")["alerts"] if alert["state"] == "firing"]
        return [(labels.pop("alertname"), {name: value for name, value in labels.items() if name != "severity"})
                for labels in alerts]

    def stop(self):
        if self.popen.poll() is None:
            self.popen.terminate()
        self.popen.wait(20)


def checked(text):
    """What promtool finds wrong in a scrape: nothing where it keeps to Prometheus' conventions."""
    ran = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    return "" if ran.returncode == 0 else ran.stdout + ran.stderr


def documented():
    """name → (type, labels, meaning), of docs/METRICS.md."""
    page = pathlib.Path(fanfold.ROOT / "docs" / "METRICS.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| ([\w, ]*)\| [^|]+ \| (.+) \|$", page, re.M)
    return {name: (type_, frozenset(re.findall(r"\w+", labels)), meaning) for name, type_, labels, meaning in rows}


def exported(text):
    """name → (type, labels, help), of a scrape."""
    helps = dict(re.findall(r"^# HELP (\w+) (.*)$", text, re.M))
    types = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.M))
    labels = {name: set() for name in types}
    for name, inside in re.findall(r"^(\w+)\{([^}]*)\} ", text, re.M):
        family = name if name in types else re.sub(r"_(bucket|sum|count)$", "", name)
        labels[family] |= set(re.findall(r'(\w+)="', inside)) - ({"le"} if types[family] == "histogram" else set())
    return {name: (types[name], frozenset(labels[name]), helps[name]) for name in types}
