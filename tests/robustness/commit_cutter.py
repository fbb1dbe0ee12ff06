"""Stands between a client and the database and cuts connections at their COMMIT."""

import socket
import threading

# Three bytes of length, the packet's number, COM_QUERY.
COMMIT = b"\x07\x00\x00\x00\x03COMMIT"
CHUNK = 1 << 16


class CommitCutter:
    """Of each `every` COMMITs one is forwarded and its answer kept back, one is not forwarded: the
    client cannot tell which. `cut_after` and `cut_before` count them."""

    def __init__(self, socket_path, every):
        self.path, self.every = str(socket_path), every
        self.commits = self.cut_after = self.cut_before = 0
        self.cutting, self.lock = True, threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.path)
            answers = threading.Event()
            answers.set()
            threading.Thread(target=self.forward, args=(server, client, answers), daemon=True).start()
            threading.Thread(target=self.listen, args=(client, server, answers), daemon=True).start()

    def forward(self, server, client, answers):
        """Answers; those that come while `answers` is not set are kept back."""
        try:
            while chunk := server.recv(CHUNK):
                if not answers.is_set():
                    break
                client.sendall(chunk)
        except OSError:
            pass
        self.cut(client, server)

    def listen(self, client, server, answers):
        try:
            while chunk := client.recv(CHUNK):
                fate = self.fate_of(chunk)
                if fate == "before":
                    break
                if fate == "after":
                    answers.clear()
                server.sendall(chunk)
        except OSError:
            pass
        if answers.is_set():
            self.cut(client, server)

    def fate_of(self, chunk):
        if chunk != COMMIT:
            return None
        with self.lock:
            self.commits += 1
            if not self.cutting or self.commits % (self.every // 2):
                return None
            if self.commits % self.every:
                self.cut_before += 1
                return "before"
            self.cut_after += 1
            return "after"

    @staticmethod
    def cut(*ends):
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
