#!/usr/bin/env python3
"""Writes posts.jsonl.gz and profiles.jsonl beside this file: invented, and the same each time."""

import collections
import gzip
import json
import pathlib
import random

HERE = pathlib.Path(__file__).parent
AUTHORS, PROFILES = 1_500, 200
DAY_MS = 86_400_000
FROM_MS = 1_167_609_600_000  # 2007-01-01
GIVEN = "Ada Ben Cleo Dan Eva Finn Gus Hana Ivo Jun Kim Lea Max Nora Otto Pia Quin Rosa Sven Tess".split()
FAMILY = "Abel Berg Cole Diaz Ekman Ford Grau Holm Ito Jansen Keller Lund Moss Novak Ortiz".split()
STARTS = ["I have", "Today I", "Finally", "After a week we", "With help I", "Without asking anybody I"]
DID = ["merged two articles on", "wrote a first page about", "moved the discussion of", "checked the sources for",
       "reverted an edit war over", "translated the lead of", "drew a map for", "closed a long vote on"]
ABOUT = ["tide mills", "the town of Ulm", "moss", "early radio", "a lost opera", "river ferries", "the number 1729",
         "mountain huts", "apple varieties", "signal flags", "a comet of 1811", "bridges of Porto"]


def main():
    with gzip.open(HERE / "wikivote.tsv.gz", "rt") as edges:
        fans = collections.Counter(line.split()[1] for line in edges)
    draw = random.Random(1)
    authors = [user for user, _ in sorted(fans.items(), key=lambda one: (-one[1], int(one[0])))]
    lines = []
    for author in authors[:AUTHORS]:
        for post in range(1, draw.randint(2, 8)):
            content = " ".join(map(draw.choice, (STARTS, DID, ABOUT))) + "."
            lines.append({"author": author, "post_id": str(post), "content": content,
                          "at": FROM_MS + draw.randrange(365 * DAY_MS)})
    lines.sort(key=lambda line: line["at"])
    with gzip.GzipFile(HERE / "posts.jsonl.gz", "wb", mtime=0) as posts:
        for line in lines:
            posts.write((json.dumps(line) + "\n").encode())
    # Of those who wrote last, whom feeds begin with.
    last = list(dict.fromkeys(line["author"] for line in reversed(lines)))
    with open(HERE / "profiles.jsonl", "w") as profiles:
        for user in last[:PROFILES]:
            profiles.write(json.dumps({"user": user, "name": f"{draw.choice(GIVEN)} {draw.choice(FAMILY)}"}) + "\n")
    print(len(lines), "posts")


if __name__ == "__main__":
    main()
