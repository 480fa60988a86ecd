"""Retired names do not return, nor vague words in docstrings, comments and docs."""

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.common.test_wording import VAGUE

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    path
    for folder in ("ratings_site", "players", "events", "ratings", "tests")
    for path in (ROOT / folder).rglob("*.py")
    if "migrations" not in path.parts
]
HISTORY = (ROOT / "docs" / "glossary.md").read_text().split("\n## History\n")[1]
# The new name is blank where nothing replaced the old one.
RENAMED = dict(re.findall(r"`([\w.]+)`\s+→\s+(?:`([\w.]+)`|removed)", HISTORY))


def test_history_lists_the_renamed_modules_and_names():
    assert RENAMED["events.importers"] == "events.formats"
    assert RENAMED["says_what_waits"] == "register_pending"


def test_what_replaced_them_is_there():
    words = {word for path in SOURCES for word in re.findall(r"\w+", path.read_text())}
    words |= {
        word
        for path in (ROOT / "templates").rglob("*.html")
        for word in re.findall(r"\w+", path.read_text())
    }
    missing = [
        new
        for new in filter(None, RENAMED.values())
        if not (_is_module(new) if "." in new else new in words)
    ]
    assert missing == []


def test_no_retired_module_returns():
    returned = [name for name in RENAMED if "." in name and _is_module(name)]
    assert returned == []


def _is_module(name: str) -> bool:
    path = ROOT / name.replace(".", "/")
    return path.with_suffix(".py").exists() or any(path.glob("*.py"))


def test_no_retired_name_returns():
    retired = {name for name in RENAMED if "." not in name}
    found = [
        f"{path.relative_to(ROOT)}:{token.start[0]}: {token.string}"
        for path in SOURCES
        if not retired.isdisjoint(re.findall(r"\w+", path.read_text("utf-8")))
        for token in _tokens(path)
        if token.type == tokenize.NAME and token.string in retired
    ]
    assert found == []


def test_docstrings_and_comments_are_free_of_vague_words():
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in SOURCES
        if VAGUE.search(path.read_text("utf-8"))
        for text in (*_docstrings(path), *_comments(path))
        for match in VAGUE.finditer(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    "path",
    [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))],
    ids=lambda path: path.name,
)
def test_docs_are_free_of_vague_words(path):
    assert [match[0] for match in VAGUE.finditer(path.read_text())] == []


def _docstrings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text


def _comments(path: Path) -> Iterator[str]:
    return (one.string for one in _tokens(path) if one.type == tokenize.COMMENT)


def _tokens(path: Path) -> Iterator[tokenize.TokenInfo]:
    with path.open("rb") as file:
        yield from tokenize.tokenize(file.readline)
