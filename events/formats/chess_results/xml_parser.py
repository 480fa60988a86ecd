"""Parse an untrusted file for chess-results.com, element by element.

All data is in attributes. A file with a document type or entities is rejected, because
entities can expand without limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from xml.parsers import expat

from events.formats.archive import printable
from events.formats.findings import Collector, Place
from players.formats.text import UTF_16_BOMS, decode_text

ROOT = "chessresults"
LONGEST_VALUE = 1_200

_MAX_DEPTH = 6
_CHUNK_SIZE = 1 << 16
_LONGEST_ELEMENT = 1 << 18

ElementHandler = Callable[[str, Mapping[str, str], int], None]


class _RejectedDocument(Exception):
    """The document is invalid; the message is the variant of the finding."""


class TooManyElements(Exception):
    """Raised by an element handler that reached its limit."""


def parse_elements(
    name: str, data: bytes, handle_element: ElementHandler, findings: Collector
) -> None:
    """Call *handle_element* for every element, with its name, attributes and line.

    Names are lowercased, because programs differ in case, and values are bounded.
    Faults of the document itself are added to *findings*.

    >>> def show(name, values, line):
    ...     print(line, name, dict(values))
    >>> parse_elements("a.xml", b'<chessresults><round No="1"/></chessresults>', show,
    ...     Collector())
    1 chessresults {}
    1 round {'no': '1'}
    """
    if not data.startswith(UTF_16_BOMS) and b"\x00" in data:
        findings.add("chess_results.characters", Place(file=name), name=name)
        data = data.replace(b"\x00", b"")
    encoding = None
    if not _has_declared_encoding(data):
        findings.add("chess_results.encoding", Place(file=name), name=name)
        data = decode_text(data).encode()
        encoding = "utf-8"
    parser = _parser(handle_element, encoding)
    parser.CharacterDataHandler = _text_handler(name, parser, findings)
    try:
        _feed(parser, data)
    except TooManyElements:
        raise
    except _RejectedDocument as refused:
        kind = f"chess_results.unreadable/{refused}"
        findings.add(kind, Place(file=name), name=name)
    except (expat.ExpatError, LookupError, ValueError):
        line = parser.CurrentLineNumber
        findings.add("chess_results.unreadable", Place(file=name), name=name, line=line)


def _text_handler(
    name: str, parser: expat.XMLParserType, findings: Collector
) -> Callable[[str], None]:
    """Return a handler that reports text between elements, such as a broken element."""

    def add_finding(text: str) -> None:
        if text.strip():
            line = parser.CurrentLineNumber
            findings.add(
                "chess_results.text",
                Place(name, field=f"line {line}"),
                line=line,
                written=printable(text.strip()[:60]),
            )

    return add_finding


def _feed(parser: expat.XMLParserType, data: bytes) -> None:
    """Feed the document in pieces, so that an oversized element is noticed."""
    for place in range(0, len(data), _CHUNK_SIZE):
        parser.Parse(data[place : place + _CHUNK_SIZE], False)
        if place - parser.CurrentByteIndex > _LONGEST_ELEMENT:
            raise _RejectedDocument("element")
    parser.Parse(b"", True)


def _has_declared_encoding(data: bytes) -> bool:
    """Return whether the text is in the encoding that the first line declares.

    The default is UTF-8; in the single-byte encodings every byte is valid.
    """
    first = data[:200].lower()
    if data.startswith(UTF_16_BOMS) or (b"encoding" in first and b"utf-8" not in first):
        return True
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False
    return True


def _parser(
    handle_element: ElementHandler, encoding: str | None
) -> expat.XMLParserType:
    parser = expat.ParserCreate(encoding)
    depth = 0

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _MAX_DEPTH:
            raise _RejectedDocument("depth")
        values = {
            key.lower(): value[:LONGEST_VALUE].strip()
            for key, value in attributes.items()
        }
        handle_element(tag.lower(), values, parser.CurrentLineNumber)

    def end(_tag: str) -> None:
        nonlocal depth
        depth -= 1

    def reject(*_: object) -> None:
        raise _RejectedDocument("declarations")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = reject
    parser.EntityDeclHandler = reject
    return parser
