"""Rate sections: one JSON object, or one per line, from a file or standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from . import rate_text


def main() -> int:
    """Write a line of JSON for each section; errors go to standard error."""
    name = sys.argv[1] if len(sys.argv) > 1 else "-"
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        print(f"{name} can't be read: {error.strerror}.", file=sys.stderr)
        return 1
    answers, faults = rate_text(data.decode(errors="surrogateescape"))
    for answer in answers:
        print(answer)
    for fault in faults:
        print(fault, file=sys.stderr)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
