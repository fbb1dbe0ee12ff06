class LocalError(Exception):
    """Something the user can act on; its message is printed without a traceback."""
