"""Servers that want TLS and a password, and refuse anything else."""

import pathlib
import subprocess

import fanfold  # noqa: F401, the path to fanfold_local
from fanfold_local import kafka, mariadb
from fanfold_local.ports import free_ports
from own_servers import folder, own_kafka, own_mariadb

USER = "fanfold"


class Certificates:
    """Of two authorities; of the first one, a server's own and one that names another host."""

    def __init__(self, case):
        self.folder = folder(case)
        for authority in ("ca", "other"):
            self._run("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                      f"/CN={authority}", "-keyout", f"{authority}.key", "-out", f"{authority}.pem")
        self.issue("server", "DNS:localhost,IP:127.0.0.1")
        self.issue("misnamed", "DNS:db.example.com")

    def path(self, name):
        return self.folder / name

    def issue(self, name, hosts):
        (self.folder / "hosts").write_text(f"subjectAltName={hosts}")
        self._run("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}",
                  "-keyout", f"{name}.key", "-out", f"{name}.csr")
        self._run("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                  "-CAcreateserial", "-days", "2", "-extfile", "hosts", "-out", f"{name}.pem")
        self._run("pkcs8", "-topk8", "-nocrypt", "-in", f"{name}.key", "-out", f"{name}.store")
        with open(self.path(f"{name}.store"), "a", encoding="ascii") as store:
            store.write(self.path(f"{name}.pem").read_text() + self.path("ca.pem").read_text())

    def _run(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)


class Password:
    """In a file, and what the servers are told."""

    def __init__(self, case):
        self.file = folder(case) / "password"
        self.write("first")

    def write(self, text):
        self.text = text
        fresh = self.file.with_suffix(".new")
        fresh.write_text(text + "\n")
        fresh.rename(self.file)


def secured_kafka(case, certificates, password):
    """Its listeners by name; brokers speak among themselves on one without TLS."""
    ports = dict(zip(("SERVER", "MISNAMED"), free_ports(2)))

    class Cluster(kafka.Cluster):
        def command(self, index):
            command = super().command(index)
            listeners = ",".join(f"{name}://127.0.0.1:{port}" for name, port in ports.items())
            command[-1] = command[-1].replace("listeners=", f"listeners={listeners},")
            return command

        def _properties(self, index):
            properties = super()._properties(index)
            for name, port in ports.items():
                of_listener = f"listener.name.{name.lower()}."
                properties["listeners"] += f",{name}://127.0.0.1:{port}"
                properties["advertised.listeners"] += f",{name}://127.0.0.1:{port}"
                properties["listener.security.protocol.map"] += f",{name}:SASL_SSL"
                properties[of_listener + "ssl.keystore.type"] = "PEM"
                properties[of_listener + "ssl.keystore.location"] = certificates.path(
                    f"{name.lower()}.store")
                properties[of_listener + "plain.sasl.jaas.config"] = (
                    "org.apache.kafka.common.security.plain.PlainLoginModule required "
                    f'user_{USER}="{password.text}";')
            properties["sasl.enabled.mechanisms"] = "PLAIN"
            return properties

    cluster = own_kafka(case, Cluster)
    return cluster, {name: f"127.0.0.1:{port}" for name, port in ports.items()}


def secured_mariadb(case, certificates, name, password):
    """None for `name`: one without TLS."""
    told = ["--skip-ssl"] if name is None else [
        f"--ssl-ca={certificates.path('ca.pem')}", f"--ssl-cert={certificates.path(name + '.pem')}",
        f"--ssl-key={certificates.path(name + '.key')}", "--require-secure-transport=ON"]

    class Server(mariadb.Server):
        @property
        def command(self):
            return super().command + told

    server = own_mariadb(case, free_ports(1)[0], Server)
    sql(server, f"CREATE USER '{USER}'@'127.0.0.1' IDENTIFIED BY '{password.text}'; "
                f"GRANT ALL ON *.* TO '{USER}'@'127.0.0.1'")
    return server


def sql(server, statement):
    subprocess.run(["mariadb", "--no-defaults", f"--socket={server.socket}", "-uroot", "-e",
                    statement], check=True, capture_output=True)


def dsn(server, password_file, authority):
    return (f"mysql://{USER}@127.0.0.1:{server.port}/{{schema}}?password_file={password_file}"
            f"&ssl_ca={authority}")


def kafka_options(password_file, authority):
    return {"kafka.security.protocol": "sasl_ssl", "kafka.sasl.mechanism": "PLAIN",
            "kafka.sasl.username": USER, "kafka.sasl.password_file": str(password_file),
            "kafka.ssl.ca.location": str(authority)}


def no_file(case):
    return pathlib.Path(folder(case)) / "missing"
