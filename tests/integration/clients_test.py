"""Clients that others' generators make of schemas/openapi.yaml ask for everything, and are answered as it says.

They are made anew where the schema or what makes them has changed, in the build's folder; what is generated is
used as it is.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import unittest

import access_test
import fanfold
from packages import FOLDER, program
from tiers import rest

PROGRAMS = FOLDER / "clients"
MADE = fanfold.BIN.parent / "generated_clients"
OPENAPI = fanfold.ROOT / "schemas" / "openapi.yaml"
CONFIGURATIONS = fanfold.ROOT / "schemas" / "clients"
MAKE_TIMEOUT_S, ASK_TIMEOUT_S = 540, 120
# Each client has users of its own.
FIRST_IDS = {"python": 1000, "go": 2000}


def called(name):
    return program("clients", name)


def run(*command, timeout=MAKE_TIMEOUT_S, **options):
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout,
                         **options)
    if ran.returncode != 0:
        raise AssertionError(f"{command[0]}: {ran.returncode}\n{ran.stdout}")
    return ran.stdout


def make_python():
    # Its formatter is looked for beside it.
    path = f"{called('ruff').parent}:{os.environ['PATH']}"
    run(called("openapi-python-client"), "generate", "--path", OPENAPI, "--config", CONFIGURATIONS / "python.yaml",
        "--meta", "none", "--output-path", MADE / "python" / "fanfold_client", "--overwrite", "--fail-on-warning",
        env=os.environ | {"PATH": path})


def make_go():
    folder = MADE / "go"
    shutil.copytree(PROGRAMS / "go", folder, dirs_exist_ok=True)
    (folder / "fanfold").mkdir(exist_ok=True)
    environment = os.environ | {
        "GOCACHE": MADE / "go-cache", "GOMODCACHE": MADE / "go-modules", "GOTOOLCHAIN": "local",
        "GOFLAGS": "-modcacherw -buildvcs=false", "GOWORK": "off", "CGO_ENABLED": "0"}
    run(called("go"), "tool", "oapi-codegen", "-config", CONFIGURATIONS / "go.yaml", "-o", "fanfold/fanfold.gen.go",
        OPENAPI, cwd=folder, env=environment)
    run(called("go"), "build", "-o", "everything", ".", cwd=folder, env=environment)


def what_makes_them():
    files = [OPENAPI, FOLDER / "clients.txt", *CONFIGURATIONS.iterdir(),
             *(file for file in PROGRAMS.rglob("*") if file.is_file())]
    return hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in sorted(files))).hexdigest()


def make():
    """Both clients, unless they are there."""
    MADE.mkdir(exist_ok=True)
    made_of, wanted = MADE / "made_of", what_makes_them()
    with open(MADE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if made_of.exists() and made_of.read_text() == wanted:
            return
        made_of.unlink(missing_ok=True)
        for language, maker in (("python", make_python), ("go", make_go)):
            shutil.rmtree(MADE / language, ignore_errors=True)
            (MADE / language).mkdir()
            maker()
        made_of.write_text(wanted)


def answer_of(operation, status):
    answer = operation["responses"][status]
    name = answer.get("$ref", "").removeprefix("#/components/responses/")
    return access_test.OPENAPI["components"]["responses"][name] if name else answer


def operations():
    """What asks for each: method, a pattern of its path, the operation. Words go before places. The console's are its
    page's, which tests/integration/console_test.py opens."""
    patterns = []
    for route, operation in access_test.operations():
        if "console" in operation["tags"]:
            continue
        method, path = route.split(" ")
        pattern = re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)) + "$")
        patterns.append((path.count("{"), method, pattern, operation))
    return sorted(patterns, key=lambda of: of[0])


class ClientsCase(access_test.AccessCase):
    """What a client has asked and was answered is what the schema has: each operation, with success, and
    no answer that is not in it."""

    @classmethod
    def setUpClass(cls):
        make()
        cls.operations = [of[1:] for of in operations()]

    def operation_of(self, method, path):
        return next(operation for wanted, pattern, operation in self.operations
                    if wanted == method and pattern.match(path))

    def check(self, writer_port, reader_port, operations_port, token=None):
        urls = [f"http://127.0.0.1:{port}" for port in (writer_port, reader_port, operations_port)]
        commands = {"python": [called("python3"), "-B", PROGRAMS / "everything.py"],
                    "go": [MADE / "go" / "everything"]}
        for language, command in commands.items():
            with self.subTest(client=language):
                asked = run(*command, *urls, str(FIRST_IDS[language]), *([token] if token else []),
                            timeout=ASK_TIMEOUT_S, env=os.environ | {"PYTHONPATH": str(MADE / "python")})
                self.check_exchanges(asked)

    def check_exchanges(self, asked):
        succeeded = set()
        for line in asked.splitlines():
            method, path, status, content_type = line.split(" ", 3)
            operation = self.operation_of(method, path)
            self.assertIn(content_type.split(";")[0], answer_of(operation, status)["content"], line)
            if status.startswith("2"):
                succeeded.add(operation["operationId"])
        self.assertEqual({operation["operationId"] for *_, operation in self.operations} - succeeded, set())


@rest
class Clients(ClientsCase):
    def test_of_the_folder(self):
        port = self.embedded().processes["serve"].port
        self.check(port, port, port)

    def test_of_servers(self):
        made = self.deployment(shards=2)
        self.check(*(made.processes[name].port for name in ("writer", "reader", "reader")))

    def test_with_tokens(self):
        port = self.served().processes["serve"].port
        self.check(port, port, self.operations_port, self.token)

    def test_an_operation_that_nobody_asked_for_is_missed(self):
        with self.assertRaisesRegex(AssertionError, "readyz"):
            self.check_exchanges("GET /healthz 200 application/json")

    def test_the_readme_has_the_versions_that_are_tried(self):
        readme = (fanfold.ROOT / "README.md").read_text()
        [python] = re.findall(r"openapi-python-client==\S+", (FOLDER / "clients.txt").read_text())
        [go] = re.findall(r"oapi-codegen/v2 (v\S+)", (PROGRAMS / "go" / "go.mod").read_text())
        self.assertIn(python, readme)
        self.assertIn(f"oapi-codegen@{go}", readme)


if __name__ == "__main__":
    unittest.main()
