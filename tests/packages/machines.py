"""Machines of one machine: each has a network of its own on a bridge, a root of its own over one that they share, and
its own systemd.

All of it is in namespaces of one process, which ends with this one, however that ends: networks, mounts and processes go
with it. No name is taken outside but a folder's and, in the control groups, that of the folder.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "support"))

from made_once import made_once  # noqa: E402

BUILD = HERE.parents[1] / "build"
NETWORK = "10.111.0."
COMMAND_SECONDS_MAX = 300
BOOT_SECONDS_MAX = 60
# How a script is run: up to the first command that fails; or as it is typed, where what fails keeps nothing from going
# on, and of a pipe the last command alone counts. It is told all the same.
STOPS = 'set -euo pipefail; . "$0"'
TYPED = 'trap "echo failed: \\$BASH_COMMAND; failed=1" ERR; . "$0"; exit ${failed:-0}'
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# Ends when its standard input does.
SITE = """
set -e
mount --make-rprivate /
mkdir -p {folder}/cgroups
mount -t cgroup2 cgroup2 {folder}/cgroups
mkdir {folder}/cgroups/{name}
mount -t tmpfs tmpfs /run
ip link set lo up
ip link add site type bridge
ip link set site up
echo up
exec cat
"""
ALONE = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
TRIED = "mount -t cgroup2 cgroup2 /mnt && ip link add name fanfold type bridge && ip netns add fanfold"


def why_not():
    """Why there can be none here; nothing where there can."""
    if os.geteuid() != 0:
        return "machines are made by root"
    for tool in ("ip", "mmdebstrap", "nsenter", "unshare"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    tried = subprocess.run([*ALONE, "sh", "-ec", f"mount -t tmpfs tmpfs /run; {TRIED}"], text=True, capture_output=True,
                           check=False, timeout=BOOT_SECONDS_MAX)
    return f"no namespaces, networks or control groups of one's own here: {tried.stderr.strip()}" if tried.returncode else ""


def wait_until(true, what, seconds=BOOT_SECONDS_MAX, pause_s=0.2):
    deadline = time.monotonic() + seconds
    while not (result := true()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(pause_s)
    return result


class Site:
    """A bridge, and the machines on it."""

    def __init__(self, folder, lower, names):
        self.folder, self.lower = pathlib.Path(folder), lower
        script = SITE.format(folder=self.folder, name=self.folder.name)
        self.outer = subprocess.Popen([*ALONE, "sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.outer.stdout.readline() != "up\n":
            raise AssertionError("the site does not come up")
        children = pathlib.Path(f"/proc/{self.outer.pid}/task/{self.outer.pid}/children")
        self.pid = children.read_text().split()[0]
        self.machines = {name: Machine(self, name, f"{NETWORK}{number}") for number, name in enumerate(names, 1)}

    def run(self, *command, **options):
        return subprocess.run(self.command(*command), text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=COMMAND_SECONDS_MAX, **{"check": True} | options)

    def command(self, *command):
        return ["nsenter", "--target", self.pid, "--net", "--mount", "--pid", "--", *map(str, command)]

    def end(self):
        self.outer.stdin.close()
        self.outer.wait()
        for machine in self.machines.values():
            machine.booted.wait()
        # Control groups outlive what was in them.
        subprocess.run(["unshare", "--mount", "sh", "-c", 'mount -t cgroup2 cgroup2 "$1" && find "$1/$2" -depth -type d -delete',
                        "sh", self.folder / "cgroups", self.folder.name], check=True, timeout=COMMAND_SECONDS_MAX)


class Machine:
    def __init__(self, site, name, address):
        self.site, self.name, self.address = site, name, address
        self.folder = site.folder / name
        (self.folder / "root").mkdir(parents=True)
        site.run("sh", "-ec", f"""
            ip netns add {name}
            ip link add {name}.eth type veth peer name eth0 netns {name}
            ip link set {name}.eth master site
            ip -n {name} link set lo up
            ip -n {name} address add {address}/24 dev eth0
            ip -n {name} link set eth0 up""")
        self.boot()

    def boot(self):
        self.site.run("ip", "link", "set", f"{self.name}.eth", "up")
        (self.folder / "outer").unlink(missing_ok=True)
        with open(self.folder / "console", "ab") as console:
            self.booted = subprocess.Popen(self.site.command(
                "ip", "netns", "exec", self.name, HERE / "boot.sh", self.name, self.site.lower, self.folder,
                self.site.folder / "cgroups" / self.site.folder.name), stdin=subprocess.DEVNULL, stdout=console, stderr=console)
        self.pid = wait_until(self.first_process, f"{self.name} boots: see {console.name}")
        wait_until(lambda: self.run("systemctl is-system-running").stdout.strip() in ("running", "degraded"), "systemd is up")

    def first_process(self):
        """Its number in the site, once it is systemd."""
        if self.booted.poll() is not None:
            raise AssertionError(f"{self.name} does not boot:\n{(self.folder / 'console').read_text()}")
        found = self.site.run("sh", "-c", f'outer=$(cat {self.folder}/outer) && pid=$(cat /proc/$outer/task/$outer/children) '
                                          '&& grep -qx systemd /proc/${pid% }/comm && echo $pid', check=False)
        return found.stdout.strip() if found.returncode == 0 else None

    def kill(self):
        """Every process at once, and its cable."""
        self.site.run("ip", "link", "set", f"{self.name}.eth", "down")
        self.site.run("kill", "-KILL", self.pid)
        self.booted.wait()

    def run(self, script, check=False, how=STOPS):
        """As root who has just logged in. What it prints."""
        ran = self.enter(f"cat > /run/$$ && cd /root && exec bash -l -c '{how}' /run/$$ < /dev/null", script.encode())
        said = ran.stdout.decode(errors="replace")
        if check and ran.returncode:
            raise AssertionError(f"{self.name}: exit {ran.returncode}\n{script}\n--- said\n{said}")
        return subprocess.CompletedProcess(script, ran.returncode, said)

    def enter(self, command, content=b""):
        return subprocess.run(self.site.command(
            "nsenter", "--target", self.pid, "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--root", "--wd", "--",
            "env", "-i", PATH, "HOME=/root", "LANG=C.UTF-8", "bash", "-c", command), input=content, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, check=False, timeout=COMMAND_SECONDS_MAX)

    def fetched(self, *places):
        """What is there, packed, for `bring`."""
        ran = self.enter(f"tar -C / -c {' '.join(place.lstrip('/') for place in places)}")
        if ran.returncode:
            raise AssertionError(f"{self.name}: {places}: {ran.stdout[-1000:]!r}")
        return ran.stdout

    def bring(self, packed):
        ran = self.enter("tar -C / -x", packed)
        if ran.returncode:
            raise AssertionError(f"{self.name}: {ran.stdout!r}")

    def anew(self):
        """Another machine in its place, with nothing of it."""
        self.kill()
        for part in ("upper", "work", "named"):
            subprocess.run(["rm", "-rf", self.folder / part], check=True)
        self.boot()


def inside(root, *command):
    """The command that runs it there; whatever it leaves behind ends with it."""
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={root / 'proc'}",
            "chroot", root, *command]


def fetch_debian(folder):
    subprocess.run(["mmdebstrap", "--quiet", "--variant=apt", "--skip=cleanup/apt/lists",
                    '--aptopt=Acquire::Retries "3"', '--aptopt=Acquire::Languages "none"', "--dpkgopt=force-unsafe-io",
                    "bookworm", folder / "root"],
                   check=True, stdout=sys.stderr, timeout=COMMAND_SECONDS_MAX)


def make_root(root, packages=()):
    """Debian, as it comes, with these packages: a copy of the one that the build folder keeps."""
    debian = made_once(BUILD / "debian", fetch_debian)
    subprocess.run(["cp", "-a", "--reflink=auto", f"{debian}/root/.", root], check=True, timeout=COMMAND_SECONDS_MAX)
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    if packages:
        script = 'apt-get update -qq && apt-get install -qq -y --no-install-recommends "$@"'
        subprocess.run(inside(root, "sh", "-c", script, "sh", *packages), check=True, stdout=sys.stderr,
                       timeout=COMMAND_SECONDS_MAX, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"})
