"""What an earlier release left behind, and what it answered: made by make_release.py, opened by
upgrade_test.py."""

import io
import json
import pathlib
import subprocess
import sys
import tarfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

import fanfold  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SHARDS, PARTITIONS = 2, 16
USERS = range(1, 25)
YOUNGER = ("profiles", "posts", "feed")  # projections, than the releases
# Of a verb's answer, what a restart and the passing of time leave as it is.
KEPT = {"projection", "generation", "partition", "shard", "state", "reason", "role", "read", "position",
        "offset", "record_offset", "next_offset", "event_id", "detail", "decides"}


def shown(made):
    """What one sees of a deployment that stands still: path or verb → answer, without ages and owners."""
    reader = made.reader()
    answers = {}

    def get(path):
        answers[path] = reader.get(path)
        if answers[path].get("next_cursor"):
            answers[path]["next_cursor"] = unchecked(answers[path]["next_cursor"])
        return answers[path]

    for user in USERS:
        for end in ("following", "fans", "friends", "following/common?with=1", "fans/known?viewer=2",
                    "suggestions"):
            path = f"/v1/users/{user}/{end}"
            if end == "suggestions":
                get(path)
                continue
            page = get(f"{path}{'&' if '?' in path else '?'}limit=7")
            while page["next_cursor"]:
                page = get(f"{path}{'&' if '?' in path else '?'}limit=7&cursor={page['next_cursor']}")
        get(f"/v1/users/{user}/counts")
        get(f"/v1/users/{user}/relations?to={','.join(map(str, USERS))}")
    for verb in (("lane", "list"), ("parked", "list"), ("rebuild", "status"), ("verify",)):
        answers[" ".join(verb)] = kept(json.loads(made.cli(*verb, "--json").stdout))
    return answers


def unchecked(cursor):
    """As releases before gave it out, and as it is still taken: without the check at its end."""
    return cursor[1:cursor.rindex("-")] if cursor.startswith("c") else cursor


def kept(answer):
    if isinstance(answer, list):
        return [kept(item) for item in answer if item.get("projection") not in YOUNGER]
    if not isinstance(answer, dict):
        return answer
    return {name: kept(value) if isinstance(value, (dict, list)) else value
            for name, value in answer.items() if isinstance(value, (dict, list)) or name in KEPT}


def database(made, shard, tool, *arguments, **options):
    return subprocess.run(
        [tool, "--no-defaults", f"--socket={made.socket_of(shard)}", "-uroot", *arguments,
         made.schemas[shard]], check=True, capture_output=True, **options).stdout


def file_of(name):
    return HERE / f"{name}.tar.xz"


class Files:
    """Those of one release, in memory."""

    def __init__(self, name):
        with tarfile.open(file_of(name)) as archive:
            self.content = {member.name: archive.extractfile(member).read()
                            for member in archive if member.isfile()}

    def answers(self, kind):
        return json.loads(self.content[f"{kind}.json"])

    def unpack(self, prefix, folder):
        folder.mkdir(parents=True)
        for name, content in self.content.items():
            if name.startswith(f"{prefix}/"):
                (folder / name.removeprefix(f"{prefix}/")).write_bytes(content)


def write(name, content):
    with tarfile.open(file_of(name), "w:xz", preset=9) as archive:
        for path, data in sorted(content.items()):
            member = tarfile.TarInfo(path)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
