"""Add headings with the columns to the players' lines of printed charts.

A text may have several charts, one after the other: each has its own heading, and as
many rounds as its longest line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

from events.formats.tables.header_fields import parse_header_line, section_name_in

# No chart is wider, and a search through blanks is slow in a longer line.
MAX_LINE_LENGTH = 2_000
PLACE = "Place"
RULE = re.compile(r"[\s|+=\-_*]+")

OPPONENT = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)
# An unreadable first result that became a part of the name.
_UNREADABLE_END = re.compile(r"\s(?!(?:1st|2nd|3rd|[45]th)$)\S*[0-9#?!=+*½;:|/]\S*$")
_SPACED_LABEL = re.compile(r"\s*([A-Za-z][A-Za-z() ]{1,30})(?:\t| {2,})\s*(\S.*)")
_COLON_LABEL = re.compile(r"\s*([A-Za-z][A-Za-z() ]{1,30}):\s*(\S.*)")


@dataclass(frozen=True, slots=True)
class ChartLine:
    """The cells of one line, and the position of each in the line, if known.

    ``rest`` are results in the line that are in no cell.
    """

    number: int
    cells: Sequence[str]
    starts: Sequence[int] = field(default=())
    rest: str = ""


@dataclass(frozen=True, slots=True)
class ChartPlayer:
    """A player's line: the columns to the left of the results, and the results."""

    line: int
    head: dict[str, str]
    results: Sequence[str]
    starts: Sequence[int]  # of the name and of each result
    rest: str = ""

    @property
    def number(self) -> str:
        return self.head["No."]

    @property
    def opponents(self) -> set[str]:
        matches = (OPPONENT.search(result) for result in self.results)
        return {match[0] for match in matches if match}


Item = ChartPlayer | ChartLine


def with_headings(items: Sequence[Item]) -> Iterator[ChartLine]:
    """Yield a heading before the first player of each chart, and all lines in order."""
    begins = [*_chart_starts(items), len(items)]
    yield from (item for item in items[: begins[0]] if isinstance(item, ChartLine))
    for begin, end in pairwise(begins):
        yield from _chart(items[begin:end])


def _chart(items: Sequence[Item]) -> Iterator[ChartLine]:
    players = [item for item in items if isinstance(item, ChartPlayer)]
    columns = _columns(players)
    rounds = max(1, *(len(player.results) for player in players))
    results = [f"Rd {number}" for number in range(1, rounds + 1)]
    yield ChartLine(players[0].line, (*columns, *results))
    for item in items:
        yield item if isinstance(item, ChartLine) else _row(item, columns, rounds)


def _chart_starts(items: Sequence[Item]) -> Iterator[int]:
    """Yield the index of the first player of each chart.

    A section's name between two lines does not separate players who met.
    """
    numbers = [item.number for item in items if isinstance(item, ChartPlayer)]
    ahead = iter(zip(numbers, [*numbers[1:], ""], strict=True))
    seen: dict[str, None] = {}
    opponents: set[str] = set()
    section = ""
    is_separated = other_section = False
    for at, item in enumerate(items):
        if isinstance(item, ChartLine):
            named = section_name_in(item.cells)
            other_section = other_section or bool(named and named != section)
            section, is_separated = named or section, True
            continue
        closed = other_section and opponents <= seen.keys()
        starts_over = _starts_over(next(ahead), seen, is_separated=is_separated)
        if not seen or starts_over or closed:
            yield at
            seen, opponents = {}, set()
        seen[item.number] = None
        opponents |= item.opponents
        is_separated = other_section = False


def _starts_over(
    two: tuple[str, str], seen: dict[str, None], *, is_separated: bool
) -> bool:
    """Return whether numbers start over, instead of one that repeats by mistake.

    *two* are the number of a player and that of the next one.
    """
    if not two[0] or two[0] not in seen:
        return False
    return is_separated or two == tuple(islice(seen, 2))


def _columns(chart: Sequence[ChartPlayer]) -> tuple[str, ...]:
    """Return the columns left of the results; places only if each line has one."""
    return tuple(
        column
        for column in chart[0].head
        if column != PLACE or _are_places([player.head[PLACE] for player in chart])
    )


def _are_places(texts: Sequence[str]) -> bool:
    return all(text.isdigit() and int(text) <= len(texts) for text in texts)


def _row(player: ChartPlayer, columns: Sequence[str], rounds: int) -> ChartLine:
    head = player.head
    if PLACE in head and PLACE not in columns:  # the number belongs to the name
        head = {**head, "Name": f"{head[PLACE]} {head['Name']}".strip()}
    name_at, *starts = player.starts
    rest = player.rest
    if len(player.results) < rounds and _UNREADABLE_END.search(head["Name"]):
        rest = rest or f"{head['Name']}  {'  '.join(player.results)}"[:60]
    texts = [head[column] for column in columns]
    before = [name_at if column == "Name" else 1 for column in columns]
    blank = [""] * (rounds - len(player.results))
    return ChartLine(
        player.line, (*texts, *player.results, *blank), (*before, *starts), rest
    )


def split_label(number: int, line: str) -> ChartLine:
    """Return a line such as “Section: Open” as two cells, any other as one."""
    match = _COLON_LABEL.fullmatch(line.rstrip()) or _SPACED_LABEL.fullmatch(
        line.rstrip()
    )
    if match is None or (
        match.re is _SPACED_LABEL and not parse_header_line(match[1], match[2])
    ):
        return ChartLine(number, (line.strip(),))
    return ChartLine(
        number, (match[1], match[2]), (match.start(1) + 1, match.start(2) + 1)
    )
