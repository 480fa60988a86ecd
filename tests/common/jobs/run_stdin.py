"""Execute the Python code on standard input."""

import sys

if __name__ == "__main__":
    exec(sys.stdin.read())  # noqa: S102
