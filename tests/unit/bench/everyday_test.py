"""What the benchmark everyday tells of what was measured."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "deploy" / "local")]

from fanfold_bench.benchmarks import everyday  # noqa: E402
from fanfold_bench.everyday import CLOSED, SETTINGS  # noqa: E402
from fanfold_bench.results import medians  # noqa: E402


def load(processes, **changed):
    return {"per_second": 1000.0, "p50_ms": 5.0, "p99_ms": 30.0, "acked_p50_ms": 1.0,
            "acked_p99_ms": 2.0, "refused_409": 0, "refused_503": 0, "left": 0,
            "cores": {**dict.fromkeys(processes, 0.1), "load": 0.5, "others": 0.0},
            "cpu_us_per_write": {**dict.fromkeys(processes, 100.0), "load": 50.0},
            "counts_per_write": dict.fromkeys(everyday.COUNTS, 2.0), **changed}


def measured(**changed):
    """A round; `changed` is the 16 clients'."""
    loads = {s.name: load(everyday.SYSTEM) for s in SETTINGS}
    servers = ["kafka", "mariadb"]
    return {**loads, "16 clients": load(everyday.SYSTEM, **changed),
            "idle": {"cores": {**dict.fromkeys(everyday.SYSTEM, 0.01), "others": 0.0}},
            "raw": {"transaction": {s.name: load(servers) for s in SETTINGS},
                    "chain": {s.name: load(servers) for s in CLOSED}}}


def figures(round_):
    return {figure.name: figure for figure in everyday.figures(round_)}


class Everyday(unittest.TestCase):
    def test_costs_are_those_of_all_processes_without_the_load_generator(self):
        told = figures(measured())
        self.assertEqual(told["everyday, 16 clients, CPU"].ours, 600)
        self.assertAlmostEqual(told["everyday, 1,000/s, busy"].ours, 0.6)
        self.assertAlmostEqual(told["everyday, idle, busy"].ours, 0.06)

    def test_a_transaction_costs_its_server_and_its_program(self):
        self.assertEqual(figures(measured())["everyday, 16 clients, CPU"].baseline, 150)

    def test_goals_are_held_against_what_was_measured(self):
        verdicts = {name: [met for _, met in figure.verdicts()]
                    for name, figure in figures(measured(per_second=1999, p50_ms=10.1)).items()}
        self.assertEqual({name: met for name, met in verdicts.items() if met}, {
            "everyday, idle, busy": [True], "everyday, 1,000/s, busy": [True],
            "everyday, 1 client p50": [True], "everyday, 16 clients": [False],
            "everyday, 16 clients p50": [False], "everyday, 16 clients p99": [True],
            "everyday, 1,000/s p99": [True], "everyday, 5,000/s p99": [True]})

    def test_what_was_refused_in_one_round_alone_is_told(self):
        rounds = [measured(), measured(refused_503=7, left=2), measured()]
        middle = medians(rounds)
        self.assertEqual(figures(middle)["everyday, refused"].ours, 7)
        self.assertEqual(figures(middle)["everyday, never seen"].ours, 2)
        said = [note for note in everyday.notes(middle) if note.startswith("16 clients: ")]
        self.assertEqual(said, ["16 clients: acked in 1.00 ms at the median, 2.00 at p99; "
                                "7 answers 503; 2 writes never seen"])

    def test_a_line_a_setting_says_what_a_write_costs(self):
        self.assertIn("1,000/s, a write: mariadb 100, kafka 100, writer 100, following 100, "
                      "fans 100, reader 100, load 50 µs; 2.00 statements, 2.00 commits, 2.00 log "
                      "writes, 2.00 fetches, 2.00 produces, 2.00 switches",
                      everyday.notes(measured()))


if __name__ == "__main__":
    unittest.main()
