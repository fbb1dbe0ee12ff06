"""What of Kafka's protocol tests speak themselves, since a JVM for each question takes seconds."""

import socket
import struct

SASL_HANDSHAKE, SASL_AUTHENTICATE = (17, 1), (36, 0)
METADATA, DESCRIBE_GROUPS = (3, 8), (15, 3)
DESCRIBE_ACLS, CREATE_ACLS = (29, 1), (30, 1)
DELETE_TOPICS, DELETE_ACLS = (20, 1), (31, 1)

# As Kafka numbers them.
KINDS = {"topic": 2, "group": 3, "cluster": 4}
LITERAL, PREFIXED = 3, 4
ANY, ALLOW = 1, 3
OPERATIONS = {"Read": 3, "Write": 4, "Create": 5, "Delete": 6, "Alter": 7, "Describe": 8,
              "ClusterAction": 9, "DescribeConfigs": 10, "AlterConfigs": 11, "IdempotentWrite": 12}
NOT_TOLD = -2**31

TIMEOUT_S = 30
DELETE_TIMEOUT_MS = 10_000


def text(value):
    raw = value.encode()
    return struct.pack(">h", len(raw)) + raw


def array(items):
    items = list(items)
    return struct.pack(">i", len(items)) + b"".join(items)


NONE = struct.pack(">h", -1)


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


class Broker:
    """One connection; with a user and a password as that one, else as nobody."""

    def __init__(self, address, user=None, password=None):
        host, port = address.split(":")
        self.connection = socket.create_connection((host, int(port)), TIMEOUT_S)
        self.stream = self.connection.makefile("rb")
        if user:
            self.ask(SASL_HANDSHAKE, text("PLAIN"))
            token = f"\0{user}\0{password}".encode()
            error = self.ask(SASL_AUTHENTICATE, struct.pack(">i", len(token)) + token).number("h")
            if error:
                raise AssertionError(f"{user} is not let in: {error}")

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

    def create_acls(self, acls):
        """Of (kind, name, pattern, user, operation)."""
        answer = self.ask(CREATE_ACLS, array(
            struct.pack(">b", KINDS[kind]) + text(name) + struct.pack(">b", pattern)
            + text(f"User:{user}") + text("*") + struct.pack(">bb", OPERATIONS[operation], ALLOW)
            for kind, name, pattern, user, operation in acls))
        answer.number("i")
        errors = set(answer.array(lambda: (answer.number("h"), answer.text())))
        if errors != {(0, "")}:
            raise AssertionError(f"no ACLs: {errors}")

    def acls(self, kind, name, pattern=LITERAL):
        """{(user, operation)}, of that very pattern."""
        answer = self.ask(DESCRIBE_ACLS, struct.pack(">b", KINDS[kind]) + text(name)
                          + struct.pack(">b", pattern) + NONE + NONE + struct.pack(">bb", ANY, ANY))
        names = {code: operation for operation, code in OPERATIONS.items()}

        def acl():
            user, _, operation, _ = answer.text(), answer.text(), answer.number("b"), answer.number("b")
            return user.removeprefix("User:"), names[operation]

        answer.number("i"), answer.number("h"), answer.text()
        resources = answer.array(lambda: (answer.number("b"), answer.text(), answer.number("b"),
                                          answer.array(acl)))
        return {one for *_, allowed in resources for one in allowed}

    def delete_topics(self, topics):
        """Those that are there."""
        self.ask(DELETE_TOPICS, array(map(text, topics)) + struct.pack(">i", DELETE_TIMEOUT_MS))

    def delete_acls(self, resources):
        """All of each (kind, name, pattern)."""
        self.ask(DELETE_ACLS, array(struct.pack(">b", KINDS[kind]) + text(name)
                                    + struct.pack(">b", pattern) + NONE + NONE + struct.pack(">bb", ANY, ANY)
                                    for kind, name, pattern in resources))

    def may(self, topics):
        """What this connection's user may, by topic."""
        answer = self.ask(METADATA, array(map(text, topics)) + struct.pack(">???", False, False, True))

        def partition():
            answer.number("h"), answer.number("i"), answer.number("i"), answer.number("i")
            return [answer.array(lambda: answer.number("i")) for _ in range(3)]

        def topic():
            _, name, _ = answer.number("h"), answer.text(), answer.number("b")
            answer.array(partition)
            return name, answer.operations()

        answer.number("i")
        answer.array(lambda: (answer.number("i"), answer.text(), answer.number("i"), answer.text()))
        answer.text(), answer.number("i")
        return dict(answer.array(topic))

    def may_of_group(self, group):
        answer = self.ask(DESCRIBE_GROUPS, array([text(group)]) + b"\1")

        def member():
            answer.text(), answer.text(), answer.text(), answer.bytes(), answer.bytes()

        def described():
            answer.number("h"), answer.text(), answer.text(), answer.text(), answer.text()
            answer.array(member)
            return answer.operations()

        answer.number("i")
        return answer.array(described)[0]
