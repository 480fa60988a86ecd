"""The lines of a wall chart whose columns blanks part, taken apart into cells.

A line is told by its results (W 12, L3, H--, 12w1): left of them stand number, member
ID, name, state and rating. A round robin's line has points instead (``score_lines``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from events.importers.records import HIGHEST_PAIRING_NUMBER
from events.importers.tables.charts import (
    LONGEST_LINE,
    MEMBER_ID,
    PLACE,
    RULE,
    ChartLine,
    ChartPlayer,
    Item,
    labeled,
    under_headings,
)
from events.importers.tables.facts import fact_in, label_and_value
from events.importers.tables.results import is_tally, read_result
from events.importers.tables.score_lines import score_lines

# A result as it stands in a line between blanks. A lone letter may belong to a name,
# so that "B" alone is a bye only beside other results.
_RESULT = re.compile(
    r"(?<![^\s|])(?:"
    r"[WLDXFZ](?:[ ]{0,3}#?[0-9]{1,3}|[0-9]{4})(?:[WB]|\([WB]\))?"
    r"|[BHU][ ]?0|[BHUXFZ][ ]?-{1,4}"
    r"|[+=-](?:[0-9]{1,4}[WB]?|½)"
    r"|[0-9]{1,4}(?:[WLD][WB]?|[WBSN][10½=+-]|:[WLD+-])|0:"
    r"|-{2,5}|\*{3}|BYE|HALF|SPIELFREI"
    r")(?![^\s,;|])",
    re.ASCII | re.IGNORECASE,
)
# What is no bye and no part of a name or of a time control.
_GAME = re.compile(r"[WLX] *#?[0-9]|[0-9]+:?[WLDBSN]", re.ASCII | re.IGNORECASE)
_MET = re.compile(r"[WLDXF] *#?[1-9]|[1-9][0-9]*:?[WLDBSN]", re.ASCII | re.IGNORECASE)
# "G/90 d5", "40/90, SD/30 +5": the seconds after a time are no draw and no win.
_SECONDS = re.compile(r"[D+][ ]{0,3}[0-9]{1,3}", re.ASCII | re.IGNORECASE)
_TIME = re.compile(
    r"(?:\b(?:G|SD)(?: ?/ ?)?[0-9]{1,3}|[0-9]{2,3} ?/ ?[0-9]{2,3}|[0-9]['′]"
    r"|[0-9] ?min(?:utes)?|\b(?:TC|control|delay|increment))[\s.,:;+]*$",
    re.ASCII | re.IGNORECASE,
)
_LONGEST_TIME = 20
_SPACED = re.compile(r"[WLDXF] +([0-9]{3})", re.ASCII | re.IGNORECASE)
_NAME_WORD = re.compile(r"[^\W\d_]{3}")
_PLAYED = ("W", "L", "D")
_BELOW = ("Member ID", "State", "Rating")
_MARKS_BETWEEN = " ,;"
_TO_BLANKS = {ord("\t"): "  ", ord("|"): " "}
_LONE_LETTER = re.compile(r"(?<!\S)[BHUXFZ](?!\S)", re.ASCII | re.IGNORECASE)
# Between two results, what is neither a number nor a word is an unreadable result.
_UNREADABLE = re.compile(r"\s*(?![0-9.,½]+\s*$)\S{1,8}\s*")
_WORD = re.compile(r"[^\W\d_]{3}|[0-9]{3}")
_NUMBER = re.compile(r"\s*([0-9]{1,4})[.):]?(?=\s)", re.ASCII)
_PLACE = re.compile(r"\s*([0-9]{1,3})[.):]?(?=\s)", re.ASCII)
_RATING = re.compile(
    r"(?<!\S)\(?([1-9][0-9]{2,3}|unr\.?|unrated|nr)(?:[P/*][0-9]{0,2})?\)?(?!\S)",
    re.ASCII | re.IGNORECASE,
)
_STATE = re.compile(r"(?:^|\s{2,})(?!GM|IM|FM|CM|NM)([A-Z]{2})(?=\s|$)", re.ASCII)
_FEDERATION = re.compile(r"\s{2,}([A-Z]{3})(?=\s|$)", re.ASCII)
_TOTAL = re.compile(
    r"\s+(?:[0-9]{1,2}(?:[.,][05]|½)?|½)(?:\s*/\s*[0-9]{1,2})?\s*$", re.ASCII
)
_TOTAL_BEFORE_RATING = re.compile(r"\s(?:[0-9]{1,2}[.,][05]|[0-9]{0,2}½)\s*$", re.ASCII)
# The colors of all rounds in one word, such as "wbw"; x for a round without a game.
_COLORS = re.compile(r"\s([wbx-]+)\s*$", re.ASCII | re.IGNORECASE)
_WIDE = re.compile(r"\s{3,}")


def count_charted(lines: Sequence[str]) -> int:
    """Return how many of the *lines* are players' by their results.

    An event of which a table says that it is called “Group 2W” is no player.
    """
    short = [line[:LONGEST_LINE] for line in lines]
    with_results = {
        at
        for at, line in enumerate(short)
        if holds_results(line) and not _is_fact(line.replace(",", ":", 1))
    }
    return len(with_results | score_lines(short).cells.keys())


def holds_results(line: str, *, in_cells: bool = False) -> bool:
    """Whether somebody's results stand in a line, and not a title or a time control.

    Where the line was in cells already, a lone draw or forfeit is none by chance.

    >>> holds_results("1 Ana D 2"), holds_results("Ana W2"), holds_results("Hall D4")
    (True, True, False)
    """
    return bool(_player_marks(line[:LONGEST_LINE], in_cells=in_cells).run)


def chart_lines(lines: Sequence[str]) -> Iterator[ChartLine]:
    """Yield the players' lines under their headings, and other lines as they are."""
    items = [*_items([line.translate(_TO_BLANKS) for line in lines])]
    return under_headings([*_with_lines_below(items)])


def _items(lines: Sequence[str]) -> Iterator[Item]:
    short = [line[:LONGEST_LINE] for line in lines]
    scores = score_lines(short)
    all_marks = [_player_marks(line, highest=len(lines)) for line in short]
    has_colors = _have_colors(short, all_marks)
    for number, (whole_line, marks) in enumerate(zip(lines, all_marks, strict=True), 1):
        line, cut = whole_line[:LONGEST_LINE], whole_line[LONGEST_LINE:]
        rest = line[:60] if holds_results(cut[:LONGEST_LINE]) else ""
        if number - 1 in scores.cells:
            yield _player(number, line, scores.cells[number - 1], rest)
        elif number - 1 in scores.astray:
            yield ChartLine(number, (line.strip(),), rest=line.strip()[:60])
        elif marks.run:
            rest = rest or (line.strip()[:60] if marks.has_games_apart else "")
            cells = _cells_in(line, marks.run)
            if has_colors:
                line, cells = _with_colors(line, cells)
            yield _player(number, line, cells, rest)
        elif line.strip() and not RULE.fullmatch(line):
            yield labeled(number, line)


def _have_colors(lines: Sequence[str], marks: Sequence[_Marks]) -> bool:
    """Tell whether each player's line has a color for each result before them."""
    players = [
        (_COLORS.search(line[: mark.run[0].start()]), len(_cells_in(line, mark.run)))
        for line, mark in zip(lines, marks, strict=True)
        if mark.run
    ]
    colors = [found[1].lower() for found, rounds in players if found]
    return (
        len(colors) == len(players) > 1
        and all(found and len(found[1]) == rounds for found, rounds in players)
        and any({"w", "b"} & set(word) for word in colors)
    )


def _with_colors(
    line: str, cells: Sequence[tuple[int, str]]
) -> tuple[str, list[tuple[int, str]]]:
    """Return a line without its column of colors, and the results with theirs."""
    first = cells[0][0]
    match = _COLORS.search(line[:first])
    colors = match[1].upper() if match else ""
    colored = [
        (at, f"{text}{color}" if color in "WB" and _lacks_color(text) else text)
        for (at, text), color in zip(cells, colors, strict=True)
    ]
    begin = match.start(1) if match else first
    return f"{line[:begin]:{first}}{line[first:]}", colored


def _lacks_color(result: str) -> bool:
    cell = read_result(result)
    return cell.code in _PLAYED and cell.opponent is not None and not cell.color


def _with_lines_below(items: Sequence[Item]) -> Iterator[Item]:
    """Take in IDs that stand below the players' names, in lines of their own."""
    joined = False
    for item, below in zip_longest(items, items[1:]):
        is_joined, joined = joined, False
        if isinstance(item, ChartPlayer) and isinstance(below, ChartLine):
            about = _identity("  ".join(below.cells))
            joined = bool(about["Member ID"] and not item.head["Member ID"])
            joined = joined and _NAME_WORD.search(about["Name"]) is None
        if joined and isinstance(item, ChartPlayer):
            known = {column: text for column, text in item.head.items() if text}
            taken = {column: about[column] for column in _BELOW}
            yield replace(item, head={**item.head, **taken, **known})
        elif not is_joined:
            yield item


def _is_fact(line: str) -> bool:
    label, value = label_and_value([line.strip()])
    return bool(value) and fact_in(label) is not None


@dataclass(frozen=True, slots=True)
class _Marks:
    """What looks like results in a line, and the longest run of them."""

    all: Sequence[re.Match[str]] = ()
    run: Sequence[re.Match[str]] = ()

    @property
    def has_games_apart(self) -> bool:
        first, last = self.run[0].start(), self.run[-1].start()
        return any(
            (mark.start() < first and _GAME.match(mark[0]))
            or (mark.start() > last and _MET.match(mark[0]))
            for mark in self.all
        )


_NO_MARKS = _Marks()


def _player_marks(
    line: str, *, in_cells: bool = False, highest: int = HIGHEST_PAIRING_NUMBER
) -> _Marks:
    """Return the results in a line that is a player's.

    Nobody has a number beyond the *highest*; there an initial stands before a rating.
    """
    marks = [mark for mark in _marks(line) if not _is_beyond(mark, highest)]
    run = _longest_run(line, marks)
    is_player = (
        in_cells
        or len(run) > 1
        or any(_GAME.match(result[0]) for result in run)
        or bool(run and (_NUMBER.match(line) or "," in line or MEMBER_ID.search(line)))
    )
    if not run or not is_player or _is_fact(line):
        return _NO_MARKS
    results = [mark[0] for mark in run]
    is_count = is_tally(line[: run[0].start()], results)
    return _NO_MARKS if is_count else _Marks(marks, run)


def _longest_run(line: str, marks: Sequence[re.Match[str]]) -> Sequence[re.Match[str]]:
    """Return the longest run of results, with what cannot be read between them."""
    parted = (
        at
        for at, (mark, after) in enumerate(pairwise(marks), start=1)
        if _parts(line[mark.end() : after.start()])
    )
    runs = [marks[begin:end] for begin, end in pairwise([0, *parted, len(marks)])]
    best = max(filter(_has_result, runs), key=len, default=[])
    begin = 0
    while begin < len(best) and _may_be_initial(line, best[begin]):
        begin += 1
    return best[begin:]


def _has_result(run: Sequence[re.Match[str]]) -> bool:
    """Whether some of these are more than lone letters."""
    return any(_RESULT.fullmatch(mark[0]) for mark in run)


def _marks(line: str) -> list[re.Match[str]]:
    results = [mark for mark in _RESULT.finditer(line) if not _is_time(line, mark)]
    taken = {at for result in results for at in range(*result.span())}
    letters = (m for m in _LONE_LETTER.finditer(line) if m.start() not in taken)
    return sorted([*results, *letters], key=lambda mark: mark.start())


def _is_beyond(mark: re.Match[str], highest: int) -> bool:
    number = _SPACED.fullmatch(mark[0])
    return number is not None and int(number[1]) > highest


def _is_time(line: str, mark: re.Match[str]) -> bool:
    before = line[max(0, mark.start() - _LONGEST_TIME) : mark.start()]
    return bool(_SECONDS.fullmatch(mark[0]) and _TIME.search(before))


def _parts(gap: str) -> bool:
    """Whether the text between two results is more than an unreadable result."""
    if not gap.strip(_MARKS_BETWEEN):
        return False
    return _UNREADABLE.fullmatch(gap) is None or _WORD.search(gap) is not None


def _may_be_initial(line: str, mark: re.Match[str]) -> bool:
    """Tell the last letter of a name, such as “Jan B”, from a bye in round 1."""
    before = line[max(0, mark.start() - 2) : mark.start()]
    apart = before.isspace() or before[:1].isdigit()
    return _LONE_LETTER.fullmatch(mark[0]) is not None and not apart


def _cells_in(line: str, run: Sequence[re.Match[str]]) -> list[tuple[int, str]]:
    """Return each result, or what cannot be read as one, and where it begins."""
    cells = [(run[0].start(), run[0][0])]
    for before, result in pairwise(run):
        gap = line[before.end() : result.start()]
        if text := gap.strip(_MARKS_BETWEEN):
            cells.append((before.end() + gap.index(text), text))
        cells.append((result.start(), result[0]))
    return cells


def _player(
    number: int, line: str, results: Sequence[tuple[int, str]], rest: str
) -> ChartPlayer:
    head = _WIDE.sub("  ", line[: results[0][0]].rstrip())
    without_total = _TOTAL.sub("", head, count=1)
    is_numbered = _NUMBER.match(without_total + " ")
    cells = _identity(without_total if is_numbered else head)
    name_at = max(0, line.find(cells["Name"][:8])) + 1
    starts = (name_at, *(at + 1 for at, _ in results))
    return ChartPlayer(number, cells, [text for _, text in results], starts, rest)


def _identity(head: str) -> dict[str, str]:
    """Return number, place, member ID, name, state and rating."""
    number, head = _taken(_NUMBER, head + " ", first=True)
    place, head = _taken(_PLACE, head, first=True)
    member_id, head = _taken(MEMBER_ID, head)
    rating, head = _taken(_RATING, head)
    if rating:
        head = _TOTAL_BEFORE_RATING.sub("", head)
    state, head = _taken(_STATE, head)
    _, head = _taken(_FEDERATION, head)
    name = " ".join(head.replace("(", " ").replace(")", " ").split()).strip(" /,")
    return {
        "No.": number,
        PLACE: place,
        "Member ID": member_id,
        "Name": name,
        "State": state,
        "Rating": rating,
    }


def _taken(
    pattern: re.Pattern[str], text: str, *, first: bool = False
) -> tuple[str, str]:
    """Return what *pattern* finds last, or *first* of all, and blanks in its place."""
    found = [pattern.match(text)] if first else [*pattern.finditer(text)][-1:]
    match = found[0] if found else None
    if match is None:
        return "", text
    blank = " " * (match.end() - match.start())
    return match[1], text[: match.start()] + blank + text[match.end() :]
