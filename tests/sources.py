"""The product's own modules, for tests that read what is written in them."""

import ast
from functools import cache
from pathlib import Path


@cache
def parsed(path: Path) -> ast.Module:
    """Return the module, read once for all tests of a process."""
    return ast.parse(path.read_text())
