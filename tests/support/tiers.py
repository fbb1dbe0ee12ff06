"""Which run proves a test."""


def rest(test):
    """Marks a test, or a class of tests, that no landing waits for: `make test-all` runs it, and each
    landing an eighth of all such (CONTRIBUTING). registered.py reads the mark, nothing else does."""
    return test
