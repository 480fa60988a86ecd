"""Split the lines of FIDE's tournament report file (TRF) into fields.

Each line begins with a tag of three characters. Player lines (001) have fixed columns,
counted from 1: starting rank, sex, title, name, FIDE rating, federation, FIDE ID, birth
date, points and rank, and then ten columns a round: opponent's starting rank, color,
result. The edition of 2026 adds national lines in the same columns, which begin with a
federation's three letters instead.

This module only splits lines; the readers of domestic and foreign events interpret and
check the fields.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from players.formats.text import decode_file, normalize_number

MAX_PLAYERS = 5_000
MAX_RESULTS = 100_000  # 5,000 players with 20 rounds each
PLAYER = "001"
COMMENT = "###"

FIRST_ROUND = 92
ROUND_WIDTH = 10
# The first and the last column of each field of a player line.
COLUMNS: Mapping[str, tuple[int, int]] = {
    "rank": (5, 8),
    "sex": (10, 10),
    "title": (11, 13),
    "name": (15, 47),
    "rating": (49, 52),
    "federation": (54, 56),
    "number": (58, 68),
    "birth": (70, 79),
    "points": (81, 84),
    "place": (86, 89),
}
# The columns between name, rating, federation, number, birth date, points and rank.
_GAPS = (48, 53, 57, 69, 80, 85, 90, 91)
_FEDERATION = re.compile("|[A-Za-z]{3}")
RESULTS = frozenset("10=+-WDLHFUZ")

# The fields before the rounds end in column 89, or later if they are shifted.
_MAX_STATIC_LENGTH = 120
# 99 rounds end in column 1,081; text after it has no meaning.
_MAX_LINE_LENGTH = 1_200
_HEADER_BYTES = 8_000  # bytes; headings of large tournaments take three thousand
_LINE_END = re.compile(r"\r\n|\r|\n")
_TAG = re.compile(r"\s{0,3}([0-9]{3}|[A-Z]{3}|###)( |\t|$)", re.ASCII)
_DISTINCTIVE = re.compile(r"\s{0,3}0[0-9]{2}( |\t|$)", re.ASCII)
# Programs and people insert lines that count or name the columns.
_RULER = re.compile(
    r"\s{4,}[0-9]+(?:\s+[0-9]+)+\s*"
    r"|(?:1234567890)+[0-9]*"
    r"|([A-Z])\1\1(?:\s+[A-Za-z0-9/]+)*\s*",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class TrfLine:
    """One line: its number in the file, its text without the line's end."""

    number: int
    text: str

    @property
    def tag(self) -> str:
        return self.text[:3]

    @property
    def value(self) -> str:
        """Return the text after the tag, on one line without outer blanks."""
        return " ".join(self.text[3:].split())


@dataclass(frozen=True, slots=True)
class TrfCell:
    """One round of a player line as it is spelled, and its first column."""

    opponent: str
    color: str
    result: str
    column: int

    @property
    def is_sound(self) -> bool:
        return _is_round(self.opponent, self.color, self.result)


@lru_cache(maxsize=8192)
def _is_round(opponent: str, color: str, result: str) -> bool:
    return (
        (not opponent or _is_number(opponent))
        and color.lower() in ("", "-", "w", "b")
        and (not result or result.upper() in RESULTS)
    )


@dataclass(frozen=True, slots=True)
class PlayerLine:
    """A player line split into ``COLUMNS``, each field without outer blanks.

    *starts* has the column in which each field begins. *in_columns* is False if the
    fields had to be searched for. *has_gaps* means that the columns between the fields
    are blank, so that no field can be the rest of another.
    """

    number: int
    fields: Mapping[str, str]
    starts: Mapping[str, int]
    cells: tuple[TrfCell, ...]
    in_columns: bool = True
    has_gaps: bool = False

    def __getitem__(self, field: str) -> str:
        return self.fields.get(field, "")

    @property
    def is_sound(self) -> bool:
        """Return whether the fields have valid values."""
        return (
            self.is_in_place
            and (not self["rating"] or _is_number(self["rating"]))
            and (not self["number"] or _is_number(normalize_number(self["number"])))
            and all(cell.is_sound for cell in self.cells)
        )

    @property
    def is_in_place(self) -> bool:
        """Return whether the fields with an unmistakable form are in their columns.

        Elsewhere a number may be the rest of another one.
        """
        return (
            _is_number(self["rank"])
            and (self.has_gaps or _FEDERATION.fullmatch(self["federation"]) is not None)
            and re.fullmatch(r"|[0-9]{1,2}([.,][0-9])?", self["points"]) is not None
        )


def looks_like_trf(data: bytes) -> bool:
    """Return whether the first lines begin with the codes of a report file.

    One of them may be damaged; a line in a player's columns is proof enough.
    """
    lines = [
        line.text for line in parse_lines(data[:_HEADER_BYTES]) if line.text.strip()
    ]
    texts = [
        text
        for text in lines
        if not text.lstrip().startswith(COMMENT) and not is_ruler(text)
    ]
    begins_with_codes = all(_TAG.match(text) for text in texts[:2]) and any(
        _DISTINCTIVE.match(text) for text in texts
    )
    return bool(texts) and (begins_with_codes or any(map(_is_player, texts)))


def _is_player(text: str) -> bool:
    if not text.lstrip().startswith(PLAYER):
        return False
    line = parse_player_line(TrfLine(0, text.lstrip()))
    return line.is_sound and bool(line["name"] and line["points"])


def parse_lines(data: bytes) -> list[TrfLine]:
    """Return the lines of a file in any encoding and with any line ends.

    Control characters are removed: lines cannot have them, and databases reject some.

    >>> data = b"\\xef\\xbb\\xbf012 May Open\\r\\n\\r\\n042 2024/05/04\\x1a"
    >>> parse_lines(data)[2].text
    '042 2024/05/04'
    """
    return [
        TrfLine(number, _unindented(_printable(line[:_MAX_LINE_LENGTH])))
        for number, line in enumerate(_LINE_END.split(decode_file(data)), start=1)
    ]


def _printable(text: str) -> str:
    text = text.replace("\t", " ")
    if text.isprintable():
        return text.rstrip()
    return "".join(
        letter for letter in text if letter.isprintable() or letter == "\xa0"
    ).rstrip()


def _unindented(text: str) -> str:
    """Return *text* without up to three blanks before it, as it may be pasted."""
    bare = text.lstrip()
    return bare if len(text) - len(bare) <= 3 else text


def is_ruler(text: str) -> bool:
    """Return whether a line only counts or names the columns of the others.

    >>> is_ruler("DDD SSSS sTTT NNNN RRRR"), is_ruler("         1         2")
    (True, True)
    >>> is_ruler("FRA    1                  1840"), is_ruler("001    1")
    (False, False)
    """
    return _RULER.fullmatch(text) is not None


def parse_player_line(line: TrfLine) -> PlayerLine:
    """Split a player's line at its columns, or by its words if those are shifted.

    Some programs count bytes instead of letters, or count an accent as a letter. A line
    that is invalid in all ways is split at its columns.

    >>> line = TrfLine(7, "001 2 m Ek, Bo 1810 USA 2099991 2.0 3 1 w 0")
    >>> parse_player_line(line)["rating"]
    '1810'
    """
    texts = _aligned(line.text)
    cuts = [parse_fixed_columns(TrfLine(line.number, text)) for text in texts]
    sound = sorted((cut for cut in cuts if cut.is_sound), key=lambda cut: -cut.has_gaps)
    return sound[0] if sound else parse_shifted_columns(line) or cuts[0]


def _aligned(text: str) -> Iterator[str]:
    """Yield a line with its columns counted in letters, accented letters and bytes."""
    yield text
    if not text.isascii():
        yield unicodedata.normalize("NFC", text)
        yield "".join(one + _PADDING * (len(one.encode()) - 1) for one in text)


def parse_fixed_columns(line: TrfLine) -> PlayerLine:
    """Split a player's or a national line at its columns.

    >>> line = TrfLine(7, "001    1 mGM  Lind, Ada")
    >>> parse_fixed_columns(line)["rank"], parse_fixed_columns(line)["name"]
    ('1', 'Lind, Ada')
    """
    return PlayerLine(
        number=line.number,
        fields={
            name: _field(line.text[first - 1 : last])
            for name, (first, last) in COLUMNS.items()
        },
        starts={name: first for name, (first, _) in COLUMNS.items()},
        cells=_cells(line.text, FIRST_ROUND),
        has_gaps=not any(line.text[at - 1 : at].strip() for at in _GAPS),
    )


def _field(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace(_PADDING, "")).strip()


def _cells(text: str, first: int) -> tuple[TrfCell, ...]:
    cells = []
    for column in range(first, len(text) + 1, ROUND_WIDTH):
        cell = text[column - 1 : column - 1 + ROUND_WIDTH]
        cells.append(
            TrfCell(cell[:4].strip(), cell[4:6].strip(), cell[6:].strip(), column)
        )
    return tuple(cells)


# A line with shifted columns still has its fields in order, with points between them.
_IN_WORDS = re.compile(
    r"""
    \s* [0-9A-Z]{3} \s* (?P<rank>[0-9]{1,4})
    (?: \s+ (?P<sex>[mwf]) (?= \s | [A-Z]{2,3} \s | \s*$ ) )?
    (?: \s* (?P<title>W?[GIFC]M | (?-i:w?[gmfc]) ) (?= \s ) )?
    \s+ (?P<name>[^\d\s][^\d]{0,59}?)
    (?: \s+ (?P<rating>[0-9]{3,4}) (?= \s ) )?
    (?: \s+ (?P<federation>[A-Z]{3}) (?= \s ) )?
    (?: \s+ (?P<number>[0-9]{5,11}) (?= \s ) )?
    (?: \s+ (?P<birth>[0-9]{4}(?:[/.-][0-9]{2}[/.-][0-9]{2})?) (?= \s ) )?
    \s+ (?P<points>[0-9]{1,2}[.,][05])
    (?: \s+ (?P<place>[0-9]{1,4}) (?= \s | $ ) )?
    """,
    re.VERBOSE | re.ASCII | re.IGNORECASE,
)
_ROUND_IN_WORDS = re.compile(
    r"\s+([0-9]{1,4})\s+([wb-])\s+([-+=10WDLHFUZ])(?=\s|$)", re.ASCII | re.IGNORECASE
)
_MAX_GAP = 8
# Lines have no control characters, so this one can stand for the rest of a letter.
_PADDING = "\0"


def parse_shifted_columns(line: TrfLine) -> PlayerLine | None:
    """Find the fields of a line with shifted columns; return None if that fails.

    >>> text = "001 2 m Ek, Bo 1810 USA 2099991 2.0 3 1 w 0 4 b 1"
    >>> line = parse_shifted_columns(TrfLine(7, text))
    >>> line["number"], [(cell.opponent, cell.result) for cell in line.cells]
    ('2099991', [('1', '0'), ('4', '1')])
    """
    match = _IN_WORDS.match(line.text, 0, _MAX_STATIC_LENGTH)
    if match is None:
        return None
    cells = _shifted_cells(line.text, match.end())
    if cells is None:
        return None
    return PlayerLine(
        number=line.number,
        fields={name: _field(text or "") for name, text in match.groupdict().items()},
        starts={name: match.start(name) + 1 for name in COLUMNS if match[name]},
        cells=cells,
        in_columns=False,
    )


def _shifted_cells(text: str, end: int) -> tuple[TrfCell, ...] | None:
    """Return the rounds after the character at *end*, None if that is a guess.

    Either all columns of the rounds moved together, or single blanks separate the
    rounds. A blank round can be recognized in the first case only.
    """
    moved = _cells(text, end + 3)
    if not text[end : end + 2].strip() and all(cell.is_sound for cell in moved):
        return moved
    cells = []
    while end < len(text):
        match = _ROUND_IN_WORDS.match(text, end)
        if match is None or match.start(1) - end > _MAX_GAP:
            return None
        cells.append(TrfCell(match[1], match[2], match[3], match.start(1) + 1))
        end = match.end()
    return tuple(cells)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()
