"""The verbs that an operator looks into a deployment with, on Kafka and MariaDB and on a folder."""

import json
import unittest

import fanfold


def answer(ran):
    return json.loads(ran.stdout)


class Explain(fanfold.Case):
    def tell(self, made, subject, object_, code=0):
        ran = made.cli("explain", subject, object_, "--json", check=False)
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return answer(ran)

    def write_story(self, made):
        writer = made.writer()
        positions = []
        for method, path in (("PUT", "/v1/users/1/following/2"), ("PUT", "/v1/users/1/following/2"),
                             ("PUT", "/v1/users/1/following/3"),
                             ("DELETE", "/v1/users/2/fans/1")):
            status, _, body = writer.request(method, path + "?wait=decided")
            self.assertEqual(status, 200, body)
            positions.append(body["position"])
        made.settle()
        return positions

    def check_story(self, made):
        positions = self.write_story(made)
        told = self.tell(made, "1", "2")
        self.assertEqual([(e["position"], e["type"], e["by"], e["outcome"]) for e in told["events"]], [
            (positions[0], "follow", "subject", "followed"),
            (positions[1], "follow", "subject", "unchanged"),
            (positions[3], "unfollow", "object", "unfollowed")])
        last = int(positions[3].split(":")[1])
        since = told["events"][0]["at"]
        for row, projection, user, count in zip(told["rows"], ("following", "fans"), "12", (1, 0)):
            self.assertEqual((row["projection"], row["user_id"], row["count"], row["verdict"]),
                             (projection, user, count, "agrees"))
            self.assertEqual(row["row"], {"active": False, "since": since, "version": last + 1})
            self.assertEqual(row["lane"]["state"], "running")
            self.assertGreater(row["lane"]["position"], last)
        text = made.cli("explain", "1", "2").stdout
        for part in (*positions[:2], "unfollowed", "unchanged"):
            self.assertIn(part, text)
        nothing = self.tell(made, "7", "8")
        self.assertEqual((nothing["events"], [row["row"] for row in nothing["rows"]]),
                         ([], [None, None]))

    def test_story_of_an_edge(self):
        self.check_story(self.deployment(shards=4))

    def test_story_of_an_edge_in_a_served_folder(self):
        self.check_story(self.embedded())

    def test_story_of_an_edge_in_a_folder_that_nobody_serves(self):
        made = self.embedded(start=False)
        made.cli("import", "-", stdin="1 2 500\n")
        told = self.tell(made, "1", "2")
        self.assertEqual([row["verdict"] for row in told["rows"]], ["agrees", "agrees"])
        self.assertEqual(told["rows"][1]["row"]["since"], 500)

    def test_row_changed_by_hand_is_shown_and_repair_named(self):
        made = self.deployment(shards=2)
        self.write_story(made)
        shard = next(shard for shard in range(2) if made.sql(
            shard, "SELECT 1 FROM fans_g1 WHERE user_id = 3"))
        made.sql(shard, "UPDATE fans_g1 SET since_ms = since_ms + 1 WHERE user_id = 3")
        told = self.tell(made, "1", "3", code=2)
        self.assertEqual([row["verdict"] for row in told["rows"]], ["agrees", "differs"])
        row = told["rows"][1]
        self.assertEqual(row["told"]["since"] + 1, row["row"]["since"])
        self.assertIn("fanfold repair", made.cli("explain", "1", "3", check=False).stdout)

    def test_garbage_of_the_subject_is_counted(self):
        made = self.deployment()
        home = int(self.write_story(made)[0].split(":")[0])
        made.put_raw(home, "1", b"garbage")
        made.put_raw(home, "1", b'{"v":1,"type":"follow","subject":"1","object":"2","at":1.5}')
        made.put_raw(home, "9", b"garbage")
        made.put_raw(home, "9", b'{"v":1,"type":"follow","subject":"1","object":"2","at":1}')
        made.settle()
        told = self.tell(made, "1", "2")
        self.assertEqual(told["unreadable"], 2)
        self.assertEqual((told["events"][-1]["outcome"], told["events"][-1]["reason"]),
                         ("parked", "key_mismatch"))

    def test_wrong_ids_are_told(self):
        made = self.embedded(start=False)
        for arguments in (("1", "1"), ("0", "1"), ("1", "x")):
            ran = made.cli("explain", *arguments, check=False)
            self.assertEqual(ran.returncode, 1, arguments)
            self.assertTrue(ran.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
