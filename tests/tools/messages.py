"""Collect messages and update the Spanish catalog.

``python -m tests.tools.messages`` (``make messages``) adds new sentences to the
catalog, removes those that are gone, compiles it, and prints what still needs Spanish.
A changed sentence keeps the Spanish of the one it resembles; it is printed too, to be
read again. Catalogs of other branches (``python -m tests.tools.messages OTHER.po ...``)
fill what is new.
"""

import ast
import difflib
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from events.formats.catalog import FINDING_KINDS
from tests.source_ast import calls

ROOT = Path(__file__).resolve().parents[2]
SOURCE_ROOTS = ("ratings_site", "players", "events", "ratings")
CATALOG = ROOT / "ratings_site" / "locale" / "es" / "LC_MESSAGES" / "django.po"

# Which of a call's arguments are text, and which is the context ("c").
KEYWORDS: dict[str, tuple[Any, ...] | None] = {
    "_": None,
    "translatable": None,
    "engine_message": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
# Fields of the header that change with each run or are useless.
NO_HOUR = datetime(2026, 1, 1, tzinfo=UTC)
UNUSED_HEADERS = (
    *(b'"POT-Creation-Date', b'"PO-Revision-Date', b'"Generated-By'),
    *(b'"Report-Msgid-Bugs-To', b'"Last-Translator', b'"Project-Id-Version'),
)
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*[^{}]*\}|</?[a-z]+")
_CALL = re.compile(r"\b(_|gettext|ngettext|pgettext|npgettext)\(")

Found = tuple[str, int, str, tuple[str | None, ...]]


@cache
def marked_strings() -> tuple[Found, ...]:
    """Return file, line, function and arguments of all messages."""
    return tuple(_marked())


def _marked() -> Iterator[Found]:
    for path in sorted((ROOT / "templates").rglob("*")):
        if path.suffix in (".html", ".txt"):
            yield from _of_template(path)
    for kind in FINDING_KINDS.values():  # the catalog of findings is words alone
        for text in filter(None, (kind.text, kind.hint)):
            yield "events/formats/catalog", 1, "translatable", (text,)
    for room in SOURCE_ROOTS:
        for path in sorted((ROOT / room).rglob("*.py")):
            yield from _of_module(path)


def _of_module(path: Path) -> Iterator[Found]:
    for function, call in calls(path):
        if function in KEYWORDS:
            texts = _constants(call)
            if texts and texts[0]:  # a call with a variable says nothing
                yield str(path.relative_to(ROOT)), call.lineno, function, texts


def _of_template(path: Path) -> Iterator[Found]:
    for line, text in enumerate(templatize(path.read_text()).splitlines(), start=1):
        for call in _CALL.finditer(text):
            texts = _arguments(text[call.start() :])
            yield str(path.relative_to(ROOT)), line, call.group(1), texts


def _arguments(text: str) -> tuple[str | None, ...]:
    """Return the constants of the call that *text* begins with."""
    for end in (found.end() for found in re.finditer(r"\)", text)):
        try:
            call = ast.parse(text[:end], mode="eval").body
        except SyntaxError:  # this bracket stood inside the text
            continue
        assert isinstance(call, ast.Call)
        return _constants(call)
    raise ValueError(f"A call without an end: {text}")


def _constants(call: ast.Call) -> tuple[str | None, ...]:
    return tuple(
        argument.value if isinstance(argument, ast.Constant) else None
        for argument in call.args
    )


def extracted_catalog() -> Catalog:
    """Return all messages as a catalog without translations."""
    catalog = Catalog(charset="utf-8")
    for path, _, function, texts in marked_strings():
        places = KEYWORDS[function] or (1,)
        context = next((texts[p[0] - 1] for p in places if isinstance(p, tuple)), None)
        ids = tuple(texts[p - 1] for p in places if isinstance(p, int))
        catalog.add(
            ids if len(ids) > 1 else ids[0], locations=[(path, 1)], context=context
        )
    return catalog


@cache
def spanish() -> Catalog:
    """Return the Spanish catalog, for reading only."""
    return _kept()


def _kept() -> Catalog:
    with CATALOG.open("rb") as source:
        return read_po(source, locale="es")


def compiled(catalog: Catalog) -> bytes:
    """Return what the program reads of *catalog*: the same bytes at any hour."""
    catalog.creation_date = catalog.revision_date = NO_HOUR
    file = BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def untranslated(catalog: Catalog) -> list[Any]:
    """Return what has no translation in *catalog*."""
    return [
        message.id for message in catalog if message.id and not _is_translated(message)
    ]


def _is_translated(message: Message) -> bool:
    return bool(message.string) and all(_forms(message.string))


def _forms(string: Any) -> tuple[str, ...]:
    return string if isinstance(string, tuple) else (string,)


def store(catalog: Catalog) -> None:
    """Write the catalog, sorted and without the hour, and its compiled form."""
    file = BytesIO()
    write_po(file, catalog, sort_output=True, omit_header=False, no_location=True)
    kept = [
        line
        for line in file.getvalue().splitlines(keepends=True)
        if not line.startswith(UNUSED_HEADERS)
    ]
    CATALOG.write_bytes(b"".join(kept))
    CATALOG.with_suffix(".mo").write_bytes(compiled(_kept()))


def fill(catalog: Catalog, other: Catalog) -> None:
    """Take from *other* the translations that *catalog* has not."""
    for message in catalog:
        if message.id and not _is_translated(message):
            found = other.get(message.id, message.context)
            if found and _is_translated(found):
                message.string = found.string


def carry_over(catalog: Catalog, removed: list[Message]) -> list[tuple[Any, Any]]:
    """Give changed sentences the Spanish of the removed one that each resembles.

    Return the changed sentences with what they were, for a reader of Spanish.
    """
    translations = {
        was: (message, set(was.split()))
        for message in removed
        if isinstance(was := message.id, str)
    }
    carried = []
    for message in catalog:
        if isinstance(message.id, str) and message.id and not message.string:
            words = set(message.id.split())
            # To compare letters takes a while: only with those that share words.
            near = [
                was
                for was, (_, others) in translations.items()
                if 3 * len(words & others) >= len(words)
                and _placeholders(was) == _placeholders(message.id)
            ]
            for was in difflib.get_close_matches(message.id, near, n=1):
                message.string = translations[was][0].string
                carried.append((message.id, was))
    return carried


def _placeholders(text: str) -> list[str]:
    return sorted(PLACEHOLDER.findall(text))


def main(others: list[str]) -> None:
    catalog = _kept() if CATALOG.exists() else Catalog(locale="es")
    before = list(catalog)
    catalog.update(extracted_catalog(), no_fuzzy_matching=True)
    catalog.header_comment = "# The pages of the ratings office in Spanish."
    catalog.fuzzy = False
    catalog.obsolete.clear()
    for other in others:
        fill(catalog, read_po(BytesIO(Path(other).read_bytes()), locale="es"))
    removed = [one for one in before if catalog.get(one.id, one.context) is None]
    carried = carry_over(catalog, removed)
    store(catalog)
    for sentence, was in carried:
        print(f"  Read its Spanish again: {sentence!r} (was {was!r})")
    missing = untranslated(catalog)
    print(f"{len(catalog)} sentences, {len(missing)} without Spanish.")
    for message in missing:
        print(f"  {message!r}")


if __name__ == "__main__":
    main(sys.argv[1:])
