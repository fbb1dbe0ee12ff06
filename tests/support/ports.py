"""Ports for tests that run beside others."""

import random
import socket

LOOPBACK = "127.0.0.1"
# Below those that the kernel gives to outgoing connections.
LOWEST, HIGHEST = 15_000, 31_999
BLOCK = 50

_guards = []  # of the blocks that are this process's, until it ends
_left = []


def _new_block():
    """Bound to the first port of each, for UDP, which no server here takes."""
    while True:
        first = random.randrange(LOWEST, HIGHEST - BLOCK, BLOCK)
        guard = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            guard.bind((LOOPBACK, first))
        except OSError:
            guard.close()
            continue
        _guards.append(guard)
        return list(range(first, first + BLOCK))


def free_port():
    """Never the same twice, nor one of another process that asks here: whoever was given one has
    perhaps not taken it yet, or takes it again."""
    while True:
        if not _left:
            _left.extend(_new_block())
        port = _left.pop()
        with socket.socket() as probe:
            try:
                probe.bind((LOOPBACK, port))
            except OSError:
                continue
        return port
