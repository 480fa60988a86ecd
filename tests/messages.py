"""Collect what is marked for translation, and bring the Spanish catalog up to date.

``python -m tests.messages`` (``make messages``) adds new sentences to the catalog,
takes away what nobody says any more, compiles it, and prints what still lacks Spanish.
"""

import ast
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from events.importers.catalog import KINDS
from tests.sources import calls

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("ratings_site", "players", "events", "ratings")
CATALOG = ROOT / "ratings_site" / "locale" / "es" / "LC_MESSAGES" / "django.po"

# Which of a call's arguments are text, and which is the context ("c").
KEYWORDS: dict[str, tuple[Any, ...] | None] = {
    "_": None,
    "say": None,
    "worded": None,
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
# Of the head, what would change with each run or says nothing.
NO_HOUR = datetime(2026, 1, 1, tzinfo=UTC)
OF_NO_USE = (
    *(b'"POT-Creation-Date', b'"PO-Revision-Date', b'"Generated-By'),
    *(b'"Report-Msgid-Bugs-To', b'"Last-Translator', b'"Project-Id-Version'),
)
_CALL = re.compile(r"\b(_|gettext|ngettext|pgettext|npgettext)\(")

Found = tuple[str, int, str, tuple[str | None, ...]]


@cache
def marked() -> tuple[Found, ...]:
    """Return file, line, function and arguments of everything marked."""
    return tuple(_marked())


def _marked() -> Iterator[Found]:
    for path in sorted((ROOT / "templates").rglob("*")):
        if path.suffix in (".html", ".txt"):
            yield from _of_template(path)
    for kind in KINDS.values():  # the catalog of findings is words alone
        for text in filter(None, (kind.text, kind.hint)):
            yield "events/importers/catalog", 1, "say", (text,)
    for room in ROOMS:
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


def collected() -> Catalog:
    """Return all that is marked, as a catalog without translations."""
    catalog = Catalog(charset="utf-8")
    for path, _, function, texts in marked():
        places = KEYWORDS[function] or (1,)
        context = next((texts[p[0] - 1] for p in places if isinstance(p, tuple)), None)
        ids = tuple(texts[p - 1] for p in places if isinstance(p, int))
        catalog.add(
            ids if len(ids) > 1 else ids[0], locations=[(path, 1)], context=context
        )
    return catalog


@cache
def spanish() -> Catalog:
    """Return the Spanish catalog as it is kept, for those that change nothing in it."""
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


def lacking(catalog: Catalog) -> list[Any]:
    """Return what has no translation in *catalog*."""
    return [
        message.id
        for message in catalog
        if message.id and not (message.string and all(_forms(message.string)))
    ]


def _forms(string: Any) -> tuple[str, ...]:
    return string if isinstance(string, tuple) else (string,)


def store(catalog: Catalog) -> None:
    """Write the catalog, sorted and without the hour, and its compiled form."""
    file = BytesIO()
    write_po(file, catalog, sort_output=True, omit_header=False, no_location=True)
    kept = [
        line
        for line in file.getvalue().splitlines(keepends=True)
        if not line.startswith(OF_NO_USE)
    ]
    CATALOG.write_bytes(b"".join(kept))
    CATALOG.with_suffix(".mo").write_bytes(compiled(_kept()))


def main() -> None:
    catalog = _kept() if CATALOG.exists() else Catalog(locale="es")
    catalog.update(collected(), no_fuzzy_matching=True)
    catalog.header_comment = "# The pages of the ratings office in Spanish."
    catalog.fuzzy = False
    catalog.obsolete.clear()
    store(catalog)
    missing = lacking(catalog)
    print(f"{len(catalog)} sentences, {len(missing)} without Spanish.")
    for message in missing:
        print(f"  {message!r}")


if __name__ == "__main__":
    main()
