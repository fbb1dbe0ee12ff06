"""Reads that take many rows: suggestions against their definition, the export of fans as a stream."""

import http.client
import json
import pathlib
import random
import re
import socket
import unittest

import fanfold

EXPORT = "/v1/users/1/fans/export"


class Suggestions(fanfold.Case):
    USERS, FOLLOWS, VIAS_TOLD = 80, 12, 3

    def test_suggestions_are_what_the_definition_says(self):
        self.check_suggestions(self.deployment(shards=4))

    def test_suggestions_of_one_process_too(self):
        self.check_suggestions(self.embedded())

    def check_suggestions(self, deployment):
        choose = random.Random(7)
        following = {user: self.chosen(choose, user) for user in range(1, self.USERS + 1)}
        deployment.cli("import", "-", stdin="".join(
            f"{user}\t{other}\t{since}\n"
            for user, followed in following.items() for other, since in followed.items()))
        deployment.settle()
        reader = deployment.reader()
        for user in following:
            expected = self.suggestions(following, user)
            for limit in (1, 20, 200):
                path = f"/v1/users/{user}/suggestions?limit={limit}"
                self.assertEqual(reader.get(path), {"items": expected[:limit]}, path)
        self.assertEqual(reader.get("/v1/users/424242/suggestions"), {"items": []})

    def chosen(self, choose, user):
        """Whom a user follows, many since the same moment."""
        others = [other for other in range(1, self.USERS + 1) if other != user]
        return {other: choose.randrange(5) for other in choose.sample(others, self.FOLLOWS)}

    def suggestions(self, following, user):
        vias = sorted(following[user], key=lambda via: (following[user][via], via), reverse=True)
        met = {}
        for via in vias:
            for other in following[via]:
                if other != user and other not in following[user]:
                    met.setdefault(other, []).append(via)
        ranked = sorted(met, key=lambda other: (len(met[other]), other), reverse=True)
        return [{"user_id": str(other), "score": len(met[other]),
                 "via": [str(via) for via in met[other][:self.VIAS_TOLD]]} for other in ranked]


class Export(fanfold.Case):
    SLOW_READERS, READ_BYTES, RECEIVE_BYTES = 16, 1 << 16, 1 << 14
    # A whole list is 9 MB: one held by each reader would be four times this.
    GROWTH_BYTES_MAX = 36 << 20

    def with_fans(self, deployment, fans):
        """Each second is shared by seven of them."""
        deployment.cli("import", "-", stdin="".join(
            f"{fan}\t1\t{fan // 7 * 1000}\n" for fan in range(2, fans + 2)))
        deployment.settle()
        return deployment

    def test_export_is_the_paged_list(self):
        self.check_export(self.with_fans(self.deployment(shards=4), 5000))

    def test_export_of_one_process_too(self):
        self.check_export(self.with_fans(self.embedded(), 5000))

    def check_export(self, deployment):
        reader = deployment.reader()
        paged = list(reader.pages("/v1/users/1/fans"))
        self.assertEqual(len(paged), 5000)
        exports = []
        # What the reader has seen of the lanes may be some ms older than their end.
        fanfold.wait_until(lambda: exports.append(reader.request("GET", EXPORT)) or
                           exports[-1][1]["Fanfold-Lag-Ms"] == "0", "no lag is told")
        status, headers, text = exports[-1]
        self.assertEqual((status, headers["Content-Type"]), (200, "application/x-ndjson"))
        self.assertEqual([json.loads(line) for line in text.splitlines()], paged)
        self.assertEqual(reader.request("HEAD", EXPORT)[::2], (200, ""))
        self.assertEqual(reader.request("GET", "/v1/users/424242/fans/export")[::2], (200, ""))

    def test_export_waits_for_a_position(self):
        deployment = self.deployment()
        position = deployment.writer().request("PUT", "/v1/users/2/following/1")[2]["position"]
        status, _, text = deployment.reader().request_at(position, EXPORT)
        self.assertEqual((status, json.loads(text)["user_id"]), (200, "2"))

    def test_slow_readers_of_a_long_list_cost_no_memory_and_no_worker(self):
        deployment = self.with_fans(self.deployment(), 200_000)
        process = deployment.processes["reader"]
        whole = deployment.reader().request("GET", EXPORT)[2]
        self.assertEqual(whole.count("\n"), 200_000)
        before = self.memory(process, "VmRSS")
        slow = [self.slow_reader(process.port) for _ in range(self.SLOW_READERS)]
        # More than there are workers have begun and wait; others are answered.
        self.assertEqual(deployment.reader().get("/v1/users/1/counts")["fans"], 200_000)
        got = {answer: [] for answer in slow}
        unfinished = slow
        while unfinished:
            for answer in unfinished:
                got[answer].append(answer.read(self.READ_BYTES))
            unfinished = [answer for answer in unfinished if got[answer][-1]]
        for parts in got.values():
            self.assertTrue(b"".join(parts).decode() == whole)
        self.assertLess(self.memory(process, "VmHWM") - before, self.GROWTH_BYTES_MAX)

    def slow_reader(self, port):
        """An export whose head is read."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.addCleanup(connection.close)
        connection.sock = socket.socket()
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.RECEIVE_BYTES)
        connection.sock.settimeout(30)
        connection.sock.connect(("127.0.0.1", port))
        connection.request("GET", EXPORT)
        return connection.getresponse()

    @staticmethod
    def memory(process, name):
        text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        return int(re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)[1]) << 10


if __name__ == "__main__":
    unittest.main()
