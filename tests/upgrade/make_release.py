#!/usr/bin/env python3
"""make_release.py COMMIT BIN LOG_PUT: keeps what the release in BIN leaves behind as COMMIT.tar.xz.

On the servers of FANFOLD_TEST_SERVERS and on a folder: follows and unfollows, records that are parked,
generations of which one is read and one kept, a repair, a paused lane; then the dump of each shard, both
topics, the folder, and what was answered.
"""

import json
import os
import pathlib
import random
import sys
import tempfile

import release
from release import fanfold


def write_edges(made, rng, count, at_ms):
    """Decided and readable when this returns."""
    events = [{"type": rng.choice(["follow"] * 4 + ["unfollow"]), "at": at_ms + i,
               **dict(zip(("subject", "object"), map(str, rng.sample(release.USERS, 2))))}
              for i in range(count)]
    status, _, answer = made.writer().request("POST", "/v1/events", json.dumps({"events": events}))
    assert status == 202 and all("position" in one for one in answer["results"]), (status, answer)
    made.settle()


def live(made, break_a_count):
    rng = random.Random(87)
    write_edges(made, rng, 300, 1_700_000_000_000)
    made.cli("rebuild", "all", "--yes")
    made.cli("rebuild", "retire", "following")
    write_edges(made, rng, 60, 1_700_000_100_000)
    break_a_count("UPDATE fan_count_g2 SET n = n + 1 WHERE user_id < 25")
    made.cli("repair")
    made.cli("lane", "pause", "fans/3", "--reason", "kept for the next release")


def on_servers():
    with fanfold.Deployment(shards=release.SHARDS, partitions=release.PARTITIONS) as made:
        for partition in (1, 2):
            made.put_raw(partition, "7", b"not what anybody can read")
        live(made, lambda statement: [made.sql(shard, statement) for shard in range(release.SHARDS)])
        content = {"servers.json": json.dumps(release.shown(made)).encode()}
        made.stop_services()
        made.cli("export", "--log", made.folder / "log")
        content["log.jsonl"] = (made.folder / "log").read_bytes()
        for shard in range(release.SHARDS):
            content[f"shard{shard}.sql"] = release.database(
                made, shard, "mariadb-dump", "--skip-dump-date", "--skip-comments")
        return content


def on_a_folder(log):
    made = fanfold.Embedded(start=False)
    try:
        file = made.folder / "log.jsonl"
        file.write_bytes(log)
        made.cli("import", "--log", file)
        made.start()
        live(made, made.write_sql)
        content = {"folder.json": json.dumps(release.shown(made)).encode()}
        made.stop_services()
        return content | {f"folder/{file.name}": file.read_bytes() for file in made.data.iterdir()
                          if file.suffix == ".db"}
    finally:
        made.close()


def main():
    commit, binaries, log_put = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for binary in (*pathlib.Path(binaries).iterdir(), pathlib.Path(log_put)):
            os.symlink(binary.resolve(), pathlib.Path(folder) / binary.name)
        fanfold.BIN = pathlib.Path(folder)
        content = on_servers()
        release.write(commit, content | on_a_folder(content["log.jsonl"]))
    print(release.file_of(commit), release.file_of(commit).stat().st_size, "bytes")


if __name__ == "__main__":
    main()
