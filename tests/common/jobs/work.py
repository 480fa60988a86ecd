"""What a process does that is told to: the Python that comes on its standard input."""

import sys

if __name__ == "__main__":
    exec(sys.stdin.read())  # noqa: S102
