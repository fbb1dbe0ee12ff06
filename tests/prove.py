#!/usr/bin/env python3
"""prove.py test | all | slice N | check [LIBRARY] | budget: builds what tests need, runs them, and tells what each
phase took, which tests were the slowest and how busy the cores were.

test: what a landing proves. all: everything. slice N: an eighth of what `all` has beyond `test`. check: unit, model
and simulation tests, of one library in a minute. budget: `test`, and tests/budget.json says from now on what it took.
"""

import argparse
import ctypes
import dataclasses
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]
RELEASE = ROOT / "build" / "release"
BUDGET, COSTS = ROOT / "tests" / "budget.json", ROOT / "tests" / "costs.json"
PROGRAMS = ("fanfold", "fanfold-writer", "fanfold-projector", "fanfold-reader")
CORES = os.cpu_count()
# Black-box tests wait half of their time. A test that keeps a core busy counts as two (cmake/Targets.cmake).
JOBS = 2 * CORES
SLICES, SLICE_SECONDS_MAX = 8, 360
TIMEOUT_SECONDS_OF_MOST = 600  # registered.py, cmake/Targets.cmake
SLOWEST_SHOWN = 15
OVER_BUDGET = 1.15
COST_SECONDS_MIN, COST_SECONDS_DEFAULT = 3, 10
PR_SET_CHILD_SUBREAPER = 36
# One source whose compilation tells how fast this machine is; the cache does not know it.
CALIBRATION = "#include <map>\n#include <regex>\nint main(int, char** v) { return std::regex_match(v[0], std::regex(v[1])); }\n"


def cpu_seconds():
    """Of all that has ended below this process, daemons too: their orphans are this process's to collect."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def calibration():
    """CPU seconds of one compilation."""
    before = cpu_seconds()
    subprocess.run(["g++", "-std=c++23", "-O2", "-x", "c++", "-", "-o", "/dev/null"], input=CALIBRATION, text=True, check=True)
    return cpu_seconds() - before


def configure():
    subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)


@dataclasses.dataclass
class Phase:
    name: str
    seconds: float
    cpu: float

    def told(self):
        share = self.cpu / (self.seconds * CORES) if self.seconds else 0
        return f"{self.name:12} {self.seconds:8.1f} s {self.cpu:8.1f} CPU s {share:6.0%} of {CORES} cores"


class Run:
    """Phases, one after the other. The first that fails ends it."""

    def __init__(self):
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.phases, self.summary, self.junit = [], [], RELEASE / "tests.xml"
        self.junit.unlink(missing_ok=True)

    def phase(self, name, *command):
        print(f"== {name}", flush=True)
        began, before = time.monotonic(), cpu_seconds()
        child = subprocess.Popen(list(map(str, command)), cwd=ROOT, stdout=subprocess.PIPE, text=True, errors="replace")
        shown = threading.Thread(target=self.show, args=(child.stdout,))
        shown.start()
        while (ended := os.wait())[0] != child.pid:
            pass
        child.returncode = os.waitstatus_to_exitcode(ended[1])
        shown.join()
        self.phases.append(Phase(name, time.monotonic() - began, cpu_seconds() - before))
        if child.returncode:
            self.tell()
            sys.exit(1)

    def show(self, lines):
        """ctest's summary is kept for the end."""
        for line in lines:
            if self.summary or re.match(r"\d+% tests passed", line):
                self.summary.append(line)
            else:
                print(line, end="", flush=True)

    def build(self, name, *targets):
        if not self.phases:
            configure()
        told = ["--target", *targets] if targets else []
        self.phase(name, "cmake", "--build", "--preset", "release", "-j", str(CORES), *told)

    def ctest(self, *arguments):
        self.phase("tests", "ctest", "--test-dir", RELEASE, "--output-on-failure", "--no-tests=error", "-j", str(JOBS),
                   "--output-junit", self.junit, *arguments)

    def tell(self):
        slowest = sorted(took(self.junit).items(), key=lambda test: -test[1])[:SLOWEST_SHOWN]
        if slowest:
            print("== slowest tests", *(f"{seconds:8.1f} s  {name}" for name, seconds in slowest), sep="\n")
        print("== phases", *(phase.told() for phase in self.phases), sep="\n")
        print("".join(self.summary), end="", flush=True)

    def relative(self):
        """What each phase took, in compilations of CALIBRATION, since machines differ."""
        unit = calibration()
        return {phase.name: round(phase.cpu / unit, 1) for phase in self.phases}

    def warn(self):
        budget = json.loads(BUDGET.read_text())
        for name, used in self.relative().items():
            if used > OVER_BUDGET * budget.get(name, used):
                print(f"over budget: {name} took {used} calibrating compilations, {budget[name]} in tests/budget.json")


def took(junit):
    """Seconds by test."""
    if not junit.exists():
        return {}
    cases = xml.etree.ElementTree.parse(junit).getroot().iter("testcase")
    return {case.get("name"): float(case.get("time")) for case in cases}


def tests_in(*configuration):
    told = subprocess.run(["ctest", "--test-dir", RELEASE, "--show-only=json-v1", *configuration], stdout=subprocess.PIPE,
                          check=True).stdout
    return {test["name"]: {one["name"]: one["value"] for one in test["properties"]} | {"command": test.get("command", [])}
            for test in json.loads(told)["tests"]}


def sliced(rest, costs):
    """The tests of each slice: those that build the same thing first stay together, the longest go first. What takes
    longer than a slice, or is given more time than others, is in none."""
    packs = {}
    for name, told in rest.items():
        if told.get("TIMEOUT", 0) > TIMEOUT_SECONDS_OF_MOST:
            continue
        fixtures = [one for one in told.get("FIXTURES_REQUIRED", []) if one != "servers"]
        packs.setdefault(fixtures[0] if fixtures else name, []).append(name)
    weighed = sorted(((sum(costs.get(name, COST_SECONDS_DEFAULT) for name in pack), pack) for pack in packs.values()),
                     reverse=True)
    slices = [[0, []] for _ in range(SLICES)]
    for cost, pack in weighed:
        if cost <= SLICE_SECONDS_MAX * JOBS / 2:
            least = min(slices, key=lambda one: one[0])
            least[0] += cost
            least[1] += pack
    return [names for _, names in slices]


def named(names):
    return "^(" + "|".join(map(re.escape, names)) + ")$"


def run_slice(run, number):
    run.build("build")
    proved = tests_in()
    rest = {name: told for name, told in tests_in("-C", "all").items()
            if name not in proved and not {"FIXTURES_SETUP", "FIXTURES_CLEANUP"} & told.keys()}
    run.ctest("-C", "all", "-R", named(sliced(rest, json.loads(COSTS.read_text()))[number % SLICES]))


def run_check(run, library):
    if not library:
        run.build("build")
        return run.ctest("-L", "unit|model|simulation")
    configure()
    all_tests = tests_in()
    wanted = re.compile(rf"(unit|model|contract)\.{re.escape(library)}([._]|$)")
    names = [name for name in all_tests if wanted.match(name)]
    if not names:
        libraries = sorted({name.split(".")[1] for name in all_tests if re.match(r"(unit|model|contract)\.", name)})
        sys.exit(f"no library {library}; there are: {', '.join(libraries)}")
    programs = {pathlib.Path(all_tests[name]["command"][0]).name for name in names if all_tests[name]["command"]}
    run.build("build", *sorted(programs - {"python3"}), "simulation")
    run.ctest("-R", named(names))
    run.phase("seeds", RELEASE / "bin/simulation", "--seeds", "200")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["test", "all", "slice", "check", "budget"])
    parser.add_argument("of", nargs="?", default="")
    told = parser.parse_args()
    run = Run()
    if told.what == "slice":
        run_slice(run, int(told.of))
    elif told.what == "check":
        run_check(run, told.of)
    else:
        # Beside the compiler. Whoever starts a broker asks again, and waits.
        subprocess.Popen([ROOT / "deploy/kafka/fetch.sh"])
        run.build("programs", *PROGRAMS)
        run.build("test builds")
        run.ctest(*(["-C", "all"] if told.what == "all" else []))
    if told.what == "budget":
        BUDGET.write_text(json.dumps(run.relative(), indent=1) + "\n")
        costs = {name: round(seconds) for name, seconds in took(run.junit).items() if seconds >= COST_SECONDS_MIN}
        known = json.loads(COSTS.read_text())  # of the rest, too, which was not run
        COSTS.write_text(json.dumps(dict(sorted((known | costs).items())), indent=1) + "\n")
    if told.what == "test" and BUDGET.exists():
        run.warn()
    run.tell()


if __name__ == "__main__":
    main()
