"""The topics of a deployment as an operator's hand reaches them; what is ordered every broker has heard of."""

import json

from broker import UNKNOWN_TOPIC, Broker, any_broker, await_brokers, check

SETTINGS = {"retention.ms": "-1", "cleanup.policy": "delete", "message.timestamp.type": "LogAppendTime"}


class Topics:
    def __init__(self, deployment):
        self.bootstrap, self.space = deployment.kafka, deployment.space
        self.partitions = json.loads(deployment.config.read_text())["partitions"]

    def name(self, topic):
        return f"{self.space}-{topic}"

    def create(self, topic, replicas=1):
        with any_broker(self.bootstrap) as broker:
            broker.create_topic(self.name(topic), self.partitions, replicas, SETTINGS)
        self.await_partitions(topic, self.partitions)

    def delete(self, topic):
        name = self.name(topic)
        with any_broker(self.bootstrap) as broker:
            check(name, broker.delete_topics([name])[name])
        await_brokers(self.bootstrap, lambda broker: broker.topic(name).error == UNKNOWN_TOPIC, f"{name}'s end")

    def create_again(self, topic, replicas=1):
        self.delete(topic)
        self.create(topic, replicas)

    def raise_partitions(self, topic, to):
        with any_broker(self.bootstrap) as broker:
            broker.create_partitions(self.name(topic), to)
        self.await_partitions(topic, to)

    def await_partitions(self, topic, count):
        def all_led(broker):
            partitions = broker.topic(self.name(topic)).partitions.values()
            return len(partitions) == count and all(partition.leader >= 0 for partition in partitions)
        await_brokers(self.bootstrap, all_led, f"{count} partitions of {self.name(topic)}")

    def configure(self, topic, settings):
        """By name; None takes a setting back."""
        name = self.name(topic)
        with any_broker(self.bootstrap) as broker:
            broker.configure(name, settings)

        def heard(broker):
            now = broker.settings(name)
            return all(now.get(setting) == value for setting, value in settings.items())
        await_brokers(self.bootstrap, heard, f"{settings} of {name}")

    def delete_records(self, topic, partition, before):
        name = self.name(topic)
        with any_broker(self.bootstrap) as broker:
            brokers, topics = broker.metadata([name])
        with Broker(brokers[topics[name].partitions[partition].leader]) as leader:
            leader.delete_records(name, partition, before)

    def spread(self, topic):
        """Who leads partitions, by number; and how many replicas of each are in sync at least."""
        with any_broker(self.bootstrap) as broker:
            partitions = broker.topic(self.name(topic)).partitions.values()
        return ({partition.leader for partition in partitions},
                min(partition.in_sync for partition in partitions))
