"""Real graphs through real processes, every figure of truth.json answered over HTTP."""

import concurrent.futures
import gzip
import json
import pathlib
import unittest

import fanfold

MASK = 2**64 - 1
IDS_PER_COUNTS = 100


def file_of(graph):
    """What the repository has itself is never missing."""
    folder = fanfold.ROOT / "deploy/sample" if graph == "wikivote" else fanfold.DATA
    return folder / f"{graph}.tsv.gz"


def truth_of(graph):
    if graph == "wikivote":
        return json.loads(pathlib.Path(__file__).with_name("wikivote.truth.json").read_text())
    return json.loads((fanfold.DATA / "truth.json").read_text())[graph]


def edges_of(graph):
    return edges_of_file(file_of(graph))


def edges_of_file(path):
    with gzip.open(path, "rt") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                subject, object_, *_ = line.split()
                yield int(subject), int(object_)


def counts_of(reader, users):
    """UserCounts of all users by id."""
    answers = {}
    for start in range(0, len(users), IDS_PER_COUNTS):
        ids = ",".join(map(str, users[start:start + IDS_PER_COUNTS]))
        for item in reader.get(f"/v1/counts?ids={ids}")["items"]:
            answers[int(item["user_id"])] = item
    return answers


def following_of(deployment, users):
    """user → the followed ids, in the order of the user's list; read by four connections at once."""
    def read(part):
        reader = deployment.reader()
        return {user: [int(i["user_id"]) for i in reader.pages(f"/v1/users/{user}/following")]
                for user in part}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        parts = pool.map(read, [users[n::4] for n in range(4)])
    return {user: listed for part in parts for user, listed in part.items()}


class GraphCase(fanfold.Case):
    def needs(self, graph):
        """bitcoin-otc must not be copied into the repository (its README)."""
        if not file_of(graph).exists():
            self.skipTest(f"{file_of(graph)} is not here")

    def check_graph(self, graph, deployment):
        self.needs(graph)
        truth = truth_of(graph)
        imported = json.loads(deployment.cli("import", file_of(graph), "--json").stdout)
        self.assertEqual(imported["appended"], truth["lines"])
        deployment.settle()
        users = sorted({user for edge in edges_of(graph) for user in edge})
        self.assertEqual(len(users), truth["nodes"])
        counts = counts_of(deployment.reader(), users)
        self.check_counts(truth, counts)
        self.check_lists(truth, deployment, [u for u in users if counts[u]["following"]])
        deployment.check_oracle(self)

    def check_counts(self, truth, counts):
        for user, expected in truth["per_node"].items():
            answered = {k: v for k, v in counts[int(user)].items() if k != "user_id"}
            self.assertEqual(answered, expected, f"counts of {user}")
        self.assertEqual(sum(c["following"] for c in counts.values()), truth["edges"])
        self.assertEqual(sum(c["fans"] for c in counts.values()), truth["edges"])
        self.assertEqual(sum(c["friends"] for c in counts.values()), truth["reciprocal_edges"])
        self.assertEqual(truth["reciprocal_edges"], 2 * truth["friend_pairs"])
        self.assertEqual(sum(c["following"] > 0 for c in counts.values()),
                         truth["nodes_following_someone"])
        self.assertEqual(sum(c["fans"] > 0 for c in counts.values()), truth["nodes_with_fans"])
        self.assertEqual(max(c["following"] for c in counts.values()), truth["max_out"][1])
        self.assertEqual(counts[truth["max_out"][0]]["following"], truth["max_out"][1])
        self.assertEqual(counts[truth["max_in"][0]]["fans"], truth["max_in"][1])
        most_fans = sorted(counts, key=lambda u: -counts[u]["fans"])[:5]
        self.assertEqual([[u, counts[u]["fans"]] for u in most_fans], truth["top5_in"])

    def check_lists(self, truth, deployment, following_someone):
        listed = following_of(deployment, following_someone)
        checksum = sum((s * 1000003 + o) * 2654435761 & MASK for s in listed for o in listed[s])
        self.assertEqual(checksum & MASK, truth["edge_checksum"])
        reader = deployment.reader()
        for a, b, n in truth["common_following"]:
            items = list(reader.pages(f"/v1/users/{a}/following/common?with={b}", limit=50))
            self.assertEqual(len(items), n, f"common following of {a} and {b}")
        for a, b, n in truth["following_who_follow"]:
            items = list(reader.pages(f"/v1/users/{b}/fans/known?viewer={a}", limit=50))
            self.assertEqual(len(items), n, f"fans of {b} known to {a}")
        for user in (truth["max_in"][0], truth["max_out"][0]):
            fans = [int(i["user_id"]) for i in reader.pages(f"/v1/users/{user}/fans")]
            self.assertEqual(sorted(fans), sorted(s for s in listed if user in listed[s]))
            friends = {int(i["user_id"]) for i in reader.pages(f"/v1/users/{user}/friends")}
            self.assertEqual(friends, set(fans) & set(listed.get(user, [])))


class Graphs(GraphCase):
    def test_wikivote_on_four_shards(self):
        self.check_graph("wikivote", self.deployment(shards=4, partitions=16))

    def test_bitcoin_otc_on_four_shards(self):
        self.check_graph("bitcoin-otc", self.deployment(shards=4, partitions=16))


class LimitCase(GraphCase):
    LIMIT = 50

    def check_limit(self, graph, deployment):
        """Against a model: of each subject's follows, in the file's order, the first 50 count."""
        self.needs(graph)
        model = {}
        for subject, object_ in edges_of(graph):
            kept = model.setdefault(subject, {})
            if len(kept) < self.LIMIT:
                kept.setdefault(object_)
        deployment.cli("import", file_of(graph))
        deployment.settle()
        listed = following_of(deployment, sorted(model))
        for subject, kept in model.items():
            self.assertEqual(set(listed[subject]), set(kept), f"following of {subject}")
        fans = {}
        for subject, kept in model.items():
            for object_ in kept:
                fans[object_] = fans.get(object_, 0) + 1
        counts = counts_of(deployment.reader(), sorted(fans))
        self.assertEqual({u: c["fans"] for u, c in counts.items()}, fans)
        deployment.check_oracle(self)


class FollowLimit(LimitCase):
    def test_wikivote_with_a_limit_of_50_on_four_shards(self):
        self.check_limit("wikivote", self.deployment(shards=4, partitions=16, follow_limit=self.LIMIT))


if __name__ == "__main__":
    unittest.main(verbosity=2)
