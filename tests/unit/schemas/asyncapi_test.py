"""schemas/asyncapi.yaml says which topics there are, and what is in each."""

import json
import pathlib
import re
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCHEMAS = ROOT / "schemas"


def topics():
    """As the registry of streams has them, outcomes behind their events."""
    registry = (ROOT / "common" / "stream" / "stream.h").read_text()
    return re.findall(r'\.(?:name|outcomes) = "([a-z-]+)"', registry)


def names_of_members(schema):
    if isinstance(schema, list):
        schema = dict(enumerate(schema))
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for part in schema.values():
            yield from names_of_members(part)


class AsyncApi(unittest.TestCase):
    def setUp(self):
        self.api = yaml.safe_load((SCHEMAS / "asyncapi.yaml").read_text())

    def payload(self, channel):
        [reference] = channel["messages"].values()
        message = self.api["components"]["messages"][reference["$ref"].rsplit("/", 1)[1]]
        return json.loads((SCHEMAS / message["payload"]["schema"]["$ref"]).read_text())

    def test_each_topic_is_there(self):
        self.assertEqual([channel["address"] for channel in self.api["channels"].values()], topics())

    def test_a_record_is_what_the_schema_of_its_topic_says(self):
        for channel in self.api["channels"].values():
            said = self.payload(channel)["description"]
            self.assertRegex(said, rf"of the topic {channel['address']}\.")

    def test_no_member_has_a_name_that_is_left_to_producers(self):
        for channel in self.api["channels"].values():
            self.assertEqual([name for name in names_of_members(self.payload(channel)) if name.startswith("x_")], [])

    def test_foreign_producers_append_events_alone(self):
        appended = {operation["channel"]["$ref"].rsplit("/", 1)[1]
                    for operation in self.api["operations"].values() if operation["action"] == "send"}
        self.assertEqual(sorted(self.api["channels"][name]["address"] for name in appended),
                         sorted(topic for topic in topics() if topic.endswith("-events")))


if __name__ == "__main__":
    unittest.main()
