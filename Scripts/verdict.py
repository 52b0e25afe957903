"""How the checks in this folder end."""

import sys


def verdict(failures):
    """Prints each failure to standard error and their number, and returns the exit status."""
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{len(failures)} failures")
    return 1 if failures else 0
