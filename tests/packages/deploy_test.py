"""docs/DEPLOY.md, word by word, on three machines: from nothing to the first follow, one killed, one lost, all lost, another
release and back.

The machines are namespaces with systemd in them (machines.py). Their root is a copy of a Debian that the build
folder keeps, and goes with the test.
"""

import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import machines
import page
from machines import wait_until
from packages_test import BUILD, NEXT_VERSION, ROOT, next_packages, packages
from tiers import rest

NAMES = "abc"
# What a machine has before anybody does anything; the rest is the page's.
DEBIAN = ("systemd-sysv", "dbus", "procps", "iproute2", "adduser", "ca-certificates")
COMMAND_SECONDS_MAX = machines.COMMAND_SECONDS_MAX
KAFKA = "kafka_2.13-4.1.0"
# Of Apache's archive, what is called; with the variable that it takes.
KAFKA_ACLS = """#!/bin/sh
exec java $KAFKA_JVM_PERFORMANCE_OPTS -cp '/opt/kafka/libs/*' org.apache.kafka.tools.AclCommand "$@"
"""
INSTALL, SECRETS, LOG, TABLES = "1 Install", "2 Secrets", "3 The log", "4 The tables"
FANFOLD, FIRST, BACKUP = "5 Fanfold", "6 The first follow", "Back up"
AWAY, GONE, ALL_GONE = "A machine is away", "A machine is gone", "All is gone"
RELEASE, CERTIFICATES, LOGS = "Another release", "Certificates", "Logs"
USERS = 2_000
AGAIN_MAX = 3
DECIDED_SECONDS_MAX = 90
SHARDS = {"a": (0, 2), "b": (1, 3)}
PRIORITIES = {"error": "3", "warning": "4", "info": "6"}
TABLES_KEPT = ("following_g1", "fans_g1", "following_count_g1", "fan_count_g1")


def kafka_archive(folder):
    """As Apache's is laid out, of the jars that tests run."""
    tree = folder / KAFKA
    shutil.copytree(ROOT / "deploy/kafka/libs", tree / "libs", ignore=shutil.ignore_patterns("quick*"))
    (tree / "bin").mkdir()
    script = tree / "bin/kafka-acls.sh"
    script.write_text(KAFKA_ACLS)
    script.chmod(0o755)
    subprocess.run(["tar", "-C", folder, "-I", "gzip -1", "-cf", folder / f"{KAFKA}.tgz", KAFKA], check=True)
    shutil.rmtree(tree)
    return folder / f"{KAFKA}.tgz"


@unittest.skipIf(machines.why_not(), machines.why_not())
@rest
class Deploy(unittest.TestCase):
    TIMEOUT_S = 1800
    PROCESSORS = 4

    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.began = time.monotonic()
        cls.page = page.ThreeMachines()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="fanfold-machines-", dir=BUILD))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.root = cls.folder / "debian"
        machines.make_root(cls.root, DEBIAN)
        cls.say("Debian")
        (cls.root / "root/new").mkdir()
        for file in packages().values():
            shutil.copy(file, cls.root / "root")
            cls.version = file.name.split("_")[1]
        for file in next_packages().values():
            shutil.copy(file, cls.root / "root/new")
        shutil.move(kafka_archive(cls.folder), cls.root / "root")
        cls.say("packages")
        cls.install()
        (cls.root / "etc/hosts").write_text("127.0.0.1 localhost\n" + "".join(
            f"{machines.NETWORK}{number} {name}.example.com {name}\n" for number, name in enumerate(NAMES, 1)))
        cls.say("installed")
        cls.site = machines.Site(cls.folder, cls.root, NAMES)
        cls.addClassCleanup(cls.site.end)
        cls.machines = cls.site.machines
        cls.say("three machines")

    @classmethod
    def say(cls, what):
        print(f"{time.monotonic() - cls.began:6.1f} s  {what}", file=sys.stderr, flush=True)

    @classmethod
    def install(cls):
        """The page's first block, in the root that the machines share: once for all three, with the network that this one has."""
        names, (script,), _ = cls.page.block(INSTALL, 0)
        assert names == list(NAMES)
        policy = cls.root / "usr/sbin/policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 101\n")  # no systemd runs there yet
        policy.chmod(0o755)
        (cls.root / "install").write_text(script)
        ran = subprocess.run(machines.inside(cls.root, "bash", "-c", f"cd /root; {machines.TYPED}", "/install"),
                             text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                             timeout=COMMAND_SECONDS_MAX)
        assert ran.returncode == 0, ran.stdout
        policy.unlink()

    # What the page says

    def step(self, title, number, names=None, backwards=False):
        """A block on its machines, or on these; what each printed."""
        on, scripts, in_turn = self.page.block(title, number)
        on = names or on
        for script in reversed(scripts) if backwards else scripts:
            with concurrent.futures.ThreadPoolExecutor(1 if in_turn else len(on)) as pool:
                said = list(pool.map(lambda name, script=script: self.told(name, script), on))
        self.say(f"{title}, block {number + 1}, on {' '.join(on)}")
        return dict(zip(on, said))

    def told(self, name, script):
        """What a machine that is told to says; again, as the page has it, where brokers were not as far."""
        for _ in range(AGAIN_MAX):
            ran = self.machines[name].run(script, how=machines.TYPED)
            if ran.returncode == 0 or not re.search(r"^fanfold: .*_TIMED_OUT\)$", ran.stdout, re.M):
                break
            self.say(f"again, since {name} says {ran.stdout.splitlines()[-1]}")
        self.assertEqual(ran.returncode, 0, f"{name}:\n{script}\n--- said\n{ran.stdout}")
        return ran.stdout

    def steps(self, title, numbers, names=None):
        for number in numbers:
            said = self.step(title, number, names)
        return said

    def curl(self, name, path, method="GET", port=8080, token=True):
        """(status, body), of that machine's own."""
        shown = '-H "Authorization: Bearer $(cat secrets/app.token)"' if token else ""
        said = self.machines[name].run(
            f"curl -sS --cacert /etc/fanfold/ca.pem {shown} -w '\\n%{{http_code}}' -X {method} "
            f"'https://{name}.example.com:{port}{path}'").stdout
        body, _, status = said.rpartition("\n")
        return int(status) if status.isdigit() else 0, body

    def follow(self, name, subject, object_, timeout_ms=1000):
        return self.curl(name, f"/v1/users/{subject}/following/{object_}?wait=decided&timeout_ms={timeout_ms}", "PUT", 8081)

    def rows(self):
        """What must be the same after a restore; a count of 0 may have a row or none."""
        return [self.machines[name].run("".join(
            f'mariadb -N fanfold_{shard} -e "SELECT * FROM {table} {"WHERE n <> 0" if "count" in table else ""} ORDER BY 1, 2" | '
            "md5sum\n" for shard in shards for table in TABLES_KEPT), check=True).stdout
            for name, shards in SHARDS.items()]

    def users_of(self, name, schema):
        return self.machines[name].run(f'mariadb -N {schema} -e "SELECT user_id FROM following_count_g1 WHERE n > 0 LIMIT 50"',
                                       check=True).stdout.split()

    def is_equal(self):
        self.assertIn("differences: 0", self.steps(AWAY, [1])["b"])

    # The story

    def test_word_by_word(self):
        self.from_nothing()
        self.first_follow()
        self.graph()
        self.back_up()
        self.one_away()
        self.one_gone()
        self.broker_from_its_copy()
        self.another_release()
        self.other_certificates()
        self.logs()
        self.all_gone()
        self.all_is_restored()
        self.assertEqual(self.page.left, set(), "no block is left out")

    def from_nothing(self):
        self.steps(SECRETS, [0, 1])
        self.authority = self.machines["a"].fetched("/root/secrets/ca.key")
        self.secrets = self.machines["a"].fetched("/root/secrets.tar")
        for name in "bc":
            self.machines[name].bring(self.secrets)
        self.steps(SECRETS, [2, 3])
        self.log_and_tables()
        self.strangers_among_brokers()
        self.steps(FANFOLD, [0, 1, 2, 3])

    def log_and_tables(self):
        self.step(LOG, 0)
        self.await_controllers()
        self.steps(LOG, [1])
        self.step(TABLES, 0)

    def strangers_among_brokers(self):
        """A role's key lets nobody in where brokers talk."""
        for port in 9092, 9094:
            asks = f"openssl s_client -tls1_2 -connect b.example.com:{port} -CAfile /etc/fanfold/ca.pem"
            self.machines["a"].run(f"{asks} -cert /etc/kafka/broker.pem -key /etc/kafka/broker.pem", check=True)
            refused = self.machines["a"].run(f"{asks} -cert /etc/fanfold/machine.pem -key /etc/fanfold/reader/tls.key")
            self.assertIn("alert certificate unknown", refused.stdout)
            self.assertEqual(refused.returncode, 1)

    def await_controllers(self):
        """Kafka's commands wait for a minute, and a machine that is busy starts brokers for longer."""
        for name in NAMES:
            wait_until(lambda name=name: "Kafka Server started" in self.machines[name].run("journalctl --unit kafka").stdout,
                       f"the broker of {name} has started", COMMAND_SECONDS_MAX)

    def first_follow(self):
        self.assertEqual(self.curl("b", "/v1/users/1/following/2", "PUT", 8081, token=False)[0], 401)
        self.assertIn('"outcome":"followed"', self.step(FIRST, 0)["b"])
        wait_until(lambda: '"user_id":"1"' in self.step(FIRST, 1)["c"], "c shows who follows")

    def graph(self):
        self.machines["a"].run(f"fanfold generate --users {USERS} --seed 7 | fanfold import -; fanfold wait", check=True)
        self.say("a graph")

    def back_up(self):
        """Something is written between, so that the tables are older than the log."""
        self.step(BACKUP, 0)
        self.assertEqual(self.follow("a", 900_000, 1, timeout_ms=10_000)[0], 200)
        self.machines["a"].run("fanfold wait", check=True)
        self.step(BACKUP, 1)
        self.rows_backed_up = self.rows()
        self.step(BACKUP, 2)
        self.kept = {name: self.machines[name].fetched("/var/backups") for name in NAMES}

    def one_away(self):
        away, here = self.users_of("a", "fanfold_0"), self.users_of("b", "fanfold_1")
        self.assertEqual(self.curl("c", f"/v1/users/{away[0]}/following")[0], 200)  # c's reader has them in memory
        self.machines["a"].kill()
        self.say("a is killed")
        began = time.monotonic()
        wait_until(lambda: self.follow("b", here[0], 900_001)[0] == 200, "b writes, and it is decided", DECIDED_SECONDS_MAX)
        self.say(f"decided again after {time.monotonic() - began:.1f} s")
        self.assertIn("900001", self.curl("c", f"/v1/users/{here[0]}/following")[1])
        wait_until(lambda: self.follow("c", away[0], 900_002)[0] == 202, "c takes what nobody decides", DECIDED_SECONDS_MAX)
        self.assertEqual(self.curl("c", f"/v1/users/{away[0]}/following")[0], 200)
        status, body = self.curl("c", f"/v1/users/{away[1]}/following")
        self.assertEqual((status, json.loads(body)["code"]), (503, "store_unavailable"))
        self.assertIn("exit 1", self.step(AWAY, 0)["b"])
        self.machines["a"].boot()
        self.say("a is back")
        self.is_equal()
        self.assertIn("900002", self.curl("a", f"/v1/users/{away[0]}/following?limit=200")[1])

    def one_gone(self):
        rows = self.rows()
        self.machines["a"].anew()
        self.machines["a"].bring(self.secrets)
        self.steps(SECRETS, [2, 3], "a")
        for title in (LOG, TABLES, FANFOLD):
            self.step(title, 0, "a")
        self.machines["a"].bring(self.kept["a"])
        self.steps(GONE, [0, 1, 2])
        self.is_equal()
        self.assertEqual(self.rows(), rows)
        self.await_replicas()
        self.say("a is replaced")

    def await_replicas(self):
        self.machines["a"].run("fanfold_replicas", check=True)

    def broker_from_its_copy(self):
        self.machines["c"].run("systemctl stop kafka; rm -rf /var/lib/kafka/*", check=True)
        self.step(BACKUP, 3)
        self.say("the broker of c is back")

    def running(self, name):
        """unit → process, of what runs there."""
        said = self.machines[name].run("systemctl show --property=Id,MainPID 'fanfold-*' kafka", check=True).stdout
        return dict(re.findall(r"MainPID=([1-9]\d*)\nId=(\S+)", said))

    def check_release(self, version):
        for name in NAMES:
            versions = self.machines[name].run("dpkg-query -W -f '${Version}\\n' 'fanfold*'", check=True).stdout
            self.assertEqual(set(versions.split()), {version})
            old = self.machines[name].run("ls -l /proc/[0-9]*/exe 2> /dev/null | grep 'fanfold.*(deleted)'").stdout
            self.assertEqual(old, "", "every program is that of the package")
        self.assertEqual(self.follow("b", 900_003, int(time.time()), timeout_ms=10_000)[0], 200)
        self.is_equal()

    def another_release(self):
        for name in NAMES:
            self.machines[name].before = self.running(name)
            self.assertEqual(len(self.machines[name].before), 8)
        self.step(RELEASE, 0)
        for name in NAMES:
            self.assertEqual(self.running(name), self.machines[name].before, "apt restarts nothing")
        self.steps(RELEASE, [1, 2])
        self.check_release(NEXT_VERSION)
        self.step(RELEASE, 3)
        self.step(RELEASE, 2, backwards=True)
        self.check_release(self.version)

    def shown(self):
        """Certificates' ends: of Fanfold and of the broker on each machine, then of the databases."""
        ends = re.findall(r"notAfter=(.*)", self.steps(CERTIFICATES, [0])["a"])
        self.assertEqual(len(ends), 2 * len(NAMES) + len(SHARDS))
        return ends

    def other_certificates(self):
        """Of three brokers one is restarted: the others are as long."""
        before = self.shown()
        self.machines["a"].bring(self.authority)
        self.step(SECRETS, 1)
        self.secrets = self.machines["a"].fetched("/root/secrets.tar")
        for name in "bc":
            self.machines[name].bring(self.secrets)
        self.step(SECRETS, 3)
        self.step(CERTIFICATES, 1)
        self.step(CERTIFICATES, 2, "b")
        new = [old != now for old, now in zip(before, self.shown())]
        self.assertEqual(new, [True, False, True, True, True, False, True, True], "all but the brokers of a and c")
        self.assertEqual(self.follow("b", 900_005, 1, timeout_ms=10_000)[0], 200)

    def logs(self):
        said = self.steps(LOGS, [0, 1])["a"]
        self.assertRegex(said, r"\bjava\[\d+\]: ")
        self.assertRegex(said, r"fanfold\[\d+\]: .*\binit\b")
        line = json.loads(self.machines["b"].run("journalctl --unit fanfold-writer --output json --lines 1", check=True).stdout)
        told = json.loads(line["MESSAGE"])
        self.assertEqual((line["_SYSTEMD_UNIT"], line["PRIORITY"]), ("fanfold-writer.service", PRIORITIES[told["level"]]))
        self.assertEqual(told["service"], "writer")
        told = self.machines["b"].run("systemd-analyze cat-config systemd/journald.conf", check=True).stdout
        self.assertIn("\nSystemMaxUse=4G\n", told)

    def all_gone(self):
        for name in NAMES:
            self.machines[name].anew()
            self.machines[name].bring(self.secrets)
            if name != "c":
                self.machines[name].bring(self.kept[name])
        self.machines["a"].bring(self.kept["c"])
        self.say("three new machines")
        self.steps(SECRETS, [2, 3])
        self.log_and_tables()
        self.steps(FANFOLD, [0, 1])

    def all_is_restored(self):
        self.step(ALL_GONE, 0)
        self.step(GONE, 1, "ab")
        self.step(ALL_GONE, 1)
        self.step(GONE, 2)
        self.assertIn("differences: 0", self.step(ALL_GONE, 2)["a"])
        self.assertEqual(self.rows(), self.rows_backed_up)
        self.assertEqual(self.follow("c", 900_004, 1, timeout_ms=10_000)[0], 200)
        self.is_equal()


if __name__ == "__main__":
    unittest.main(verbosity=2)
