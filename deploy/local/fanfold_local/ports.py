"""TCP ports of the loopback interface."""

import random
import socket

from .errors import LocalError

LOOPBACK = "127.0.0.1"
# Below Linux's default range for outgoing connections, so that none of those takes a chosen port.
FREE_PORT_LOWEST = 20000
FREE_PORT_HIGHEST = 32000
FREE_PORT_TRIES = 200


def is_free(port: int, host: str = LOOPBACK) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def free_ports(count: int) -> list[int]:
    chosen: list[int] = []
    for _ in range(FREE_PORT_TRIES):
        port = random.randint(FREE_PORT_LOWEST, FREE_PORT_HIGHEST)
        if port not in chosen and is_free(port):
            chosen.append(port)
        if len(chosen) == count:
            return chosen
    raise LocalError(f"no {count} free ports between {FREE_PORT_LOWEST} and {FREE_PORT_HIGHEST}")
