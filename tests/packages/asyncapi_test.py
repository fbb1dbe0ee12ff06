"""schemas/asyncapi.yaml is what AsyncAPI's parser takes, and its records are what the goldens are."""

import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "support"))

from made_once import made_once  # noqa: E402
from tiers import rest  # noqa: E402

SCHEMAS = ROOT / "schemas"
PROGRAM = pathlib.Path(__file__).parent / "asyncapi"
BUILD = pathlib.Path(os.environ.get("FANFOLD_BIN", ROOT / "build/release/bin")).parent
SECONDS_MAX, INSTALL_SECONDS_MAX = 120, 480
# Members that a record may leave out, and those that one of this type may; what else it has, it needs.
OPTIONAL = {"event_id", "by", "if_version", "replay_of", "request_id", "traceparent"}
OPTIONAL_OF = {"user_deleted": {"ends", "stays"}, "post": {"post_type", "content"}, "forget": {"shown_id"}}
ENUMERATIONS = ("type", "outcome", "reason", "by")
WRONG_IDS = ("0", "01", "-1", "9223372036854775808", 1)


def install(folder):
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PROGRAM / name, folder)
    subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=folder, check=True,
                   timeout=INSTALL_SECONDS_MAX)


def installed():
    """The parser, in the build's folder, as the lock has it."""
    return made_once(BUILD / "asyncapi", install, of=(PROGRAM / "package-lock.json").read_text()) / "node_modules"


def goldens():
    """By topic."""
    return {f"{file.name.split('.')[0].replace('_', '-')}s":
            [json.loads(line) for line in file.read_text().splitlines()]
            for file in sorted((SCHEMAS / "events" / "golden").glob("*.jsonl"))}


def changed(record, **members):
    return copy.deepcopy(record) | members


def without(record, member):
    return {name: value for name, value in record.items() if name != member}


def mutations(record):
    """What is no record any more, each by one change."""
    yield from (changed(record, v=version) for version in (0, 2, "1", None))
    optional = OPTIONAL | OPTIONAL_OF.get(record.get("type"), set())
    for name, value in record.items():
        if name not in optional:
            yield without(record, name)
        yield changed(record, **{name: {"a": 1} if name == "ends" else []})
        if name in ENUMERATIONS:
            yield changed(record, **{name: "nobodys"})
        if name in ("subject", "object", "user", "author", "post_id", "owner", "shown_id"):
            yield from (changed(record, **{name: wrong}) for wrong in WRONG_IDS)
        if name in ("at", "since", "score"):
            yield from (changed(record, **{name: wrong}) for wrong in (-1, 1.5, str(value)))
        if name in ("position", "replay_of"):
            yield from (changed(record, **{name: wrong}) for wrong in ("1", "1:-1", "1024:0", "01:1"))


def judge(records, *files):
    """What the parser says of each file, and of records by topic."""
    ran = subprocess.run(["node", PROGRAM / "judge.js", *files], input=json.dumps(records), text=True, check=True,
                         stdout=subprocess.PIPE, timeout=SECONDS_MAX, env=os.environ | {"NODE_PATH": str(installed())})
    return [json.loads(line) for line in ran.stdout.splitlines()]


VARIANTS = {"as it is": lambda record: [record], "with a member more": lambda record: [changed(record, nobodys={"v": 2})],
            "mutated": mutations}


@rest
class AsyncApi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        variants = {topic: [(name, variant) for record in of for name, make in VARIANTS.items()
                            for variant in make(record)] for topic, of in goldens().items()}
        [cls.said] = judge({topic: [record for _, record in of] for topic, of in variants.items()},
                           SCHEMAS / "asyncapi.yaml")
        cls.judged = [(*variant, valid) for topic, of in variants.items()
                      for variant, valid in zip(of, cls.said["topics"][topic], strict=True)]

    def of(self, name, valid):
        return [record for variant, record, judged in self.judged if variant == name and judged == valid]

    def test_the_parser_has_nothing_to_say(self):
        self.assertEqual(self.said["diagnostics"], [])
        self.assertEqual(set(self.said["topics"]), set(goldens()))

    def test_the_parser_finds_what_is_wrong(self):
        right = (SCHEMAS / "asyncapi.yaml").read_text()
        changes = (("action: receive", "action: take"), ("  title: 'Fanfold''s topics'\n", ""),
                   ("events/feed_event.v1.json", "events/nobodys.v1.json"),
                   ("'#/channels/postEvents'", "'#/channels/nobodys'"))
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / f"{number}.yaml" for number in range(len(changes))]
            (files[0].parent / "events").symlink_to(SCHEMAS / "events")
            for file, (old, new) in zip(files, changes, strict=True):
                self.assertIn(old, right)
                file.write_text(right.replace(old, new))
            self.assertEqual([said["diagnostics"] for said in judge({}, *files) if not said["diagnostics"]], [])

    def test_each_golden_is_a_record_of_its_topic(self):
        self.assertGreater(len(self.of("as it is", True)), 90)
        self.assertEqual(self.of("as it is", False), [])

    def test_a_golden_with_a_member_more_is_one(self):
        self.assertEqual(self.of("with a member more", False), [])

    def test_a_mutated_golden_is_none(self):
        self.assertGreater(len(self.of("mutated", False)), 2000)
        self.assertEqual(self.of("mutated", True), [])


if __name__ == "__main__":
    unittest.main()
