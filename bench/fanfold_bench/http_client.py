"""One keep-alive connection to one service, and its metrics."""

import http.client
import socket
from collections import defaultdict
from typing import Optional

from fanfold_local.errors import LocalError
from fanfold_local.ports import LOOPBACK

TIMEOUT_SECONDS = 30
JSON = {"Content-Type": "application/json"}


class HttpClient:
    def __init__(self, port: int):
        self._connection = http.client.HTTPConnection(LOOPBACK, port, timeout=TIMEOUT_SECONDS)
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def request(self, method: str, path: str, wanted_status: int,
                body: Optional[str] = None) -> tuple[str, str]:
        """The body, and the header Fanfold-Position (empty when there is none). Raises LocalError
        when another status or none came back."""
        try:
            self._connection.request(method, path, body, JSON if body else {})
            answer = self._connection.getresponse()
            text = answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            raise LocalError(f"{method} {path}: {error!r}") from error
        if answer.status != wanted_status:
            raise LocalError(f"{method} {path}: {answer.status} {text}")
        return text, answer.getheader("Fanfold-Position", "")

    def metrics(self) -> dict[str, float]:
        """Each name's sum over its series."""
        sums: dict[str, float] = defaultdict(float)
        text, _ = self.request("GET", "/metrics", 200)
        for line in text.splitlines():
            if line.startswith("#"):
                continue
            series, _, value = line.rpartition(" ")
            sums[series.partition("{")[0]] += float(value)
        return sums
