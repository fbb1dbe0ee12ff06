"""Follows what was decided, in a topic of outcomes: an example, with kafka-python.

    python3 follow_outcomes.py BROKERS TOPIC [--until COUNT]

TOPIC is relation-outcomes or post-outcomes, with the deployment's space before it where it has one. Prints
each outcome once, as JSON, in the order of its partition. What it relies on (schemas/events):

- Of every event there is exactly one outcome, in the event's partition, under its key, in the events' order.
- `position` is the event's. Copies of an outcome may stand in the topic: their position is below the next one
  expected, and they are dropped. A position above it is a gap, and nobody may go on over it.
- `v` is the record's version. Members that are not known are passed over.

What is kept between two runs is the next position expected in each partition: here nothing is, and it begins
with the first record. A consumer that does keep it seeks to that very offset, since no outcome stands before
the offset that is its event's.
"""

import argparse
import json
import sys

from kafka import KafkaConsumer, TopicPartition

VERSION = 1


def outcomes(brokers, topic):
    """Every outcome once, without end."""
    consumer = KafkaConsumer(bootstrap_servers=brokers, enable_auto_commit=False)
    partitions = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic)]
    consumer.assign(partitions)
    consumer.seek_to_beginning(*partitions)
    expected = dict.fromkeys((partition.partition for partition in partitions), 0)
    for record in consumer:
        outcome = json.loads(record.value)
        if outcome["v"] > VERSION:
            raise SystemExit(f"{record.partition}:{record.offset} is of version {outcome['v']}: update this program")
        partition, position = map(int, outcome["position"].split(":"))
        if position > expected[partition]:
            raise SystemExit(f"outcome {partition}:{position} where {partition}:{expected[partition]} is next")
        if position == expected[partition]:
            expected[partition] += 1
            yield outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("brokers")
    parser.add_argument("topic")
    parser.add_argument("--until", type=int, default=None, metavar="COUNT", help="end after so many outcomes")
    asked = parser.parse_args()
    for count, outcome in enumerate(outcomes(asked.brokers, asked.topic), start=1):
        print(json.dumps(outcome, ensure_ascii=False), flush=True)
        if count == asked.until:
            return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
