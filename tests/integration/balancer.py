"""A balancer in front of services, as an operator would have one."""

import socket
import subprocess

import fanfold
from own_servers import folder

CONFIG = """
global
    stats socket {folder}/socket mode 600
defaults
    mode http
    timeout connect 2s
    timeout client 30s
    timeout server 30s
    timeout check 1s
    option redispatch 1
    retries 3
    retry-on conn-failure empty-response
    option httpchk
    http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host localhost
    http-check expect status 200
"""
PART = """
frontend {name}
    bind 127.0.0.1:{port}
    default_backend {name}s
backend {name}s
    default-server inter 200ms fall 1 rise 1
{servers}
"""


class Balancer:
    """haproxy, asking each service whether it is ready; ports of the services by the name of their kind."""

    def __init__(self, case, services):
        home = folder(case)
        self.ports = {name: fanfold.free_port() for name in services}
        text = CONFIG.format(folder=home)
        for name, ports in services.items():
            servers = "\n".join(f"    server {name}{port} 127.0.0.1:{port} check" for port in ports)
            text += PART.format(name=name, port=self.ports[name], servers=servers)
        self.socket = home / "socket"
        (home / "haproxy.cfg").write_text(text)
        with open(home / "log", "wb") as log:
            self.popen = subprocess.Popen(["haproxy", "-db", "-f", home / "haproxy.cfg"], stdout=log,
                                          stderr=log)
        case.addCleanup(self.stop)
        for port in self.ports.values():
            fanfold.wait_until(lambda port=port: self.answers(port), f"{port} behind haproxy")

    def sends_to(self, port):
        """Whether it has seen that the service on that port is ready."""
        with socket.socket(socket.AF_UNIX) as admin:
            admin.connect(str(self.socket))
            admin.sendall(b"show stat\n")
            lines = b"".join(iter(lambda: admin.recv(65_536), b"")).decode().splitlines()
        fields = lines[0].lstrip("# ").split(",")
        rows = [dict(zip(fields, line.split(","))) for line in lines[1:] if line]
        return any(row["svname"].endswith(str(port)) and row["status"].startswith("UP") for row in rows)

    @staticmethod
    def answers(port):
        try:
            return fanfold.Client(port).request("GET", "/readyz")[0] == 200
        except OSError:
            return False

    def stop(self):
        self.popen.kill()
        self.popen.wait()
