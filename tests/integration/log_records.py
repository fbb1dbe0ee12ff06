"""The topics, whole, and what must hold between them."""

import base64
import collections
import json

TOPICS = ("relation-events", "relation-outcomes", "user-events", "post-events", "post-outcomes", "feed-events")
# What an outcome keeps of its record's key (DESIGN §4).
KEY_BYTES_MAX = 255


def bytes_of(record, name):
    """Of a line of `fanfold export --log`; empty where the record has none."""
    return base64.b64decode(record[f"{name}64"]) if f"{name}64" in record else (record[name] or "").encode()


def object_of(record):
    """The JSON object that the value is; an empty one where it is none."""
    try:
        value = json.loads(bytes_of(record, "value"))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


class Log:
    """As `fanfold export --log` gives them: topic → partition → records in order."""

    def __init__(self, deployment):
        file = deployment.folder / "log.jsonl"
        deployment.cli("export", "--log", file)
        self.records = {topic: collections.defaultdict(list) for topic in TOPICS}
        with open(file) as lines:
            for line in map(json.loads, lines):
                if "topic" in line:
                    self.records[line["topic"]][line["partition"]].append(line)

    def events(self, topic="relation-events"):
        """position → value, of every event."""
        stream = "" if topic == "relation-events" else f"{topic}/"
        return {f"{stream}{partition}:{record['offset']}": json.loads(record["value"])
                for partition, records in self.records[topic].items() for record in records}

    def outcomes(self, partition):
        return [json.loads(record["value"])
                for record in self.records["relation-outcomes"][partition]]

    def check_outcomes(self):
        """Exactly one outcome an event, dense and in order, with its event's key; copies of the same
        outcome may occur. Gives how many copies there are; raises AssertionError when it does not hold."""
        partitions = set().union(*self.records.values())
        return sum(map(self.check_partition, partitions))

    def check_partition(self, partition):
        copies, taken = 0, []
        events = self.records["relation-events"][partition]
        for record in self.records["relation-outcomes"][partition]:
            outcome = object_of(record)
            if "position" not in outcome:
                continue  # a foreign record
            home, offset = map(int, outcome["position"].split(":"))
            if home != partition or offset > len(taken):
                raise AssertionError(f"partition {partition}: {len(taken)} was due, not {outcome}")
            told = (bytes_of(record, "key"), record["value"])
            if offset < len(taken):
                if told != taken[offset]:
                    raise AssertionError(f"two outcomes: {taken[offset]} and {told}")
                copies += 1
                continue
            if offset >= len(events):
                raise AssertionError(f"partition {partition}: no event has the outcome {outcome}")
            self.check_same_event(events[offset], told[0], outcome)
            taken.append(told)
        if len(taken) != len(events):
            raise AssertionError(f"partition {partition}: {len(events)} events, {len(taken)} outcomes")
        return copies

    @staticmethod
    def check_same_event(event, key, outcome):
        if key != bytes_of(event, "key")[:KEY_BYTES_MAX]:
            raise AssertionError(f"the outcome {outcome} of {event} has the key {key}")
        if outcome.get("event_id") != object_of(event).get("event_id"):
            raise AssertionError(f"{event} has the outcome {outcome}")
