"""Posts: on a real Kafka and a real MariaDB, and in one process."""

import json
import time
import unittest

import fanfold

AUTHOR = 7


class Posts(fanfold.Case):
    def ask(self, made, method, path, body=None, wanted=(200, 202)):
        status, headers, answer = made.writer().request(
            method, f"/v1/users/{path}", json.dumps(body) if body is not None else None)
        self.assertIn(status, wanted, answer)
        self.assertEqual(headers["Fanfold-Position"], answer["position"])
        self.assertTrue(answer["position"].startswith("post-events/"))
        return answer

    def post(self, made, author, content, **more):
        return self.ask(made, "POST", f"{author}/posts?wait=decided", {"content": content, **more}, (200,))

    def delete(self, made, author, post):
        return self.ask(made, "DELETE", f"{author}/posts/{post}?wait=decided", wanted=(200,))

    def page(self, made, author, **parameters):
        query = "&".join(f"{name}={value}" for name, value in parameters.items())
        return made.reader().get(f"/v1/users/{author}/posts?{query}")

    def contents(self, made, author, position):
        return [item["content"] for item in self.page(made, author, limit=200, min_position=position)["items"]]

    def one(self, made, author, post, position):
        return made.reader().request("GET", f"/v1/users/{author}/posts/{post}?min_position={position}")

    def differences(self, made):
        return json.loads(made.cli("verify", "--json", check=False).stdout)["differences"]

    def check_posts(self, made):
        first = self.post(made, AUTHOR, "first é\"\\'", post_id="10", at=100, type=3)
        self.assertEqual((first["outcome"], first["post_id"], first["score"]), ("posted", "10", 100))
        again = self.post(made, AUTHOR, "again", post_id="10", at=200)
        self.assertEqual((again["outcome"], again["score"]), ("unchanged", 100))
        status, _, told = self.one(made, AUTHOR, 10, again["position"])
        self.assertEqual((status, told), (200, {"author": "7", "post_id": "10", "score": 100, "type": 3,
                                                "content": "first é\"\\'"}))
        before = int(time.time() * 1000)
        made_here = self.post(made, AUTHOR, "now")
        self.assertLessEqual(abs(made_here["score"] - before), 10_000)
        late = self.post(made, AUTHOR, "late", post_id="11", at=50)
        self.assertEqual(self.contents(made, AUTHOR, late["position"]), ["now", "first é\"\\'", "late"])
        self.assertEqual(self.delete(made, AUTHOR, 77)["outcome"], "unchanged")
        gone = self.delete(made, AUTHOR, 10)
        self.assertEqual(gone["outcome"], "post_deleted")
        self.assertEqual(self.one(made, AUTHOR, 10, gone["position"])[0], 404)
        used = self.post(made, AUTHOR, "used", post_id="10")
        self.assertEqual((used["outcome"], used["score"]), ("unchanged", 100))
        free = self.post(made, AUTHOR, "free", post_id="77", at=60)
        self.assertEqual(self.contents(made, AUTHOR, free["position"]), ["now", "free", "late"])
        self.check_batches(made)
        self.check_pages(made)
        self.check_verbs(made)

    def check_batches(self, made):
        events = [{"type": "post", "author": "8", "post_id": str(n), "content": f"p{n}", "at": n % 5}
                  for n in range(1, 101)]
        events += [{"type": "delete_post", "author": "8", "post_id": "50"}, {"type": "post", "author": "8"}]
        status, _, answer = made.writer().request("POST", "/v1/post-events", json.dumps({"events": events}))
        self.assertEqual(status, 202)
        self.assertEqual([result.get("code") for result in answer["results"]],
                         [None] * 101 + ["invalid_argument"])
        self.last = answer["results"][100]["position"]
        longest = [{"type": "post", "author": "9", "content": "é" * 2048} for _ in range(1000)]  # escaped: 12 MB
        status, _, answer = made.writer().request("POST", "/v1/post-events", json.dumps({"events": longest}))
        self.assertEqual((status, len([result for result in answer["results"] if "position" in result])), (202, 1000))

    def check_pages(self, made):
        expected = [str(n) for n in sorted((n for n in range(1, 101) if n != 50),
                                           key=lambda n: (n % 5, n), reverse=True)]
        for limit in (1, 7, 99, 100):
            walked, cursor = [], ""
            while True:
                page = made.reader().get(
                    f"/v1/users/8/posts?limit={limit}&min_position={self.last}{cursor}")
                walked += [item["post_id"] for item in page["items"]]
                if page["next_cursor"] is None:
                    break
                cursor = f"&cursor={page['next_cursor']}"
            self.assertEqual(walked, expected)

    def check_verbs(self, made):
        made.cli("wait")
        self.assertEqual(self.differences(made), 0)
        before = self.page(made, 8, limit=200)
        made.cli("rebuild", "posts", "--yes")
        self.assertEqual(self.page(made, 8, limit=200), before)
        self.assertEqual(self.differences(made), 0)
        # Deciding went on to the second generation: ids are still used.
        self.assertEqual(self.post(made, AUTHOR, "again", post_id="10")["outcome"], "unchanged")
        self.assertEqual(self.post(made, AUTHOR, "new", post_id="99")["outcome"], "posted")
        made.cli("lane", "rewind", "posts", "--to", "0")
        made.settle()
        self.assertEqual(self.page(made, 8, limit=200), before)
        self.assertEqual(self.differences(made), 0)
        told = made.cli("tail", "--topic", "post-outcomes", "--from-start", "--count", "3", "--json").stdout
        values = [json.loads(line)["value"] for line in told.splitlines()]
        self.assertEqual(len(values), 3)
        self.assertNotIn("content", str(values))

        self.check_account_ends(made)

    def check_account_ends(self, made):
        status, _, answer = made.writer().request("DELETE", f"/v1/users/{AUTHOR}")
        self.assertEqual(status, 202, answer)
        account = f"/v1/users/{AUTHOR}"
        told = made.reader().get(f"{account}?min_position={answer['position']}")
        self.assertIn(told["erase"], ("running", "done"))
        fanfold.wait_until(lambda: made.reader().get(account)["erase"] == "done", "the author is erased")
        self.assertEqual(self.page(made, AUTHOR)["items"], [])
        self.assertEqual(len(self.page(made, 8, limit=200)["items"]), 99)
        status, _, answer = made.writer().request(
            "POST", f"{account}/posts?wait=decided&timeout_ms=10000", json.dumps({"content": "of nobody"}))
        self.assertEqual((status, answer["code"]), (422, "user_deleted"))
        status, _, answer = made.writer().request("POST", f"{account}/restore")
        self.assertEqual(status, 202, answer)
        made.cli("wait")  # who decides knows it by the tables
        self.assertEqual(self.post(made, AUTHOR, "again", post_id="11")["outcome"], "unchanged")
        new = self.post(made, AUTHOR, "the first of a new life", post_id="12")
        self.assertEqual(self.contents(made, AUTHOR, new["position"]), ["the first of a new life"])
        made.cli("wait")
        self.assertEqual(self.differences(made), 0)

    def test_posts_on_two_shards(self):
        self.check_posts(self.deployment(shards=2))

    def test_posts_in_one_process(self):
        self.check_posts(self.embedded())

    def check_imported(self, made):
        lines = [json.dumps({"author": "7", "post_id": str(n), "content": f"p{n}", "at": 1000 + n})
                 for n in range(1, 2001)]
        lines += ['{"author":7,"post_id":5,"delete":true}', '{"author":"7"}', "# a note", "x"]
        ran = made.cli("import", "--posts", "-", stdin="\n".join(lines) + "\n")
        self.assertIn("appended 2001, bad 2", ran.stdout)
        self.assertIn("posted 2000, post_deleted 1, unchanged 0, rejected 0", ran.stdout)
        made.cli("wait")
        page = self.page(made, 7, limit=200)
        self.assertEqual([item["post_id"] for item in page["items"]], [str(n) for n in range(2000, 1800, -1)])
        self.assertEqual(made.reader().request("GET", "/v1/users/7/posts/5")[0], 404)
        self.assertEqual(made.reader().get("/v1/users/7/posts/6")["content"], "p6")

    def test_an_import_on_two_shards(self):
        self.check_imported(self.deployment(shards=2))

    def test_an_import_in_one_process(self):
        self.check_imported(self.embedded())

    def test_a_row_changed_by_hand_is_found_and_mended(self):
        made = self.deployment(shards=2, environment={"FANFOLD_AUDIT": "off"})
        made.ends = fanfold.Ends.MENDED
        for author in (1, 2, 3):
            last = self.post(made, author, f"p{author}", post_id="1")
        made.settle()
        for shard in range(2):
            made.sql(shard, "UPDATE posts_g1 SET content = 'changed' WHERE author_id = 2")
        found = json.loads(made.cli("verify", "--json", check=False).stdout)
        self.assertEqual([(item["kind"], item["projection"], item["user_id"]) for item in found["items"]],
                         [("wrong_post", "posts", "2")])
        made.cli("repair")
        self.assertEqual(self.contents(made, 2, last["position"]), ["p2"])

    def test_a_killed_decider_decides_nothing_twice(self):
        made = self.deployment()
        posts = [self.ask(made, "POST", f"{AUTHOR}/posts", {"content": f"p{n}", "post_id": str(n), "at": n})
                 for n in range(1, 31)]
        made.processes["projector-posts-1"].kill()
        posts += [self.ask(made, "POST", f"{AUTHOR}/posts", {"content": f"p{n}", "post_id": str(n), "at": n})
                  for n in range(31, 61)]
        made.start_projector("posts", 2)
        made.settle()
        self.assertEqual(self.post(made, AUTHOR, "x", post_id="45")["outcome"], "unchanged")
        self.assertEqual(self.contents(made, AUTHOR, posts[-1]["position"]),
                         [f"p{n}" for n in range(60, 0, -1)])
        made.settle()
        self.assertEqual(self.differences(made), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
