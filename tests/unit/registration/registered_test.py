"""Every black-box test is in ctest, and where it says: one that nobody runs shows nothing."""

import ast
import pathlib
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TESTS / "support"))

import registered  # noqa: E402

MODULE = """
class Helper:
    def test_bench(self): pass

class Each(fanfold.Case):
    TIMEOUT_S = 900
    def test_one(self): pass
    @rest
    def test_other(self): pass

class Whole(fanfold.Case):
    @classmethod
    def setUpClass(cls): pass
    def test_one(self): pass

@rest
class Late(fanfold.Case):
    def test_one(self): pass

class Base(fanfold.Case):
    @classmethod
    def setUpClass(cls): pass

class Heir(Base):
    def test_one(self): pass
    def test_other(self): pass
"""


class Registered(unittest.TestCase):
    def test_by_method_or_by_class_that_prepares(self):
        self.assertEqual([(test, rest) for test, rest, _ in registered.tests_of(ast.parse(MODULE))], [
            ("Helper.test_bench", False), ("Each.test_one", False), ("Each.test_other", True), ("Whole", False),
            ("Late.test_one", True), ("Heir", False)])

    def test_numbers_of_a_class_are_its_tests(self):
        told = {test: constants for test, _, constants in registered.tests_of(ast.parse(MODULE))}
        self.assertEqual(told["Each.test_other"], {"TIMEOUT_S": 900})

    def test_a_method_of_what_is_one_test_cannot_be_put_off(self):
        with self.assertRaises(SystemExit):
            list(registered.tests_of(ast.parse(MODULE.replace("def test_one", "@rest\n    def test_one", 2))))

    def test_all_folders_are_read(self):
        there = {file.parent.name for file in TESTS.glob("*/*_test.py")}
        self.assertEqual(there, set(registered.FOLDERS))
        said = [line for folder in registered.FOLDERS for file in (TESTS / folder).glob("*_test.py")
                for line in registered.registration(file, pathlib.Path("build"), {})]
        self.assertGreater(len(said), 250)


if __name__ == "__main__":
    unittest.main(verbosity=2)
