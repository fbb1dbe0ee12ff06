"""The runbook, the alerts and the code say the same: every metric is there, every alert has its section, every
reason why a lane halts or a record is parked is explained, and every command that is shown is a verb."""

import re
import unittest
from pathlib import Path

import yaml

from code_metrics import series_of_code

ROOT = Path(__file__).resolve().parents[3]
RUNBOOK = "docs/runbook.md"
SEVERITIES = {"page", "ticket"}
METRIC_NAME = re.compile(r"\bfanfold_[a-z][a-z_]*[a-z]\b")
USERS = {f"fanfold_{role}" for role in ("writer", "projector", "reader", "operator")}


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def projections():
    return re.findall(r'ProjectionEntry{\.name = "(\w+)"', text("common/ports/projection.h"))


def rules():
    document = yaml.safe_load(text("deploy/alerts/fanfold.rules.yml"))
    return [rule for group in document["groups"] for rule in group["rules"]]


def headings(runbook):
    """Outside of code blocks, as (level, text)."""
    plain = re.sub(r"^```.*?^```", "", runbook, flags=re.M | re.S)
    return [(len(marks), title) for marks, title in re.findall(r"^(#+) (.+)$", plain, re.M)]


def anchor_of(title):
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def section(runbook, title):
    """What stands under a heading of the second level."""
    return re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", runbook, re.M | re.S)[1]


def halt_reasons():
    return set(re.findall(r'HaltReasonEntry{"(\w+)"', text("common/ports/halt_reason.h")))


def park_reasons():
    names = dict(re.findall(r'{ParkReason::(k\w+), "(\w+)"}', text("common/stream/parking.cc")))
    enum = re.search(r"enum class ParkReason[^{]*{(.*?)};", text("common/stream/parking.h"), re.S)[1]
    assert set(names) == set(re.findall(r"^\s*(k\w+)", enum, re.M)), "a park reason's name was not found"
    return set(names.values())


def verbs():
    """What `fanfold` understands as its first word, and as the second where there is one."""
    code = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "cli").rglob("command_line*.cc")))
    first = set(re.findall(r'\bapp\.add_subcommand\(\s*"(\w+)"', code))
    second = {group: set(re.findall(rf'\b{group}\.add_subcommand\(\s*"(\w+)"', code)) |
              set(re.findall(rf'\b{group}->add_subcommand\(\s*"(\w+)"', code)) for group in ("lane", "parked")}
    second["lane"] |= set(re.findall(r'AddLaneOrder\(\*lane, "(\w+)"', code))
    second["rebuild"] = set(re.findall(r'AddStep\(\*rebuild, "(\w+)"', code)) | {*projections(), "all"}
    return first, second


def flags():
    code = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "cli").rglob("command_line*.cc")))
    return set(re.findall(r'"(?:-\w,)?(--[a-z-]+)"', code)) | {"--help", "--version"}


class Runbook(unittest.TestCase):
    def setUp(self):
        self.runbook = text(RUNBOOK)

    def test_projectors_of_each_projection_are_missed(self):
        down = next(rule for rule in rules() if rule["alert"] == "FanfoldProjectorsDown")
        self.assertEqual(re.findall(r'projection="(\w+)"', down["expr"]), projections())

    def test_procedures_know_every_projection(self):
        lane = re.search(r"^- \*\*A lane\*\* is one projection \((.*?)\)", self.runbook, re.M)[1]
        self.assertEqual(re.findall(r"`(\w+)`", lane), projections())
        stopped = re.search(r"^\d\. Readers, then projectors of (.*)$", self.runbook, re.M)[1]
        self.assertEqual(sorted(re.findall(r"`(\w+)`", stopped)), sorted(projections()))
        self.assertNotRegex(self.runbook, r"(?i)both (kinds|projections|topics)|two (topics|projections)")

    def test_every_metric_is_one_of_the_code(self):
        known = series_of_code()
        self.assertIn("fanfold_reader_request_seconds_bucket", known)
        for path in (RUNBOOK, "deploy/alerts/fanfold.rules.yml", "deploy/alerts/fanfold.records.yml"):
            named = set(METRIC_NAME.findall(text(path)))
            self.assertEqual(named - known - USERS, set(), f"{path} names series that no process has")

    def test_every_alert_has_its_section_and_every_section_its_alert(self):
        sections = [title for level, title in headings(section(self.runbook, "Alerts")) if level == 3]
        self.assertEqual(sorted(sections), sorted(rule["alert"] for rule in rules()))

    def test_alerts_are_whole_and_lead_to_their_section(self):
        blocks = dict(re.findall(r"^### (\w+)\n\n```promql\n(.*?)```$", self.runbook, re.M | re.S))
        for rule in rules():
            with self.subTest(rule["alert"]):
                self.assertEqual(rule["annotations"]["runbook_url"],
                                 f'{{{{ or $externalLabels.runbook "{RUNBOOK}" }}}}#{anchor_of(rule["alert"])}')
                self.assertTrue(rule["annotations"]["summary"])
                self.assertIn(rule["labels"]["severity"], SEVERITIES)
                self.assertRegex(rule["for"], r"^\d+[mhd]$")
                self.assertEqual(blocks.get(rule["alert"]), rule["expr"], "the runbook's expression")

    def test_every_alert_is_in_the_overview_as_what_it_is(self):
        rows = re.findall(r"^\| (\[Fanfold.*?) \| (\w+) \|", self.runbook, re.M)
        listed = {name: wakes for names, wakes in rows for name in re.findall(r"\[(Fanfold\w+)\]", names)}
        self.assertEqual(listed, {rule["alert"]: rule["labels"]["severity"] for rule in rules()})

    def test_every_alert_says_the_same_things(self):
        for rule in rules():
            body = re.search(rf"^### {rule['alert']}\n(.*?)(?=^##)", self.runbook, re.M | re.S)[1]
            for part in ("**Means**", "**Bad for**", "**Look**", "**Do**", "**Over when**"):
                self.assertIn(part, body, rule["alert"])

    def test_every_cause_of_a_server_error_is_explained(self):
        kinds = [kind for path in ("common/http/problem.h", "writer/answers.h", "reader/answers.h", "cli/console/read_relay.h")
                 for kind in re.findall(r'ProblemKind k\w+{(\d+), "(\w+)"', text(path))]
        failures = {code: status for status, code in kinds if status.startswith("5")}
        listed = dict(re.findall(r"^\| `(\w+)` \| (5\d\d) \|", self.runbook, re.M))
        self.assertGreater(len(failures), 5)
        self.assertEqual(listed, failures)

    def test_every_halt_reason_has_its_heading_and_its_advice(self):
        listed = {title for level, title in headings(section(self.runbook, "Why a lane halts")) if level == 3}
        self.assertEqual(listed, halt_reasons())
        advised = set(re.findall(r'^    {"(\w+)",', text("operations/lanes/halt_advice.cc"), re.M))
        self.assertEqual(advised, halt_reasons(), "operations/lanes/halt_advice.cc")

    def test_every_park_reason_has_its_row(self):
        rows = re.findall(r"^\| `(\w+)` \|", section(self.runbook, "Why a record is parked"), re.M)
        self.assertEqual(sorted(rows), sorted(park_reasons()))

    def test_links_lead_somewhere(self):
        anchors = {anchor_of(title) for _, title in headings(self.runbook)}
        for anchor in re.findall(r"\]\(#([^)]+)\)", self.runbook):
            self.assertIn(anchor, anchors)

    def test_commands_are_verbs(self):
        first, second = verbs()
        shown = re.findall(r"(?:`|^\$ )fanfold ([a-z]+)(?: ([a-z]+))?", self.runbook, re.M)
        self.assertGreater(len(shown), 50)
        for verb, word in shown:
            self.assertIn(verb, first, f"fanfold {verb}")
            if verb in second and (word or verb != "rebuild"):
                self.assertIn(word, second[verb], f"fanfold {verb} {word}")

    def test_flags_are_those_of_the_commands(self):
        known = flags()
        shown = [flag for command in re.findall(r"(?:`|^\$ )(fanfold [^`\n]+)", self.runbook, re.M)
                 for flag in re.findall(r"--[a-z-]+", command)]
        self.assertGreater(len(shown), 20)
        self.assertEqual(set(shown) - known, set())


if __name__ == "__main__":
    unittest.main()
