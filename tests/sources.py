"""The product's own modules, for tests that read what is written in them."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path


@cache
def parsed(path: Path) -> ast.Module:
    """Return the module, read once for all tests of a process."""
    return ast.parse(path.read_text())


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return all that stands in the module, walked through once for all tests."""
    return tuple(ast.walk(parsed(path)))


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Yield what is called in the module, each with the name it is called by."""
    for node in nodes(path):
        if isinstance(node, ast.Call):
            yield name_called(node), node


def name_called(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
