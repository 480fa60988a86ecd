"""Updates docs/rules.md: `python -m ratings.engine.rules_document docs/rules.md`."""

import sys
from collections.abc import Sequence
from pathlib import Path

from . import render


def main(arguments: Sequence[str]) -> None:
    """Write the tables of the file named by the only argument again."""
    if len(arguments) != 1:
        raise SystemExit(
            "Name the file to write: "
            "python -m ratings.engine.rules_document docs/rules.md"
        )
    page = Path(arguments[0])
    page.write_text(render(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
