"""No golden is lost: each record that was one is kept as it was, for today's readers to read."""

import hashlib
import pathlib
import tempfile
import unittest

GOLDEN = pathlib.Path(__file__).resolve().parents[3] / "schemas" / "events" / "golden"
PAST = GOLDEN / "past"
SUMS = "SHA256SUMS"
# Of the records with goldens, what foreign producers write of them.
ACCEPTED = {"relation_event": "accepted_events.tsv", "user_event": "accepted_user_events.tsv",
            "post_event": "accepted_post_events.tsv", "feed_event": "accepted_feed_events.tsv"}


def lines(file):
    return file.read_text(encoding="utf-8").split("\n")[:-1]


def kept_as_listed(folder):
    """Names of files that are not what their sums say, have none, or are gone."""
    listed = dict(reversed(line.split("  ")) for line in lines(folder / SUMS))
    there = {file.name: hashlib.sha256(file.read_bytes()).hexdigest()
             for file in folder.iterdir() if file.name != SUMS}
    return sorted({name for name, _ in listed.items() ^ there.items()})


def records_today():
    """(kind, record) of each golden, and of each record that is accepted."""
    for file in GOLDEN.glob("*.jsonl"):
        kind = file.name.split(".")[0]
        yield from ((kind, line) for line in lines(file))
        if kind in ACCEPTED:
            yield from ((kind, line.split("\t", 1)[1]) for line in lines(GOLDEN / ACCEPTED[kind]))


class Past(unittest.TestCase):
    def test_is_as_it_was(self):
        self.assertEqual(kept_as_listed(PAST), [])

    def test_one_that_is_changed_added_or_gone_is_found(self):
        changes = {"changed": lambda file: file.write_text(file.read_text().replace('"v":1', '"v":2', 1)),
                   "gone": pathlib.Path.unlink,
                   "renamed": lambda file: file.rename(file.with_stem("other"))}
        for what, change in changes.items():
            with self.subTest(what), tempfile.TemporaryDirectory() as folder:
                copied = pathlib.Path(folder)
                for file in PAST.iterdir():
                    (copied / file.name).write_bytes(file.read_bytes())
                change(copied / "user_event.v1.jsonl")
                self.assertIn("user_event.v1.jsonl", kept_as_listed(copied))

    def test_has_what_is_golden_today(self):
        past = {(file.name.split(".")[0], line) for file in PAST.glob("*.jsonl") for line in lines(file)}
        today = set(records_today())
        self.assertGreater(len(today), 120)
        self.assertEqual(sorted(today - past), [], "to be added to a new file of golden/past, and that to its sums")


if __name__ == "__main__":
    unittest.main()
