"""The parsed modules of the product, for tests of its source."""

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
    """Return all nodes of the module, walked once for all tests."""
    return tuple(ast.walk(parsed(path)))


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Yield all calls in the module with their names."""
    for node in nodes(path):
        if isinstance(node, ast.Call):
            yield name_called(node), node


def name_called(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
