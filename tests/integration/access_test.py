"""Who gets in: every route with no token, a wrong, an expired, a foreign and the right one."""

import functools
import http.client
import http.server
import json
import re
import socket
import stat
import subprocess
import threading
import time
import unittest

import browser
import fanfold
import yaml
from issuer import Issuer
from own_servers import folder

OPENAPI = yaml.safe_load((fanfold.ROOT / "schemas/openapi.yaml").read_text())
METHODS = ("get", "put", "post", "delete")
SCOPES = ("relations:read", "relations:write", "profiles:read", "profiles:write", "posts:read",
          "posts:write", "feed:read", "feed:write", "changes:read", "accounts:delete", "users:restore", "metrics:read", "operate")
USER, OTHER = "7", "8"
EVENT = {"type": "follow", "subject": USER, "object": OTHER}

# What is asked where: the rest of the path behind the user's, and a body. Where nothing is, the path alone.
QUERIES = {
    "GET /v1/users": "?ids=7", "GET /v1/counts": "?ids=7", "GET /v1/users/{id}/relations": "?to=8",
    "GET /v1/users/{id}/following/common": "?with=8", "GET /v1/users/{id}/fans/known": "?viewer=7",
    "GET /v1/users/{id}/following": "?viewer=7", "GET /v1/users/{id}/fans": "?viewer=7",
    "GET /v1/users/{id}/friends": "?viewer=7", "GET /v1/users/{id}/feed/unread": "?since=1-0-1-1",
    "GET /v1/changes": "?user=7",
}
BODIES = {
    "POST /v1/events": {"events": [EVENT]}, "POST /v1/users/{id}/relations": {"to": [OTHER]},
    "PUT /v1/users/{id}/profile": {"name": "Ann"}, "PUT /log_level": {"level": "warning"},
    "POST /v1/users/{author}/posts": {"content": "Hello", "post_id": OTHER},
    "POST /v1/users/{id}/feed/shown": {"items": [{"author": OTHER, "post_id": OTHER}]},
    "POST /v1/post-events": {"events": [{"type": "post", "author": USER, "content": "Hello"}]},
    "POST /v1/user-events": {"events": [{"type": "profile_set", "user": USER, "name": "Ann"}]},
}


def operations():
    for path, item in OPENAPI["paths"].items():
        for method in METHODS:
            if method in item:
                yield f"{method.upper()} {path}", item[method]


class Asker:
    """Asks as the user or program that a token names."""

    def __init__(self, port):
        self.client = fanfold.Client(port)

    def ask(self, route, token=None, user=USER, body=None):
        method, path = route.split(" ")
        for name in ("{subject}", "{user}", "{id}", "{author}"):
            path = path.replace(name, user)
        query = re.sub(f"(viewer|user)={USER}", rf"\g<1>={user}", QUERIES.get(route, ""))
        path = path.replace("{object}", OTHER).replace("{fan}", OTHER).replace("{post_id}", OTHER) + query
        body = body or BODIES.get(route)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self.client.request(method, path, json.dumps(body) if body else None, headers)

    def code(self, *arguments, **options):
        status, headers, answer = self.ask(*arguments, **options)
        if status == 401 and "WWW-Authenticate" not in headers:
            raise AssertionError("401 without WWW-Authenticate")
        return (status, answer["code"]) if status in (401, 403) else status


class AccessCase(fanfold.Case):
    def setUp(self):
        self.issuer, self.tokens_file = Issuer(self), folder(self) / "tokens.json"
        self.token = self.make(",".join(SCOPES))
        self.operations_port = fanfold.free_port()

    def settings(self):
        return self.issuer.settings() | {"access": "tokens", "tokens_file": str(self.tokens_file)}

    def environment(self):
        settings = self.settings() | {"operations_port": self.operations_port}
        return {f"FANFOLD_{key.upper()}": str(value) for key, value in settings.items()}

    def fanfold(self, *arguments, check=True):
        return subprocess.run([fanfold.BIN / "fanfold", *arguments, "--tokens-file", self.tokens_file],
                              capture_output=True, text=True, check=check).stdout

    def make(self, scopes, *more):
        return self.fanfold("token", "make", "--scopes", scopes, *more).strip()

    def served(self):
        made = self.embedded(environment=self.environment())
        self.api = Asker(made.processes["serve"].port)
        self.operators = Asker(self.operations_port)
        return made

    def await_code(self, wanted, *arguments):
        began = time.monotonic()
        fanfold.wait_until(lambda: self.api.code(*arguments) == wanted, f"{wanted}", 10)
        return time.monotonic() - began


class Routes(AccessCase):
    UNAUTHENTICATED, FORBIDDEN = (401, "unauthenticated"), (403, "forbidden")

    def test_every_route_with_each_token(self):
        self.served()
        wrong = self.token[:-1] + ("0" if self.token[-1] != "0" else "1")
        expired = self.issuer.key.sign(exp=int(time.time()) - 1, scope=" ".join(SCOPES))
        for route, operation in operations():
            if route in ("GET /metrics", "GET /log_level", "PUT /log_level") or operation["tags"] == ["console"]:
                continue  # the operators'
            with self.subTest(route):
                security = operation["security"]
                if not security:
                    self.assertEqual(self.api.code(route), 200)
                    continue
                for stranger in (None, wrong, expired, "x"):
                    self.assertEqual(self.api.code(route, stranger), self.UNAUTHENTICATED)
                wanted = security[0]["token"]
                for scope in (set(SCOPES) - set(wanted)) if wanted else ():
                    self.assertEqual(self.api.code(route, self.issuer.key.sign(scope=scope)),
                                     self.FORBIDDEN)
                own = self.issuer.key.sign(scope=" ".join(wanted), user=USER)
                good = (200, 202) + ((404,) if route.endswith("{post_id}") else ())  # not folded yet
                self.assertIn(self.api.code(route, own), good)
                self.assertIn(self.api.code(route, self.token), good)
                if operation.get("x-user") in ("path", "query"):
                    self.assertEqual(self.api.code(route, own, user=OTHER), self.FORBIDDEN)
                self.assertEqual(self.api.ask(route + "x", None)[0], 401)

    def test_a_providers_token_is_of_one_user(self):
        """Of a plain identity provider: `sub` and scopes, and nothing of ours."""
        made = self.embedded(environment=self.environment() | {"FANFOLD_JWT_USER_CLAIM": "uid"})
        self.api, route = Asker(made.processes["serve"].port), "PUT /v1/users/{id}/profile"
        sign = functools.partial(self.issuer.key.sign, scope="profiles:write", user=None)
        status, _, answer = self.api.ask(route, sign(sub=USER))
        self.assertEqual(status, 401)
        self.assertIn("it has no uid", answer["detail"])
        for uid in (USER, int(USER)):
            self.assertEqual(self.api.code(route, sign(uid=uid)), 202)
            self.assertEqual(self.api.code(route, sign(uid=uid), user=OTHER), self.FORBIDDEN)
        self.assertEqual(self.api.code(route, sign(sub=USER, scope="profiles:write users:any")), 202)

    def test_events_of_a_batch_are_judged_each(self):
        self.served()
        own = self.issuer.key.sign(scope="relations:write", user=USER)
        foreign = {"type": "follow", "subject": OTHER, "object": USER}
        events = [EVENT, foreign, foreign | {"type": "remove_fan"}, EVENT | {"type": "remove_fan"},
                  EVENT | {"at": 1}, EVENT | {"if_version": 1}, EVENT | {"replay_of": "0:1"},
                  EVENT | {"event_id": "0" * 32}]
        status, _, answer = self.api.ask("POST /v1/events", own, body={"events": events})
        self.assertEqual(status, 202)
        self.assertEqual([result.get("code") for result in answer["results"]],
                         [None, "forbidden", None] + ["forbidden"] * 5)

    def test_events_of_posts_are_judged_each(self):
        self.served()
        own = self.issuer.key.sign(scope="posts:write", user=USER)
        post = {"type": "post", "author": USER, "content": "Hello"}
        deletion = {"type": "delete_post", "author": USER, "post_id": "1"}
        events = [post, post | {"author": OTHER}, post | {"at": 1}, deletion, deletion | {"author": OTHER},
                  post | {"event_id": "0" * 32}]
        status, _, answer = self.api.ask("POST /v1/post-events", own, body={"events": events})
        self.assertEqual(status, 202)
        self.assertEqual([result.get("code") for result in answer["results"]],
                         [None, "forbidden", "forbidden", None, "forbidden", "forbidden"])
        route = "POST /v1/users/{author}/posts"
        self.assertEqual(self.api.code(route, own, body={"content": "Hello", "at": 1}), self.FORBIDDEN)

    def test_what_is_not_for_users(self):
        self.served()
        own = self.issuer.key.sign(scope="relations:read", user=USER)
        for route, query in (("GET /v1/users/{id}/counts", "?generation=1"),
                             ("GET /v1/users/{id}/following", "?expand=profile")):
            self.assertEqual(self.api.code(route + query, own), self.FORBIDDEN, route)
            self.assertNotEqual(self.api.code(route + query, self.token), self.FORBIDDEN, route)

    def test_what_each_port_answers_a_stranger(self):
        self.served()
        for path, wanted in (("/healthz", 200), ("/readyz", 200), ("/metrics", 401), ("/", 401),
                             ("/log_level", 401), ("/openapi.yaml", 401), ("/v1/x", 401)):
            self.assertEqual(self.api.client.request("GET", path)[0], wanted, path)
        for path, wanted in (("/healthz", 200), ("/readyz", 200), ("/metrics", 200), ("/", 200),
                             ("/log_level", 200), ("/v1/users/7/counts", 404)):
            self.assertEqual(self.operators.client.request("GET", path)[0], wanted, path)
        self.assertEqual(self.operators.ask("PUT /log_level", body={"level": "info"})[2],
                         {"level": "info"})

    def test_off_loopback_operators_and_who_scrapes_have_tokens(self):
        scraper, operator, other = map(self.make, ("metrics:read", "operate", "relations:read"))
        self.embedded(environment=self.environment() | {"FANFOLD_OPERATIONS_BIND": "0.0.0.0"})
        port = Asker(self.operations_port)
        for route, wanted in (("GET /metrics", (200, 200)), ("GET /log_level", (self.FORBIDDEN, 200))):
            self.assertEqual((port.code(route, scraper), port.code(route, operator)), wanted, route)
            self.assertEqual(port.code(route), self.UNAUTHENTICATED)
            self.assertEqual(port.code(route, other), self.FORBIDDEN)

    def test_who_is_not_known_is_told_nothing_else(self):
        self.served()
        for method, path in (("POST", "/v1/events"), ("PUT", "/v1/x"), ("DELETE", "/")):
            for token, wanted in ((None, 401), ("x", 401), (self.token, 415)):
                headers = {"Content-Type": "text/plain"} | (
                    {"Authorization": f"Bearer {token}"} if token else {})
                self.assertEqual(self.api.client.request(method, path, "x", headers)[0], wanted, path)

    def test_a_badge_is_not_the_users_to_give(self):
        self.served()
        route, own = "PUT /v1/users/{id}/profile", self.issuer.key.sign(scope="profiles:write", user=USER)
        for token, verified, wanted in ((own, True, self.FORBIDDEN), (own, False, 202),
                                        (self.token, True, 202)):
            self.assertEqual(self.api.code(route, token, body={"name": "Ann", "verified": verified}), wanted)
        self.assertIn("verified", self.api.ask(route, own, body={"verified": True})[2]["detail"])

    def test_preflights_need_no_token(self):
        made = self.embedded(environment=self.environment() | {
            "FANFOLD_ORIGINS": "https://app.example"})
        status, headers, _ = fanfold.Client(made.processes["serve"].port).request(
            "OPTIONS", "/v1/events", headers={"Origin": "https://app.example",
                                              "Access-Control-Request-Method": "POST",
                                              "Access-Control-Request-Headers": "authorization"})
        self.assertEqual(status, 204)
        self.assertIn("Authorization", headers["Access-Control-Allow-Headers"])
        self.assertNotIn("Access-Control-Allow-Credentials", headers)


class Pages(AccessCase):
    FOLLOW = """
        const [url, token, lastId] = arguments;
        const told = window.told = {objects: [], id: lastId, ended: null, limit: undefined};
        const headers = {Authorization: `Bearer ${token}`, "Cache-Control": "no-cache"};
        if (lastId) headers["Last-Event-ID"] = lastId;
        fetch(url, {headers}).then(async answer => {
          told.limit = answer.headers.get("RateLimit-Policy");
          const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
          for (let text = "";;) {
            const {value, done} = await reader.read();
            if (done) break;
            for (text += value; text.includes("\\n\\n"); text = text.slice(text.indexOf("\\n\\n") + 2)) {
              for (const line of text.slice(0, text.indexOf("\\n\\n")).split("\\n")) {
                if (line.startsWith("id: ")) told.id = line.slice(4);
                if (line.startsWith("data: ")) told.objects.push(JSON.parse(line.slice(6)).object);
              }
            }
          }
          told.ended = "whole";
        }).catch(why => told.ended = String(why));"""

    def test_a_page_of_another_origin_follows_changes_across_a_restart(self):
        pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), EmptyPage)
        self.addCleanup(pages.server_close)
        self.addCleanup(pages.shutdown)
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        origin = f"http://localhost:{pages.server_address[1]}"
        made = self.embedded(environment=self.environment() | {"FANFOLD_ORIGINS": origin})
        page = browser.Browser()
        self.addCleanup(page.close)
        page.open(origin)
        url = f"http://127.0.0.1:{made.processes['serve'].port}/v1/changes"
        page.run(self.FOLLOW, url, self.token, None)
        self.await_told(page, lambda told: told["id"])
        self.follow(made, "2")
        told = self.await_told(page, lambda told: told["objects"] == ["2"])
        made.processes["serve"].stop()
        self.assertEqual(self.await_told(page, lambda told: told["ended"])["ended"], "whole")
        made.start()
        self.follow(made, "3")
        url = f"http://127.0.0.1:{made.processes['serve'].port}/v1/changes"
        page.run(self.FOLLOW, url, self.token, told["id"])
        self.await_told(page, lambda told: told["objects"] == ["3"])

    def await_told(self, page, condition):
        def told():
            now = page.run("return window.told")
            return now if condition(now) else None
        return fanfold.wait_until(told, "the page is told", pause_s=0.05)

    def follow(self, made, other):
        status, _, answer = made.writer().request(
            "PUT", f"/v1/users/{USER}/following/{other}", headers={"Authorization": f"Bearer {self.token}"})
        self.assertEqual(status, 202, answer)


class EmptyPage(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>another origin</title>")

    def log_message(self, *arguments):
        pass


class Rotation(AccessCase):
    ROUTE = "GET /v1/users/{id}/counts"

    def test_a_token_that_is_revoked_and_a_key_that_is_removed_end_within_a_second(self):
        self.served()
        signed = self.issuer.key.sign(scope="relations:read")
        for token, take_away in (
                (self.token, lambda: self.fanfold("token", "revoke", self.token.split("_")[0])),
                (signed, lambda: self.issuer.publish())):
            self.assertEqual(self.api.code(self.ROUTE, token), 200)
            take_away()
            self.assertLess(self.await_code((401, "unauthenticated"), self.ROUTE, token), 2)

    def test_what_is_added_is_known_and_a_broken_file_changes_nothing(self):
        made = self.served()
        second = self.make("relations:read", "--expires", "1h", "--note", "second")
        self.await_code(200, self.ROUTE, second)
        whole = self.tokens_file.read_text()
        self.tokens_file.write_text(whole[:-9])
        metrics = fanfold.Client(self.operations_port)
        fanfold.wait_until(lambda: 'fanfold_access_file_broken{file="tokens"} 1'
                           in metrics.request("GET", "/metrics")[2], "it is told")
        self.assertEqual(self.api.code(self.ROUTE, second), 200)
        self.tokens_file.write_text(whole)
        listed = json.loads(self.fanfold("token", "list", "--json"))["tokens"]
        self.assertEqual([token["note"] for token in listed], ["", "second"])
        for secret in (self.token, second):
            self.assertNotIn(secret.split("_")[1], whole + str(listed))
            self.assertNotIn(secret.split("_")[1], made.processes["serve"].log.read_text())
            self.assertNotIn(secret.split("_")[1], metrics.request("GET", "/metrics")[2])

    def test_an_export_ends_with_its_token(self):
        made = self.served()
        made.cli("import", "-", stdin="".join(f"{n} 7\n" for n in range(10, 200_010)))
        made.settle()
        connection = http.client.HTTPConnection("127.0.0.1", made.processes["serve"].port)
        connection.request("GET", "/v1/users/7/fans/export",
                           headers={"Authorization": f"Bearer {self.token}"})
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200)
        answer.read(1)
        self.fanfold("token", "revoke", self.token.split("_")[0])
        self.await_code((401, "unauthenticated"), self.ROUTE, self.token)
        with self.assertRaises((http.client.IncompleteRead, ConnectionError)):
            answer.read()
        connection.close()


class Tools(AccessCase):
    VERBS = (["status"], ["doctor"], ["lane", "list"], ["parked", "list"], ["verify"], ["wait"],
             ["explain", "1", "2"], ["config", "print"], ["config", "check"],
             ["tail", "--from-start", "--count", "1"], ["repair", "--dry-run"], ["rebuild", "status"],
             ["identity", "show"], ["rebuild", "fans", "--yes"], ["export", "--log", "-"])

    def check_verbs(self, made, printed_secrets):
        made.cli("import", "-", stdin="1 2\n2 1\n")
        for verb in self.VERBS:
            ran = made.cli(*verb)
            for secret in printed_secrets:
                self.assertNotIn(secret, ran.stdout + ran.stderr, verb)
        answer = self.api.ask("GET /v1/users/{id}/counts", self.token, user="1")[2]
        self.assertEqual((answer["following"], answer["fans"]), (1, 1))

    def test_on_a_served_folder_what_it_lends(self):
        made = self.served()
        lent = made.data / "serve.token"
        self.assertEqual(stat.S_IMODE(lent.stat().st_mode), 0o600)
        self.assertEqual(self.api.code("GET /v1/projections", lent.read_text()), 200)
        self.check_verbs(made, [lent.read_text(), self.token])
        made.processes["serve"].stop()
        self.assertFalse(lent.exists())

    def test_on_servers_with_a_token_of_their_own(self):
        token_file = folder(self) / "token"
        token_file.write_text(self.token + "\n")
        made = self.deployment(start=False, more=self.settings() | {"token_file": str(token_file)})
        made.environment["FANFOLD_OPERATIONS_PORT"] = "0"
        made.start_all()
        self.api = Asker(made.processes["reader"].port)
        self.check_verbs(made, [self.token])
        self.fanfold("token", "revoke", self.token.split("_")[0])
        self.await_code((401, "unauthenticated"), "GET /v1/users/{id}/counts", self.token)
        ran = made.cli("wait", check=False)
        self.assertEqual(ran.returncode, 3)
        self.assertIn("token_file", ran.stderr)


class Told(AccessCase):
    def lines(self, made, words):
        lines = made.processes["serve"].log.read_text().splitlines()
        return [json.loads(line) for line in lines if words in line]

    def test_who_is_refused_and_where_he_comes_from(self):
        made = self.embedded(environment=self.environment() | {"FANFOLD_TRUSTED_PROXIES": "127.0.0.1"})
        asked = Asker(made.processes["serve"].port).client
        for client in ("203.0.113.9", "203.0.113.8, 127.0.0.1"):
            asked.request("GET", "/v1/projections", None, {"X-Forwarded-For": client})
        self.assertEqual([(line["level"], line["from"], line["peer"], line["status"])
                          for line in self.lines(made, '"refused"')],
                         [("warning", "203.0.113.9", "127.0.0.1", 401),
                          ("warning", "203.0.113.8", "127.0.0.1", 401)])

    def test_who_silences_the_log(self):
        made = self.served()
        for level in ("error", "info"):
            self.operators.ask("PUT /log_level", body={"level": level})
        self.assertEqual([(line["level"], line["log_level"], line["who"])
                          for line in self.lines(made, "another level")],
                         [("warning", "error", "anyone"), ("warning", "info", "anyone")])


class Made(AccessCase):
    """A token is kept once somebody has it, and for them alone."""

    def ran(self, *more, **options):
        return subprocess.run([fanfold.BIN / "fanfold", "token", "make", "--scopes", "operate",
                               "--tokens-file", self.tokens_file, *more], text=True,
                              **{"capture_output": True} | options)

    def kept(self):
        return json.loads(self.fanfold("token", "list", "--json"))["tokens"]

    def test_into_a_file_of_its_owner(self):
        file = folder(self) / "token"
        self.assertEqual(self.ran("--to", file).stdout, "")
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        self.assertEqual(file.read_text().split("_")[0], self.kept()[-1]["id"])
        before = self.kept()
        again = self.ran("--to", file)
        self.assertEqual(again.returncode, 1)
        self.assertIn(f"{file}: File exists", again.stderr)
        self.assertEqual(self.kept(), before)

    def test_that_nobody_is_shown_is_not_kept(self):
        before = self.kept()
        with open("/dev/full", "w", encoding="utf-8") as full:
            for more in [], ["--json"]:
                ran = self.ran(*more, capture_output=False, stdout=full, stderr=subprocess.PIPE)
                self.assertEqual(ran.returncode, 1)
                self.assertIn("is not kept", ran.stderr)
        self.assertEqual(self.kept(), before)

    def test_whose_file_cannot_be_kept_is_in_no_file(self):
        file = folder(self) / "token"
        self.tokens_file.write_text("{")
        self.assertEqual(self.ran("--to", file).returncode, 1)
        self.assertFalse(file.exists())

    def test_with_a_note_that_would_write_on_a_terminal(self):
        self.ran("--note", "a\x1b[2Jb\nc")
        self.assertIn(r"a\x1b[2Jb\nc", self.fanfold("token", "list"))


class Refused(AccessCase):
    def test_a_port_that_is_taken_is_told_at_once(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            began = time.monotonic()
            said = self.serve(code=3, FANFOLD_READER_PORT="0", FANFOLD_SHUTDOWN_DELAY_MS="20000",
                              FANFOLD_OPERATIONS_PORT=str(taken.getsockname()[1]))
        self.assertIn("cannot listen", said)
        self.assertLess(time.monotonic() - began, 15)

    def serve(self, code=1, **environment):
        ran = subprocess.run([fanfold.BIN / "fanfold", "serve", "--dir", folder(self) / "data"],
                             env=fanfold.Deployed.environment_with(environment), capture_output=True,
                             text=True, timeout=30)
        self.assertEqual(ran.returncode, code)
        return ran.stderr

    def test_open_off_loopback(self):
        self.assertIn("access is open, and 0.0.0.0 is not on loopback",
                      self.serve(FANFOLD_BIND="0.0.0.0"))
        self.assertIn("access is open", self.serve(FANFOLD_OPERATIONS_BIND="0.0.0.0"))

    def test_tokens_of_which_none_is_good(self):
        self.assertIn("tokens_file", self.serve(FANFOLD_ACCESS="tokens"))
        for text, why in (('{"tokens":[]}', "fanfold token make"), ("{", "tokens.json: ")):
            self.tokens_file.write_text(text)
            self.assertIn(why, self.serve(FANFOLD_ACCESS="tokens",
                                          FANFOLD_TOKENS_FILE=str(self.tokens_file)))


class ConfigCheck(unittest.TestCase):
    """Says what a process would, before it is started."""

    def check(self, text, code=1, **environment):
        file = folder(self) / "fanfold.toml"
        file.write_text(text)
        ran = subprocess.run([fanfold.BIN / "fanfold", "config", "check", "--config", file],
                             env=fanfold.Deployed.environment_with(environment), capture_output=True, text=True)
        self.assertEqual(ran.returncode, code, ran.stderr)
        return ran.stderr

    def test_what_may_not_have_been_meant(self):
        text = """
            mode = "servers"
            partitions = 4
            kafka_brokers = "10.1.2.3:9092"
        """
        told = self.check(text, 0, FANFOLD_REDAER_PORT="1", FANFOLD_ORIGINS="https://a.example, http://b.example")
        self.assertIn("warning: kafka_brokers names 10.1.2.3:9092, which is not on loopback", told)
        self.assertIn("warning: FANFOLD_REDAER_PORT is no setting, and does nothing; the nearest is FANFOLD_READER_PORT",
                      told)
        self.assertEqual(self.check(text + "allow_plaintext = true\n", 0), "")

    def test_files_that_others_may_write(self):
        tokens = folder(self) / "tokens.json"
        subprocess.run([fanfold.BIN / "fanfold", "token", "make", "--scopes", "relations:read",
                        "--tokens-file", tokens], check=True, capture_output=True)
        text = f"""
            mode = "servers"
            partitions = 4
            kafka_brokers = "127.0.0.1:1"
            shards = ["mysql://u@127.0.0.1:1/a"]
            access = "tokens"
            tokens_file = "{tokens}"
            """
        self.check(text, code=0)
        tokens.chmod(0o666)
        self.assertIn(f"tokens_file: {tokens} may be written by others", self.check(text))

    def test_files_that_are_not_there(self):
        said = self.check('''
            mode = "servers"
            partitions = 4
            kafka_brokers = "127.0.0.1:1"
            shards = ["mysql://u@127.0.0.1:1/a?password_file=/no/password",
                      "mysql://u@127.0.0.1:1/b?ssl_ca=/no/ca"]
            access = "tokens"
            tokens_file = "/no/tokens"
            tls_certificate_file = "/no/certificate"
            tls_key_file = "/no/key"
            token_file = "/no/token"
            ca_file = "/no/certificates"
            kafka.security.protocol = "sasl_plaintext"
            kafka.sasl.mechanism = "PLAIN"
            kafka.sasl.username = "u"
            kafka.sasl.password_file = "/no/kafka"
            ''')
        for line in ("shard 0: the secret's file /no/password", "shard 1: ssl_ca: /no/ca cannot",
                     "kafka: sasl.password_file: the secret's file /no/kafka cannot",
                     "tls_certificate_file, tls_key_file: /no/certificate: cannot",
                     "tokens_file, jwt_keys_file: /no/tokens: cannot",
                     "token_file: the secret's file /no/token cannot",
                     "ca_file: /no/certificates cannot"):
            self.assertIn("fanfold: " + line, said)

    def test_a_file_that_is_no_certificate(self):
        file = folder(self) / "other"
        file.write_text("x")
        self.assertIn("tls_certificate_file", self.check(
            f'mode = "folder"\ntls_certificate_file = "{file}"\ntls_key_file = "{file}"'))

    def test_ports_that_are_equal(self):
        wrong = "operations_port must be another than reader_port: both are 8080"
        on_servers = 'mode = "servers"\npartitions = 4\nkafka_brokers = "127.0.0.1:1"\n'
        self.assertIn(wrong, self.check('mode = "folder"\noperations_port = 8080'))
        self.assertIn(wrong, self.check(on_servers + "operations_port = 8080\nreader_port = 8080"))
        self.check(on_servers + "operations_port = 8080\nwriter_port = 8081", code=0)
        self.check('mode = "folder"\noperations_port = 8080\noperations_bind = "127.0.0.2"', code=0)
        self.assertIn("reader_port and writer_port are both 8080", self.check(
            on_servers + "reader_port = 8080\nwriter_port = 8080", code=0))


if __name__ == "__main__":
    unittest.main()
