"""Reads with a position never show less than it, from memory or from the tables, whatever lags."""

import collections
import os
import random
import signal
import threading
import time
import unittest

import fanfold
from tiers import rest

SECONDS, LONG_SECONDS = 10, float(os.environ.get("FANFOLD_FRESHNESS_SECONDS", 60))
THREADS = 4
USERS = 60          # few, so that they are in memory, and meet each other
STRANGERS = 10**6   # many, so that they are not


class Caller(threading.Thread):
    """Follows and unfollows, and reads back what it was told is in the log. Its subjects are its own,
    so it knows what must be answered."""

    def __init__(self, deployment, number, until):
        super().__init__()
        self.random = random.Random(number)
        self.number, self.until = number, until
        self.writer, self.reader = deployment.writer(), deployment.reader()
        self.follows = collections.defaultdict(dict)  # subject → object → position of the event
        self.stale, self.asked = [], 0

    def subject(self):
        return 1 + self.number + THREADS * self.random.randrange(USERS // THREADS)

    def object(self, subject):
        pool = USERS if self.random.random() < 0.7 else STRANGERS
        return self.random.choice([u for u in (self.random.randint(1, pool) for _ in range(3))
                                   if u != subject] or [USERS + 1])

    def run(self):
        try:
            while time.monotonic() < self.until:
                self.one_round()
        except Exception as error:  # shown by the test
            self.stale.append(repr(error))

    def one_round(self):
        subject = self.subject()
        known = self.follows[subject]
        object_ = self.random.choice(list(known)) if known and self.random.random() < 0.4 \
            else self.object(subject)
        follows = object_ not in known
        status, headers, body = self.writer.request(
            "PUT" if follows else "DELETE", f"/v1/users/{subject}/following/{object_}")
        if status != 202:
            raise AssertionError(f"{status} {body}")
        if follows:
            known[object_] = True
        else:
            del known[object_]
        position = headers["Fanfold-Position"]
        for path, shows in self.random.sample(list(self.questions(subject, object_)), 3):
            status, headers, body = self.reader.request_at(position, path)
            self.asked += 1
            if status != 200:
                raise AssertionError(f"{path}: {status} {body}")
            elif not shows(body, follows):
                self.stale.append(f"{path} at {position}: {'followed' if follows else 'left'}, "
                                  f"{headers['Fanfold-Lag-Ms']} ms: {str(body)[:300]}")

    def questions(self, subject, object_):
        # Newest first, so that what was followed just now is on the first page.
        listed = lambda user: lambda body, follows: follows == any(
            item["user_id"] == str(user) for item in body["items"])
        yield f"/v1/users/{subject}/following?limit=200", listed(object_)
        yield f"/v1/users/{object_}/fans?limit=200", listed(subject)
        following = lambda body, follows: follows == (
            body["items"][0]["relation"] in ("following", "friend"))
        followed = lambda body, follows: follows == (
            body["items"][0]["relation"] in ("followed_by", "friend"))
        yield f"/v1/users/{subject}/relations?to={object_}", following
        yield f"/v1/users/{object_}/relations?to={subject}", followed
        count = lambda body, _: body["following"] == len(self.follows[subject])
        yield f"/v1/users/{subject}/counts", count
        yield (f"/v1/users/{subject}/following?limit=200&viewer={subject}", listed(object_))


class FreshnessTest(fanfold.Case):
    def check(self, deployment, seconds, weather=lambda until: None):
        until = time.monotonic() + seconds
        callers = [Caller(deployment, number, until) for number in range(THREADS)]
        for caller in callers:
            caller.start()
        try:
            weather(until)
        finally:
            for caller in callers:
                caller.join()
        stale = [line for caller in callers for line in caller.stale]
        self.assertEqual(stale, [])
        self.assertGreater(sum(caller.asked for caller in callers), 200)

    def check_all_at_once(self, seconds):
        deployment = self.deployment(shards=2)
        self.check(deployment, seconds)
        reader = deployment.processes["reader"]
        self.assertGreater(reader.metric("fanfold_reader_cache_hits_total"), 0)
        self.assertGreater(reader.metric("fanfold_reader_cache_misses_total"), 0)

    def test_no_answer_is_older_than_what_was_asked_for(self):
        self.check_all_at_once(SECONDS)

    @rest
    def test_nor_in_a_long_run(self):
        self.check_all_at_once(LONG_SECONDS)

    def check_lagging(self, seconds):
        deployment = self.deployment()

        def weather(until):
            fans = deployment.processes["projector-fans-1"]
            while time.monotonic() < until:
                fans.pause()
                time.sleep(0.7)
                fans.signal(signal.SIGCONT)
                time.sleep(0.3)

        self.check(deployment, seconds, weather)

    def test_neither_while_the_fans_lag(self):
        self.check_lagging(SECONDS)

    @rest
    def test_neither_while_the_fans_lag_for_long(self):
        self.check_lagging(min(20.0, LONG_SECONDS))

    def test_a_stopped_decider_is_409_with_the_lag(self):
        deployment = self.deployment()
        writer, reader = deployment.writer(), deployment.reader()
        _, headers, _ = writer.request("PUT", "/v1/users/1/following/2")
        counts = reader.get_at(headers["Fanfold-Position"], "/v1/users/2/counts")
        self.assertEqual(counts["fans"], 1)
        deployment.processes["projector-following-1"].pause()
        _, headers, _ = writer.request("PUT", "/v1/users/3/following/2")
        status, answered, body = reader.request(
            "GET", f"/v1/users/2/fans?min_position={headers['Fanfold-Position']}&timeout_ms=400")
        self.assertEqual((status, body["code"]), (409, "position_not_reached"))
        self.assertIn("lag 1 events", body["detail"])
        self.assertGreater(int(answered["Fanfold-Lag-Ms"]), 0)
        fanfold.wait_until(lambda: int(reader.request("GET", "/v1/users/2/fans")[1][
            "Fanfold-Lag-Ms"]) > 300, "the lag is told without a position too")
        deployment.processes["projector-following-1"].signal(signal.SIGCONT)
        answer = reader.get_at(headers["Fanfold-Position"], "/v1/users/2/fans")
        self.assertEqual([item["user_id"] for item in answer["items"]], ["3", "1"])


if __name__ == "__main__":
    unittest.main()
