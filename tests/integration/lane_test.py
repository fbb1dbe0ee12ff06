"""`fanfold lane` on processes: a lane that an operator pauses stands, a resumed one goes on."""

import json
import unittest

import fanfold
from fanfold import Ends, wait_until


class LaneCase(fanfold.Case):
    def lanes(self, made, *target):
        return json.loads(made.cli("lane", "list", *target, "--json").stdout)["lanes"]

    def check_pause(self, made):
        made.cli("import", "-", stdin="".join(f"{user} 7\n" for user in range(10, 60)))
        made.settle()
        made.cli("lane", "pause", "fans", "--reason", "moving the disk")
        made.cli("import", "-", stdin="".join(f"{user} 8\n" for user in range(10, 60)))
        ran = made.cli("wait", "--timeout", "1", check=False)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("moving the disk", ran.stderr)
        states = {(lane["state"], lane["reason"]) for lane in self.lanes(made, "fans")}
        self.assertEqual(states, {("paused", "moving the disk")})
        counted = made.sql(0, "SELECT COALESCE(SUM(n), 0) FROM fan_count_g1 WHERE user_id = 8")
        self.assertEqual(counted, [["0"]])
        made.cli("lane", "resume", "fans")
        made.settle(30)
        self.assertEqual(made.reader().get("/v1/users/8/counts")["fans"], 50)
        made.check_oracle(self)

    def check_rewind(self, made):
        """Rows thrown away by hand come back from the topics."""
        made.cli("import", "-", stdin="".join(f"{user} {user + 1}\n" for user in range(10, 210)))
        made.settle()
        made.cli("lane", "rewind", "following", "--to", "0")
        made.settle(30)
        made.check_oracle(self)
        ran = made.cli("lane", "rewind", "following/0", "--to", "999999", check=False)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("can only be rewound", ran.stderr)


class Lanes(LaneCase):
    def test_paused_lanes_stand_until_resumed(self):
        self.check_pause(self.deployment(projectors=2))

    def test_pause_outlives_its_projectors(self):
        made = self.deployment()
        made.writer().request("PUT", "/v1/users/1/following/2?wait=decided")
        made.cli("lane", "pause", "following")
        made.processes["projector-following-1"].kill()
        made.start_projector("following", 2)
        wait_until(made.processes["projector-following-2"].is_ready, "a new projector", 30)
        status, _, _ = made.writer().request(
            "PUT", "/v1/users/1/following/3?wait=decided&timeout_ms=300")
        self.assertEqual(status, 202)
        made.cli("lane", "resume", "following")
        made.settle(60)
        self.assertEqual(made.reader().get("/v1/users/1/counts")["following"], 2)

    def test_rewound_lanes_fold_again(self):
        self.check_rewind(self.deployment(shards=2))

    def test_tables_emptied_by_hand_come_back_by_a_rewind(self):
        made = self.deployment()
        made.cli("import", "-", stdin="".join(f"{user} 7\n" for user in range(10, 60)))
        made.settle()
        made.cli("lane", "pause", "fans")
        made.ends = Ends.MENDED
        made.sql(0, "DELETE FROM fans_g1; DELETE FROM fan_count_g1")
        made.cli("lane", "rewind", "fans", "--to", "0")
        made.cli("lane", "resume", "fans")
        made.settle(30)
        made.check_oracle(self)
        self.assertEqual(made.sql(0, "SELECT n FROM fan_count_g1 WHERE user_id = 7"), [["50"]])

    def test_rows_of_a_rewound_lane_are_not_moved_twice(self):
        made = self.deployment()

        def follow(user):
            path = f"/v1/users/1/following/{user}?wait=decided"
            return made.writer().request("PUT", path)[1]["Fanfold-Position"]

        partition, first = follow(2).split(":")
        made.settle()
        # What this one has yet to fold, the reader keeps: enough to bring rows forward.
        made.cli("lane", "pause", f"fans/{partition}")
        last = [follow(user) for user in range(3, 23)][-1].split(":")[1]
        wait_until(lambda: made.sql(0, "SELECT event_offset FROM progress WHERE projection = 'following' "
                                       f"AND `partition` = {partition}") == [[str(int(last) + 1)]],
                   "all are decided")
        made.cli("lane", "pause", f"following/{partition}")
        made.cli("lane", "rewind", f"following/{partition}", "--to", int(first) + 4)
        self.check_follows(made, 21)
        made.cli("lane", "resume", f"following/{partition}")
        made.cli("lane", "resume", f"fans/{partition}")
        made.settle(30)
        self.check_follows(made, 21)
        made.check_oracle(self)

    def check_follows(self, made, count):
        listed = [item["user_id"] for item in made.reader().pages("/v1/users/1/following")]
        self.assertEqual((len(listed), len(set(listed))), (count, count))
        self.assertEqual(made.reader().get("/v1/users/1/counts")["following"], count)

    def test_published_ahead_as_an_earlier_build_left_it(self):
        made = self.deployment()
        follow = lambda users: made.cli("import", "--no-wait", "-", stdin="".join(f"1 {n}\n" for n in users))
        follow(range(10, 60))
        made.settle()
        made.processes["projector-following-1"].kill()
        made.sql(0, "ALTER TABLE progress DROP CONSTRAINT progress_published; "
                    "DELETE FROM schema_migrations WHERE name LIKE '0006%'; "
                    "UPDATE progress SET published_offset = event_offset + 3 "
                    "WHERE projection = 'following' AND event_offset > 0")
        made.cli("init")
        made.start_projector("following", 2)
        halted = [lane for lane in self.lanes(made, "following") if lane["state"] == "halted"]
        self.assertEqual([lane["reason"] for lane in halted], ["published_ahead"])
        self.assertIn("lane resume", halted[0]["advice"])
        follow(range(60, 70))
        made.cli("lane", "resume", f"following/{halted[0]['partition']}")
        made.settle(30)
        self.assertEqual(made.sql(0, "SELECT n FROM following_count_g1 WHERE user_id = 1"), [["60"]])
        made.check_oracle(self)


class EmbeddedLanes(LaneCase):
    def test_paused_lanes_stand_until_resumed(self):
        self.check_pause(self.embedded())

    def test_rewound_lanes_fold_again(self):
        self.check_rewind(self.embedded())

    def test_folder_that_nobody_serves(self):
        made = self.embedded(start=False)
        made.cli("import", "-", stdin="1 2\n")
        made.cli("lane", "pause", "following")
        imported = made.cli("import", "--no-wait", "-", stdin="".join(f"1 {n}\n" for n in range(3, 30)))
        self.assertIn("paused", imported.stderr)
        self.assertEqual(made.sql(0, "SELECT n FROM following_count_g1"), [["1"]])
        made.cli("lane", "resume", "following")
        self.assertEqual(made.sql(0, "SELECT n FROM following_count_g1"), [["28"]])
        made.check_oracle(self)


if __name__ == "__main__":
    unittest.main()
