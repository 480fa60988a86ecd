"""The wording of messages: whole sentences in plain American English.

Messages are whole sentences with named placeholders. An English word that is inserted
into a translated sentence stays English or has the wrong ending.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from events.formats.catalog import FINDING_KINDS
from tests.page_texts import not_american, not_spanish
from tests.readability import grade, syllables
from tests.source_ast import name_called, nodes, parsed
from tests.tools.messages import KEYWORDS, ROOT, SOURCE_ROOTS, marked_strings

# In one process, so that each file is parsed once.
pytestmark = pytest.mark.xdist_group("what is written")

# Names that describe a placeholder's type, not its meaning.
TYPES = {
    *("arg", "bool", "constant", "date", "dict", "float", "int", "item"),
    *("noun", "object", "str", "string", "text", "unit", "value", "verb", "word"),
}
PLACEHOLDER = re.compile(r"(?<!%)%\((\w+)\)|(?<!\$)\{(\w+)[^{}]*\}")

# A label may be inserted after a colon or instead of a name.
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
    r"\b(?:aforesaid|albeit|amongst|anew|aught|comes of it|forthwith|he or she|hence|"
    r"here(?:after|by|in|of|tofore|with)|henceforth|himself|his or her|hitherto|"
    r"inasmuch|insofar|lately|lest|n[ao]ught|notwithstanding|ought|perchance|stands at|"
    r"there(?:after|by|from|in|of|on|to|upon|with)|thus|unto|upon|"
    r"where(?:as|by|fore|in|of|upon|with)|whence|whither|who(?:m|so)?ever)\b"
)
# Of the style guide: say who ("the TD", "you"), and what ("fix", "accept", "again").
VAGUE = re.compile(
    r"\b(?:(?:every|no|some)body|as (?:it stands|they stand)|held by|"
    r"known to you only|puts? right|putting right|the books|the other side|"
    r"(?:takes?|taken|taking|took) over)\b"
)
# A school grade in the US that most adults read with ease.
HIGHEST_GRADE = 8
# Their content is searched for by tests, or is code.
NOT_PROSE = ("tests/common/test_wording.py", "tests/tools/mutants.py")
PROSE = (
    *("README.md", "CHANGELOG.md", "docs/*.md", "templates/**/*.html"),
    *(f"{room}/**/*.py" for room in (*SOURCE_ROOTS, "tests")),
)
# Names in code: fields, stored values, CSS and codes are not prose.
NAME = re.compile(
    r"`[^`\n]*`|\{%.*?%\}|\{\{.*?\}\}|<[^>]*>|\w*_\w*|[\w)\]]*\.\w+|\w+(?:=|\()|"
    r"[\"']\w+[\"']"
)


@cache
def sentences() -> set[tuple[str, str]]:
    """Return path and text of all messages."""
    return {
        (path, text)
        for path, _line, function, texts in marked_strings()
        for place in KEYWORDS[function] or (1,)
        if isinstance(place, int) and (text := texts[place - 1])
    }


def modules() -> Iterator[Path]:
    for room in SOURCE_ROOTS:
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
    """No message starts or ends where another is concatenated."""
    joined = {
        (path, text)
        for path, text in sentences()
        if re.search(r"^[^\S\n]|\s$|^[,;:.!?)](?!\w)|[,(]$", text)
    }
    assert sorted(joined) == []


def _is_marked(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and name_called(node) in KEYWORDS


def _texts(node: ast.AST, known: dict[str, list[ast.expr]]) -> Iterator[str]:
    """Yield the possible literal values of *node*."""
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


def placeholder_values(tree: ast.Module) -> Iterator[str]:
    """Yield literal English words that are inserted into a message.

    >>> list(placeholder_values(ast.parse(
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
        (str(path), word)
        for path in modules()
        for word in placeholder_values(parsed(path))
    }
    assert sorted(found) == []


def test_python_formats_its_sentences_in_one_way():
    """With ``.format``; ``%`` is only for templates."""
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

    In lowercase, because a case-insensitive search takes three times as long.
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


@pytest.mark.parametrize(
    "unwanted", [BRITISH, STILTED, VAGUE], ids=["British", "stilted", "vague"]
)
def test_sentences_of_the_pages_are_plain_american_english(unwanted):
    found = {
        (path, text) for path, text in sentences() if unwanted.search(text.lower())
    }
    assert sorted(found) == []


# Dates and times

# For machines, and the day of the week.
DATE_FORMATS = {"Y-m-d", "Y-m", "c", "D"}
IN_WORDS = re.compile(r"%-?[AaBbcIpxXZ]")
# English is a pattern or data there.
DATES_IN_ENGLISH = (
    *("events/formats/translatable_text.py", "ratings/decisions/matches/queries.py"),
    *("players/fide/services/ratings.py", "ratings/engine/", "ratings_site/demo/"),
)


def test_templates_write_dates_with_the_filters_of_the_office():
    found = {
        (str(path.relative_to(ROOT)), written[0])
        for path in (ROOT / "templates").rglob("*")
        if path.is_file()
        for written in re.finditer(
            r"""\|(date|time)(?::["']([^"']*)["'])?|\{% now [^%]*%\}""",
            path.read_text(),
        )
        if written[1] != "date" or written[2] not in DATE_FORMATS
    }
    assert sorted(found) == []


def formats_of_dates(node: ast.AST) -> Iterator[str]:
    """Yield how code writes a date: ``f"{day:%B}"`` and ``day.strftime("%B")``."""
    match node:
        case ast.FormattedValue(format_spec=ast.JoinedStr(values=values)):
            for value in values:
                yield from _texts(value, {})
        case ast.Call(func=ast.Attribute(attr="strftime"), args=arguments):
            for argument in arguments:
                yield from _texts(argument, {})


def test_code_writes_dates_with_the_functions_of_the_office():
    found = {
        (str(path.relative_to(ROOT)), written)
        for path in modules()
        if not str(path.relative_to(ROOT)).startswith(DATES_IN_ENGLISH)
        for node in nodes(path)
        for written in formats_of_dates(node)
        if IN_WORDS.search(written)
    }
    assert sorted(found) == []


@pytest.mark.parametrize(
    ("text", "american", "spanish"),
    [
        ("It ends on May 4, 2024 at 3:10 AM CT.", True, False),
        ("It ends on Sep 4, 2024.", True, False),
        ("The list of May 2024.", True, False),
        ("It ends on 4 May 2024.", False, False),
        ("It began on 4 Sept 2024.", False, False),
        ("It ends at 15:10.", False, True),
        ("Termina el 4 de mayo de 2024.", True, True),
        ("Four games at G/60;d5 on 2024-05-04.", True, True),
    ],
)
def test_dates_of_other_countries_are_found(text, american, spanish):
    page = f"<p>{text}</p>"
    found = (not_american(page) == set(), not_spanish(page) == set())
    assert found == (american, spanish)


# Readability


@pytest.mark.parametrize(
    ("word", "count"),
    [
        ("the", 1),
        ("game", 1),
        ("games", 1),
        ("table", 2),
        ("rated", 2),
        ("checked", 1),
        ("section", 2),
        ("period", 3),
        ("affiliate", 4),
        ("tournament", 3),
    ],
)
def test_syllables_are_counted(word, count):
    assert syllables(word) == count


@pytest.mark.parametrize(
    ("text", "words", "ends", "sounds"),
    [
        # You can fix it. / The of-fice checks the re-port a-gain that day or the next.
        (
            "You can fix it. The office checks the report again that day or the next.",
            *(15, 2, 18),
        ),
        # A name, a number and an abbreviation have one syllable; a colon ends.
        (
            "Line {line}: the player Kowalczewski has <b>19</b> games in a TRF file.",
            *(12, 2, 13),
        ),
        # In-ter-na-tion-al fed-e-ra-tions ad-min-is-ter cer-ti-fi-ca-tion of all their
        # tour-na-ment di-rec-tors each sin-gle year.
        (
            "International federations administer certification of all their "
            "tournament directors each single year.",
            *(12, 1, 31),
        ),
    ],
)
def test_grade_follows_its_formula(text, words, ends, sounds):
    expected = 0.39 * words / ends + 11.8 * sounds / words - 15.59
    assert grade(text) == pytest.approx(expected)


def test_a_hard_text_is_over_the_highest_grade_and_a_few_words_have_none():
    assert grade("The organization's certification procedures are unavailable.") == 0
    hard = (
        "The federation's administrative regulations necessitate the certification of "
        "responsible individuals before participation."
    )
    assert grade(hard) > HIGHEST_GRADE


def explanations() -> Iterator[tuple[str, str]]:
    """Yield the location and text of help texts and instructions."""
    for name, kind in FINDING_KINDS.items():
        yield name, f"{kind.text} {kind.hint}"
    for path in modules():
        if "models" in path.parts:
            continue  # read by staff in the admin, and kept in migrations
        for node in nodes(path):
            if isinstance(node, ast.keyword) and node.arg == "help_text":
                for text in _texts(node.value, {}):
                    yield f"{path.relative_to(ROOT)}:{node.value.lineno}", text
    for where, text in sentences():
        if where.startswith("templates/help/"):
            yield where, text


def test_explanations_are_easy_to_read():
    hard = {
        (where, round(grade(text), 1), text)
        for where, text in explanations()
        if grade(text) > HIGHEST_GRADE
    }
    assert sorted(hard) == []


# Of iCalendar, and what files and versions of old may hold.
FOREIGN_WORDS = {"CANCELLED", "colour"}


def test_names_in_the_code_are_american_english():
    """Return the single words of names of modules, functions, fields and codes."""
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
