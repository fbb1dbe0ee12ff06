"""What the oracle of the black-box tests lets pass, and what not."""

import collections
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "integration"))

from log_records import KEY_BYTES_MAX, TOPICS, Log  # noqa: E402


def event(key="1", event_id="a", **members):
    return {"key": key, "value": json.dumps({"type": "follow", "event_id": event_id} | members)}


def outcome(offset, key="1", event_id="a", kind="followed", partition=0):
    told = {"outcome": kind, "position": f"{partition}:{offset}"}
    return {"key": key, "value": json.dumps(told | ({"event_id": event_id} if event_id else {}))}


class LogOf(Log):
    def __init__(self, events, outcomes):
        self.records = {topic: collections.defaultdict(list, {0: records})
                        for topic, records in zip(TOPICS, (events, outcomes))}


class Outcomes(unittest.TestCase):
    def refused(self, events, outcomes, why):
        with self.assertRaisesRegex(AssertionError, why):
            LogOf(events, outcomes).check_outcomes()

    def test_one_an_event_and_copies_pass(self):
        self.assertEqual(LogOf([event(), event()], [outcome(0), outcome(1)]).check_outcomes(), 0)
        self.assertEqual(LogOf([event(), event()], [outcome(0), outcome(1), outcome(0)])
                         .check_outcomes(), 1)

    def test_event_that_cannot_be_read_has_one_without_an_id(self):
        for unreadable in ({"value": "x"}, {"value64": "/w=="}, {"value": None}, {"value": "[1]"}):
            self.assertEqual(LogOf([{"key": None} | unreadable], [outcome(0, "", None, "parked")])
                             .check_outcomes(), 0)

    def test_foreign_record_among_the_outcomes_is_none(self):
        for foreign in ({"key": "1", "value": "garbage"}, {"key": "1", "value": "{}"}):
            self.assertEqual(LogOf([event()], [foreign, outcome(0)]).check_outcomes(), 0)
            self.refused([event()], [foreign], "1 events, 0 outcomes")

    def test_gap_or_end_too_early_or_too_late(self):
        self.refused([event(), event()], [outcome(1)], "0 was due")
        self.refused([event(), event()], [outcome(0)], "2 events, 1 outcomes")
        self.refused([event()], [outcome(0), outcome(1)], "no event has")

    def test_copy_that_differs(self):
        for other in (outcome(0, kind="unchanged"), outcome(0, key="2")):
            self.refused([event()], [outcome(0), other], "two outcomes")

    def test_outcome_of_another_event(self):
        self.refused([event(event_id="b")], [outcome(0)], "has the outcome")
        self.refused([event()], [outcome(0, partition=1)], "0 was due")
        self.refused([event(key="2")], [outcome(0)], "has the key")
        self.refused([{"key64": "/w==", "value": "x"}], [outcome(0, None, None)], "has the key")

    def test_long_key_is_cut(self):
        long = event(key="k" * 300)
        self.assertEqual(LogOf([long], [outcome(0, key="k" * KEY_BYTES_MAX)]).check_outcomes(), 0)
        self.refused([long], [outcome(0, key="k" * 300)], "has the key")


if __name__ == "__main__":
    unittest.main()
