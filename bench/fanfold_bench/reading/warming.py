"""Brings users' lists into the reader's memory."""

from concurrent.futures import ThreadPoolExecutor

from ..http_client import HttpClient

# Of one request to /v1/counts, for which both lists of each are needed.
USERS_A_REQUEST = 100
CONNECTIONS = 8


def ask_for_all(port: int, users: list[int]) -> None:
    """Returns when each of them was asked for."""
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        shares = [users[i::CONNECTIONS] for i in range(CONNECTIONS)]
        for asked in [pool.submit(_ask, port, share) for share in shares]:
            asked.result()


def _ask(port: int, users: list[int]) -> None:
    client = HttpClient(port)
    for start in range(0, len(users), USERS_A_REQUEST):
        ids = ",".join(map(str, users[start:start + USERS_A_REQUEST]))
        client.request("GET", f"/v1/counts?ids={ids}", 200)
