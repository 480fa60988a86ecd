"""How our sentences are made and spelled: whole, in American English, in plain words.

What is translated is a whole sentence with named placeholders. A word of English put
into a translated sentence stays English in it, or has the wrong ending.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.messages import KEYWORDS, ROOMS, ROOT, marked
from tests.sources import name_called, nodes, parsed

# In one process: what is written is read and parsed once.
pytestmark = pytest.mark.xdist_group("what is written")

# Words that say what a placeholder is made of, not what it means.
TYPES = {
    *("arg", "bool", "constant", "date", "dict", "float", "int", "item"),
    *("noun", "object", "str", "string", "text", "unit", "value", "verb", "word"),
}
PLACEHOLDER = re.compile(r"(?<!%)%\((\w+)\)|(?<!\$)\{(\w+)[^{}]*\}")

# A label of its own may be put in: it stands after a colon, or instead of a name.
LABELS = {"no name"}
WORD = re.compile(r"[a-z][a-z ]*")

BRITISH = re.compile(
    r"\b(?:un|mis)?(?:"
    r"behaviour|cancell(?:ed|ing)|catalogue|centre|cheque|colour|defence|favour|"
    r"grey|harbour|honour|judgement|labell|labour|learnt|licence|modell(?:ed|ing)|"
    r"neighbour|offence|per cent\b|practis(?:e|ed|ing)\b|programme\b|rumour|signall|"
    r"spelt|spoilt|towards|travell|whilst|"
    r"(?:analy|paraly)se|"
    r"(?:apolog|author|capital|character|critic|custom|emphas|formal|general|harmon|"
    r"initial|maxim|memor|minim|modern|normal|optim|organ|penal|real|recogn|regular|"
    r"serial|special|standard|summar|symbol|synchron|util|visual)is(?:e|ed|er|es|ing|"
    r"ation)\b)"
)
STILTED = re.compile(
    r"\b(?:anew|hereby|herewith|himself|hitherto|stands at|thereof|wherein|whoever|"
    r"whosoever|he or she|his or her)\b"
)
# What is said in them is what the tests look for, or code.
NOT_PROSE = ("tests/common/test_wording.py", "tests/mutants.py")
PROSE = (
    *("README.md", "CHANGELOG.md", "docs/*.md", "templates/**/*.html"),
    *(f"{room}/**/*.py" for room in (*ROOMS, "tests")),
)
# Names in code: fields, stored values, CSS and codes are not prose.
NAME = re.compile(
    r"`[^`\n]*`|\{%.*?%\}|\{\{.*?\}\}|<[^>]*>|\w*_\w*|[\w)\]]*\.\w+|\w+(?:=|\()|"
    r"[\"']\w+[\"']"
)


@cache
def sentences() -> set[tuple[str, str]]:
    """Return path and text of everything that is marked for translation."""
    return {
        (path, text)
        for path, _line, function, texts in marked()
        for place in KEYWORDS[function] or (1,)
        if isinstance(place, int) and (text := texts[place - 1])
    }


def modules() -> Iterator[Path]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


# Sentences


def test_placeholders_say_what_is_put_in_and_not_its_type():
    typed = {
        (path, name)
        for path, text in sentences()
        for names in PLACEHOLDER.findall(text)
        if (name := names[0] or names[1])
        if name in TYPES
        or name.startswith("get_")
        or (name[-1].isdigit() and not name.isdigit())
    }
    assert sorted(typed) == []


def test_sentences_are_whole():
    """No text begins or ends where another one is joined to it."""
    joined = {
        (path, text)
        for path, text in sentences()
        if re.search(r"^[^\S\n]|\s$|^[,;:.!?)](?!\w)|[,(]$", text)
    }
    assert sorted(joined) == []


def _is_marked(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and name_called(node) in KEYWORDS


def _texts(node: ast.AST, known: dict[str, list[ast.expr]]) -> Iterator[str]:
    """Yield the texts that *node* may be, as far as one can read them in the code."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=one, orelse=other):
            yield from _texts(one, known)
            yield from _texts(other, known)
        case ast.BoolOp(values=values) | ast.Subscript(value=ast.Dict(values=values)):
            for value in values:
                yield from _texts(value, known)
        case ast.Name(id=name):
            for value in known.get(name, ()):
                yield from _texts(value, {})
        case ast.Call(func=ast.Attribute(value=pattern, attr="format" | "lower")):
            yield from _texts(pattern, known)
        case ast.Call(args=arguments) if _is_marked(node):
            for argument in arguments:
                yield from _texts(argument, {})


def _assigned(inside: list[ast.AST]) -> dict[str, list[ast.expr]]:
    known: dict[str, list[ast.expr]] = {}
    for node in inside:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    known.setdefault(target.id, []).append(node.value)
    return known


def words_put_in(tree: ast.Module) -> Iterator[str]:
    """Yield bare English words that are given to a translated sentence.

    >>> list(words_put_in(ast.parse(
    ...     "def f():\\n    word = _('rises') if up else _('falls')\\n"
    ...     "    return _('The rating {word}.').format(word=word)"
    ... )))
    ['rises', 'falls']
    """
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        inside = list(ast.walk(function))
        known = _assigned(inside)
        patterns = {
            name for name, values in known.items() if any(map(_is_marked, values))
        }
        for call in inside:
            if not isinstance(call, ast.Call):
                continue
            pattern = call.func.value if isinstance(call.func, ast.Attribute) else None
            formats = name_called(call) == "format" and (
                _is_marked(pattern)
                or (isinstance(pattern, ast.Name) and pattern.id in patterns)
            )
            if formats or _is_marked(call):
                for keyword in call.keywords:
                    for text in _texts(keyword.value, known):
                        if WORD.fullmatch(text.strip()) and text not in LABELS:
                            yield text


def test_no_bare_word_is_put_into_a_sentence():
    found = {
        (str(path), word) for path in modules() for word in words_put_in(parsed(path))
    }
    assert sorted(found) == []


def test_python_formats_its_sentences_in_one_way():
    """With ``.format``; ``%`` is the way of templates, which Django chooses."""
    found = {
        (path, text)
        for path, text in sentences()
        if path.endswith(".py") and re.search(r"%\(\w+\)", text)
    }
    assert sorted(found) == []


# Words


@cache
def prose() -> tuple[tuple[str, int, str], ...]:
    """Return path, line number and words of all prose: pages, docs, code's comments.

    In small letters: a search that minds no case takes three times as long.
    """
    return tuple((path, line, text.lower()) for path, line, text in _prose())


def _prose() -> Iterator[tuple[str, int, str]]:
    for pattern in PROSE:
        for path in sorted(ROOT.glob(pattern)):
            where = str(path.relative_to(ROOT))
            if "migrations" in path.parts or where in NOT_PROSE:
                continue
            lines = _comments(path) if path.suffix == ".py" else _lines(path)
            for number, line in lines:
                yield where, number, line


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        yield number, NAME.sub(" ", line)


def _comments(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if comment := re.search(r"(?:^|\s)# (.*)", line):
            yield number, NAME.sub(" ", comment[1])
    for node in nodes(path):
        match node:
            case ast.Constant(value=str(text)) if " " in text:
                yield node.lineno, NAME.sub(" ", text)


@pytest.mark.parametrize("unwanted", [BRITISH, STILTED], ids=["British", "stilted"])
def test_prose_is_plain_american_english(unwanted):
    found = [
        f"{path}:{line}: {word[0]}"
        for path, line, text in prose()
        for word in unwanted.finditer(text)
    ]
    assert found == []


@pytest.mark.parametrize("unwanted", [BRITISH, STILTED], ids=["British", "stilted"])
def test_sentences_of_the_pages_are_plain_american_english(unwanted):
    found = {
        (path, text) for path, text in sentences() if unwanted.search(text.lower())
    }
    assert sorted(found) == []


# Of iCalendar, and what files and versions of old may hold.
FOREIGN_WORDS = {"CANCELLED", "colour"}


def test_names_in_the_code_are_american_english():
    """Names of modules, functions, fields and codes; their words by themselves."""
    found = {
        (str(path), name)
        for path in modules()
        for name in _names_in(path)
        if name not in FOREIGN_WORDS and BRITISH.search(" ".join(_words_in(name)))
    }
    assert sorted(found) == []


def _names_in(path: Path) -> Iterator[str]:
    yield from path.relative_to(ROOT).with_suffix("").parts
    for node in nodes(path):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Constant(value=str(text)) if re.fullmatch(r"[\w.]+", text):
                yield text


def _words_in(name: str) -> list[str]:
    return re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)
