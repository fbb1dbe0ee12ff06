"""What bench/run --plot draws of its results."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "deploy" / "local")]

from fanfold_bench import plot  # noqa: E402
from fanfold_local.errors import LocalError  # noqa: E402


def figure(name, unit, ours, baseline, of_its_own=False):
    return {"name": name, "unit": unit, "ours": ours, "baseline": baseline,
            "ratio": ours / baseline if baseline else None, "goals": [],
            "of_its_own": of_its_own}


def result(*figures):
    return {"name": "x", "date": "2026-11-27T01:00:00", "versions": {"commit": "abc"}, "figures": list(figures)}


class Plot(unittest.TestCase):
    def test_more_of_a_rate_is_better_and_less_of_anything_else(self):
        for unit, good in (("follows/s", 2), ("pages/CPU s", 2), ("ms", 0.5), ("CPU µs", 0.5), ("KiB", 0.5)):
            self.assertAlmostEqual(plot.times_as_good(figure("f", unit, 20, 10)), good, msg=unit)

    def test_every_figure_with_a_baseline_is_a_row(self):
        script = plot.script([result(figure("a", "ms", 5, 10), figure("alone", "ms", 5, None), figure("part", "ms", 1, 9, True)),
                              result(figure("b \"c\"", "follows/s", 1_000, 4_000))])
        rows = script.split("$rows << END\n")[1].split("\nEND")[0].splitlines()
        self.assertEqual(rows, ['2 0 1 2 -0.32 0.32 3046747 "5 beside 10 ms"',
                                '0.25 1 0.25 1 0.68 1.32 11752478 "1,000 beside 4,000 follows/s"'])
        self.assertIn('set ytics nomirror scale 0 ("a" 0, "b \'c\'" 1)', script)
        self.assertIn("2026-11-27, commit abc", script)

    def test_nothing_to_draw_says_what_to_do(self):
        with self.assertRaisesRegex(LocalError, "bench/run measures some"):
            plot.script([result(figure("alone", "ms", 5, None))])


if __name__ == "__main__":
    unittest.main()
