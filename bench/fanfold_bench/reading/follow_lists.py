"""Who follows whom, as the imported file says: what the reader's answers are held against."""

from pathlib import Path
from typing import Any, Callable, Optional

# A user's list: the other user, since when.
Edges = dict[int, int]
Answer = dict[str, Any]

NOBODY: Edges = {}


class FollowLists:
    def __init__(self, path: Path):
        """Of a TSV: subject object since_ms."""
        self.following: dict[int, Edges] = {}
        self.fans: dict[int, Edges] = {}
        with open(path, encoding="ascii") as file:
            for line in file:
                self.follow(*map(int, line.split("\t")))

    def follow(self, subject: int, object_: int, since: int) -> None:
        """The first since stays."""
        self.following.setdefault(subject, {}).setdefault(object_, since)
        self.fans.setdefault(object_, {}).setdefault(subject, since)

    def relation(self, user: int, other: int) -> str:
        if user == other:
            return "self"
        follows = other in self.following.get(user, NOBODY)
        followed_by = other in self.fans.get(user, NOBODY)
        if follows:
            return "friend" if followed_by else "following"
        return "followed_by" if followed_by else "none"

    def relations(self, user: int, targets: list[int]) -> Answer:
        items = [{"user_id": str(target), "relation": self.relation(user, target)}
                 for target in targets]
        return {"user_id": str(user), "items": items}

    def following_page(self, user: int, viewer: int, limit: int) -> Answer:
        return self._page_for(self.following.get(user, NOBODY), viewer, limit)

    def fans_page(self, user: int, viewer: int, limit: int) -> Answer:
        return self._page_for(self.fans.get(user, NOBODY), viewer, limit)

    def common_page(self, user: int, other: int, limit: int) -> Answer:
        others = self.following.get(other, NOBODY)
        common = {u: since for u, since in self.following.get(user, NOBODY).items() if u in others}
        return page(common, limit)

    def counts(self, user: int) -> Answer:
        following = self.following.get(user, NOBODY).keys()
        fans = self.fans.get(user, NOBODY).keys()
        return {"user_id": str(user), "following": len(following), "fans": len(fans),
                "friends": len(following & fans)}

    def _page_for(self, edges: Edges, viewer: int, limit: int) -> Answer:
        return page(edges, limit, lambda user: self.relation(viewer, user))


def page(edges: Edges, limit: int, relation: Optional[Callable[[int], str]] = None) -> Answer:
    """The first page."""
    newest = sorted(((since, user) for user, since in edges.items()), reverse=True)
    items = []
    for since, user in newest[:limit]:
        shown = {"relation": relation(user)} if relation else {}
        items.append({"user_id": str(user), "since": since, **shown})
    last = newest[limit - 1] if len(newest) > limit else None
    return {"items": items, "next_cursor": cursor(*last) if last else None}


def cursor(since: int, user: int) -> str:
    """Of a page that begins after this entry; as common/relation/cursor.h has it."""
    return f"1-{since:x}-{user:x}"
