"""What of Kafka's protocol tests speak themselves, since a JVM for each question takes seconds."""

import dataclasses
import socket
import struct
import time

# Key and version of each request: https://kafka.apache.org/protocol#protocol_api_keys
PRODUCE, METADATA, DESCRIBE_GROUPS = (0, 8), (3, 8), (15, 3)
SASL_HANDSHAKE, SASL_AUTHENTICATE = (17, 1), (36, 0)
CREATE_TOPICS, CREATE_PARTITIONS, DELETE_TOPICS, DELETE_RECORDS = (19, 4), (37, 1), (20, 1), (21, 1)
DESCRIBE_ACLS, CREATE_ACLS, DELETE_ACLS = (29, 1), (30, 1), (31, 1)
DESCRIBE_CONFIGS, INCREMENTAL_ALTER_CONFIGS = (32, 2), (44, 0)

# As Kafka numbers them.
UNKNOWN_TOPIC, TOPIC_DENIED = 3, 29
KINDS = {"topic": 2, "group": 3, "cluster": 4}
LITERAL, PREFIXED = 3, 4
ANY, ALLOW = 1, 3
OPERATIONS = {"Read": 3, "Write": 4, "Create": 5, "Delete": 6, "Alter": 7, "Describe": 8,
              "ClusterAction": 9, "DescribeConfigs": 10, "AlterConfigs": 11, "IdempotentWrite": 12}
NOT_TOLD = -2**31
SET, TAKE_BACK = 0, 1
OF_THE_TOPIC = 1  # a setting's source

TIMEOUT_S = 30
HEARD_S = 30
WITHIN = struct.pack(">i", 10_000)  # ms


def text(value):
    raw = value.encode()
    return struct.pack(">h", len(raw)) + raw


def array(items):
    items = list(items)
    return struct.pack(">i", len(items)) + b"".join(items)


NONE = struct.pack(">h", -1)
NO_ARRAY, NO_BYTES = struct.pack(">i", -1), struct.pack(">i", 0)
NO, YES = b"\0", b"\1"


def resource(kind, name):
    return struct.pack(">b", KINDS[kind]) + text(name)


class Answer:
    def __init__(self, raw):
        self.raw, self.at = raw, 0

    def number(self, form):
        value, = struct.unpack_from(f">{form}", self.raw, self.at)
        self.at += struct.calcsize(f">{form}")
        return value

    def bytes(self, form="i"):
        size = max(self.number(form), 0)
        self.at += size
        return self.raw[self.at - size:self.at]

    def text(self):
        return self.bytes("h").decode()

    def array(self, item):
        return [item() for _ in range(self.number("i"))]

    def operations(self):
        bits = self.number("i")
        return {name for name, code in OPERATIONS.items() if bits != NOT_TOLD and bits >> code & 1}


def check(what, code, why=""):
    if code:
        raise AssertionError(f"{what}: Kafka's error {code} {why}")


@dataclasses.dataclass(frozen=True)
class Partition:
    leader: int  # -1: none
    in_sync: int


@dataclasses.dataclass(frozen=True)
class Topic:
    error: int
    partitions: dict  # by number
    may: set  # what who asks may


class Broker:
    """One connection; with a user and a password as that one, else as nobody."""

    def __init__(self, address, user=None, password=None):
        host, port = address.split(":")
        self.connection = socket.create_connection((host, int(port)), TIMEOUT_S)
        self.stream = self.connection.makefile("rb")
        if user:
            self.ask(SASL_HANDSHAKE, text("PLAIN"))
            token = f"\0{user}\0{password}".encode()
            answer = self.ask(SASL_AUTHENTICATE, struct.pack(">i", len(token)) + token)
            check(f"{user} is not let in", answer.number("h"), answer.text())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.close()
        self.connection.close()

    def ask(self, what, body):
        request = struct.pack(">hhi", *what, 1) + text("fanfold-tests") + body
        self.connection.sendall(struct.pack(">i", len(request)) + request)
        size, = struct.unpack(">i", self.stream.read(4))
        answer = Answer(self.stream.read(size))
        answer.number("i")
        return answer

    # Topics

    def metadata(self, topics):
        """Addresses of brokers by number, topics by name."""
        answer = self.ask(METADATA, array(map(text, topics)) + NO + NO + YES)

        def broker():
            number, host, port, _ = answer.number("i"), answer.text(), answer.number("i"), answer.text()
            return number, f"{host}:{port}"

        def partition():
            _, number, leader, _ = (answer.number(form) for form in "hiii")
            _, in_sync, _ = (answer.array(lambda: answer.number("i")) for _ in range(3))
            return number, Partition(leader, len(in_sync))

        def topic():
            error, name, _ = answer.number("h"), answer.text(), answer.number("b")
            return name, Topic(error, dict(answer.array(partition)), answer.operations())

        answer.number("i")
        brokers = dict(answer.array(broker))
        answer.text(), answer.number("i")
        return brokers, dict(answer.array(topic))

    def topic(self, name):
        return self.metadata([name])[1][name]

    def may(self, topics):
        """What this connection's user may, by topic."""
        return {name: topic.may for name, topic in self.metadata(topics)[1].items()}

    def change_topic(self, what, body):
        answer = self.ask(what, array([body]) + WITHIN + NO)
        answer.number("i"), answer.number("i")
        check(answer.text(), answer.number("h"), answer.text())

    def create_topic(self, name, partitions, replicas, settings):
        self.change_topic(CREATE_TOPICS, text(name) + struct.pack(">ih", partitions, replicas) + array([])
                          + array(text(setting) + text(value) for setting, value in settings.items()))

    def create_partitions(self, name, count):
        self.change_topic(CREATE_PARTITIONS, text(name) + struct.pack(">i", count) + NO_ARRAY)

    def delete_topics(self, topics):
        """The error of each."""
        answer = self.ask(DELETE_TOPICS, array(map(text, topics)) + WITHIN)
        answer.number("i")
        return dict(answer.array(lambda: (answer.text(), answer.number("h"))))

    def settings(self, topic):
        """Those that the topic itself has been given."""
        answer = self.ask(DESCRIBE_CONFIGS, array([resource("topic", topic) + NO_ARRAY]) + NO)

        def setting():
            name, value, _, source, _ = answer.text(), answer.text(), *(answer.number("b") for _ in range(3))
            answer.array(lambda: (answer.text(), answer.text(), answer.number("b")))
            return source, name, value

        answer.number("i"), answer.number("i")
        check(topic, answer.number("h"), answer.text())
        answer.number("b"), answer.text()
        return {name: value for source, name, value in answer.array(setting) if source == OF_THE_TOPIC}

    def configure(self, topic, settings):
        """None takes a setting back."""
        def change(name, value):
            verb = TAKE_BACK if value is None else SET
            return text(name) + struct.pack(">b", verb) + (NONE if value is None else text(value))
        answer = self.ask(INCREMENTAL_ALTER_CONFIGS, array([resource("topic", topic) + array(
            change(*setting) for setting in settings.items())]) + NO)
        answer.number("i"), answer.number("i")
        check(topic, answer.number("h"), answer.text())

    # Records, of partitions that this broker leads

    def delete_records(self, topic, partition, before):
        answer = self.ask(DELETE_RECORDS, array([text(topic) + array(
            [struct.pack(">iq", partition, before)])]) + WITHIN)
        answer.number("i"), answer.number("i"), answer.text(), answer.number("i")
        _, _, error = (answer.number(form) for form in "iqh")
        check(f"{topic}/{partition}", error)

    def error_of_writing(self, topic, partition=0):
        """There always is one, of a write without a record; a right that is missing comes first."""
        answer = self.ask(PRODUCE, NONE + struct.pack(">h", 1) + WITHIN + array(
            [text(topic) + array([struct.pack(">i", partition) + NO_BYTES])]))
        answer.number("i"), answer.text(), answer.number("i"), answer.number("i")
        return answer.number("h")

    # Rights

    def create_acls(self, acls):
        """Of (kind, name, pattern, user, operation)."""
        answer = self.ask(CREATE_ACLS, array(
            resource(kind, name) + struct.pack(">b", pattern) + text(f"User:{user}") + text("*")
            + struct.pack(">bb", OPERATIONS[operation], ALLOW)
            for kind, name, pattern, user, operation in acls))
        answer.number("i")
        for error, why in answer.array(lambda: (answer.number("h"), answer.text())):
            check("no ACL", error, why)

    def acls(self, kind, name, pattern=LITERAL):
        """{(user, operation)}, of that very pattern."""
        answer = self.ask(DESCRIBE_ACLS, self.every_acl(kind, name, pattern))
        names = {code: operation for operation, code in OPERATIONS.items()}

        def acl():
            user, _, operation, _ = answer.text(), answer.text(), answer.number("b"), answer.number("b")
            return user.removeprefix("User:"), names[operation]

        answer.number("i"), answer.number("h"), answer.text()
        resources = answer.array(lambda: (answer.number("b"), answer.text(), answer.number("b"),
                                          answer.array(acl)))
        return {one for *_, allowed in resources for one in allowed}

    @staticmethod
    def every_acl(kind, name, pattern):
        return resource(kind, name) + struct.pack(">b", pattern) + NONE + NONE + struct.pack(">bb", ANY, ANY)

    def delete_acls(self, resources):
        """All of each (kind, name, pattern)."""
        self.ask(DELETE_ACLS, array(self.every_acl(*of) for of in resources))

    def may_of_group(self, group):
        answer = self.ask(DESCRIBE_GROUPS, array([text(group)]) + YES)

        def member():
            answer.text(), answer.text(), answer.text(), answer.bytes(), answer.bytes()

        def described():
            answer.number("h"), answer.text(), answer.text(), answer.text(), answer.text()
            answer.array(member)
            return answer.operations()

        answer.number("i")
        return answer.array(described)[0]


def any_broker(bootstrap):
    """The first that answers."""
    for address in bootstrap.split(","):
        try:
            return Broker(address)
        except OSError as error:
            last = error
    raise last


def await_brokers(bootstrap, heard, of_what):
    """Returns once every broker, being asked, has heard."""
    deadline = time.monotonic() + HEARD_S
    for address in bootstrap.split(","):
        with Broker(address) as broker:
            while not heard(broker):
                if time.monotonic() > deadline:
                    raise AssertionError(f"{address} has not heard of {of_what}")
                time.sleep(0.01)
