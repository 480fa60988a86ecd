"""What a process does that is told to: the Python that comes on its standard input."""

import sys

exec(sys.stdin.read())  # noqa: S102
