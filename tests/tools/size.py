"""Count lines of code by package and compare them with the size budget.

A line counts if it has a code token: no blank lines, comments or docstrings, and no
migrations. Templates, scripts, styles and data files are counted apart, with all lines
that are not blank.

    python -m tests.tools.size          print the table
    python -m tests.tools.size --check  fail if a number is above the budget
    python -m tests.tools.size --write  lower the budget to the present numbers
"""

from __future__ import annotations

import ast
import io
import json
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUDGET = Path(__file__).with_name("size_budget.json")
APPS = ("ratings_site", "players", "events", "ratings")
# Folders whose packages are counted one by one.
PARENTS = (*APPS, "ratings_site/common")
OTHER_FILES = {
    "templates": ("templates", (".html", ".txt", ".xml")),
    "scripts": ("ratings_site/static", (".js",)),
    "styles": ("ratings_site/static", (".css",)),
}
# Data that programs read, by app.
DATA_SUFFIXES = (".json", ".csv", ".tsv", ".txt")
NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT),
    *(tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER),
}


def code_lines(source: str) -> int:
    """Return the number of lines with a code token.

    >>> code_lines('\"\"\"Docstring.\"\"\"\\n\\nx = (1,  # one\\n     2)\\n# end\\n')
    2
    """
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                docstrings.update(range(node.lineno, (node.end_lineno or 0) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


def sizes() -> dict[str, int]:
    """Return the lines of code of each package, then those of other files."""
    counted: Counter[str] = Counter()
    for path in _files(APPS, (".py",)):
        if "migrations" not in path.parts:
            counted[_package(path)] += code_lines((ROOT / path).read_text("utf-8"))
    for name, (folder, suffixes) in OTHER_FILES.items():
        counted[name] = sum(map(_full_lines, _files((folder,), suffixes)))
    data = _files(APPS, DATA_SUFFIXES)
    counted["data files"] = sum(
        _full_lines(path) for path in data if "static" not in path.parts
    )
    return dict(counted)


def _files(folders: tuple[str, ...], suffixes: tuple[str, ...]) -> Iterator[Path]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path.relative_to(ROOT)


def _full_lines(path: Path) -> int:
    text = (ROOT / path).read_text("utf-8")
    return sum(1 for line in text.splitlines() if line.strip())


def _package(path: Path) -> str:
    parents = [str(parent) for parent in path.parents]
    inside = [index for index, parent in enumerate(parents) if parent in PARENTS]
    index = inside[0]
    return parents[index - 1] if index else parents[0]


def total(counted: dict[str, int]) -> int:
    """Return the lines of Python code."""
    return sum(lines for name, lines in counted.items() if name.startswith(APPS))


def compare(option: str, counted: dict[str, int]) -> int:
    """Print or write the numbers; return 1 if one to check is above the budget."""
    budget = json.loads(BUDGET.read_text())
    if option == "--write":
        BUDGET.write_text(json.dumps(counted, indent=2) + "\n")
        return 0
    names = [*budget, *(name for name in counted if name not in budget)]
    above = [name for name in names if counted.get(name, 0) > budget.get(name, 0)]
    for name in above if option == "--check" else names:
        print(f"{name:36} {counted.get(name, 0):7,} of {budget.get(name, 0):7,}")
    print(f"{'Python in all':36} {total(counted):7,} of {total(budget):7,}")
    if above and option == "--check":
        print(
            f"Above the size budget: {', '.join(above)}. Delete what the change makes "
            f"unnecessary, or raise the number in {BUDGET.name} and say in the commit "
            "what users get for it."
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(compare("".join(sys.argv[1:]), sizes()))
