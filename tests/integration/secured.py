"""Servers that want TLS and a password, and refuse anything else."""

import pathlib
import subprocess

import fanfold  # also finds roles and fanfold_local
import roles
from fanfold_local import mariadb
from own_servers import folder, own_kafka, own_mariadb


class Certificates:
    """Of two authorities; of the first one, a server's own, one that names another host, and one of
    who asks, which `show` replaces. Servers believe whoever is of an authority in `trusted`."""

    def __init__(self, case):
        self.folder = folder(case)
        for authority in ("ca", "other"):
            self._run("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                      f"/CN={authority}", "-keyout", f"{authority}.key", "-out", f"{authority}.pem")
        self.issue("server", "DNS:localhost,IP:127.0.0.1")
        self.issue("misnamed", "DNS:db.example.com")
        self.believed = self.path("believed.pem")  # of Kafka's brokers, by who asks
        self.believe("ca")
        self.own = {kind: self.path(f"own.{kind}") for kind in ("pem", "key")}
        self.trusted = self.path("trusted.pem")
        self.trust("ca", "other")
        self.show("ca")

    def path(self, name):
        return self.folder / name

    def trust(self, *authorities):
        self.trusted.write_text("".join(self.path(f"{name}.pem").read_text() for name in authorities))

    def believe(self, authority):
        self.path("fresh").write_text(self.path(f"{authority}.pem").read_text())
        self.path("fresh").rename(self.believed)

    def show(self, authority):
        """A certificate of who asks, in place of the one before."""
        self.issue("fresh", "DNS:fanfold", authority)
        for kind, own in self.own.items():
            self.path(f"fresh.{kind}").rename(own)

    def issue(self, name, hosts, authority="ca"):
        (self.folder / "hosts").write_text(f"subjectAltName={hosts}")
        self._run("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}",
                  "-keyout", f"{name}.key", "-out", f"{name}.csr")
        self._run("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.pem",
                  "-CAkey", f"{authority}.key",
                  "-CAcreateserial", "-days", "2", "-extfile", "hosts", "-out", f"{name}.pem")
        self._run("pkcs8", "-topk8", "-nocrypt", "-in", f"{name}.key", "-out", f"{name}.store")
        with open(self.path(f"{name}.store"), "a", encoding="ascii") as store:
            store.write(self.path(f"{name}.pem").read_text() + self.path("ca.pem").read_text())

    def _run(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)


class Password:
    """Every role's: in a file, and what the servers are told."""

    def __init__(self, case):
        self.file = folder(case) / "password"
        self.write("first")

    def write(self, text):
        self.text = text
        fresh = self.file.with_suffix(".new")
        fresh.write_text(text + "\n")
        fresh.rename(self.file)

    def of(self, _role):
        return self.text


def secured_kafka(case, certificates, password):
    """Roles come to its listener SERVER; brokers speak among themselves on one without TLS."""
    places = {name: f"127.0.0.1:{fanfold.free_port()}" for name in ("SERVER", "MISNAMED")}

    class Cluster(roles.Cluster):
        role_bootstrap = places["SERVER"]
        misnamed = places["MISNAMED"]

        def listeners(self, index):
            return super().listeners(index) | places

        def _properties(self, index):
            properties = super()._properties(index)
            for name in places:
                of_listener = f"listener.name.{name.lower()}."
                properties["listener.security.protocol.map"] += f",{name}:SASL_SSL"
                properties[of_listener + "ssl.client.auth"] = "required"
                properties[of_listener + "ssl.truststore.type"] = "PEM"
                properties[of_listener + "ssl.truststore.location"] = certificates.trusted
                properties[of_listener + "ssl.keystore.type"] = "PEM"
                properties[of_listener + "ssl.keystore.location"] = certificates.path(
                    f"{name.lower()}.store")
                properties[of_listener + "plain.sasl.jaas.config"] = roles.let_in(password.of)
            return properties

    return own_kafka(case, make=Cluster)


def secured_mariadb(case, certificates, name):
    """None for `name`: one without TLS."""
    told = ["--skip-ssl"] if name is None else [
        f"--ssl-ca={certificates.trusted}", f"--ssl-cert={certificates.path(name + '.pem')}",
        f"--ssl-key={certificates.path(name + '.key')}", "--require-secure-transport=ON"]

    class Server(mariadb.Server):
        @property
        def command(self):
            return super().command + told

    return own_mariadb(case, fanfold.free_port(), Server)


def dsn(server, password_file, authority, own):
    return (f"mysql://{{user}}@127.0.0.1:{server.port}/{{schema}}?password_file={password_file}"
            f"&ssl_ca={authority}&ssl_cert={own['pem']}&ssl_key={own['key']}")


def kafka_options(password_file, authority, own):
    return {"kafka.security.protocol": "sasl_ssl", "kafka.sasl.password_file": str(password_file),
            "kafka.ssl.ca.location": str(authority), "kafka.ssl.certificate.location": str(own["pem"]),
            "kafka.ssl.key.location": str(own["key"])}


def no_file(case):
    return pathlib.Path(folder(case)) / "missing"
