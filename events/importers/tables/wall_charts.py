"""The lines of a wall chart as pairing programs print it, taken apart into cells.

Columns are parted by bars or by blanks. In the second case a line is told by its
results (W 12, L3, H--): left of them stand number, member ID, name, state and rating.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from events.importers.sentences import say

CHART_HEADINGS = ("No.", say("Member ID"), say("Name"), say("State"), say("Rating"))
# Nobody's chart is wider, and a search through blanks is slow in a longer line.
LONGEST_LINE = 2_000

_RULE = re.compile(r"[\s|+=\-_*]+")
# A result as it stands in a line between blanks. A lone letter may belong to a name,
# so that "B" alone is a bye only beside other results.
_RESULT = re.compile(
    r"(?<!\S)(?:"
    r"[WLDXFBHUZ][ ]{0,3}#?[0-9]{1,4}(?:[WB]|\([WB]\))?"
    r"|[BHUXFZ][ ]?-{1,4}"
    r"|[+=-][0-9]{1,4}[WB]?"
    r"|[0-9]{1,4}(?:[WLD][WB]?|[WB][10=½+-])"
    r"|-{2,5}|BYE|HALF"
    r")(?!\S)",
    re.ASCII | re.IGNORECASE,
)
_LONE_LETTER = re.compile(r"(?<!\S)[BHUXFZ](?!\S)", re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(r"\s*([0-9]{1,4})[.):]?(?=\s)", re.ASCII)
_MEMBER_ID = re.compile(r"(?<![0-9])([1-9][0-9]{7})(?![0-9])", re.ASCII)
_RATING = re.compile(
    r"(?<!\S)\(?([1-9][0-9]{2,3}|unr\.?|unrated|nr)(?:[P/*][0-9]{0,2})?\)?(?!\S)",
    re.ASCII | re.IGNORECASE,
)
_STATE = re.compile(r"(?:^|\s{2,})([A-Z]{2})(?=\s|$)", re.ASCII)
_TOTAL = re.compile(r"\s+(?:[0-9]{1,2}(?:[.,][05]|½)?|½)\s*$", re.ASCII)
_WIDE = re.compile(r"\s{3,}")
_LABELED = re.compile(r"\s*([A-Za-z][A-Za-z ]{1,30}):\s+(\S.*)")


@dataclass(frozen=True, slots=True)
class ChartLine:
    """The cells of one line, and where in it each starts, if that is known."""

    number: int
    cells: Sequence[str]
    starts: Sequence[int] = field(default=())


# Columns parted by bars


def looks_barred(lines: Sequence[str]) -> bool:
    return sum(line.count("|") > 2 for line in lines) > 1


def barred_lines(lines: Sequence[str]) -> Iterator[ChartLine]:
    """Yield the rows of a table drawn with bars.

    Where each player has two lines (number and results above, state, member ID, rating
    and colors below, as the federation prints them), the two become one.
    """
    rows = [
        _barred(number, line)
        for number, line in enumerate(lines, start=1)
        if not _RULE.fullmatch(line)
    ]
    if not any(_goes_on(*pair) for pair in pairwise(rows)):
        yield from rows
        return
    rounds = max(len(row.cells) - 3 for row in rows)
    yield _chart_heading(rows[0].number, rounds, say("Rating after"))
    for row, following in zip(rows, [*rows[1:], ChartLine(0, ())], strict=True):
        if _goes_on(row, following):
            yield _joined(row, following)
        elif len(row.cells) == 1:
            yield _labeled(row.number, row.cells[0])


def _barred(number: int, line: str) -> ChartLine:
    cells, starts, at = [], [], 0
    for piece in line.split("|"):
        cells.append(piece.strip())
        starts.append(at + len(piece) - len(piece.lstrip()) + 1)
        at += len(piece) + 1
    if len(cells) > 1 and line.lstrip().startswith("|"):
        del cells[0], starts[0]
    if len(cells) > 1 and line.rstrip().endswith("|"):
        del cells[-1], starts[-1]
    return ChartLine(number, cells, starts)


def _goes_on(row: ChartLine, following: ChartLine) -> bool:
    return (
        len(row.cells) > 3
        and len(following.cells) > 1
        and re.fullmatch(r"[0-9]{1,4}", row.cells[0], re.ASCII) is not None
        and not following.cells[0].isdigit()
        and _MEMBER_ID.search(following.cells[1]) is not None
    )


def _joined(row: ChartLine, below: ChartLine) -> ChartLine:
    member_id = _MEMBER_ID.search(below.cells[1])
    rating = re.search(r"R:\s*([0-9]{3,4})", below.cells[1], re.ASCII)
    after = re.search(r"R:[^>]*->\s*([0-9]{3,4})", below.cells[1], re.ASCII)
    colors = [text if text in ("W", "B") else "" for text in below.cells[3:]]
    colors += [""] * len(row.cells)
    results = [
        f"{result}{color}" for result, color in zip(row.cells[3:], colors, strict=False)
    ]
    head = (
        row.cells[0],
        member_id[1] if member_id else "",
        row.cells[1],
        below.cells[0],
        rating[1] if rating else "",
        after[1] if after else "",
    )
    starts = (row.starts[0], 1, row.starts[1], 1, 1, 1, *row.starts[3:])
    return ChartLine(row.number, (*head, *results), starts)


def _chart_heading(number: int, rounds: int, *more: str) -> ChartLine:
    results = (f"Rd {n}" for n in range(1, max(1, rounds) + 1))
    return ChartLine(number, (*CHART_HEADINGS, *more, *results))


# Columns parted by blanks


def looks_like_chart(line: str) -> bool:
    return _results_in(line[:LONGEST_LINE]) != []


def chart_lines(lines: Sequence[str]) -> Iterator[ChartLine]:
    """Yield the players' lines under one heading, and other lines as they are."""
    lines = [line[:LONGEST_LINE] for line in lines]
    charted = [_results_in(line) for line in lines]
    rounds = max(map(len, charted), default=0)
    heading_due = True
    for number, (line, results) in enumerate(zip(lines, charted, strict=True), 1):
        if results:
            if heading_due:
                yield _chart_heading(number, rounds)
                heading_due = False
            yield _player(number, line, results, rounds)
        elif line.strip() and not _RULE.fullmatch(line):
            yield _labeled(number, line)


def _results_in(line: str) -> list[re.Match[str]]:
    """Return the longest run of results that only blanks part."""
    best: list[re.Match[str]] = []
    run: list[re.Match[str]] = []
    results = list(_RESULT.finditer(line))
    taken = {at for result in results for at in range(*result.span())}
    letters = (m for m in _LONE_LETTER.finditer(line) if m.start() not in taken)
    marks = [*results, *letters]
    for mark in sorted(marks, key=lambda mark: mark.start()):
        if run and line[run[-1].end() : mark.start()].strip():
            run = []
        run.append(mark)
        if len(run) > len(best):
            best = run[:]
    while best and _LONE_LETTER.fullmatch(best[0][0]) and not _ends_a_head(line, best):
        best = best[1:]
    return best if any(_RESULT.fullmatch(mark[0]) for mark in best) else []


def _ends_a_head(line: str, run: Sequence[re.Match[str]]) -> bool:
    """Tell a bye in the first round from the last letter of a name, such as “Jan B”."""
    before = line[: run[0].start()].rstrip()
    return before[-1:].isdigit() or len(line[: run[0].start()]) - len(before) > 1


def _player(
    number: int, line: str, results: Sequence[re.Match[str]], rounds: int
) -> ChartLine:
    head = _WIDE.sub("  ", line[: results[0].start()].rstrip())
    without_total = _TOTAL.sub("", head, count=1)
    cells = _identity(without_total if _NUMBER.match(without_total + " ") else head)
    texts = [result[0] for result in results]
    name_at = max(0, line.find(cells[2][:8])) + 1
    starts = (1, 1, name_at, 1, 1, *(result.start() + 1 for result in results))
    return ChartLine(number, (*cells, *texts, *[""] * (rounds - len(texts))), starts)


def _identity(head: str) -> tuple[str, ...]:
    """Return number, member ID, name, state and rating."""
    number, head = _taken(_NUMBER, head + " ")
    member_id, head = _taken(_MEMBER_ID, head)
    rating, head = _taken(_RATING, head, last=True)
    state, head = _taken(_STATE, head, last=True)
    name = " ".join(head.replace("(", " ").replace(")", " ").split()).strip(" /,")
    return number, member_id, name, state, rating


def _taken(
    pattern: re.Pattern[str], text: str, *, last: bool = False
) -> tuple[str, str]:
    """Return what *pattern* finds, and the text with blanks in its place."""
    found = list(pattern.finditer(text))
    if not found or (pattern is _NUMBER and found[0].start() != 0):
        return "", text
    match = found[-1] if last else found[0]
    blank = " " * (match.end() - match.start())
    return match[1], text[: match.start()] + blank + text[match.end() :]


def _labeled(number: int, line: str) -> ChartLine:
    """Return a line such as “Section: Open” as two cells, any other as one."""
    match = _LABELED.fullmatch(line.rstrip())
    if match is None:
        return ChartLine(number, (line.strip(),))
    return ChartLine(
        number, (match[1], match[2]), (match.start(1) + 1, match.start(2) + 1)
    )
