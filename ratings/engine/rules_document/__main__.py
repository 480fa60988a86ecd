"""Writes docs/rules.md: `python -m ratings.engine.rules_document docs/rules.md`."""

import sys
from collections.abc import Sequence
from pathlib import Path

from .page import render


def main(arguments: Sequence[str]) -> None:
    """Write the document to the file named by the only argument."""
    if len(arguments) != 1:
        raise SystemExit(
            "Name the file to write: "
            "python -m ratings.engine.rules_document docs/rules.md"
        )
    Path(arguments[0]).write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
