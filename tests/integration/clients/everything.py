"""everything.py WRITER READER OPERATIONS FIRST_ID [TOKEN]: asks for everything by the client that
openapi-python-client made, and finds each answer to be what it should. Prints what was asked and answered,
an exchange a line: method, path, status, content type. FIRST_ID and the ids behind it are nobody's yet.
"""

import asyncio
import json
import sys
import time

from fanfold_client import AuthenticatedClient, Client
from fanfold_client.api.reader import (
    changes, common_following, counts, counts_of_many, export_fans, fans, feed, following, friends,
    get_post, history, known_fans, latest, posts, projections, relation, relations, relations_of_many,
    suggestions, unread, user, users)
from fanfold_client.api.service import healthz, log_level, metrics, openapi, readyz, root, set_log_level
from fanfold_client.api.writer import (
    append_events, append_post_events, append_user_events, delete_post, delete_user, follow, post, remove_fan,
    restore_user, set_profile, shown, unfollow)
from fanfold_client.models import (
    Batch, BatchError, BatchEvent, BatchEventType, ChangeType, DecidedOutcome, DecidedPostOutcome, Erase,
    Expansion, FeedOf, Inclusion, Logged, LoggedOfUser, LoggedPost, NewPost, NewProfile, PostBatch,
    PostBatchError, PostBatchEvent, PostBatchEventType, Problem, ProjectionState, Relation, Shown, ShownPost,
    Targets, UserBatch, UserBatchError, UserBatchEvent, UserBatchEventType, WaitFor)

REACHED_TIMEOUT_S, WAIT_MS, READ_WAIT_MS = 60, 10_000, 5_000
UNREACHED = "0:999999999999"
WAIT = {"wait": WaitFor.DECIDED, "timeout_ms": WAIT_MS}


def tell(response):
    path = response.request.url.raw_path.decode().split("?")[0]
    print(response.request.method, path, response.status_code, response.headers.get("Content-Type"))


async def tell_async(response):
    tell(response)


def client_of(url, token, hook=tell):
    options = {"base_url": url, "timeout": 30.0, "raise_on_unexpected_status": True,
               "httpx_args": {"event_hooks": {"response": [hook]}}}
    return AuthenticatedClient(token=token, **options) if token else Client(**options)


def expect(got, wanted, what=""):
    if got != wanted:
        raise AssertionError(f"{what}: {got!r}, not {wanted!r}")
    return got


def answered(response, status):
    """What was in it, which is a problem from 400 on."""
    expect(response.status_code, status, response.content[:400])
    if status >= 400:
        expect(type(response.parsed), Problem)
        expect(response.parsed.status, status)
    return response.parsed


def refused(response, status, code):
    expect(answered(response, status).code, code)


def ids(listed):
    return [item.user_id for item in listed.items]


def keys(listed):
    return [item.post_id for item in listed.items]


class Everything:
    def __init__(self, writer, reader, operations, first_id, token):
        self.urls, self.token = {"writer": writer, "reader": reader, "operations": operations}, token
        self.writer, self.reader, self.operations = (client_of(url, token) for url in self.urls.values())
        self.ann, self.bo, self.cy = (str(int(first_id) + n) for n in range(3))
        self.position = None

    def run(self):
        self.ask_service()
        self.listen()
        self.write_relations()
        self.read_relations()
        self.refuse()
        self.write_profile()
        self.write_posts()
        self.read_feed()
        self.end()

    def read(self, module, *arguments, status=200, **options):
        """Once the reader knows what was written last, however long the machine stands still."""
        deadline = time.monotonic() + REACHED_TIMEOUT_S
        while True:
            response = module.sync_detailed(
                *arguments, client=self.reader, min_position=self.position, timeout_ms=READ_WAIT_MS, **options)
            if response.status_code != 409 or time.monotonic() > deadline:
                if int(response.headers["Fanfold-Lag-Ms"]) < 0:
                    raise AssertionError(response.headers)
                return answered(response, status)

    def write(self, module, *arguments, status=202, **options):
        response = module.sync_detailed(*arguments, client=self.writer, **options)
        written = answered(response, status)
        self.position = expect(written.position, response.headers["Fanfold-Position"])
        return written

    def ask_service(self):
        for client in (self.writer, self.reader, self.operations):
            answered(healthz.sync_detailed(client=client), 200)
            answered(readyz.sync_detailed(client=client), 200)
        if "fanfold_" not in answered(metrics.sync_detailed(client=self.operations), 200):
            raise AssertionError("no series")
        level = answered(log_level.sync_detailed(client=self.operations), 200)
        expect(answered(set_log_level.sync_detailed(client=self.operations, body=level), 200), level)
        for client in (self.writer, self.reader):
            answered(root.sync_detailed(client=client), 200)
            expect(answered(openapi.sync_detailed(client=client), 200).split("\n")[0], "openapi: 3.0.3")
        there = answered(projections.sync_detailed(client=self.reader), 200).projections
        expect({one.projection for one in there}, {"following", "fans", "profiles", "posts", "feed"})
        expect({one.state for one in there if one.read}, {ProjectionState.RUNNING})

    @staticmethod
    def told(lines):
        """The next change: its id, type and data."""
        fields = {}
        for line in lines:
            if not line and "data" in fields:
                return fields["id"], fields["event"], json.loads(fields["data"])
            if line:
                fields.update([line.split(": ", 1)])
        raise AssertionError("the stream ended")

    def listen(self):
        """What is told as it comes, and again what came since."""
        asked = {"user": self.ann, "types": [ChangeType.FOLLOWED, ChangeType.UNFOLLOWED]}
        stream = self.reader.get_httpx_client().stream
        with stream(**changes._get_kwargs(**asked)) as response:
            expect(response.status_code, 200)
            lines = response.iter_lines()
            next(line for line in lines if line.startswith("id: "))
            written = self.write(follow, self.ann, self.bo, status=200, **WAIT)
            expect(written.outcome, DecidedOutcome.FOLLOWED)
            last_id, kind, change = self.told(lines)
            expect((kind, change["object"], change["position"]), ("followed", self.bo, written.position))
        written = self.write(follow, self.bo, self.ann, status=200, **WAIT)
        with stream(**changes._get_kwargs(last_event_id=last_id, **asked)) as response:
            _, kind, change = self.told(response.iter_lines())
            expect((kind, change["subject"], change["position"]), ("followed", self.bo, written.position))

    def write_relations(self):
        expect(self.write(follow, self.ann, self.bo, status=200, **WAIT).outcome, DecidedOutcome.UNCHANGED)
        self.write(follow, self.cy, self.bo)
        self.read(counts, self.cy)
        batch = Batch(events=[
            BatchEvent(type_=BatchEventType.FOLLOW, subject=self.cy, object_=self.ann),
            BatchEvent(type_=BatchEventType.FOLLOW, subject=int(self.bo), object_=int(self.cy), at=2**62),
            {"type": "nothing"}])
        results = answered(append_events.sync_detailed(client=self.writer, body=batch), 202).results
        expect([type(result) for result in results], [Logged, Logged, BatchError])
        expect(results[2].code, "invalid_argument")
        self.position = results[0].position
        self.read(counts, self.cy)
        self.position = results[1].position

    def read_relations(self):
        page = self.read(following, self.bo, limit=1, viewer=self.ann, expand=Expansion.PROFILE)
        expect([(one.user_id, one.since, one.relation, one.profile) for one in page.items],
               [(self.cy, 2**62, Relation.FOLLOWED_BY, None)])
        page = self.read(following, self.bo, limit=1, viewer=self.ann, cursor=page.next_cursor)
        expect([(one.user_id, one.relation) for one in page.items], [(self.ann, Relation.SELF)])
        expect(page.next_cursor, None)
        expect(ids(self.read(following, self.bo, offset=1)), [self.ann])
        expect(sorted(ids(self.read(fans, self.bo))), [self.ann, self.cy])
        expect(ids(self.read(friends, self.ann)), [self.bo])
        expect(ids(self.read(common_following, self.ann, with_=self.cy)), [self.bo])
        expect(ids(self.read(known_fans, self.bo, viewer=self.cy)), [self.ann])
        expect(self.read(counts, self.bo).to_dict(),
               {"user_id": self.bo, "following": 2, "fans": 2, "friends": 2})
        expect([one.fans for one in self.read(counts_of_many, ids=[self.bo, self.cy]).items], [2, 1])
        expect(self.read(relation, self.ann, self.bo).relation, Relation.FRIEND)
        expect([one.relation for one in self.read(relations, self.ann, to=[self.bo, self.cy]).items],
               [Relation.FRIEND, Relation.FOLLOWED_BY])
        expect([one.relation for one in self.read(
            relations_of_many, self.ann, body=Targets(to=[self.bo, int(self.ann)])).items],
               [Relation.FRIEND, Relation.SELF])
        expect([(one.user_id, one.score, one.via) for one in self.read(suggestions, self.ann).items],
               [(self.cy, 1, [self.bo])])
        asked = export_fans._get_kwargs(self.bo, fanfold_min_position=self.position)
        with self.reader.get_httpx_client().stream(**asked) as response:
            expect(response.status_code, 200)
            expect(sorted(json.loads(line)["user_id"] for line in response.iter_lines()), [self.ann, self.cy])
        expect(answered(export_fans.sync_detailed(self.bo, client=self.reader), 200).count("\n"), 2)
        expect(asyncio.run(counts.asyncio(
            self.bo, client=client_of(self.urls["reader"], self.token, tell_async))).fans, 2)

    def refuse(self):
        refused(following.sync_detailed(self.ann, client=self.reader, limit=201), 400, "invalid_argument")
        refused(following.sync_detailed(self.ann, client=self.reader, cursor="x"), 400, "invalid_cursor")
        refused(following.sync_detailed(self.ann, client=self.reader, min_position=UNREACHED, timeout_ms=1),
                409, "position_not_reached")
        refused(follow.sync_detailed(self.ann, self.ann, client=self.writer), 422, "self_follow")
        refused(append_events.sync_detailed(client=self.writer, body=Batch(events=[{}] * 1001)),
                422, "batch_too_large")
        refused(get_post.sync_detailed(self.ann, "1", client=self.reader), 404, "not_found")
        refused(changes.sync_detailed(client=self.reader, from_="x"), 400, "invalid_argument")
        refused(export_fans.sync_detailed("0", client=self.reader), 400, "invalid_argument")
        if self.token:
            stranger = client_of(self.urls["reader"], "nobodys")
            response = counts.sync_detailed(self.ann, client=stranger)
            refused(response, 401, "unauthenticated")
            expect(response.headers["WWW-Authenticate"].split(" ")[0], "Bearer")

    def write_profile(self):
        self.write(set_profile, self.bo, body=NewProfile(name="B", avatar_url=None))
        batch = UserBatch(events=[
            UserBatchEvent(type_=UserBatchEventType.PROFILE_SET, user=self.bo, name="Bo", bio=None, verified=True),
            None])
        results = answered(append_user_events.sync_detailed(client=self.writer, body=batch), 202).results
        expect([type(result) for result in results], [LoggedOfUser, UserBatchError])
        self.position = results[0].position
        there = self.read(user, self.bo)
        expect(there.profile.to_dict(), {"name": "Bo", "avatar_url": None, "bio": None, "verified": True})
        expect((there.deleted, there.erase, there.friends), (False, None, 2))
        expect([one.profile and one.profile.name for one in self.read(users, ids=[self.bo, self.cy]).items],
               ["Bo", None])
        expect([one.profile.name for one in self.read(friends, self.ann, expand=Expansion.PROFILE).items],
               ["Bo"])

    def write_posts(self):
        self.first, self.second, third = (self.bo + str(n) for n in range(3))
        body = NewPost(content="first", post_id=self.first, type_=7, at=1)
        written = self.write(post, self.bo, body=body, status=200, **WAIT)
        expect((written.outcome, written.post_id, written.score), (DecidedPostOutcome.POSTED, self.first, 1))
        written = self.write(post, self.ann, body=NewPost(content=""))
        expect(self.read(get_post, self.ann, written.post_id).content, "")
        batch = PostBatch(events=[
            PostBatchEvent(type_=PostBatchEventType.POST, author=self.bo, post_id=int(self.second), content="2", at=2),
            PostBatchEvent(type_=PostBatchEventType.POST, author=self.bo, post_id=third, content="3", at=3),
            None])
        results = answered(append_post_events.sync_detailed(client=self.writer, body=batch), 202).results
        expect([type(result) for result in results], [LoggedPost, LoggedPost, PostBatchError])
        self.position = results[1].position
        expect(keys(self.read(posts, self.bo)), [third, self.second, self.first])
        written = self.write(delete_post, self.bo, third, status=200, **WAIT)
        expect(written.outcome, DecidedPostOutcome.POST_DELETED)
        page = self.read(posts, self.bo, limit=1)
        expect(keys(page), [self.second])
        expect(keys(self.read(posts, self.bo, limit=1, cursor=page.next_cursor)), [self.first])
        there = self.read(get_post, self.bo, self.first)
        expect((there.author, there.score, there.type_, there.content), (self.bo, 1, 7, "first"))

    def read_feed(self):
        page = self.read(feed, self.ann, expand=Expansion.PROFILE)
        expect([(one.post_id, one.profile.name) for one in page.items], [(self.second, "Bo"), (self.first, "Bo")])
        expect((page.has_older, page.has_newer), (False, False))
        expect(self.read(feed, self.ann, after=page.after).after, page.after)
        expect(len(self.read(feed, self.ann, include=Inclusion.SELF, of=FeedOf.FRIENDS).items), 3)
        missed = self.read(unread, self.ann, since=page.after)
        expect((missed.count, missed.more), (1, False))
        expect(keys(self.read(latest, self.ann)), [self.second])
        self.write(shown, self.ann, body=Shown(items=[ShownPost(author=self.bo, post_id=self.second)]))
        expect(keys(self.read(latest, self.ann)), [])
        expect(keys(self.read(history, self.ann)), [self.second])

    def end(self):
        written = self.write(remove_fan, self.bo, self.cy, status=200, **WAIT)
        expect(written.outcome, DecidedOutcome.UNFOLLOWED)
        written = self.write(unfollow, self.ann, self.bo, status=200, **WAIT)
        expect(written.outcome, DecidedOutcome.UNFOLLOWED)
        self.write(delete_user, self.cy)
        there = self.read(user, self.cy)
        expect((there.deleted, there.profile), (True, None))
        expect(type(there.erase), Erase)
        self.write(restore_user, self.cy)
        expect(self.read(user, self.cy).deleted, False)


if __name__ == "__main__":
    Everything(*sys.argv[1:5], sys.argv[5] if len(sys.argv) > 5 else None).run()
