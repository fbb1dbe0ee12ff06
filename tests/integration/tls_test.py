"""TLS on the ports: what is offered, certificates that change, and the tools that verify whom they ask."""

import contextlib
import http.client
import json
import re
import socket
import ssl
import subprocess
import unittest

import access_test
import fanfold
from own_servers import folder
from secured import Certificates


class TlsCase(access_test.AccessCase):
    def setUp(self):
        super().setUp()
        self.certificates = Certificates(self)
        self.certificate, self.key = self.folder / "own.pem", self.folder / "own.key"
        self.show("server")

    @property
    def folder(self):
        return self.tokens_file.parent

    def show(self, name):
        for file, kind in ((self.key, "key"), (self.certificate, "pem")):
            fresh = file.with_suffix(".new")
            fresh.write_text(self.certificates.path(f"{name}.{kind}").read_text())
            fresh.rename(file)

    def settings(self):
        return super().settings() | {"tls_certificate_file": str(self.certificate),
                                     "tls_key_file": str(self.key)}

    def served(self):
        made = fanfold.Embedded(start=False, environment=self.environment())
        self.addCleanup(made.close)
        self.port = fanfold.free_port()
        made.processes["serve"] = fanfold.Process(
            "serve", [fanfold.BIN / "fanfold", "serve", "--dir", made.data, "--port", self.port],
            self.operations_port, made.folder, made.environment)
        fanfold.wait_until(made.processes["serve"].is_ready, "ready", 30)
        return made

    def connection(self):
        trusts = ssl.create_default_context(cafile=self.certificates.path("ca.pem"))
        return http.client.HTTPSConnection("localhost", self.port, context=trusts, timeout=30)

    def ask(self, connection, path, method="GET", body=None):
        connection.request(method, path, body, {"Authorization": f"Bearer {self.token}",
                                                "Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read()

    def shown(self):
        with contextlib.closing(self.connection()) as connection:
            connection.connect()
            return dict(part[0] for part in connection.sock.getpeercert()["subject"])["commonName"]

    def s_client(self, *arguments):
        ran = subprocess.run(
            ["openssl", "s_client", "-connect", f"localhost:{self.port}", *arguments],
            input="", capture_output=True, text=True)
        found = re.search(r"Cipher is (\S+)", ran.stdout)
        return found[1] if found and "Cipher is (NONE)" not in ran.stdout else None


class Tls(TlsCase):
    CIPHERS = {f"ECDHE-RSA-{cipher}" for cipher in (
        "AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305")}
    SUITES = {"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"}

    def test_what_is_offered(self):
        self.served()
        weak = "DEFAULT:@SECLEVEL=0"
        for version in ("-tls1", "-tls1_1"):
            self.assertIsNone(self.s_client(version, "-cipher", weak), version)
        listed = subprocess.run(["openssl", "ciphers", "-tls1_2", "-s", "ALL:COMPLEMENTOFALL:@SECLEVEL=0"],
                                capture_output=True, text=True, check=True).stdout.strip().split(":")
        taken = {cipher for cipher in listed if not cipher.startswith("TLS_")
                 and self.s_client("-tls1_2", "-cipher", f"{cipher}:@SECLEVEL=0")}
        self.assertEqual(taken, self.CIPHERS)
        suites = {suite for suite in (*self.SUITES, "TLS_AES_128_CCM_SHA256", "TLS_AES_128_CCM_8_SHA256")
                  if self.s_client("-tls1_3", "-ciphersuites", suite)}
        self.assertEqual(suites, self.SUITES)

    def test_who_speaks_another_protocol_alone_is_told_so(self):
        self.served()
        for offered, wanted in ((["h2", "http/1.1"], "http/1.1"), (["h2"], None)):
            trusts = ssl.create_default_context(cafile=self.certificates.path("ca.pem"))
            trusts.set_alpn_protocols(offered)
            with socket.create_connection(("localhost", self.port)) as raw:
                if wanted:
                    with trusts.wrap_socket(raw, server_hostname="localhost") as spoken:
                        self.assertEqual(spoken.selected_alpn_protocol(), wanted)
                    continue
                with self.assertRaisesRegex(ssl.SSLError, "no application protocol"):
                    trusts.wrap_socket(raw, server_hostname="localhost")

    def test_what_a_client_keeps_is_good_for_an_hour(self):
        self.served()
        ran = subprocess.run(["openssl", "s_client", "-connect", f"localhost:{self.port}", "-tls1_2"],
                             input="", capture_output=True, text=True)
        self.assertIn("lifetime hint: 3600 ", ran.stdout)

    def test_long_and_many_answers(self):
        made = self.served()
        made.cli("import", "-", stdin="".join(f"{n} 7\n" for n in range(10, 50_010)))
        made.settle()
        with contextlib.closing(self.connection()) as connection:
            for _ in range(200):
                self.assertEqual(self.ask(connection, "/v1/users/7/counts")[0], 200)
            status, lines = self.ask(connection, "/v1/users/7/fans/export")
            self.assertEqual((status, lines.count(b"\n")), (200, 50_000))
            events = [{"type": "follow", "subject": "1", "object": str(n)} for n in range(2, 1_002)]
            status, body = self.ask(connection, "/v1/events", "POST", json.dumps({"events": events}))
            self.assertEqual((status, body.count(b"event_id")), (202, 1_000))
        many = self.connection()
        many.connect()
        request = (f"GET /v1/users/7/counts HTTP/1.1\r\nHost: localhost\r\n"
                   f"Authorization: Bearer {self.token}\r\n\r\n").encode()
        many.sock.sendall(request * 500)
        received = b""
        while received.count(b"HTTP/1.1 200 OK") < 500:
            more = many.sock.recv(65_536)
            self.assertTrue(more)
            received += more
        many.close()

    def test_what_was_asked_before_the_end_is_answered(self):
        self.served()
        asked, answered, received = 200, 0, b""
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        trusts = ssl.create_default_context(cafile=self.certificates.path("ca.pem"))
        session = trusts.wrap_bio(incoming, outgoing, server_hostname="localhost")
        with socket.create_connection(("localhost", self.port)) as raw:
            def carry(step):
                while True:
                    try:
                        return step()
                    except ssl.SSLWantReadError:
                        raw.sendall(outgoing.read())
                        incoming.write(raw.recv(65_536))
            carry(session.do_handshake)
            session.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * asked)
            with contextlib.suppress(ssl.SSLWantReadError):
                session.unwrap()
            raw.sendall(outgoing.read())
            while more := raw.recv(65_536):
                incoming.write(more)
            with contextlib.suppress(ssl.SSLError):
                while part := session.read(65_536):
                    received += part
            answered = received.count(b"HTTP/1.1 200 OK")
        self.assertEqual(answered, asked)

    def test_a_certificate_is_changed_without_a_stop(self):
        self.served()
        self.assertEqual(self.shown(), "server")
        with contextlib.closing(self.connection()) as old:
            self.assertEqual(self.ask(old, "/v1/users/7/counts")[0], 200)
            self.certificates.issue("second", "DNS:localhost")
            self.show("second")
            fanfold.wait_until(lambda: self.shown() == "second", "the new one", 10)
            self.assertEqual(self.ask(old, "/v1/users/7/counts")[0], 200)
        self.certificate.write_text("no certificate")
        operators = fanfold.Client(self.operations_port)
        fanfold.wait_until(lambda: "fanfold_tls_files_broken 1" in operators.request("GET", "/metrics")[2],
                           "it is told")
        self.assertEqual(self.shown(), "second")

    def test_who_says_no_tls_gets_nothing_and_a_stop_ends_all(self):
        made = self.served()
        with socket.create_connection(("localhost", self.port)) as plain:
            plain.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertNotIn(b"HTTP", plain.recv(1_000))
        with contextlib.closing(self.connection()) as connection:
            self.assertEqual(self.ask(connection, "/v1/users/7/counts")[0], 200)
            self.assertEqual(made.processes["serve"].stop(), 0)
            with self.assertRaises((http.client.RemoteDisconnected, ConnectionError)):
                self.ask(connection, "/v1/users/7/counts")

    def test_verbs_beside_it(self):
        made = self.served()
        made.cli("import", "-", stdin="1 2\n")
        made.cli("wait")
        with contextlib.closing(self.connection()) as connection:
            self.assertIn(b'"following":1', self.ask(connection, "/v1/users/1/counts")[1])


class TlsOnServers(TlsCase):
    def test_verbs(self):
        token_file = folder(self) / "token"
        token_file.write_text(self.token)
        for authority, code in (("ca.pem", 0), ("other.pem", 3)):
            made = fanfold.Deployment(start=False, more=self.settings() | {
                "token_file": str(token_file), "hosts": ["localhost"],
                "ca_file": str(self.certificates.path(authority))})
            self.addCleanup(made.close)
            made.environment["FANFOLD_OPERATIONS_PORT"] = str(self.operations_port)
            made.cli("import", "--no-wait", "-", stdin="1 2\n")
            for projection in fanfold.PROJECTIONS:
                made.start_projector(projection)
            made.start("reader", "fanfold-reader").port = self.operations_port
            for process in made.processes.values():
                fanfold.wait_until(process.is_ready, "ready", 30)
            ran = made.cli("wait", check=False)
            self.assertEqual(ran.returncode, code, ran.stderr)
            self.assertIn("certificate verify failed" if code else "", ran.stderr)
            made.close()


if __name__ == "__main__":
    unittest.main()
