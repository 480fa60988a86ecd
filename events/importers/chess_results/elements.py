"""The elements of a file for chess-results.com, one by one, none of them trusted.

All that it says stands in attributes. It declares no document type and no entities; a
file that does is refused, because entities can be made to grow without end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from xml.parsers import expat

from events.importers.archive import printable
from events.importers.findings import Collector, Place

ROOT = "chessresults"
LONGEST_VALUE = 1_200

_DEEPEST = 6
_PIECE = 1 << 16
_LONGEST_ELEMENT = 1 << 18
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")

Take = Callable[[str, Mapping[str, str], int], None]


class _Refused(Exception):
    """The document is none of these; the message is the variant of the finding."""


class TooMany(Exception):
    """Raised by whatever takes the elements when it wants no more of them."""


def take_elements(name: str, data: bytes, take: Take, findings: Collector) -> None:
    """Hand every element to *take*: its name, its attributes, its line.

    Names are in lower case, for programs differ in them, and values bounded. What is
    wrong with the document as such is told in *findings*.

    >>> def show(name, values, line):
    ...     print(line, name, dict(values))
    >>> take_elements("a.xml", b'<chessresults><round No="1"/></chessresults>', show,
    ...     Collector())
    1 chessresults {}
    1 round {'no': '1'}
    """
    if not data.startswith(_UTF_16) and b"\x00" in data:
        findings.add("chess_results.characters", Place(file=name), name=name)
        data = data.replace(b"\x00", b"")
    encoding = None
    if not _is_as_stated(data):
        findings.add("chess_results.encoding", Place(file=name), name=name)
        data = data.decode("cp1252", errors="replace").encode()
        encoding = "utf-8"
    parser = _parser(take, encoding)
    parser.CharacterDataHandler = _text_teller(name, parser, findings)
    try:
        _feed(parser, data)
    except TooMany:
        raise
    except _Refused as refused:
        kind = f"chess_results.unreadable/{refused}"
        findings.add(kind, Place(file=name), name=name)
    except (expat.ExpatError, LookupError, ValueError):
        line = parser.CurrentLineNumber
        findings.add("chess_results.unreadable", Place(file=name), name=name, line=line)


def _text_teller(
    name: str, parser: expat.XMLParserType, findings: Collector
) -> Callable[[str], None]:
    """Return what tells of text between the elements, which a broken one becomes."""

    def tell(text: str) -> None:
        if text.strip():
            line = parser.CurrentLineNumber
            findings.add(
                "chess_results.text",
                Place(name, field=f"line {line}"),
                line=line,
                written=printable(text.strip()[:60]),
            )

    return tell


def _feed(parser: expat.XMLParserType, data: bytes) -> None:
    """Feed the document in pieces, so that no element grows beyond bounds unseen."""
    for place in range(0, len(data), _PIECE):
        parser.Parse(data[place : place + _PIECE], False)
        if place - parser.CurrentByteIndex > _LONGEST_ELEMENT:
            raise _Refused("element")
    parser.Parse(b"", True)


def _is_as_stated(data: bytes) -> bool:
    """Tell whether the letters are of the encoding that the first line states.

    Without one it is UTF-8; of the others every byte is some letter.
    """
    first = data[:200].lower()
    if data.startswith(_UTF_16) or (b"encoding" in first and b"utf-8" not in first):
        return True
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False
    return True


def _parser(take: Take, encoding: str | None) -> expat.XMLParserType:
    parser = expat.ParserCreate(encoding)
    depth = 0

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise _Refused("depth")
        values = {
            key.lower(): value[:LONGEST_VALUE].strip()
            for key, value in attributes.items()
        }
        take(tag.lower(), values, parser.CurrentLineNumber)

    def end(_tag: str) -> None:
        nonlocal depth
        depth -= 1

    def refuse(*_: object) -> None:
        raise _Refused("declarations")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    return parser
