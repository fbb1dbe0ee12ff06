"""What bench/run --compare tells of two commits."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "deploy" / "local")]

from fanfold_bench.comparing import Side, document, for_terminal  # noqa: E402


def result(per_second, baseline, medians):
    return {"name": "fold", "medians": medians,
            "figures": [{"name": "fold", "unit": "follows/s", "ours": per_second,
                         "baseline": baseline, "ratio": baseline and per_second / baseline}]}


def measured(commit, results):
    side = Side(commit)
    for one in results:
        side.take(one)
    return side


class Comparing(unittest.TestCase):
    def ratios(self, before, after):
        lines = document(measured("a", before), measured("b", after))
        return {(line["name"], line["unit"]): round(line["ratio"], 2) for line in lines}

    def test_ratios_are_those_of_the_medians(self):
        before = [result(n, 1000, {}) for n in (100, 500, 110)]
        after = [result(n, 1000, {}) for n in (99, 88, 1)]
        self.assertEqual(self.ratios(before, after),
                         {("fold", "follows/s"): 0.8, ("fold, baseline", "follows/s"): 1.0,
                          ("fold, ours / baseline", ""): 0.8})

    def test_cpu_of_a_piece_of_work_is_told_for_each_process_and_cores_only_without_it(self):
        def medians(us):
            return {"pipeline": {"cpu_us_per_follow": {"reader": us, "bench": 0.01},
                                 "cores": {"reader": 1}},
                    "load": {"cores": {"writer": 0.5}}, "raw": {"cores": {"mariadb": 1}}}
        ratios = self.ratios([result(1, None, medians(1.0))], [result(1, None, medians(3.0))])
        self.assertEqual(ratios, {("fold", "follows/s"): 1.0,
                                  ("fold, pipeline reader", "CPU µs a follow"): 3.0,
                                  ("fold, load writer", "cores"): 1.0})

    def test_what_was_counted_for_a_piece_of_work_is_told_beside_its_cpu(self):
        def medians(statements):
            return {"16 clients": {"cpu_us_per_write": {"kafka": 9}, "cores": {"kafka": 1},
                                   "counts_per_write": {"statements": statements}}}
        ratios = self.ratios([result(1, None, medians(6.0))], [result(1, None, medians(3.0))])
        self.assertEqual(ratios, {("fold", "follows/s"): 1.0,
                                  ("fold, 16 clients kafka", "CPU µs a write"): 1.0,
                                  ("fold, 16 clients statements", "a write"): 0.5})

    def test_table_has_median_least_and_most_of_both(self):
        table = for_terminal(measured("aaaa", [result(n, None, {}) for n in (100, 120, 104)]),
                             measured("bbbb", [result(n, None, {}) for n in (52, 50, 60)]))
        self.assertEqual([line.split() for line in table.splitlines()],
                         [["unit", "aaaa", "least–most", "bbbb", "least–most", "ratio"],
                          ["fold", "follows/s", "104", "100–120", "52.00", "50.00–60.00", "0.50"]])


if __name__ == "__main__":
    unittest.main()
