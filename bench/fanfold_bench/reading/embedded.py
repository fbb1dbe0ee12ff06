"""A process of the embedded mode, to be asked."""

from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from fanfold_local.ports import LOOPBACK, free_ports
from fanfold_local.process import Process
from fanfold_local.services import Service, environment

from ..cpu import pin, server_core
from .load import Target


@contextmanager
def served(binaries: Path, home: Path, data: Path, *options: str) -> Iterator[Target]:
    """`fanfold serve` on the folder `data`, on the server's core, while the context lasts; its log and
    pid are in `home`. Its operators' port does without TLS and tokens."""
    port, operations = free_ports(2)
    command = [str(binaries / "fanfold"), "serve", "--dir", str(data), "--port", str(port),
               "--operations-port", str(operations), *options]
    service = Service(Process(home, "embedded"), command, LOOPBACK, operations, "")
    service.process.start(command, {**environment(), "FANFOLD_AUDIT": "off"})
    try:
        service.wait_ready()
        pid = int(service.process.pid_file.read_text())
        pin(pid, server_core())
        yield Target("serve", pid, port, {}, operations)
    finally:
        service.process.stop()
