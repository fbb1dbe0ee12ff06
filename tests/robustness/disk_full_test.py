"""The disk of the database, of Kafka, or of a folder, is full: nothing is written by halves, and all goes on when there is room."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

import faults
import fanfold
import roles
from faults import wait_until
from feeds import WORLD, Case, Feeds
from own_servers import mariadb
from tiers import rest

DISK_MIB = 512  # its temporary files are there, too
ROOM_MIB = 6
EVENTS = 150_000
STARTS_MAX = 3
# Errors of the server, and errno 28 in its words.
DISK_FULL = ("error 1114", "error 1030", "error 28", "No space left", "errno: 28", "Disk full", "is full")


def as_root(*command):
    subprocess.run([*([] if os.geteuid() == 0 else ["sudo", "-n"]), *command], check=True,
                   capture_output=True)


class LongPosts(Feeds):
    """So that a disk is full soon."""

    CONTENT = "x" * 4000


class SmallDisk(Case):
    def small_disk(self):
        home = pathlib.Path(tempfile.mkdtemp(prefix="fanfold-test-"))
        self.addCleanup(shutil.rmtree, home, ignore_errors=True)
        as_root("mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m,mode=0777", "tmpfs", str(home))
        self.addCleanup(as_root, "umount", "-l", str(home))
        return home

    def fill(self, home, room_mib=ROOM_MIB):
        """Leaves that room, by a file that can go again."""
        filler = home / "filler"
        with open(filler, "wb") as file:
            while (more := shutil.disk_usage(home).free - (room_mib << 20)) > 0:
                with contextlib.suppress(OSError):  # others write meanwhile: less is left
                    os.posix_fallocate(file.fileno(), os.fstat(file.fileno()).st_size, more)
                    break
        return filler


class DiskFull(SmallDisk):
    def check_nothing_half_written(self, made):
        for projection, count in (("following", "following_count"), ("fans", "fan_count")):
            self.assertEqual(made.sql(0, f"SELECT (SELECT SUM(n) FROM {count}_g1) - "
                                         f"(SELECT SUM(active) FROM {projection}_g1)"), [["0"]],
                             "counts equal rows")

    def looked_at(self, server, made):
        """InnoDB ends itself when a rollback too finds no room; it is started again then."""
        if not server.process.is_running():
            server.start()
        try:
            self.assertEqual(made.sql(0, f"SELECT SUM(event_offset) < {2 * EVENTS} FROM progress"),
                             [["1"]], "some are left to do")
            self.check_nothing_half_written(made)
            return True
        except subprocess.CalledProcessError:
            return False

    def check_everything_on(self, server, made, acked=()):
        """InnoDB may end itself later still, of what the full disk has left it; it is started again then."""
        def is_settled():
            if not server.process.is_running():
                server.start()
            return made.cli("wait", "--timeout", 10, check=False).returncode == 0
        for _ in range(STARTS_MAX):
            wait_until(is_settled, "all is folded", 180)
            try:
                self.check_everything(made, acked)
                return
            except subprocess.CalledProcessError:
                wait_until(lambda: not server.process.is_running(), "the database has ended")
        self.fail("the database ends itself each time")

    def test_full_and_room_again(self):
        home = self.small_disk()
        server = mariadb.Server(home, 0, None, home / "mariadb.sock", for_tests=True)
        self.addCleanup(lambda: server.process.stop(fanfold.signal.SIGKILL))
        server.start()
        made = self.deployment(mysql_sockets=[server.socket])
        self.follow(made, 1, 2)
        made.settle()
        filler = self.fill(home)
        made.cli("import", "--no-wait", "-",
                 stdin="".join(f"{n % 5000 + 10} {n + 10_000}\n" for n in range(EVENTS)))
        projectors = [self.projector(made, projection) for projection in ("following", "fans")]
        logs = [server.process.log_file, *(projector.log for projector in projectors)]
        wait_until(lambda: any(word in log.read_text(errors="replace") for log in logs
                               for word in DISK_FULL), "the disk is full", 120)
        status, _, _ = made.writer().request("PUT", "/v1/users/1/following/3")
        self.assertEqual(status, 202, "the writer needs the log alone")
        # What they have left undone stays so while it is looked at.
        for projector in projectors:
            projector.pause()
        filler.unlink()
        wait_until(lambda: self.looked_at(server, made), "the database answers")
        for projector in projectors:
            projector.signal(signal.SIGCONT)
        self.check_everything_on(server, made)
        self.assertEqual(made.sql(0, "SELECT COUNT(*) FROM following_g1"), [[str(EVENTS + 2)]])

    @rest
    def test_full_while_all_is_written_and_room_again(self):
        """Relations, posts and inboxes; the writer goes on acking."""
        home = self.small_disk()
        server = mariadb.Server(home, 0, None, home / "mariadb.sock", for_tests=True)
        self.addCleanup(lambda: server.process.stop(signal.SIGKILL))
        server.start()
        made = self.deployment(mysql_sockets=[server.socket], environment=WORLD)
        with LongPosts(made) as load:
            load.await_acks(100)
            filler = self.fill(home)
            logs = [server.process.log_file, *made.folder.glob("projector-*.log")]
            wait_until(lambda: any(word in log.read_text(errors="replace") for log in logs for word in DISK_FULL),
                       "the disk is full", 120)
            load.await_acks(100, "the writer needs the log alone")
            filler.unlink()
            self.assertEqual(set(load.answers), {202})
        self.check_everything_on(server, made, load.acked)


class LogFull(SmallDisk):
    @rest
    def test_full_and_room_again(self):
        """Kafka ends itself; what it has acked is there when it is started again."""
        home = self.small_disk()
        cluster = roles.new_cluster(home)
        self.addCleanup(lambda: cluster.nodes[0].stop(signal.SIGKILL))
        cluster.start()
        made = self.hybrid(kafka=cluster, shards=1)
        with LongPosts(made) as load:
            load.await_acks(100)
            filler = self.fill(home)
            wait_until(lambda: load.answers[503] > 3, "the writer refuses", 120)
            self.assertLess(shutil.disk_usage(home).free, ROOM_MIB << 20)
            wait_until(lambda: not cluster.nodes[0].is_running(), "Kafka has ended itself", 60)
            filler.unlink()
            cluster.start()
            load.await_acks(100, "writes are acked again", 90)
        self.assertEqual(set(load.answers) - {202, 503}, set())
        self.check_all(made, load.acked)


class FolderFull(SmallDisk):
    def room(self, made):
        checks = json.loads(made.cli("doctor", "--json", check=False).stdout)["checks"]
        return next(check for check in checks if check["name"] == "room")

    def test_full_and_room_again(self):
        made = fanfold.Embedded(start=False)
        home = self.small_disk()
        made.data = home / "data"
        made.place = ["--dir", made.data]
        self.kept(made).start()
        self.follow(made, 1, 2)
        self.assertEqual(self.room(made)["level"], "warning", "a small disk")
        filler = self.fill(home, room_mib=0)
        put = lambda to: made.writer().request(  # noqa: E731
            "PUT", f"/v1/users/1/following/{to}?wait=decided")[0]
        acked = []
        def is_refused():
            to = len(acked) + 3
            if put(to) != 200:
                return True
            acked.append(to)
            return False
        wait_until(is_refused, "nothing more is taken")
        room = self.room(made)
        self.assertEqual((room["level"], room["findings"][0]["what"].split(" are")[0]), ("problem", "0 MiB"))
        self.assertEqual(made.reader().request("GET", "/v1/users/1/following")[0], 200, "reads go on")
        filler.unlink()
        wait_until(lambda: put(1_000_000) == 200, "it is taken again")
        self.assertEqual(self.room(made)["level"], "warning")
        self.check_everything(made)
        for to in (2, *acked, 1_000_000):
            self.assertEqual(made.sql(0, f"SELECT active FROM following_g1 WHERE user_id = 1 AND target_id = {to}"),
                             [["1"]], f"1 follows {to}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
