"""The console in a browser: every view, by pointer and by keys; orders given from it; who may give them."""

import contextlib
import http.client
import json
import re
import sqlite3
import subprocess
import unittest
import urllib.parse

import browser
import fanfold
from own_servers import folder

SAMPLE = fanfold.ROOT / "deploy/sample"
PICTURES = fanfold.BIN.parent / "console-pictures"
EVENT = b'{"v":1,"event_id":"foreign","type":"follow","subject":"2565","object":"7","at":777}'


def ask(port, method, path, body=None, headers=None, host=None):
    """Status, headers and text, with the very headers that are told."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with contextlib.closing(connection):
        sent = {"Host": host or f"127.0.0.1:{port}"} | ({"Content-Type": "application/json"} if body else {}) | (headers or {})
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()


def verb(port, *args, headers=None):
    """The lines of a verb that is run, or status and problem where it is not."""
    status, _, text = ask(port, "POST", "/console/verbs", json.dumps({"args": args}), headers)
    return [json.loads(line) for line in text.splitlines()] if status == 200 else (status, json.loads(text)["code"])


class ConsoleCase(fanfold.Case):
    def load_sample(self, made):
        made.cli("import", SAMPLE / "wikivote.tsv.gz")
        made.cli("import", "--posts", SAMPLE / "posts.jsonl.gz")
        made.cli("import", "--profiles", SAMPLE / "profiles.jsonl")
        made.settle()

    def look_at(self, url, **options):
        page = browser.Browser(**options)
        self.addCleanup(page.close)
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.open(url)
        return page

    def picture(self, page, name):
        page.picture(PICTURES / f"{name}.png")

    def answer_for(self, page, answers):
        """What verbs say to the page from now on, by how they are typed; a problem where it has a status. Others are
        run. What was asked stands in `window.asked`."""
        page.run("""
            const [answers] = arguments;
            window.real ??= window.fetch;
            window.asked = [];
            window.fetch = async (path, options) => {
              const typed = options.body ? JSON.parse(options.body).args.join(" ") : path;
              window.asked.push(typed);
              const answer = answers[typed];
              if (answer === undefined) return window.real(path, options);
              if (answer.status) return new Response(JSON.stringify(answer), { status: answer.status });
              return new Response(`${JSON.stringify({ out: JSON.stringify(answer) })}\\n{"exit":${answer.exits ?? 0}}\\n`);
            };""", answers)

    def check_quiet(self, page, *but):
        """No script failed, nothing was refused by the policy, nothing was missing."""
        self.assertEqual([told for told in page.complaints() if not any(part in told for part in but)], [])


class Views(ConsoleCase):
    # What each shows of the sample.
    SHOWN = {
        "overview": ("#/", ("lanes run", "records parked", "Doctor", "durability")),
        "user": ("#/user/2565", ("2565", "Following", "Fans", "Relation to user")),
        "fans": ("#/user/4037/fans", ("followed by", "story")),
        "friends": ("#/user/2565/friends", ("friend",)),
        "feed": ("#/user/2565/feed", ("post ",)),
        "posts": ("#/user/4037/posts", ("post ",)),
        "edge": ("#/edge/2565/4037", ("followed", "unfollowed", "agrees", "partition")),
        "lanes": ("#/lanes", ("following", "Lanes that stand", "Every lane")),
        "generations": ("#/generations", ("folding", "Rebuild fans")),
        "parked": ("#/parked", ("Nothing is parked",)),
        "graph": ("#/graph/2565", ("both follow", "The same as a table")),
    }

    def test_each_on_the_sample_light_and_dark(self):
        made = self.embedded()
        self.load_sample(made)
        writer = made.writer()
        for method in ("DELETE", "PUT"):
            writer.request(method, "/v1/users/2565/following/4037?wait=decided")
        url = f"http://127.0.0.1:{made.processes['serve'].port}/console/"
        page = self.look_at(url)
        for scheme in ("light", "dark"):
            page.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            back = page.run("return getComputedStyle(document.body).backgroundColor")
            self.assertEqual(sum(map(int, re.findall(r"\d+", back))) < 200, scheme == "dark", back)
            for name, (place, words) in self.SHOWN.items():
                with self.subTest(view=name, scheme=scheme):
                    page.open(url + place)
                    for word in words:
                        page.await_text(word, "main")
                    self.assertEqual(page.run("return document.querySelectorAll('.failed').length"), 0)
                    self.picture(page, f"{name}-{scheme}")
        self.check_quiet(page)
        self.check_phone(page, url)
        self.check_details(page, url)

    # What sticks out to the right, but for what is scrolled by itself.
    STICKS_OUT = """return [...document.querySelectorAll('header *, main *')].filter((one) => !one.closest('.scrolled, svg, .unseen, .skip')
        && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 120))"""

    def check_phone(self, page, url):
        page.command("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
        for name, (place, words) in self.SHOWN.items():
            with self.subTest(phone=name):
                page.open(url + place)
                for word in words:
                    page.await_text(word, "main")
                self.picture(page, f"{name}-phone")
                self.assertEqual(page.run(self.STICKS_OUT), [])
                self.assertLessEqual(page.run("return document.documentElement.scrollWidth"), 390)
                zones = page.run("return [...document.querySelectorAll('main time')].map((one) => one.textContent.slice(-4))")
                self.assertLessEqual(set(zones), {" UTC"})
        page.open(url + "#/lanes")
        page.click("button[aria-label='Pause feed']")
        page.find("#why")
        self.assertLessEqual(page.run("const asked = document.querySelector('dialog'); return asked.scrollWidth - asked.clientWidth"), 0)
        page.keys(browser.ESCAPE)
        page.command("Emulation.clearDeviceMetricsOverride")

    def check_details(self, page, url):
        page.open(url + "#/")
        page.await_text("who voted most", "main")
        page.open(url + "#/edge/2565/4037")
        page.await_text("unfollowed", "main")
        page.click("summary[data-focus='about Events of the edge']")
        page.await_text("What was decided about it", "main")
        self.assertEqual(page.run("return [...document.querySelectorAll('.story .event')].map((e) => e.classList[1])"),
                         ["followed", "unfollowed", "followed"])
        self.assertEqual(page.run("return document.querySelectorAll('.story .row.agrees').length"), 2)
        page.open(url + "#/graph/2565")
        page.find(".graph .node.self")
        nodes = page.run("return document.querySelectorAll('.graph .node').length")
        self.assertTrue(10 < nodes <= 60, nodes)
        page.open(url + "#/user/2565")
        page.find("button.more")
        # Asked for once however often it is clicked.
        self.assertTrue(page.run("const more = document.querySelector('button.more'); more.click(); return more.disabled"))
        fanfold.wait_until(lambda: page.run("return document.querySelectorAll('tbody tr').length") == 40, "a second page")
        page.run("document.querySelector('button.more').focus()")
        page.keys(browser.ENTER)
        fanfold.wait_until(lambda: page.run("return document.querySelectorAll('tbody tr').length") == 60, "a third page")
        self.assertEqual(page.run("return document.activeElement.dataset.focus"), "more", "keys go on from there")
        page.type("#other", "4037" + browser.ENTER)
        page.await_text("2565 → 4037", "main")
        for wrong, words in (("#/user/0", "no such view"), ("#/nothing", "no such view"), ("#/user/99999999", "is the id right?"), ("#/user/%", "no such view")):
            page.open(url + wrong)
            page.await_text(words, "main")
        self.check_quiet(page)

    def test_the_overview_says_which_lanes_stand(self):
        made = self.embedded()
        page = self.look_at(f"http://127.0.0.1:{made.processes['serve'].port}/console/#/lanes")
        page.await_text("Every lane", "main")

        def read(**lanes):
            return {"projection": "fans", "read": True, "lag_events": 0, "lag_ms": 0} | lanes
        for projections, kind, words in (
                ([read(lanes=16, running=16, lanes_expected=16)], "good", "16/16 lanes run"),
                ([read(lanes=12, running=12, lanes_expected=16)], "bad", "12/16 4 lanes stand"),
                ([read(lanes=16, running=15, lanes_expected=16)], "bad", "15/16 1 lane stands"),
                ([read(lanes=16, running=16, lanes_expected=16), read(lanes=0, running=0, lanes_expected=16)], "bad", "16/32 16 lanes stand"),
                ([read(lanes=0, running=0, lanes_expected=16)], "bad", "0/16 no lane has started"),
                ([read(lanes=16, running=16, lanes_expected=16) | {"read": False}], "bad", "0/0 no lane has started"),
                ([], "bad", "0/0 no lane has started")):
            self.answer_for(page, {"status": {"projections": projections}})
            page.run("location.hash = '#/'")
            page.await_text("records parked", "main")
            self.assertEqual(page.run("return document.querySelector('.tile').className"), f"tile {kind}", words)
            self.assertEqual(" ".join(page.text(".tile").split()), words)
            page.run("location.hash = '#/lanes'")
            page.await_text("Every lane", "main")
        self.check_quiet(page)

    def test_a_list_that_cannot_be_read_says_nothing_of_its_user(self):
        made = self.embedded()
        made.cli("import", "-", stdin="1 2\n")
        made.settle()
        page = self.look_at(f"http://127.0.0.1:{made.processes['serve'].port}/console/#/")
        page.await_text("records parked", "main")
        read = "read?of=" + urllib.parse.quote("/v1/users/1/posts?limit=20", safe="")
        self.answer_for(page, {read: {"status": 403, "code": "forbidden", "detail": "the token is not for posts:read"}})
        page.run("location.hash = '#/user/1/posts'")
        page.await_text("not for posts:read", "main")
        self.assertNotIn("He has published nothing", page.text("main"))
        self.check_quiet(page)

    def test_by_keys_alone(self):
        made = self.embedded()
        made.cli("import", "-", stdin="1 2\n2 1\n1 3\n")
        made.settle()
        page = self.look_at(f"http://127.0.0.1:{made.processes['serve'].port}/console/")
        page.await_text("Overview", "main")

        def place():
            return page.run("return location.hash")

        page.keys("/")
        page.keys("1", browser.ENTER)
        page.await_text("User 1", "main")
        self.assertEqual(place(), "#/user/1")
        page.keys("/")
        page.keys(*"x", browser.ENTER)
        page.await_text("One id, two ids", "header")
        page.keys(browser.ESCAPE)
        page.run("document.getElementById('search-text').value = ''")
        page.keys("/")
        page.keys(*"1 2", browser.ENTER)
        page.await_text("1 → 2", "main")
        for key, words in (("l", "Every lane"), ("g", "Generations"), ("p", "Parked records"), ("u", "User 1"), ("r", "Round user 1"), ("h", "Doctor")):
            page.keys("g")
            page.keys(key)
            page.await_text(words, "main")
        page.keys("?")
        page.await_text("light or dark", "dialog")
        page.keys(browser.ESCAPE)
        fanfold.wait_until(lambda: not page.run("return document.querySelector('dialog')"), "the dialog is left")
        before = page.run("return document.documentElement.dataset.theme ?? ''")
        page.keys("t")
        self.assertNotEqual(page.run("return document.documentElement.dataset.theme"), before)
        # From the heading on, what can be done is reached by Tab and shows that it is.
        page.keys("g")
        page.keys("u")
        page.await_text("User 1", "main")
        page.keys(browser.TAB)
        self.assertEqual(page.run("return document.activeElement.textContent"), "Surroundings")
        self.assertNotEqual(page.run("return getComputedStyle(document.activeElement).outlineStyle"), "none")
        page.keys(browser.ENTER)
        page.await_text("Round user 1", "main")
        self.check_quiet(page)

    def test_on_a_small_screen_and_while_nobody_answers(self):
        made = self.embedded()
        made.cli("import", "-", stdin="1 2\n3 1\n")
        made.writer().request("DELETE", "/v1/users/4")
        made.settle()
        url = f"http://127.0.0.1:{made.processes['serve'].port}/console/"
        page = self.look_at(url + "#/user/1", width=500, height=800)
        page.await_text("User 1", "main")
        self.assertLessEqual(page.run("return document.documentElement.scrollWidth - innerWidth"), 0)
        self.picture(page, "user-small")
        page.open(url + "#/")
        page.await_text("Doctor", "main")
        self.assertNotIn("sample", page.text("main"))
        for place, words in (("2", "User 2 follows nobody."), ("3/fans", "Nobody follows user 3."), ("1/friends", "Nobody whom user 1 follows follows back."),
                             ("1/feed", "Nobody whom user 1 follows has published anything."), ("2/feed", "User 2 follows nobody, so there is nothing to read."),
                             ("1/posts", "User 1 has published nothing."), ("4", "The account of user 4"), ("5", "they have no profile: is the id right?")):
            page.open(url + "#/user/" + place)
            page.await_text(words, "main")
        page.run("location.hash = '#/user/1'")
        page.await_text("User 1", "main")
        made.processes["serve"].stop()
        page.run("location.hash = '#/parked'")
        page.await_text("Fanfold does not answer", "main")
        self.picture(page, "away")
        made.start()


class Words(unittest.TestCase):
    def test_a_user_is_they(self):
        for file in sorted((fanfold.ROOT / "cli" / "console" / "page").glob("*.*")):
            self.assertIsNone(re.search(r"\b(he|him|his)\b", file.read_text(encoding="utf-8"), re.I), file.name)


class Orders(ConsoleCase):
    def url(self, made):
        return f"http://127.0.0.1:{made.processes['serve'].port}/console/"

    def read_generation(self, made, projection):
        told = json.loads(made.cli("rebuild", "status", "--json").stdout)["generations"]
        return [one["generation"] for one in told if one["projection"] == projection and one["read"]]

    def test_a_rebuild_is_started_and_promoted(self):
        made = self.embedded()
        self.load_sample(made)
        page = self.look_at(self.url(made) + "#/generations")
        page.click("section:nth-of-type(2) .heading button")
        page.await_text("start fans", "#dock")
        page.await_text("has caught up", "#dock", 120)
        page.await_text("done", "#dock")
        self.picture(page, "rebuild")
        # It goes on, and its card stays, while another view is looked at.
        page.click("#nav a[href='#/lanes']")
        page.await_text("Every lane", "main")
        page.click("#nav a[href='#/generations']")
        promote = "button[aria-label='Promote fans, generation 2']"
        page.click(promote)
        page.await_text("Promote generation 2 of fans?", "dialog")
        self.picture(page, "promote-asked")
        page.keys(browser.ENTER)  # whoever is asked has the focus on leaving it
        fanfold.wait_until(lambda: not page.run("return document.querySelector('dialog')"), "left")
        self.assertEqual(self.read_generation(made, "fans"), [1])
        page.click(promote)
        page.click("#confirm")
        page.await_text("promote fans", "#dock")
        fanfold.wait_until(lambda: self.read_generation(made, "fans") == [2], "generation 2 is read", 120)
        page.find("button[aria-label='Roll back fans, generation 1']")
        page.await_text("done", "#dock")
        self.picture(page, "promoted")
        self.check_quiet(page)

    def test_a_rebuild_that_is_stopped_goes_on_where_it_was(self):
        made = self.embedded()
        self.load_sample(made)
        port = made.processes["serve"].port
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("POST", "/console/verbs", json.dumps({"args": ["rebuild", "start", "fans", "--rate", "2000"]}),
                           {"Content-Type": "application/json"})
        answer = connection.getresponse()
        first = json.loads(answer.readline())
        self.assertTrue(first.get("out") or first.get("progress"), first)
        connection.sock.close()
        answer.close()
        connection.close()

        def is_over():
            text = made.reader().request("GET", "/metrics")[2]
            return "fanfold" in text and verb(port, "rebuild", "start", "fans")[-1] == {"exit": 0}
        fanfold.wait_until(is_over, "another may go on with it", 60, 0.2)
        self.assertEqual(verb(port, "rebuild", "promote", "fans")[-1], {"exit": 0})
        self.assertEqual(self.read_generation(made, "fans"), [2])

    def test_a_parked_record_is_replayed_and_dropped(self):
        made = self.embedded(start=False)
        made.cli("import", "-", stdin="2565 99\n")
        home = json.loads(made.cli("explain", "2565", "99", "--json").stdout)["partition"]
        with contextlib.closing(sqlite3.connect(made.data / "log.db")) as log, log:
            for key in (b"2565", b"garbage"):
                table = f"events_{(home + 1) % 16}"
                offset, = log.execute(f"SELECT coalesce(max(offset), -1) + 1 FROM {table}").fetchone()
                log.execute(f"INSERT INTO {table} (offset, appended_ms, key, value) VALUES (?, 1, ?, ?)",
                            (offset, key, EVENT if key == b"2565" else b"garbage"))
        made.start()
        stray, garbage = f"{(home + 1) % 16}:0", f"{(home + 1) % 16}:1"
        page = self.look_at(self.url(made) + "#/parked")
        page.await_text(stray, "main")
        self.picture(page, "parked-two")
        self.assertFalse(page.run(f"return document.querySelector(\"button[aria-label='Replay {garbage}']\")"), "nobody can read it")
        self.assertNotIn("Replay all", page.text("main"))
        page.click(f"a[href='#/parked/{stray}']")
        page.await_text(r'\"event_id\":\"foreign\"', "main")
        self.picture(page, "parked-record")
        which = f"parked replay {stray} --projection following --dry-run"
        self.answer_for(page, {which: {"status": 403, "code": "forbidden", "detail": "not with this token"}})
        page.click(f"button[aria-label='Replay {stray}']")
        page.await_text("not with this token", "dialog")
        page.keys(browser.ESCAPE)
        fanfold.wait_until(lambda: not page.run("return document.querySelector('dialog')"), "the dialog is left")
        self.answer_for(page, {})
        page.click(f"button[aria-label='Replay {stray}']")
        page.await_text("would replay", "dialog")
        self.picture(page, "replay-asked")
        page.click("#confirm")
        page.await_text(f"{stray}: replayed as {home}:", "#dock")
        made.settle()
        self.assertIn("7", [item["user_id"] for item in made.reader().pages("/v1/users/2565/following")])
        page.click(f"button[aria-label='Drop {garbage}']")
        page.click("#confirm")
        fanfold.wait_until(lambda: garbage not in page.text("main"), "it is gone")
        page.click(f"button[aria-label='Drop {stray}']")
        page.click("#confirm")
        page.await_text("Nothing is parked", "main")
        self.assertEqual(page.run("return location.hash"), "#/parked")
        self.check_quiet(page)

    def test_lanes_are_paused_and_resumed(self):
        made = self.embedded()
        made.cli("import", "-", stdin="1 2\n")
        made.settle()
        page = self.look_at(self.url(made) + "#/lanes")
        page.click("button[aria-label^='fans/3, running']")
        page.find(".lanes-row > article button[aria-label='Pause fans/3']")  # where one looks
        page.click("article button[aria-label='Pause fans/3']")
        page.type("#why", "lunch")
        page.click("#confirm")
        page.find("button[aria-label^='fans/3, paused']")
        page.await_text("lunch", "main")
        self.assertEqual(page.run("return document.activeElement.dataset.focus"), "order chosen fans/3", "where it was")
        self.picture(page, "lane-paused")
        page.click("article button[aria-label='Resume fans/3']")
        page.await_text("lunch", "dialog")
        page.keys(browser.ENTER)  # whoever is asked has the focus on leaving it
        fanfold.wait_until(lambda: not page.run("return document.querySelector('dialog')"), "left")
        page.find("button[aria-label^='fans/3, paused']")
        page.click("article button[aria-label='Resume fans/3']")
        page.click("#confirm")
        page.find("button[aria-label^='fans/3, running']")
        page.await_text("None: every lane runs", "main")
        self.check_what_cannot_be_looked_at(page)
        self.check_quiet(page)

    def check_what_cannot_be_looked_at(self, page):
        """It is said once, with a way on; nobody is asked for a token again and again."""
        page.run("document.getElementById('follow').checked = false")
        self.answer_for(page, {"status --all": {"status": 500, "code": "internal", "detail": "it broke"}})
        page.click("button[aria-label='Pause feed']")
        page.click("#confirm")
        page.await_text("it broke", "main")
        self.answer_for(page, {"lane resume feed --generation 1": {"exits": 2}})
        page.click(".failed button")
        page.click("button[aria-label='Resume feed']")
        page.click("#confirm")
        page.await_text("not finished", "#dock")
        self.answer_for(page, {"status --all": {"status": 401, "code": "unauthenticated", "detail": "revoked"}})
        page.run("document.getElementById('follow').checked = true")
        page.await_text("Show a token", "dialog")
        page.keys(browser.ESCAPE)
        fanfold.wait_until(lambda: not page.run("return document.getElementById('follow').checked"), "it looks no longer")
        page.await_text("revoked", "main")
        self.answer_for(page, {})
        page.click(".failed button")
        page.await_text("Lanes that stand", "main")


    def test_which_lanes_are_resumed_is_told_before(self):
        made = self.embedded()
        page = self.look_at(self.url(made))
        page.await_text("records parked", "main")

        def lane(partition, state, **more):
            return {"projection": "fans", "generation": 1, "shard": 0, "partition": partition, "state": state, "reason": "",
                    "role": "applies", "position": 1, "end": 1, "lag_events": 0, "lag_ms": 0, "owner": "", "owner_epoch": 1,
                    "updated_ms": 1} | more
        lanes = [lane(0, "running"), lane(1, "paused", reason="lunch"), lane(2, "paused", reason="lunch"), lane(3, "halted", reason="gap"),
                 lane(4, "halted", reason="of another one", generation=2)]
        advice = {"advice": "Mend the gap, then `fanfold lane resume fans/3`."}
        sums = {"projection": "fans", "generation": 1, "read": True, "lanes": 4, "running": 1, "halted": 1, "lanes_expected": 4,
                "lag_events": 0, "lag_ms": 0}
        order = "lane resume fans --generation 1"
        self.answer_for(page, {"status --all": {"shards": 1, "failures": [], "projections": [sums], "lanes": lanes},
                               "lane list": {"lanes": [one | advice for one in lanes if one["reason"] == "gap"]}, order: {"lanes": []}})
        page.run("location.hash = '#/lanes'")
        page.click("button[aria-label='Resume fans']")
        for words in ("fans/1, fans/2: lunch", "fans/3: gap", "Mend the gap", "halts again"):
            page.await_text(words, "dialog")
        for words in ("fans/0", "fans/4", "of another one"):
            self.assertNotIn(words, page.text("dialog"))
        self.picture(page, "resume-asked")
        page.keys(browser.ENTER)
        fanfold.wait_until(lambda: not page.run("return document.querySelector('dialog')"), "left")
        self.assertNotIn(order, page.run("return window.asked"))
        page.click("button[aria-label='Resume fans']")
        page.click("#confirm")
        page.await_text("resume fans", "#dock")
        self.assertIn(order, page.run("return window.asked"))
        self.check_quiet(page)


class Guarded(ConsoleCase):
    def test_pages_of_others_give_no_orders(self):
        made = self.embedded(environment={"FANFOLD_ORIGINS": "https://app.example"})
        port = made.processes["serve"].port
        self.assertEqual(verb(port, "lane", "list")[-1], {"exit": 0})
        own = {"Origin": f"http://127.0.0.1:{port}"}
        self.assertEqual(verb(port, "lane", "list", headers=own)[-1], {"exit": 0})
        for origin in ("http://evil.example", "null", "https://app.example", f"http://localhost:{port}"):
            self.assertEqual(verb(port, "lane", "list", headers={"Origin": origin}), (403, "origin_refused"), origin)
        body = json.dumps({"args": ["status"]})
        self.assertEqual(ask(port, "POST", "/console/verbs", body, host="evil.example")[0], 400)  # DNS rebinding
        self.assertEqual(ask(port, "POST", "/console/verbs", body, {"Content-Type": "text/plain"})[0], 415)
        self.assertEqual(ask(port, "GET", "/console/", host="evil.example")[0], 400)

    def test_what_a_page_may_not_ask(self):
        made = self.embedded()
        port = made.processes["serve"].port
        for args in (["status", "--dir", "/"], ["import", "/etc/passwd"], ["serve"], ["export", "--log", "/tmp/x"], ["init"],
                     ["status", "--kafka-brokers", "x:1"], ["rebuild", "fans"], ["doctor", "--fix"], ["token", "list"]):
            self.assertEqual(verb(port, *args), (403, "forbidden"), args)
        self.assertEqual(verb(port, "stauts"), (400, "invalid_argument"))
        for target in ("/metrics", "/v1/changes", "/v1/%2563hanges", "/v1/users/1/fans/%2565xport", "http://evil/", "//evil/v1/"):
            self.assertEqual(ask(port, "GET", f"/console/read?of={target}")[0], 400, target)

    def test_the_page_takes_nothing_from_elsewhere(self):
        made = self.embedded()
        port = made.processes["serve"].port
        status, headers, text = ask(port, "GET", "/console/")
        self.assertEqual(status, 200)
        policy = headers["Content-Security-Policy"]
        for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "form-action 'none'"):
            self.assertIn(part, policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual((headers["X-Content-Type-Options"], headers["Referrer-Policy"]), ("nosniff", "no-referrer"))
        self.assertNotIn("http://", text.replace("http://www.w3.org", ""))
        self.assertEqual(ask(port, "GET", "/console")[1]["Location"], "/console/")
        self.assertIn("/console/verbs:", ask(port, "GET", "/openapi.yaml")[2])

    def test_where_tokens_are_asked_for(self):
        tokens, operations = folder(self) / "tokens.json", fanfold.free_port()

        def make(scopes):
            return subprocess.run([fanfold.BIN / "fanfold", "token", "make", "--scopes", scopes, "--tokens-file", tokens],
                                  capture_output=True, text=True, check=True).stdout.strip()
        operator, looker = make("operate,relations:read,profiles:read"), make("relations:read,profiles:read")
        made = self.embedded(environment={"FANFOLD_ACCESS": "tokens", "FANFOLD_TOKENS_FILE": str(tokens),
                                          "FANFOLD_OPERATIONS_PORT": str(operations)})
        made.cli("import", "-", stdin="1 2\n")
        made.settle()
        api = made.processes["serve"].port
        self.assertEqual(ask(api, "GET", "/console/", headers={"Authorization": f"Bearer {operator}"})[0], 404)
        # Loopback or not: a page is no secret, a verb is not for everybody on the machine.
        self.assertEqual(ask(operations, "GET", "/console/")[0], 200)
        self.assertEqual(ask(operations, "GET", "/log_level")[0], 200)
        for path in ("/console/verbs", "/%63onsole/verbs"):
            self.assertEqual(ask(operations, "POST", path, '{"args":["status"]}')[0], 401, path)
        self.assertEqual(verb(operations, "status", headers={"Authorization": f"Bearer {looker}"}), (403, "forbidden"))
        self.assertEqual(verb(operations, "status", headers={"Authorization": f"Bearer {operator}"})[-1], {"exit": 0})
        counts = "/console/read?of=/v1/users/1/counts"
        self.assertEqual(ask(operations, "GET", counts)[0], 401)
        self.assertEqual(ask(operations, "GET", counts, headers={"Authorization": f"Bearer {looker}"})[0], 200)
        self.assertEqual(ask(operations, "GET", "/console/read?of=/v1/users/1/feed", headers={"Authorization": f"Bearer {looker}"})[0], 403)
        self.check_page_asks(f"http://127.0.0.1:{operations}/console/", operator)

    def check_page_asks(self, url, token):
        page = self.look_at(url + "#/user/1")
        page.await_text("Show a token", "dialog")
        self.picture(page, "token-asked")
        page.type("#token", "no…token" + browser.ENTER)
        self.assertEqual(page.run("const it = document.querySelector('#token'); const why = it.validity.patternMismatch; it.value = ''; return why"), True)
        page.type("#token", "wrong" + browser.ENTER)
        page.await_text("Show a token", "dialog")
        fanfold.wait_until(lambda: page.run("return document.querySelector('#token')?.value") == "", "asked again")
        page.type("#token", token + browser.ENTER)
        page.await_text("User 1", "main")
        self.assertEqual(page.run("return [Object.values(sessionStorage), Object.values(localStorage), document.cookie]"), [[token], [], ""])
        page.keys("g")
        page.keys("l")
        page.await_text("Every lane", "main")
        self.check_quiet(page, "401")

    def test_a_verb_that_changes_something_is_told_to_the_machine(self):
        """Nothing of it is in the answers: that the line says who is the unit tests' affair."""
        made = self.embedded()
        lines = verb(made.processes["serve"].port, "lane", "pause", "fans", "--reason", "lunch")
        self.assertEqual({lane["reason"] for lane in json.loads(lines[0]["out"])["lanes"]}, {"lunch"})
        self.assertEqual(verb(made.processes["serve"].port, "lane", "resume", "fans")[-1], {"exit": 0})


class OfItsOwn(ConsoleCase):
    """`fanfold console`."""

    def start(self, made, *more):
        command = subprocess.Popen([fanfold.BIN / "fanfold", "console", "--port", "0", *map(str, made.place), *more],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=made.environment)

        def end():
            command.terminate()
            command.wait(20)
            command.stdout.close()
            command.stderr.close()
        self.addCleanup(end)
        return command, command.stdout.readline().strip()

    def check(self, made):
        command, url = self.start(made)
        self.assertRegex(url, r"^http://127\.0\.0\.1:\d+/console/#token=\w+$")
        port, token = int(re.search(r":(\d+)/", url)[1]), url.split("=")[1]
        self.assertEqual(ask(port, "POST", "/console/verbs", '{"args":["status"]}')[0], 401)
        self.assertEqual(ask(port, "GET", "/console/read?of=/v1/users/1/counts")[0], 401)
        shown = {"Authorization": f"Bearer {token}"}
        self.assertEqual(verb(port, "status", headers=shown)[-1], {"exit": 0})
        self.assertEqual(verb(port, "status", headers=shown | {"Origin": "http://evil.example"}), (403, "origin_refused"))
        page = self.look_at(url)
        page.await_text("lanes run", "main")
        self.assertNotIn(token, page.run("return location.href"))
        page.open(url.split("#")[0] + "#/user/1")
        page.await_text("User 1", "main")
        page.open(url.split("#")[0] + "#/edge/1/2")
        page.await_text("agrees", "main")
        self.check_quiet(page)
        command.terminate()
        self.assertEqual(command.wait(20), 0)

    def test_of_a_served_folder(self):
        made = self.embedded()
        made.cli("import", "-", stdin="1 2\n")
        made.settle()
        self.check(made)

    def test_of_a_folder_whose_serve_stops_and_comes_back(self):
        made = self.embedded()
        made.cli("import", "-", stdin="1 2\n")
        made.settle()
        _, url = self.start(made)
        port, shown = int(re.search(r":(\d+)/", url)[1]), {"Authorization": f"Bearer {url.split('=')[1]}"}
        self.assertEqual(verb(port, "status", headers=shown)[-1], {"exit": 0})
        made.processes["serve"].stop()
        for args in (["status"], ["lane", "pause", "fans"]):
            said, ended = verb(port, *args, headers=shown)
            self.assertIn("nobody serves", said["said"])
            self.assertEqual(ended, {"exit": 3})
        made.start()
        self.assertEqual(verb(port, "status", headers=shown)[-1], {"exit": 0})

    def test_of_servers(self):
        made = self.deployment(shards=2)
        made.cli("import", "-", stdin="1 2\n")
        made.settle()
        self.check(made)

    def test_of_a_folder_that_nobody_serves(self):
        made = self.embedded(start=False)
        made.cli("init")
        command, url = self.start(made)
        self.assertEqual((command.wait(20), url), (3, ""))
        self.assertIn("fanfold serve", command.stderr.read())


if __name__ == "__main__":
    unittest.main()
