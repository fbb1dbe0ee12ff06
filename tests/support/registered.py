"""registered.py TESTS BUILD: the black-box tests below TESTS in CMake's words, for the build in BUILD.

A method is a test of ctest, LABEL.FILE.Class.method; a class that prepares something for all its methods
(setUpClass) is one, LABEL.FILE.Class. What is marked @rest is in the configuration `all` alone. TIMEOUT_S and
PROCESSORS of a class, where it has them, are ctest's. What took longest (TESTS/costs.json) is begun first.
"""

import ast
import json
import sys
from pathlib import Path

FOLDERS = ("integration", "robustness", "upgrade", "packages")
WITHOUT_SERVERS = ("packages",)
TIMEOUT_S = 600


def is_rest(node):
    return any(isinstance(one, ast.Name) and one.id == "rest" for one in node.decorator_list)


def constants(node):
    """Numbers that the class gives names to."""
    return {one.targets[0].id: one.value.value for one in node.body
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant) and isinstance(one.targets[0], ast.Name)}


def functions_of(node, classes):
    """Its own and those of its bases in the same file."""
    bases = [classes[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in classes]
    own = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    return own + [one for base in bases for one in functions_of(base, classes)]


def tests_of(tree):
    """(what unittest is told, in the rest?, the class's constants), of a module."""
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for node in classes.values():
        functions = functions_of(node, classes)
        methods = [one for one in functions if one.name.startswith("test_")]
        if methods and any(one.name == "setUpClass" for one in functions):
            if any(map(is_rest, methods)):
                raise SystemExit(f"{node.name}: one test of ctest, so @rest is the class's")
            yield node.name, is_rest(node), constants(node)
            continue
        for method in methods:
            yield f"{node.name}.{method.name}", is_rest(node) or is_rest(method), constants(node)


def registration(file, build, costs):
    label, module = file.parent.name, file.stem.removesuffix("_test")
    for test, rest, told in tests_of(ast.parse(file.read_text())):
        name = f"{label}.{module}.{test}"
        properties = {"LABELS": label, "COST": costs.get(name, 0), "TIMEOUT": told.get("TIMEOUT_S", TIMEOUT_S), "PROCESSORS": told.get("PROCESSORS", 1),
                      "SKIP_REGULAR_EXPRESSION": "OK .skipped=1.",
                      "ENVIRONMENT": f"FANFOLD_TEST_SERVERS={build}/test-servers/servers.env;FANFOLD_BIN={build}/bin"}
        if label not in WITHOUT_SERVERS:
            properties["FIXTURES_REQUIRED"] = "servers"
        told = " ".join(f'{key} "{value}"' for key, value in properties.items())
        yield (f'add_test(NAME {name}{" CONFIGURATIONS all" if rest else ""} COMMAND python3 -B "{file}" {test})\n'
               f'set_tests_properties({name} PROPERTIES {told})\n')


def main(tests, build):
    costs = json.loads((tests / "costs.json").read_text())
    for folder in FOLDERS:
        for file in sorted((tests / folder).glob("*_test.py")):
            sys.stdout.writelines(registration(file, build, costs))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
