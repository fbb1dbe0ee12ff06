"""Random faults for a while under load, from a seed: kill -9, SIGSTOP and restart of anything. At the
end nothing acked is lost, every event has one outcome, the tables are what the topics say, and accounts
that were deleted have no relation left that their deletion reaches.

FANFOLD_NEMESIS_SECONDS, _SEED, _BROKERS (1 or 3) and _FAULTS (of "kill pause restart"); `make soak`
runs it longer. A seed repeats the schedule of faults, not what they meet."""

import collections
import dataclasses
import json
import os
import random
import signal
import threading
import unittest

import faults
import fanfold
from faults import (Accounts, Ends, Load, Log, accounts_that_end, differences, relations_of_ended,
                    wait_until)
from own_servers import own_kafka, own_mariadb
from tiers import rest

SECONDS = float(os.environ.get("FANFOLD_NEMESIS_SECONDS") or 60)
SEED = int(os.environ.get("FANFOLD_NEMESIS_SEED") or random.randrange(1 << 32))
BROKERS = int(os.environ.get("FANFOLD_NEMESIS_BROKERS") or 1)
FAULTS = tuple((os.environ.get("FANFOLD_NEMESIS_FAULTS") or "kill pause restart").split())

SERVICES = {"writer": ("fanfold-writer",), "reader": ("fanfold-reader",)}
PROJECTORS = [f"projector-{projection}-{number}"
              for projection in fanfold.PROJECTIONS for number in (1, 2)]
SHARDS, PARTITIONS = 2, 16
WRITE_PAUSE_S, ACCOUNTS_PAUSE_S = 0.01, 0.05


@dataclasses.dataclass(frozen=True)
class Step:
    """What happens to each of `targets`, for how long, and how long nothing happens then."""
    faults: tuple
    targets: tuple
    hold_s: float
    rest_s: float

    def __str__(self):
        what = " and ".join(f"{fault} {target}" for fault, target in zip(self.faults, self.targets))
        return f"{what} for {self.hold_s} s, then {self.rest_s} s of peace"


def schedule(seed, seconds, brokers, of=FAULTS):
    """The steps of a run; the same for the same arguments."""
    draw, left_s = random.Random(seed), seconds
    names = [*SERVICES, *PROJECTORS, *PROJECTORS, "mariadb", *(f"kafka-{n}" for n in range(brokers))]
    while left_s > 0:
        targets = tuple(dict.fromkeys(draw.choices(names, k=draw.choice((1, 1, 2)))))
        step = Step(tuple(draw.choice(of) for _ in targets), targets,
                    round(draw.choice((0.1, 1, 3, 8)) * draw.uniform(0.5, 1), 2),
                    round(draw.uniform(0.2, 3), 2))
        left_s -= step.hold_s + step.rest_s
        yield step


@rest
class Nemesis(faults.Case):
    def setUp(self):
        self.cluster, self.server = own_kafka(self, BROKERS), own_mariadb(self)
        self.made = self.deployment(kafka=self.cluster, mysql_sockets=[self.server.socket],
                                    shards=SHARDS, partitions=PARTITIONS, projectors=2)
        self.waiter = threading.Event()

    def node(self, target):
        """The server's process; None for a service."""
        if target == "mariadb":
            return self.server.process
        return self.cluster.nodes[int(target.split("-")[1])] if target.startswith("kafka") else None

    def begin(self, fault, target):
        node = self.node(target) or self.made.processes[target]
        if fault == "pause":
            (node.send if self.node(target) else node.signal)(signal.SIGSTOP)
        elif fault == "kill":
            node.stop(signal.SIGKILL) if self.node(target) else node.kill()
        elif self.node(target):
            node.stop()
        else:
            self.assertEqual(node.stop(60), 0, f"{target} ends in order")

    def end(self, fault, target):
        node = self.node(target)
        if fault == "pause":
            node.send(signal.SIGCONT) if node else self.made.processes[target].signal(signal.SIGCONT)
        elif target == "mariadb":
            self.server.start()
        elif node:
            self.cluster.start()
        elif target in SERVICES:
            self.made.start(target, *SERVICES[target])
        else:
            _, projection, number = target.split("-")
            self.made.start_projector(projection, int(number))

    def test_oracle_holds_after_random_faults(self):
        print(f"seed {SEED}, {SECONDS:.0f} s, {BROKERS} brokers", flush=True)
        done = collections.Counter()
        with (Load(self.made, pause_s=WRITE_PAUSE_S, seed=SEED) as load,
              Accounts(self.made, threads=1, pause_s=ACCOUNTS_PAUSE_S, seed=SEED) as accounts):
            load.await_acks(50)
            accounts.await_acks(20)
            for step in schedule(SEED, SECONDS, BROKERS):
                print(f"{len(load.acked)} acked: {step}", flush=True)
                begun = []
                for fault, target in zip(step.faults, step.targets):
                    self.begin(fault, target)
                    begun.append((fault, target))
                    done[fault] += 1
                self.waiter.wait(step.hold_s)
                # A server that comes back waits for the others, which must not stand still then.
                for fault, target in sorted(begun, key=lambda one: one[0] != "pause"):
                    self.end(fault, target)
                self.waiter.wait(step.rest_s)
                for process in self.made.processes.values():
                    self.assertIsNone(process.popen.poll(), f"{process.name} ended by itself")
            load.await_acks(50, "writes are acked again", 120)
        print(f"{dict(done)}; {len(load.acked)} acked; answers {dict(load.answers)}", flush=True)
        for process in self.made.processes.values():
            process.await_ready(60)
        self.made.settle(300)
        wait_until(lambda: accounts_that_end(self.made) == 0, "accounts are erased", 300)
        self.check_everything(self.made, load.acked | accounts.acked, 300)
        self.assertEqual(relations_of_ended(self.made, Log(self.made)), [])
        print("nothing acked is lost, every event has one outcome, differences: 0, no relation of a "
              "deleted account is left", flush=True)
        self.check_oracle_bites(load.acked)

    def check_oracle_bites(self, acked):
        """The control: the oracle finds an outcome that is not there, a row, and a relation that a
        deletion would have ended."""
        log = Log(self.made)
        ended, other = self.made.sql(0, "SELECT user_id, target_id FROM following_g1 WHERE active = 1 "
                                        "LIMIT 1")[0]
        late = {"type": "user_deleted", "user": other,
                "ends": {"relation-events": [1 << 62] * PARTITIONS}}
        log.records["user-events"][0].append({"offset": -1, "value": json.dumps(late)})
        self.assertIn(ended, {row[0] for row in relations_of_ended(self.made, log)})
        partition = next(iter(acked)).split(":")[0]
        log.records["relation-outcomes"][int(partition)].pop()
        with self.assertRaises(AssertionError):
            log.check_outcomes()
        self.made.check_end(self)
        self.made.ends = Ends.DIFFERENT
        self.made.sql(0, "DELETE FROM fans_g1 WHERE active = 1 LIMIT 1")
        self.assertGreater(differences(self.made), 0)


class Schedule(unittest.TestCase):
    def test_a_seed_repeats_it(self):
        self.assertEqual(list(schedule(7, 60, 3)), list(schedule(7, 60, 3)))
        self.assertNotEqual(list(schedule(7, 60, 3)), list(schedule(8, 60, 3)))

    def test_only_those_faults_that_are_asked_for(self):
        kills = [step.faults for step in schedule(7, 600, 3, of=("kill",))]
        self.assertEqual({fault for faults_ in kills for fault in faults_}, {"kill"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
