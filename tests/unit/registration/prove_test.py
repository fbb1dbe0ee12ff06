"""Eight landings prove the rest: each test of it is in one slice, or takes longer than a slice may."""

import pathlib
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TESTS))

import prove  # noqa: E402


class Slices(unittest.TestCase):
    def sliced(self, rest, costs):
        return prove.sliced({name: {"FIXTURES_REQUIRED": fixtures} for name, fixtures in rest.items()}, costs)

    def test_each_test_is_in_one(self):
        rest = {f"t{n}": [] for n in range(30)}
        slices = self.sliced(rest, {"t3": 100, "t5": 90})
        self.assertEqual(len(slices), prove.SLICES)
        self.assertEqual(sorted(name for names in slices for name in names), sorted(rest))
        self.assertIn(["t3"], slices, "the longest is alone")

    def test_what_builds_the_same_thing_stays_together(self):
        rest = {f"fuzz.{n}": ["fuzzers"] for n in range(5)} | {f"t{n}": ["servers"] for n in range(20)}
        together = [names for names in self.sliced(rest, {}) if any(name.startswith("fuzz") for name in names)]
        self.assertEqual([sum(name.startswith("fuzz") for name in names) for names in together], [5])

    def test_what_is_too_long_is_in_none(self):
        slices = self.sliced({"long": [], "short": []}, {"long": 100_000})
        self.assertEqual([names for names in slices if names], [["short"]])
        slices = prove.sliced({"three machines": {"TIMEOUT": 1800.0}, "other": {"TIMEOUT": 600.0}}, {})
        self.assertEqual([names for names in slices if names], [["other"]])


if __name__ == "__main__":
    unittest.main(verbosity=2)
