"""Every class of black-box tests is in ctest: one that nobody runs shows nothing."""

import ast
import pathlib
import re
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[2]


def classes_with_tests(file):
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.ClassDef) and any(
                isinstance(one, ast.FunctionDef) and one.name.startswith("test_") for one in node.body):
            yield node.name


class Registration(unittest.TestCase):
    def test_every_class_is_run(self):
        registered = set()
        for label, file, classes in re.findall(
                r"fanfold_python_tests\(LABEL (\w+) FILE (\w+) CLASSES ([\w\s]+?)(?:\s+ALSO [^)]*)?\)",
                (TESTS / "CMakeLists.txt").read_text()):
            registered |= {(label, file, name) for name in classes.split()}
        there = {(label, file.name.removesuffix("_test.py"), name)
                 for label in ("integration", "robustness", "upgrade")
                 for file in (TESTS / label).glob("*_test.py") for name in classes_with_tests(file)}
        self.assertGreater(len(there), 50)
        self.assertEqual(there - registered, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
