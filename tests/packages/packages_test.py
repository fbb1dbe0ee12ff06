"""The Debian packages, in a root of their own: installed, started as their users, upgraded, removed.

The root comes from Debian (mmdebstrap) and goes with the test; the machine's own packages are left alone.
"""

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

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "deploy" / "local")]

from fanfold_local.process import PROJECTIONS  # noqa: E402

BUILD = ROOT / "build"
ROLES = ("fanfold", "fanfold-writer", "fanfold-projector", "fanfold-reader")
UNITS = ("fanfold-serve", "fanfold-writer", "fanfold-reader", *(
    f"fanfold-projector-{projection}" for projection in PROJECTIONS))
COMMAND_SECONDS_MAX = 300
# Of systemd-analyze security: 10 is a unit that may do anything.
EXPOSURE_MAX = 1.5
NEXT_VERSION = "0.2.1"

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


def packages(version=None, place=None):
    """Builds them of what is built, into that folder; by the name of the package."""
    folder = place or BUILD / "packages" / (version or "now")
    shutil.rmtree(folder, ignore_errors=True)
    told = ["-D", f"CPACK_PACKAGE_VERSION={version}"] if version else []
    subprocess.run(["cpack", "--config", BUILD / "release" / "CPackConfig.cmake", "-B", folder, *told],
                   check=True, capture_output=True, timeout=COMMAND_SECONDS_MAX)
    return {file.name.split("_")[0]: file for file in folder.glob("*.deb")}


class Packages(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="fanfold-root-", dir=BUILD))
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        subprocess.run(["mmdebstrap", "--quiet", "--variant=apt", "--include=systemd,procps", "--skip=cleanup/apt/lists",
                        '--aptopt=Acquire::Retries "3"', "bookworm", cls.root],
                       check=True, capture_output=True, timeout=COMMAND_SECONDS_MAX)
        shutil.copy("/etc/resolv.conf", cls.root / "etc/resolv.conf")

    def inside(self, *command, check=True, with_network=True):
        """What it prints; whatever it leaves behind ends with it. Without a network, all ports are its own."""
        alone = [] if with_network else ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
        alone += ["unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={self.root / 'proc'}"]
        ran = subprocess.run([*alone, "chroot", self.root, *command], text=True, stdout=subprocess.PIPE, check=False,
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
        self.install(packages(NEXT_VERSION).values())
        versions = self.inside("dpkg-query", "-W", "-f", "${Version}\n", *ROLES)
        self.assertEqual(set(versions.split()), {NEXT_VERSION})
        self.assertIn("disabled", self.inside("systemctl", "is-enabled", "fanfold-reader", check=False))
        self.assertTrue((self.root / "etc/fanfold/serve.toml").exists())


if __name__ == "__main__":
    unittest.main()
