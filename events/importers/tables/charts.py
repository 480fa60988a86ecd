"""Players' lines of printed charts, put under headings that tell their columns.

A text may hold several charts, one after the other: each has a heading of its own, and
as many rounds as its longest line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

from events.importers.tables.facts import facts_in, section_named

# Nobody's chart is wider, and a search through blanks is slow in a longer line.
LONGEST_LINE = 2_000
PLACE = "Place"
RULE = re.compile(r"[\s|+=\-_*]+")
MEMBER_ID = re.compile(r"(?<![0-9])([1-9][0-9]{7})(?![0-9])", re.ASCII)

_OPPONENT = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)
_APART = re.compile(r"\s*([A-Za-z][A-Za-z() ]{1,30})(?:\t| {2,})\s*(\S.*)")
_LABELED = re.compile(r"\s*([A-Za-z][A-Za-z() ]{1,30}):\s*(\S.*)")


@dataclass(frozen=True, slots=True)
class ChartLine:
    """The cells of one line, and where in it each starts, if that is known.

    ``rest`` are results in the line that no cell holds.
    """

    number: int
    cells: Sequence[str]
    starts: Sequence[int] = field(default=())
    rest: str = ""


@dataclass(frozen=True, slots=True)
class ChartPlayer:
    """A player's line: what stands left of the results, in columns, and the results."""

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
        found = (_OPPONENT.search(result) for result in self.results)
        return {match[0] for match in found if match}


Item = ChartPlayer | ChartLine


def under_headings(items: Sequence[Item]) -> Iterator[ChartLine]:
    """Yield a heading before the first player of each chart, and all lines in order."""
    begins = [*_beginnings(items), len(items)]
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


def _beginnings(items: Sequence[Item]) -> Iterator[int]:
    """Yield the place of each player with whom a chart begins.

    A section's name between two lines does not part those who met.
    """
    numbers = [item.number for item in items if isinstance(item, ChartPlayer)]
    ahead = iter(zip(numbers, [*numbers[1:], ""], strict=True))
    seen: dict[str, None] = {}
    opponents: set[str] = set()
    section = ""
    apart = other_section = False
    for at, item in enumerate(items):
        if isinstance(item, ChartLine):
            named = section_named(item.cells)
            other_section = other_section or bool(named and named != section)
            section, apart = named or section, True
            continue
        closed = other_section and opponents <= seen.keys()
        starts_over = _starts_over(next(ahead), seen, apart=apart)
        if not seen or starts_over or closed:
            yield at
            seen, opponents = {}, set()
        seen[item.number] = None
        opponents |= item.opponents
        apart = other_section = False


def _starts_over(two: tuple[str, str], seen: dict[str, None], *, apart: bool) -> bool:
    """Whether numbers start over, instead of one that was given twice by mistake.

    *two* are the number of a player and that of the next one.
    """
    if not two[0] or two[0] not in seen:
        return False
    return apart or two == tuple(islice(seen, 2))


def _columns(chart: Sequence[ChartPlayer]) -> tuple[str, ...]:
    """Return the columns left of the results; places only where each line has one."""
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
    texts = [head[column] for column in columns]
    before = [name_at if column == "Name" else 1 for column in columns]
    blank = [""] * (rounds - len(player.results))
    return ChartLine(
        player.line,
        (*texts, *player.results, *blank),
        (*before, *starts),
        player.rest,
    )


def labeled(number: int, line: str) -> ChartLine:
    """Return a line such as “Section: Open” as two cells, any other as one."""
    match = _LABELED.fullmatch(line.rstrip()) or _APART.fullmatch(line.rstrip())
    if match is None or (match.re is _APART and not facts_in(match[1], match[2])):
        return ChartLine(number, (line.strip(),))
    return ChartLine(
        number, (match[1], match[2]), (match.start(1) + 1, match.start(2) + 1)
    )
