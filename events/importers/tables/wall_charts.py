"""The lines of a wall chart whose columns blanks part, taken apart into cells.

A line is told by its results (W 12, L3, H--, 12w1): left of them stand number, member
ID, name, state and rating. A round robin's line has points instead (``score_lines``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

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
from events.importers.tables.score_lines import score_runs

# A result as it stands in a line between blanks. A lone letter may belong to a name,
# so that "B" alone is a bye only beside other results.
_RESULT = re.compile(
    r"(?<!\S)(?:"
    r"[WLDXFZ][ ]{0,3}#?[0-9]{1,4}(?:[WB]|\([WB]\))?"
    r"|[BHU][ ]?0|[BHUXFZ][ ]?-{1,4}"
    r"|[+=-](?:[0-9]{1,4}[WB]?|½)"
    r"|[0-9]{1,4}(?:[WLD][WB]?|[WBSN][10½=+-])"
    r"|-{2,5}|\*{3}|BYE|HALF"
    r")(?!\S)",
    re.ASCII | re.IGNORECASE,
)
# What is no bye and no part of a name or of a time control.
_GAME = re.compile(r"[WLX] *#?[0-9]|[0-9]+[WLDBSN]", re.ASCII | re.IGNORECASE)
# "G/90 d5", "40/90, SD/30 +5": the seconds after a time are no draw and no win.
_SECONDS = re.compile(r"[D+][ ]{0,3}[0-9]{1,3}", re.ASCII | re.IGNORECASE)
_TIME = re.compile(
    r"(?:\b(?:G|SD)(?: ?/ ?)?[0-9]{1,3}|[0-9]{2,3} ?/ ?[0-9]{2,3}|[0-9]['′]"
    r"|[0-9] ?min(?:utes)?|\b(?:TC|control|delay|increment))[\s.,:;+]*$",
    re.ASCII | re.IGNORECASE,
)
_LONGEST_TIME = 20
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
_STATE = re.compile(r"(?:^|\s{2,})([A-Z]{2})(?=\s|$)", re.ASCII)
_FEDERATION = re.compile(r"\s{2,}([A-Z]{3})(?=\s|$)", re.ASCII)
_TOTAL = re.compile(r"\s+(?:[0-9]{1,2}(?:[.,][05]|½)?|½)\s*$", re.ASCII)
_WIDE = re.compile(r"\s{3,}")


def count_charted(lines: Sequence[str]) -> int:
    """Return how many of the *lines* are players' by their results."""
    short = [line[:LONGEST_LINE] for line in lines]
    with_results = {at for at, line in enumerate(short) if holds_results(line)}
    return len(with_results | score_runs(short).keys())


def holds_results(line: str) -> bool:
    """Whether somebody's results stand in a line, and not a title or a time control.

    >>> holds_results("1 Ana D 2"), holds_results("Ana W2"), holds_results("Hall D4")
    (True, True, False)
    """
    results = _results_in(line[:LONGEST_LINE])
    return (
        len(results) > 1
        or any(_GAME.match(result[0]) for result in results)
        or bool(
            results and (_NUMBER.match(line) or "," in line or MEMBER_ID.search(line))
        )
    ) and not _is_fact(line)


def chart_lines(lines: Sequence[str]) -> Iterator[ChartLine]:
    """Yield the players' lines under their headings, and other lines as they are."""
    return under_headings([*_items([line.replace("\t", "  ") for line in lines])])


def _items(lines: Sequence[str]) -> Iterator[Item]:
    scores = score_runs([line[:LONGEST_LINE] for line in lines])
    for number, whole_line in enumerate(lines, 1):
        line, cut = whole_line[:LONGEST_LINE], whole_line[LONGEST_LINE:]
        rest = line[:60] if holds_results(cut[:LONGEST_LINE]) else ""
        if number - 1 in scores:
            yield _player(number, line, scores[number - 1], rest)
        elif holds_results(line):
            yield _player(number, line, _cells_in(line), rest or _rest(line))
        elif line.strip() and not RULE.fullmatch(line):
            yield labeled(number, line)


def _is_fact(line: str) -> bool:
    label, value = label_and_value([line.strip()])
    return bool(value) and fact_in(label) is not None


def _results_in(line: str) -> list[re.Match[str]]:
    """Return the longest run of results, with what cannot be read between them."""
    best: list[re.Match[str]] = []
    run: list[re.Match[str]] = []
    for mark in _marks(line):
        if run and _parts(line[run[-1].end() : mark.start()]):
            run = []
        run.append(mark)
        if len(run) > len(best):
            best = run[:]
    while best and _LONE_LETTER.fullmatch(best[0][0]) and not _ends_a_head(line, best):
        best = best[1:]
    return best if any(_RESULT.fullmatch(mark[0]) for mark in best) else []


def _marks(line: str) -> list[re.Match[str]]:
    results = [mark for mark in _RESULT.finditer(line) if not _is_time(line, mark)]
    taken = {at for result in results for at in range(*result.span())}
    letters = (m for m in _LONE_LETTER.finditer(line) if m.start() not in taken)
    return sorted([*results, *letters], key=lambda mark: mark.start())


def _is_time(line: str, mark: re.Match[str]) -> bool:
    before = line[max(0, mark.start() - _LONGEST_TIME) : mark.start()]
    return bool(_SECONDS.fullmatch(mark[0]) and _TIME.search(before))


def _parts(gap: str) -> bool:
    """Whether the text between two results is more than an unreadable result."""
    if not gap.strip():
        return False
    return _UNREADABLE.fullmatch(gap) is None or _WORD.search(gap) is not None


def _ends_a_head(line: str, run: Sequence[re.Match[str]]) -> bool:
    """Tell a bye in the first round from the last letter of a name, such as “Jan B”."""
    before = line[: run[0].start()].rstrip()
    return before[-1:].isdigit() or len(line[: run[0].start()]) - len(before) > 1


def _cells_in(line: str) -> list[tuple[int, str]]:
    """Return each result and where it begins."""
    cells: list[tuple[int, str]] = []
    end = 0
    for result in _results_in(line):
        if cells and (gap := line[end : result.start()]).strip():
            cells.append((line.index(gap.strip(), end), gap.strip()))
        cells.append((result.start(), result[0]))
        end = result.end()
    return cells


def _rest(line: str) -> str:
    """Return the line, cut short, if games in it are apart from its run of results."""
    run = _results_in(line)
    apart = (
        mark[0]
        for mark in _marks(line)
        if not run[0].start() <= mark.start() <= run[-1].start()
    )
    return line.strip()[:60] if any(map(_GAME.match, apart)) else ""


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
