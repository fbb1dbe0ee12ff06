"""The log goes away, silent or gone: SIGTERM still ends every service in order and in time."""

import signal
import time
import unittest

import fanfold
from own_servers import own_kafka

# The longest a service waits: for an answer of the log, then for what it has still to give back.
STOP_SECONDS_MAX = 20


class LogAway(fanfold.Case):
    def services_stop_after(self, number):
        cluster = own_kafka(self)
        deployment = self.deployment(kafka=cluster)
        deployment.writer().request("PUT", "/v1/users/1/following/2?wait=decided")
        deployment.settle()
        cluster.nodes[0].send(number)
        # By then every service has asked the log for something that it does not answer.
        writer = deployment.processes["writer"]
        fanfold.wait_until(lambda: not writer.is_ready(), "the writer notices")
        for name in ("projector-following-1", "projector-fans-1"):
            projector = deployment.processes[name]
            fanfold.wait_until(
                lambda: not projector.is_ready() and "log: " in str(projector.readiness),
                f"{name} notices that the log is away")
        self.check_verbs_say_it_plainly(deployment)
        for process in deployment.processes.values():
            process.signal(signal.SIGTERM)
        began = time.monotonic()
        for process in deployment.processes.values():
            left = began + STOP_SECONDS_MAX - time.monotonic()
            self.assertEqual(process.popen.wait(max(left, 0.1)), 0, process.name)
        if number == signal.SIGSTOP:
            cluster.nodes[0].send(signal.SIGCONT)
        else:
            cluster.start()

    def check_verbs_say_it_plainly(self, deployment):
        for verb in ("status", "doctor"):
            ran = deployment.cli(verb, check=False)
            self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
            self.assertNotIn('"level":', ran.stderr, "no line of a log beside the answer")

    def test_sigterm_ends_every_service_when_the_brokers_are_silent(self):
        self.services_stop_after(signal.SIGSTOP)

    def test_sigterm_ends_every_service_when_the_brokers_are_gone(self):
        self.services_stop_after(signal.SIGKILL)


if __name__ == "__main__":
    unittest.main(verbosity=2)
