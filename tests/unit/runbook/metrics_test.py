"""docs/METRICS.md lists every metric of the code, and nothing else, as what it is; the dashboard names no other."""

import json
import re
import unittest

from code_metrics import ROOT, code_metrics, series_of_code

DASHBOARD = ROOT / "deploy" / "grafana" / "fanfold.json"
ROW = re.compile(r"^\| `(\w+)` \| (\w+) \| ([\w, ]*)\| ([^|]+) \| (.+) \|$", re.M)
UNITS = {"_timestamp_seconds": "s since 1970", "_start_time_seconds": "s since 1970", "_seconds": "s",
         "_seconds_total": "s", "_bytes": "bytes"}


def rows():
    return ROW.findall((ROOT / "docs" / "METRICS.md").read_text(encoding="utf-8"))


class Metrics(unittest.TestCase):
    def test_the_page_lists_what_the_code_exports(self):
        listed = {name: (type_, meaning) for name, type_, _, _, meaning in rows()}
        self.assertEqual(len(listed), len(rows()), "a metric is listed twice")
        self.assertEqual(listed, code_metrics())

    def test_names_end_in_their_unit(self):
        for name, type_, _, unit, _ in rows():
            with self.subTest(name):
                self.assertEqual(name.endswith("_total"), type_ == "counter")
                wanted = next((UNITS[end] for end in sorted(UNITS, key=len, reverse=True) if name.endswith(end)), unit)
                self.assertEqual(unit, wanted)
                self.assertNotRegex(name, r"_(ms|kib|mib|milliseconds|percent)\b")

    def test_the_dashboard_shows_metrics_of_the_code(self):
        named = set(re.findall(r"\b(?:fanfold|process)_[a-z_]*[a-z]\b", DASHBOARD.read_text(encoding="utf-8")))
        self.assertGreater(len(named), 30)
        self.assertEqual(named - series_of_code(), set())

    def test_every_panel_of_the_dashboard_says_what_it_shows(self):
        panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
        ids = [panel["id"] for panel in panels]
        self.assertEqual(len(ids), len(set(ids)))
        for panel in panels:
            if panel["type"] == "row":
                continue
            with self.subTest(panel["title"]):
                self.assertTrue(panel["description"])
                self.assertTrue(panel["fieldConfig"]["defaults"]["unit"])
                self.assertTrue(all(target["expr"] for target in panel["targets"]))


if __name__ == "__main__":
    unittest.main()
