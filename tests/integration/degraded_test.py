"""What still answers when a dependency is gone; docs/DEGRADED.md says the same in words."""

import signal
import socket
import socketserver
import threading
import time
import unittest

import fanfold
from own_servers import own_kafka, own_mariadb
from tiers import rest

# How long a caller may wait for "not now".
REFUSAL_SECONDS_MAX = 6


def follow(deployment, subject, object_):
    status, headers, body = deployment.writer().request(
        "PUT", f"/v1/users/{subject}/following/{object_}?wait=decided&timeout_ms=10000")
    return status, headers, body


def await_in_memory(deployment, path):
    """Asks until a hit is counted, so that what comes next does not rest on a first read being kept."""
    hits = lambda: deployment.processes["reader"].metric("fanfold_reader_cache_hits_total")

    def is_hit():
        before = hits()
        deployment.reader().get(path)
        return hits() > before

    fanfold.wait_until(is_hit, f"{path} is answered from memory")


class DatabaseAway(fanfold.Case):
    def ask(self, deployment, path):
        began = time.monotonic()
        status, headers, body = deployment.reader().request("GET", path)
        self.assertLess(time.monotonic() - began, REFUSAL_SECONDS_MAX, path)
        return status, headers, body

    def refused(self, deployment, path, code="store_unavailable"):
        status, headers, body = self.ask(deployment, path)
        self.assertEqual((status, body.get("code")), (503, code), path)
        self.assertGreaterEqual(int(headers["Retry-After"]), 1)

    def test_cached_users_are_answered_and_the_rest_is_refused_until_it_is_back(self):
        self.while_away(signal.SIGKILL)

    def test_a_silent_database_is_as_good_as_gone(self):
        self.while_away(signal.SIGSTOP)

    def while_away(self, number):
        server = own_mariadb(self)
        deployment = self.deployment(mysql_sockets=[server.socket])
        follow(deployment, 1, 2)
        follow(deployment, 2, 1)
        deployment.settle()
        reads = {"/v1/users/1/following": lambda body: body["items"][0]["user_id"] == "2",
                 "/v1/users/1/friends": lambda body: len(body["items"]) == 1,
                 "/v1/users/1/counts": lambda body: body["friends"] == 1,
                 "/v1/users/1/relations?to=2,3":
                     lambda body: body["items"][0]["relation"] == "friend"}
        for path in reads:
            self.assertEqual(self.ask(deployment, path)[0], 200)
            await_in_memory(deployment, path)
        server.process.send(number)
        for path, right in reads.items():
            status, headers, body = self.ask(deployment, path)
            self.assertEqual(status, 200, path)
            self.assertTrue(right(body), body)
            self.assertEqual(headers["Fanfold-Lag-Ms"], "0", "nothing was written meanwhile")
        self.refused(deployment, "/v1/users/77/following")
        status, _, _ = deployment.writer().request("PUT", "/v1/users/1/following/3")
        self.assertEqual(status, 202, "the writer needs the log alone")
        # Nobody decides without the database, so what is answered ages, and says so.
        fanfold.wait_until(
            lambda: int(self.ask(deployment, "/v1/users/1/counts")[1]["Fanfold-Lag-Ms"]) > 500,
            "the age of the oldest event not in the answer is told")
        if number == signal.SIGSTOP:
            server.process.send(signal.SIGCONT)
        else:
            server.start()
        fanfold.wait_until(lambda: self.ask(deployment, "/v1/users/77/following")[0] == 200,
                           "strangers are answered again", 60)
        deployment.settle()
        self.assertEqual(self.ask(deployment, "/v1/users/1/counts")[2]["following"], 2)
        deployment.check_oracle(self)

    def test_one_shard_gone_leaves_the_others(self):
        servers = [own_mariadb(self), own_mariadb(self)]
        deployment = self.deployment(shards=2, mysql_sockets=[s.socket for s in servers])
        answers = {user: self.ask(deployment, f"/v1/users/{user}/counts")[0]
                   for user in range(1, 5)}
        self.assertEqual(set(answers.values()), {200})
        servers[1].process.send(signal.SIGKILL)
        outcomes = {}
        for user in range(100, 140):
            outcomes[self.ask(deployment, f"/v1/users/{user}/following")[0]] = user
            if len(outcomes) == 2:
                break
        self.assertEqual(set(outcomes), {200, 503}, "users of one shard only are refused")
        for user in answers:
            self.assertEqual(self.ask(deployment, f"/v1/users/{user}/counts")[0], 200)
        self.assertEqual(self.ask(deployment, "/readyz")[0], 200, "a balancer goes on asking it")
        servers[0].process.send(signal.SIGKILL)
        fanfold.wait_until(lambda: self.ask(deployment, "/readyz")[0] == 503, "none is left")
        for server in servers:
            server.start()
        fanfold.wait_until(lambda: self.ask(deployment, "/readyz")[0] == 200, "both are back", 60)


class LogGone(fanfold.Case):
    def test_reads_go_on_with_their_lag_told(self):
        cluster = own_kafka(self)
        deployment = self.deployment(kafka=cluster)
        follow(deployment, 1, 2)
        deployment.settle()
        deployment.reader().get("/v1/users/2/fans")
        cluster.nodes[0].send(signal.SIGKILL)
        status, headers, body = deployment.writer().request("PUT", "/v1/users/1/following/3")
        self.assertEqual((status, body["code"]), (503, "log_unavailable"))
        self.assertGreaterEqual(int(headers["Retry-After"]), 1)
        reader = fanfold.StrictClient(deployment.reader_port)
        for path in ("/v1/users/2/fans", "/v1/users/1/following"):
            self.assertEqual(len(reader.get(path)["items"]), 1, path)
        # What the log holds by now is not known, so the lag grows with the time.
        fanfold.wait_until(lambda: int(deployment.reader().request(
            "GET", "/v1/users/2/fans")[1]["Fanfold-Lag-Ms"]) > 2000, "the lag is told")
        status, _, body = deployment.reader().request(
            "GET", "/v1/users/2/fans?min_position=0:99&timeout_ms=100")
        self.assertEqual((status, body["code"]), (409, "position_not_reached"))
        cluster.start()
        fanfold.wait_until(lambda: follow(deployment, 1, 3)[0] == 200, "follows are taken again", 60)
        deployment.settle()
        fanfold.wait_until(lambda: deployment.reader().request(
            "GET", "/v1/users/1/following")[1]["Fanfold-Lag-Ms"] == "0", "nothing lags")
        self.assertEqual(len(deployment.reader().get("/v1/users/1/following")["items"]), 2)


class Crowds(fanfold.Case):
    def test_more_than_can_be_asked_at_once_is_shed_early(self):
        server = own_mariadb(self)
        deployment = self.deployment(mysql_sockets=[server.socket])
        await_in_memory(deployment, "/v1/users/1/counts")
        server.process.send(signal.SIGSTOP)
        port = deployment.processes["reader"].port
        clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
        for number, client in enumerate(clients):
            client.sendall(b"".join(
                b"GET /v1/users/%d/counts HTTP/1.1\r\nHost: localhost\r\n\r\n" % (10_000 + 64 * number + n)
                for n in range(64)))
        self.assertEqual(deployment.reader().get("/v1/users/1/counts")["fans"], 0,
                         "memory answers beside the queue")
        bodies = [b""] * len(clients)

        def read(number):
            clients[number].settimeout(30)
            while bodies[number].count(b"\r\n\r\n") < 64:
                bodies[number] += clients[number].recv(1 << 16) or self.fail("closed")

        readers = [threading.Thread(target=read, args=(n,)) for n in range(len(clients))]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join(40)
        text = b"".join(bodies)
        for client in clients:
            client.close()
        self.assertEqual(text.count(b"HTTP/1.1 503"), 6400)
        self.assertGreater(text.count(b'"overloaded"'), 1000)
        self.assertEqual(text.count(b"Retry-After: "), 6400)
        server.process.send(signal.SIGCONT)
        fanfold.wait_until(lambda: deployment.reader().request(
            "GET", "/v1/users/5/counts")[0] == 200, "it goes on", 60)

    @rest
    def test_control_a_server_that_reads_one_request_at_a_time(self):
        """One client that says nothing keeps all others from an answer."""
        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                self.rfile.readline()

        server = socketserver.TCPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        with socket.create_connection(server.server_address):
            with self.assertRaises(TimeoutError):
                fanfold.Client(server.server_address[1], timeout_s=2).request("GET", "/")
        server.shutdown()
        thread.join()
        server.server_close()

    def test_ten_thousand_idle_connections_leave_the_others_alone(self):
        deployment = self.deployment()
        reader = deployment.processes["reader"]
        deployment.reader().get("/v1/users/1/counts")
        before = reader.resident_bytes()
        idle = []
        try:
            for _ in range(10_000):
                idle.append(socket.create_connection(("127.0.0.1", reader.port)))
            began = time.monotonic()
            deployment.reader().get("/v1/users/1/counts")
            self.assertLess(time.monotonic() - began, 2)
            grown = reader.resident_bytes() - before
            self.assertLess(grown / len(idle), 16 * 1024, "bytes an idle connection takes")
        finally:
            for client in idle:
                client.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
