"""The Debian packages, in a root of their own: installed, started as their users, upgraded, removed.

The root, a copy of a Debian that the build folder keeps, goes with the test; the machine's own packages are left alone.
"""

import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import page
from machines import BUILD, inside, make_root  # also finds tests/support

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "deploy" / "local")]

from fanfold_local.process import PROJECTIONS  # noqa: E402
from made_once import made_once  # noqa: E402

ROLES = ("fanfold", "fanfold-writer", "fanfold-projector", "fanfold-reader")
UNITS = ("fanfold-serve", "fanfold-writer", "fanfold-reader", *(
    f"fanfold-projector-{projection}" for projection in PROJECTIONS))
COMMAND_SECONDS_MAX = 300
# Of systemd-analyze security: 10 is a unit that may do anything.
EXPOSURE_MAX = 1.5
NEXT_VERSION = "0.2.1"

# BUILD FOLDER PACKAGE…: of all that cpack would pack, by what it is and not by its time.
DIGEST = """
for role in "${@:2}"; do DESTDIR=$1/$role cmake --install "$0" --prefix /usr --component $role > /dev/null; done
tar --sort=name --mtime=@0 -c -C "$1" . -C "$0" CPackConfig.cmake debian | sha256sum
"""

# A root has no systemd: what a unit would do, and what is looked at when the page's block has run.
AS_SYSTEMD = r"""
systemctl() {
  if [ $1 = stop ]; then
    kill $serve
    while kill -0 $serve 2> /dev/null; do sleep 0.1; done
    return
  fi
  install -d -o fanfold -g fanfold -m 0750 /var/lib/fanfold
  setpriv --reuid fanfold --regid fanfold --clear-groups --no-new-privs \
    $(sed -n 's/^ExecStart=//p' "/usr/lib/systemd/system/$2.service") > /root/serve.log 2>&1 &
  serve=$!
}
cd /root
FIRST
echo
curl -s -X PUT http://127.0.0.1:8080/v1/users/1/following/2
echo
ps -o user= -p $serve
BACK_UP
RESTORE
curl -sS --retry 10 --retry-connrefused -H @<(echo "Authorization: Bearer $(cat app.token)") http://127.0.0.1:8080/v1/users/1/counts
kill $serve
wait $serve
"""


@functools.cache
def what_is_packed():
    with tempfile.TemporaryDirectory(prefix="fanfold-packed-", dir=BUILD) as folder:
        return subprocess.run(["bash", "-euo", "pipefail", "-c", DIGEST, BUILD / "release", folder, *ROLES], check=True,
                              stdout=subprocess.PIPE, text=True, timeout=COMMAND_SECONDS_MAX).stdout


def pack(folder):
    subprocess.run(["cpack", "--config", BUILD / "release" / "CPackConfig.cmake", "-B", folder],
                   check=True, capture_output=True, timeout=COMMAND_SECONDS_MAX)


def pack_next(folder):
    """The same as of the next version, without cpack, which would look for the libraries of each once more."""
    for name, file in packages().items():
        tree, version = folder / name, file.name.split("_")[1]
        subprocess.run(["dpkg-deb", "--raw-extract", file, tree], check=True, timeout=COMMAND_SECONDS_MAX)
        control = tree / "DEBIAN" / "control"
        told = re.sub(rf"(?m)(^Version: |\(= ){re.escape(version)}\b", rf"\g<1>{NEXT_VERSION}", control.read_text())
        control.write_text(told)
        subprocess.run(["dpkg-deb", "-Znone", "--build", tree, folder], check=True, capture_output=True,
                       timeout=COMMAND_SECONDS_MAX)


def packages(version="now", make=pack):
    """Of what is built, by the name of the package."""
    folder = made_once(BUILD / "packages" / version, make, of=what_is_packed())
    return {file.name.split("_")[0]: file for file in folder.glob("*.deb")}


def next_packages():
    return packages(NEXT_VERSION, pack_next)


class Packages(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="fanfold-root-", dir=BUILD))
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        make_root(cls.root, ("systemd", "procps"))

    def inside(self, *command, check=True, with_network=True):
        """What it prints; whatever it leaves behind ends with it. Without a network, all ports are its own."""
        alone = [] if with_network else ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
        ran = subprocess.run([*alone, *inside(self.root, *command)], text=True, stdout=subprocess.PIPE, check=False,
                             stderr=subprocess.STDOUT, timeout=COMMAND_SECONDS_MAX,
                             env=os.environ | {"SYSTEMD_COLORS": "0", "DEBIAN_FRONTEND": "noninteractive"})
        if check:
            self.assertEqual(ran.returncode, 0, ran.stdout)
        return ran.stdout

    def install(self, files):
        for old in (self.root / "root").glob("*.deb"):
            old.unlink()
        for file in files:
            shutil.copy(file, self.root / "root")
        self.inside("sh", "-c", "cd /root && apt-get install -y -q --no-install-recommends ./*.deb")

    def check_units(self):
        enabled = self.inside("systemctl", "list-unit-files", "--no-legend", "fanfold*")
        self.assertEqual({line.split()[0]: line.split()[1] for line in enabled.splitlines()},
                         {f"{unit}.service": "enabled" for unit in UNITS})
        for unit in UNITS:
            self.assertEqual(self.inside("systemd-analyze", "verify", "--man=no", f"{unit}.service"), "")
            said = self.inside("systemd-analyze", "security", "--offline=true", "--no-pager", f"{unit}.service")
            exposure = float(re.search(r"Overall exposure level for \S+: ([0-9.]+)", said).group(1))
            self.assertLessEqual(exposure, EXPOSURE_MAX, said)

    def test_from_install_to_purge(self):
        made = packages()
        self.check_first_follow(made["fanfold"])
        self.install(made.values())
        for role in ROLES:
            self.assertIn(f"({role})", self.inside("id", role))
        self.check_units()
        self.check_upgrade()
        self.inside("apt-get", "remove", "-y", "-q", *ROLES)
        self.assertFalse((self.root / "usr/bin/fanfold").exists())
        self.inside("apt-get", "purge", "-y", "-q", *ROLES)
        self.assertEqual(self.inside("systemctl", "list-unit-files", "--no-legend", "fanfold*", check=False), "")
        for kept in ("etc/fanfold/serve.toml", "var/lib/fanfold/log.db"):
            self.assertTrue((self.root / kept).exists(), kept)

    def check_first_follow(self, package):
        """By the page, word by word."""
        shutil.copy(package, self.root / "root")
        began = time.monotonic()
        install, first, back_up, restore = page.one_machine()
        self.inside("sh", "-c", "cd /root && " + install)
        (self.root / "first.sh").write_text(AS_SYSTEMD.replace("FIRST", first).replace("BACK_UP", back_up).replace("RESTORE", restore))
        said = self.inside("bash", "/first.sh", with_network=False)
        print(f"from install to follow: {time.monotonic() - began:.1f} s, downloads counted", file=sys.stderr)
        self.assertIn('"code":"unauthenticated"', said)
        self.assertIn('"outcome":"followed"', said)
        self.assertIn("\nfanfold\n", said, "it runs as its own user")
        self.assertIn('"following":1', said, "the backup has the follow")

    def check_upgrade(self):
        self.inside("systemctl", "disable", "fanfold-reader")
        self.install(next_packages().values())
        versions = self.inside("dpkg-query", "-W", "-f", "${Version}\n", *ROLES)
        self.assertEqual(set(versions.split()), {NEXT_VERSION})
        self.assertIn("disabled", self.inside("systemctl", "is-enabled", "fanfold-reader", check=False))
        self.assertTrue((self.root / "etc/fanfold/serve.toml").exists())


if __name__ == "__main__":
    unittest.main()
