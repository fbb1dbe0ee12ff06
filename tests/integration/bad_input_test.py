"""Everything a caller or a foreign producer can get wrong has its named error, and nothing is lost."""

import json
import socket
import unittest

import fanfold
from tiers import rest

BIG = "9223372036854775808"

WRITER_ERRORS = [
    # method, path, body, status, code
    ("PUT", "/v1/users/0/following/2", None, 400, "invalid_argument"),
    ("PUT", "/v1/users/01/following/2", None, 400, "invalid_argument"),
    ("PUT", "/v1/users/-1/following/2", None, 400, "invalid_argument"),
    ("PUT", "/v1/users/+1/following/2", None, 400, "invalid_argument"),
    ("PUT", "/v1/users/a/following/2", None, 400, "invalid_argument"),
    ("PUT", f"/v1/users/{BIG}/following/2", None, 400, "invalid_argument"),
    ("PUT", "/v1/users/1/following/1", None, 422, "self_follow"),
    ("PUT", "/v1/users/1/following/2?color=red", None, 400, "unknown_parameter"),
    ("PUT", "/v1/users/1/following/2?wait=soon", None, 400, "invalid_argument"),
    ("PUT", "/v1/users/1/following/2?wait=decided&timeout_ms=0", None, 400, "invalid_argument"),
    ("PUT", "/v1/users/1/following/2?wait=decided&timeout_ms=10001", None, 400, "invalid_argument"),
    ("POST", "/v1/users/1/following/2", None, 405, "method_not_allowed"),
    ("GET", "/v1/nothing", None, 404, "not_found"),
    ("POST", "/v1/events", "", 400, "invalid_argument"),
    ("POST", "/v1/events", "{", 400, "invalid_argument"),
    ("POST", "/v1/events", "[]", 400, "invalid_argument"),
    ("POST", "/v1/events", '{"events":[]}', 400, "invalid_argument"),
    ("POST", "/v1/events", '{"events":[' + ",".join(["{}"] * 1001) + "]}", 422, "batch_too_large"),
    ("POST", "/v1/events", '{"events":["' + "x" * 2_000_000 + '"]}', 413, "body_too_large"),
]

READER_ERRORS = [
    ("GET", "/v1/users/0/following", None, 400, "invalid_argument"),
    ("GET", f"/v1/users/{BIG}/fans", None, 400, "invalid_argument"),
    ("GET", "/v1/users/1/following?limit=0", None, 400, "invalid_argument"),
    ("GET", "/v1/users/1/following?limit=201", None, 400, "invalid_argument"),
    ("GET", "/v1/users/1/following?limit=-1", None, 400, "invalid_argument"),
    ("GET", "/v1/users/1/following?limit=x", None, 400, "invalid_argument"),
    ("GET", "/v1/users/1/following?cursor=x", None, 400, "invalid_cursor"),
    ("GET", "/v1/users/1/following?offset=-1", None, 400, "invalid_argument"),
    ("GET", "/v1/users/1/following?cursor=1-1-1&offset=1", None, 400, "invalid_argument"),
    ("GET", "/v1/users/1/fans?offset=1", None, 400, "unknown_parameter"),
    ("GET", "/v1/users/1/fans?viewer=0", None, 400, "invalid_argument"),
    ("GET", "/v1/users/1/fans?color=red", None, 400, "unknown_parameter"),
    ("GET", "/v1/counts", None, 400, "invalid_argument"),
    ("GET", "/v1/counts?ids=", None, 400, "invalid_argument"),
    ("GET", "/v1/counts?ids=1,,2", None, 400, "invalid_argument"),
    ("GET", "/v1/counts?ids=" + ",".join(["1"] * 101), None, 400, "invalid_argument"),
    ("GET", "/v1/users/1/relations", None, 400, "invalid_argument"),
    ("GET", "/v1/users/1/relations?to=" + ",".join(["1"] * 101), None, 400, "invalid_argument"),
    ("POST", "/v1/users/1/relations", '{"to":[]}', 400, "invalid_argument"),
    ("POST", "/v1/users/1/relations", '{"to":["0"]}', 400, "invalid_argument"),
    ("POST", "/v1/users/1/relations", '{"to":[1.5]}', 400, "invalid_argument"),
    ("POST", "/v1/users/1/relations", '{"to":' + json.dumps(["1"] * 1001) + "}", 400,
     "invalid_argument"),
    ("GET", "/v1/users/1/following/common", None, 400, "invalid_argument"),
    ("GET", "/v1/users/1/fans/known", None, 400, "invalid_argument"),
    ("GET", "/v1/users/1/counts?min_position=x", None, 400, "invalid_argument"),
    ("GET", "/v1/users/1/counts?min_position=0:1,0:2", None, 400, "invalid_argument"),
    ("GET", "/v1/users/1/counts?min_position=0:999999&timeout_ms=50", None, 409,
     "position_not_reached"),
    ("DELETE", "/v1/users/1/following", None, 405, "method_not_allowed"),
    ("GET", "/nowhere", None, 404, "not_found"),
]

# key, value, size to fill up to, the reason it is parked for
GARBAGE = [
    ("1", b"\xff\xfe garbage \x00", None, "malformed"),
    ("1", b"", None, "malformed"),
    ("1", b"[1,2]", None, "malformed"),
    ("1", b'{"v":1,"type":"block","subject":"1","object":"2","at":1}', None, "unknown_type"),
    ("1", b'{"v":2,"type":"follow","subject":"1","object":"2","at":1}', None, "future_version"),
    ("1", b'{"v":1,"type":"follow","subject":"1","at":1}', None, "missing_field"),
    ("1", b'{"v":1,"type":"follow","subject":"1","object":"0","at":1}', None, "invalid_id"),
    ("1", b'{"v":1,"type":"follow","subject":"1","object":"' + BIG.encode() + b'","at":1}', None,
     "invalid_id"),
    ("1", b'{"v":1,"type":"follow","subject":"1","object":"2","at":-5}', None, "invalid_field"),
    ("7", b'{"v":1,"type":"follow","subject":"1","object":"2","at":1}', None, "key_mismatch"),
    ("-", b'{"v":1,"type":"follow","subject":"1","object":"2","at":1}', None, "key_mismatch"),
    ("1", b'{"v":1,', 2_000_000, "too_large"),
]


class BadInput(fanfold.Case):
    def check_errors(self, port, table):
        for method, path, body, status, code in table:
            with self.subTest(method=method, path=path[:80]):
                answered, headers, problem = fanfold.Client(port).request(method, path, body)
                self.assertEqual((answered, problem["code"]), (status, code), problem)
                self.assertEqual(headers["Content-Type"], "application/problem+json")
                self.assertEqual(problem["status"], status)
                self.assertTrue(problem["type"] and problem["title"] and problem["detail"])
                if status == 405:
                    self.assertTrue(headers["Allow"])

    def test_http_errors(self):
        deployment = self.deployment()
        self.check_errors(deployment.processes["writer"].port, WRITER_ERRORS)
        self.check_errors(deployment.processes["reader"].port, READER_ERRORS)

    def test_batch_tells_of_each_event(self):
        deployment = self.deployment()
        events = [{"type": "follow", "subject": "1", "object": 2},
                  {"type": "follow", "subject": "1", "object": "1"},
                  {"type": "poke", "subject": "1", "object": "2"},
                  {"type": "follow", "subject": "1"},
                  {"type": "remove_fan", "subject": "1", "object": "2", "at": 5},
                  {"type": "follow", "subject": "0", "object": "2"}]
        status, _, body = deployment.writer().request(
            "POST", "/v1/events", json.dumps({"events": events}))
        self.assertEqual(status, 202)
        codes = [result.get("code") for result in body["results"]]
        self.assertEqual(codes, [None, "self_follow", "invalid_argument", "invalid_argument", None,
                                 "invalid_argument"])
        self.assertIn("position", body["results"][0])

    @rest
    def test_control_records_taken_as_they_come(self):
        """Of most a reader dies, and the rest make follows that nobody has asked for."""
        fatal, edges = [], set()
        for _, value, _, reason in GARBAGE:
            try:
                event = json.loads(value.decode())
                edges.add((event["subject"], event["object"]))
            except (ValueError, KeyError, TypeError):
                fatal.append(reason)
        self.assertEqual(fatal, ["malformed", "malformed", "malformed", "missing_field", "too_large"])
        self.assertEqual(edges, {("1", "2"), ("1", "0"), ("1", BIG)})

    def test_garbage_in_the_topic_is_parked_and_wait_still_ends(self):
        deployment = self.deployment()
        follow = deployment.writer().request(
            "PUT", "/v1/users/1/following/2?wait=decided&timeout_ms=10000")
        home = int(follow[2]["position"].split(":")[0])
        for key, value, size, _ in GARBAGE:
            deployment.put_raw(home, key, value, size)
        deployment.put_raw((home + 1) % fanfold.PARTITIONS, "1",
                           b'{"v":1,"type":"follow","subject":"1","object":"2","at":1}')
        deployment.put_raw(home, "1", b"garbage", topic="relation-outcomes")
        after = deployment.writer().request(
            "PUT", "/v1/users/1/following/3?wait=decided&timeout_ms=10000")
        self.assertEqual(after[2]["outcome"], "followed")
        deployment.settle(30)
        listed = json.loads(deployment.cli("parked", "list", "--json").stdout)
        reasons = sorted(item["reason"] for item in listed["items"])
        expected = sorted([reason for *_, reason in GARBAGE] + ["wrong_partition",
                                                                "unreadable_outcome"])
        self.assertEqual(reasons, expected)
        shown = deployment.cli("parked", "show", f"{home}:1").stdout
        self.assertIn("malformed", shown)
        self.assertEqual(deployment.reader().get("/v1/users/1/counts")["following"], 2)
        deployment.check_oracle(self)

    def test_ten_megabytes_are_parked(self):
        """More than a line of an exported log may take."""
        deployment = self.deployment()
        deployment.put_raw(3, "1", b"{", 10_000_000)
        told = json.loads(deployment.cli(
            "tail", "--outcomes", "--from-start", "--count", "1", "--json").stdout)
        self.assertEqual((told["position"], told["value"]["position"], told["value"]["reason"]),
                         ("3:0", "3:0", "too_large"))
        deployment.settle()

    def test_keys_of_any_size_are_parked(self):
        """Up to what the broker takes, which is more than an outcome may hold beside its value."""
        sizes = (254, 255, 256, 10_000, 1_000_000, 1_048_000)
        deployment = self.deployment()
        follow = deployment.writer().request(
            "PUT", "/v1/users/1/following/2?wait=decided&timeout_ms=10000")
        home = int(follow[2]["position"].split(":")[0])
        for size in sizes:
            deployment.put_raw(home, "k", b"garbage", key_size=size)
        after = deployment.writer().request(
            "PUT", "/v1/users/1/following/3?wait=decided&timeout_ms=10000")
        self.assertEqual((after[0], after[2]["outcome"]), (200, "followed"))
        outcomes = deployment.cli("tail", "--outcomes", "--from-start", "--count", str(len(sizes) + 2),
                                  "--json").stdout.splitlines()
        keys = [json.loads(line)["key"] for line in outcomes][1:-1]
        self.assertEqual([len(key) for key in keys], [min(size, 255) for size in sizes])
        deployment.settle()
        deployment.check_oracle(self)

    def test_import_reports_bad_lines_and_goes_on(self):
        deployment = self.deployment()
        text = "# a comment\n\n1\t2\t5\n1\t1\n1 x\n0\t3\n1\t3\t-4\n2\t3\n"
        ran = deployment.cli("import", "-", "--json", stdin=text)
        self.assertEqual(json.loads(ran.stdout)["appended"], 2)
        for number in (4, 5, 6, 7):
            self.assertIn(f"line {number}", ran.stderr)
        strict = deployment.cli("import", "-", "--strict", stdin=text, check=False)
        self.assertEqual(strict.returncode, 2)


class Answers(fanfold.Case):
    """The ordinary answers, to the letter."""

    def test_tour(self):
        deployment = self.deployment()
        deployment.cli("import", "-", stdin="10\t30\t300\n10\t20\t200\n30\t10\t400\n20\t40\t100\n")
        deployment.settle()
        reader, writer = deployment.reader(), deployment.writer()
        self.assertEqual(reader.get("/v1/users/10/following?viewer=10"), {
            "items": [{"user_id": "30", "since": 300, "relation": "friend"},
                      {"user_id": "20", "since": 200, "relation": "following"}],
            "next_cursor": None})
        self.assertEqual(reader.get("/v1/users/10/friends"),
                         {"items": [{"user_id": "30", "since": 400}], "next_cursor": None})
        self.assertEqual(reader.get("/v1/users/10/counts"),
                         {"user_id": "10", "following": 2, "fans": 1, "friends": 1})
        self.assertEqual(reader.get("/v1/users/10/relations?to=30,20,10,99,30"), {
            "user_id": "10",
            "items": [{"user_id": "30", "relation": "friend"},
                      {"user_id": "20", "relation": "following"},
                      {"user_id": "10", "relation": "self"},
                      {"user_id": "99", "relation": "none"},
                      {"user_id": "30", "relation": "friend"}]})
        self.assertEqual(reader.get("/v1/users/424242/fans"), {"items": [], "next_cursor": None})
        for path, outcome in (("PUT /v1/users/10/following/20", "unchanged"),
                              ("DELETE /v1/users/10/following/20", "unfollowed"),
                              ("DELETE /v1/users/10/fans/30", "unfollowed"),
                              ("PUT /v1/users/10/following/77", "followed")):
            method, target = path.split()
            status, headers, body = writer.request(method, target + "?wait=decided&timeout_ms=10000")
            self.assertEqual((status, body["outcome"]), (200, outcome), path)
            self.assertEqual(headers["Fanfold-Position"], body["position"])
        status, headers, _ = reader.request_at(body["position"], "/v1/users/77/fans")
        self.assertEqual(status, 200)
        self.assertIsNotNone(headers["Fanfold-Lag-Ms"])
        deployment.settle()
        self.assertEqual(reader.get("/v1/users/10/counts"),
                         {"user_id": "10", "following": 2, "fans": 0, "friends": 0})
        projections = {p["projection"] for p in reader.get("/v1/projections")["projections"]}
        self.assertEqual(projections, set(fanfold.PROJECTIONS))
        status = json.loads(deployment.cli("status", "--json").stdout)
        self.assertTrue(status)

    def test_pages_agree_whatever_the_limit(self):
        deployment = self.deployment(shards=4)
        lines = "".join(f"{fan}\t1\t{1000 + fan % 3}\n" for fan in range(2, 60))
        deployment.cli("import", "-", stdin=lines)
        deployment.settle()
        reader = deployment.reader()
        whole = [i["user_id"] for i in reader.pages("/v1/users/1/fans", 200)]
        self.assertEqual(len(whole), 58)
        for limit in range(1, 60):
            paged = [i["user_id"] for i in reader.pages("/v1/users/1/fans", limit)]
            self.assertEqual(paged, whole, f"limit {limit}")


PAGE = "https://app.example.com"


class Pages(fanfold.Case):
    """What a browser can be made to send by a page of somebody else."""

    def raw_status(self, port, head):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(head.encode() + b"\r\n\r\n")
            return int(connection.recv(4096).split()[1])

    def check_hosts(self, port):
        for hosts, status in (["localhost"], 200), (["[::1]:9"], 200), (["evil.example"], 400), \
                ([], 400), (["localhost", "localhost"], 400), (["127.0.0.1.evil.example"], 400):
            with self.subTest(port=port, hosts=hosts):
                lines = "".join(f"\r\nHost: {host}" for host in hosts)
                self.assertEqual(self.raw_status(port, "GET /metrics HTTP/1.1" + lines), status)
                self.assertEqual(self.raw_status(port, "GET /healthz HTTP/1.1" + lines), 200)

    def check_writes(self, client):
        body = '{"events":[{"type":"follow","subject":"1","object":"2"}]}'
        put, post = ("PUT", "/v1/users/1/following/2", None), ("POST", "/v1/events", body)
        own = f"http://127.0.0.1:{client.port}"
        for request, headers, answer in (
                (post, {"Content-Type": "text/plain", "Origin": "https://evil.example"},
                 (403, "origin_refused")),
                (post, {"Content-Type": "text/plain"}, (415, "unsupported_media_type")),
                (post, {"Origin": "https://evil.example"}, (403, "origin_refused")),
                (put, {"Origin": "https://evil.example"}, (403, "origin_refused")),
                (put, {"Origin": "null"}, (403, "origin_refused")),
                (post, {"Host": "evil.example", "Origin": "http://evil.example"},
                 (400, "invalid_argument")),
                (post, {"Origin": own}, (202, None)), (put, {"Origin": own}, (202, None)),
                (put, {"Origin": PAGE}, (202, None)), (put, {}, (202, None))):
            with self.subTest(request=request[:2], headers=headers):
                status, _, got = client.request(*request, headers)
                self.assertEqual((status, got.get("code")), answer)

    def check_named_page(self, client):
        """As a browser asks for it: first whether it may, then the request."""
        status, headers, _ = client.request(
            "OPTIONS", "/v1/users/1/following/2", None,
            {"Origin": PAGE, "Access-Control-Request-Method": "PUT"})
        self.assertEqual((status, headers["Access-Control-Allow-Origin"]), (204, PAGE))
        self.assertIn("PUT", headers["Access-Control-Allow-Methods"])
        _, headers, _ = client.request("PUT", "/v1/users/1/following/2", None, {"Origin": PAGE})
        self.assertEqual(headers["Access-Control-Allow-Origin"], PAGE)
        self.assertIn("Fanfold-Position", headers["Access-Control-Expose-Headers"])
        status, headers, _ = client.request(
            "OPTIONS", "/v1/users/1/following/2", None,
            {"Origin": "https://evil.example", "Access-Control-Request-Method": "PUT"})
        self.assertEqual((status, headers["Access-Control-Allow-Origin"]), (403, None))

    def check(self, deployed):
        self.check_writes(deployed.writer())
        self.check_named_page(deployed.writer())
        for process in deployed.processes.values():
            self.check_hosts(process.port)

    def test_every_process(self):
        self.check(self.deployment(environment={"FANFOLD_ORIGINS": PAGE}))

    def test_everything_in_one_process(self):
        self.check(self.embedded(environment={"FANFOLD_ORIGINS": PAGE}))


if __name__ == "__main__":
    unittest.main(verbosity=2)
