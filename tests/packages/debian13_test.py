"""Debian 13: a newer compiler, and newer libraries. This tree passes `make check` there, and its programs log in by SCRAM,
which Debian 12's librdkafka is too old for.

The root is kept, with all that install.sh installs, until either is another one; so is what is built there.
"""

import pathlib
import subprocess
import sys
import unittest
import unittest.mock

import machines

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests" / folder) for folder in ("integration", "support")]

import fanfold  # noqa: E402
import roles  # noqa: E402
from fanfold_local import kafka  # noqa: E402
from made_once import made_once  # noqa: E402
from own_servers import folder, own_kafka, own_mariadb  # noqa: E402
from tiers import rest  # noqa: E402

HOME = ROOT / "build" / "debian13"
INSTALL_SECONDS_MAX = 3600
CHECK_SECONDS_MAX = 4500
PROGRAMS = ("fanfold", "fanfold-writer", "fanfold-projector", "fanfold-reader")
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}
# Whatever a command leaves behind ends with it, and it with this process.
TOGETHER = ("setpriv", "--pdeathsig", "KILL", "unshare", "--pid", "--fork", "--kill-child")
MECHANISM = "SCRAM-SHA-512"
REFUSED = f"invalid credentials with SASL mechanism {MECHANISM}"


def fetch_debian13(home):
    """Debian, where no package starts a server."""
    subprocess.run(["mmdebstrap", "--quiet", "--variant=apt", "--include=make", "--dpkgopt=force-unsafe-io",
                    '--aptopt=Acquire::Retries "3"', "trixie", home / "root"], check=True, timeout=INSTALL_SECONDS_MAX)
    policy = home / "root/usr/sbin/policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    inside(home / "root", "sh", "-c", "deploy/install.sh && apt-get clean", seconds=INSTALL_SECONDS_MAX)


def entering(root, *command):
    return [ROOT / "tests/packages/enter.sh", root, HOME / "build", f"{compilers_cache()}-debian13", *command]


def compilers_cache():
    return subprocess.run(["ccache", "--get-config", "cache_dir"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def inside(root, *command, seconds):
    with open(HOME / "said", "w+") as said:
        ran = subprocess.run([*TOGETHER, *entering(root, *command)], stdin=subprocess.DEVNULL,
                             stdout=said, stderr=said, check=False, timeout=seconds, env=ENVIRONMENT)
        said.seek(0)
        if ran.returncode:
            raise AssertionError(f"{command}: exit {ran.returncode}\n{said.read()[-20_000:]}")


class Scram(roles.Cluster):
    """Where roles log in by SCRAM, and by nothing else."""

    def _make_storage(self, index):
        kafka.Cluster._make_storage(self, index, *(
            f"--add-scram={MECHANISM}=[name={roles.USERS}{role},password={roles.password(role)}]" for role in roles.ROLES))

    def _properties(self, index):
        return super()._properties(index) | {
            "sasl.enabled.mechanisms": MECHANISM,
            f"listener.name.roles.{MECHANISM.lower()}.sasl.jaas.config":
                "org.apache.kafka.common.security.scram.ScramLoginModule required;"}


@rest
@unittest.skipIf(machines.why_not(), machines.why_not())
class Debian13(fanfold.Case):
    TIMEOUT_S = 5400
    PROCESSORS = 4

    @classmethod
    def setUpClass(cls):
        cls.root = made_once(HOME / "debian", fetch_debian13, (ROOT / "deploy/install.sh").read_text()) / "root"

    def programs(self):
        """A folder of what runs them there."""
        bin_ = folder(self)
        for name in PROGRAMS:
            (bin_ / name).write_text('#!/bin/sh\nexec {} "$@"\n'.format(
                " ".join(map(str, entering(self.root, f"build/release/bin/{name}")))))
            (bin_ / name).chmod(0o755)
        return bin_

    def test_check(self):
        inside(self.root, "make", "check", seconds=CHECK_SECONDS_MAX)

    def test_scram(self):
        inside(self.root, "make", "build", seconds=CHECK_SECONDS_MAX)
        self.enterContext(unittest.mock.patch.object(fanfold, "BIN", self.programs()))
        kafka.fetch()
        made = self.deployment(kafka=own_kafka(self, make=Scram), mysql_sockets=[own_mariadb(self).socket],
                               more={"kafka.sasl.mechanism": MECHANISM})
        status, _, answer = made.writer().request("PUT", "/v1/users/1/following/2")
        self.assertEqual(status, 202, answer)
        self.assertEqual(made.reader().get_at(answer["position"], "/v1/users/1/counts")["following"], 1)
        wrong = made.folder / "wrong"
        wrong.write_text("wrong")
        refused = made.start("refused", "fanfold-writer", "--kafka-sasl-password-file", wrong)
        fanfold.wait_until(lambda: REFUSED in refused.log.read_text(), f"the log says {REFUSED}")
        self.assertFalse(refused.is_ready())


if __name__ == "__main__":
    unittest.main(verbosity=2)
