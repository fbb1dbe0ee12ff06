"""What is answered from memory is what the tables answer, and memory stays within its bounds."""

import os
import random
import subprocess
import unittest

import fanfold

ROUNDS = int(os.environ.get("FANFOLD_CACHE_ROUNDS", 12))
USERS = 80
CACHE_MIB = 3


class CacheTest(fanfold.Case):
    def second_reader(self, deployment, *arguments):
        reader = deployment.start("reader-2", "fanfold-reader", *arguments)
        fanfold.wait_until(reader.is_ready, "the second reader is ready")
        return reader

    def test_memory_and_tables_never_differ_at_equal_positions(self):
        deployment = self.deployment(shards=2)
        tables = fanfold.Client(self.second_reader(deployment, "--cache-mib", 0).port)
        memory = deployment.reader()
        rng = random.Random(os.environ.get("FANFOLD_SEED", 5))
        compared = 0
        for _ in range(ROUNDS):
            end = self.write(deployment.writer(), rng)
            for _ in range(150):
                path = self.question(rng)
                self.assertEqual(memory.get_at(end, path), tables.get_at(end, path), path)
                compared += 1
        self.assertEqual(compared, ROUNDS * 150)
        self.assertGreater(deployment.processes["reader"].metric(
            "fanfold_reader_cache_hits_total"), compared / 4)

    def write(self, writer, rng):
        """Follows and unfollows; the positions that make all of them visible."""
        ends = {}
        for _ in range(120):
            subject, object_ = rng.sample(range(1, USERS + 1), 2)
            method = "PUT" if rng.random() < 0.7 else "DELETE"
            status, headers, body = writer.request(
                method, f"/v1/users/{subject}/following/{object_}")
            self.assertEqual(status, 202, body)
            partition, offset = headers["Fanfold-Position"].split(":")
            ends[partition] = max(ends.get(partition, 0), int(offset))
        return ",".join(f"{partition}:{offset}" for partition, offset in ends.items())

    def question(self, rng):
        a, b = rng.randint(1, USERS + 3), rng.randint(1, USERS + 3)
        limit = rng.choice([1, 3, 20, 200])
        ids = ",".join(str(rng.randint(1, USERS + 3)) for _ in range(rng.choice([1, 5, 100])))
        return rng.choice([
            f"/v1/users/{a}/following?limit={limit}&offset={rng.randint(0, 30)}",
            f"/v1/users/{a}/fans?limit={limit}&viewer={b}",
            f"/v1/users/{a}/friends?limit={limit}&viewer={b}&offset={rng.randint(0, 10)}",
            f"/v1/users/{a}/counts", f"/v1/counts?ids={ids}", f"/v1/users/{a}/relations?to={ids}",
            f"/v1/users/{a}/following/common?with={b}&limit={limit}",
            f"/v1/users/{a}/fans/known?viewer={b}&limit={limit}",
            f"/v1/users/{a}/suggestions?limit={rng.randint(1, 50)}"])

    def test_memory_is_bounded_however_many_users_are_asked_for(self):
        deployment = self.deployment()
        graph = deployment.folder / "graph.tsv"
        with open(graph, "w", encoding="utf-8") as out:
            subprocess.run([fanfold.BIN / "fanfold", "generate", "--users", "20000", "--seed", "3"],
                           stdout=out, check=True)
        deployment.cli("import", graph)
        deployment.settle()
        reader = self.second_reader(deployment, "--cache-mib", CACHE_MIB)
        before = reader.resident_bytes()
        client = fanfold.Client(reader.port)
        for first in range(1, 20_000, 100):
            ids = ",".join(map(str, range(first, first + 100)))
            self.assertEqual(len(client.get(f"/v1/counts?ids={ids}")["items"]), 100)
        self.assertLessEqual(reader.metric("fanfold_reader_cache_bytes"), CACHE_MIB << 20)
        self.assertGreater(reader.metric("fanfold_reader_cache_evictions_total"), 1_000)
        self.assertLess(reader.resident_bytes() - before, 32 << 20)


if __name__ == "__main__":
    unittest.main(verbosity=2)
