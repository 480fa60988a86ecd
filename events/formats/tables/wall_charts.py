"""Split the lines of a wall chart with blanks between columns into cells.

A line is recognized by its results (W 12, L3, H--, 12w1), after number, member ID,
name, state and rating. A round robin's line has points instead (``score_lines``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from events.formats.byes import bye_code
from events.formats.dbf.layout_2c import MAX_ROUNDS
from events.formats.report import MAX_PAIRING_NUMBER
from events.formats.tables.charts import (
    MAX_LINE_LENGTH,
    OPPONENT,
    PLACE,
    RULE,
    ChartLine,
    ChartPlayer,
    Item,
    split_label,
    with_headings,
)
from events.formats.tables.header_fields import find_header_field, label_and_value
from events.formats.tables.results import is_tally, parse_result
from events.formats.tables.score_lines import ScoreLines, score_lines
from players.formats.member_ids import MEMBER_ID

# A result between blanks in a line. A single letter may belong to a name, so "B" alone
# is a bye only next to other results.
_RESULT = re.compile(
    r"(?<![^\s|])(?:"
    r"[WLDXFZ](?:[ ]{0,3}#?[0-9]{1,3}|[0-9]{4})(?:[WB]|\([WB]\))?"
    r"|[BHU][ ]?0|[BHUXFZ][ ]?-{1,4}"
    r"|[+=-](?:[0-9]{1,4}[WB]?|½)"
    r"|[0-9]{1,4}(?:[WLD][WB]?|[WBSN][10½=+-]|:[WLD+-])|0:"
    r"|-{2,5}|\*{3}|(?:BYE|HALF|SPIELFREI)(?!,[ ]*[^\W\d_]{2})"
    r")(?![^\s,;|])",
    re.ASCII | re.IGNORECASE,
)
# Not a bye, and not a part of a name or of a time control.
_GAME = re.compile(r"[WLX] *#?[0-9]|[0-9]+:?[WLDBSN]", re.ASCII | re.IGNORECASE)
_MET = re.compile(r"[WLDXF] *#?[1-9]|[1-9][0-9]*:?[WLDBSN]", re.ASCII | re.IGNORECASE)
_PLAYED_GAME = re.compile(r"[WLD] *#?[1-9]", re.IGNORECASE)
# "G/90 d5", "40/90, SD/30 +5": the seconds after a time are not a draw or a win.
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
_ID_LINE_COLUMNS = ("Member ID", "State", "Rating")
_MARKS_BETWEEN = " ,;"
_TO_BLANKS = {ord("\t"): "  ", ord("|"): " "}
_LONE_LETTER = re.compile(r"(?<!\S)[BHUXFZ](?!\S)", re.ASCII | re.IGNORECASE)
# Text between two results that is neither a number nor a word: an unreadable result.
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
# The colors of all rounds, "wbw" or "w b w"; s or n for Black in other languages, x or
# a dash for a round without a game.
_COLORS = re.compile(
    r"\s([wbsnx-](?:[-/,. ][wbsnx-])+|[wbsnx-]+)\s*$", re.ASCII | re.IGNORECASE
)
_WIDEST_COLORS = 2 * MAX_ROUNDS
_ONE_WORD = re.compile(r"[wbsnx-]+", re.ASCII | re.IGNORECASE)
# Text between the name of a bye and its results: number, total, or colors.
_AFTER_BYE = re.compile(
    r"[)\]*]?\s*(?:#?[0-9.,½/]{1,5}|[wbx-]{1,20})?\s*", re.IGNORECASE
)
_WIDE = re.compile(r"\s{3,}")


def count_charted(lines: Sequence[str]) -> int:
    """Return how many of the *lines* are players', judging by their results.

    An event that is named “Group 2W” in a table is not a player.
    """
    short = [line[:MAX_LINE_LENGTH] for line in lines]
    with_results = {
        at
        for at, line in enumerate(short)
        if holds_results(line) and not _is_fact(line.replace(",", ":", 1))
    }
    scores = score_lines(short)
    return len(with_results | scores.cells.keys() | scores.broken)


def holds_results(line: str, *, in_cells: bool = False) -> bool:
    """Return whether a line has a player's results, not a title or a time control.

    If the line was already in cells, a single draw or forfeit is never a coincidence.

    >>> holds_results("1 Ana D 2"), holds_results("Ana W2"), holds_results("Hall D4")
    (True, True, False)
    """
    return bool(_player_results(line[:MAX_LINE_LENGTH], in_cells=in_cells).run)


def chart_lines(lines: Sequence[str]) -> Iterator[ChartLine]:
    """Yield the players' lines under their headings, and other lines as they are."""
    items = [*_items([line.translate(_TO_BLANKS) for line in lines])]
    return with_headings([*_with_id_lines([*_with_missed_players(items)])])


def _with_missed_players(items: Sequence[Item]) -> Iterator[Item]:
    """Mark the lines of opponents whose own results are unreadable."""
    players = [item for item in items if isinstance(item, ChartPlayer)]
    met = set[str]().union(*(player.opponents for player in players))
    numbers = {player.number for player in players}
    highest = max((int(number) for number in numbers if number), default=0)
    missed = (met | {str(number) for number in range(1, highest)}) - numbers
    for item in items:
        if isinstance(item, ChartLine) and not item.rest:
            number = _NUMBER.match(f"{item.cells[0]} ")
            is_named = any(map(str.isalpha, item.cells[0]))
            if number and number[1] in missed and is_named:
                item = replace(item, rest=item.cells[0][:60])
        yield item


def _items(lines: Sequence[str]) -> Iterator[Item]:
    short = [line[:MAX_LINE_LENGTH] for line in lines]
    scores = score_lines(short)
    all_marks = _without_bye_names(
        short, [_player_results(line, highest=len(lines)) for line in short]
    )
    misread = _misread_as_points(short, all_marks, scores)
    colors = _all_colors(short, all_marks)
    # Black is n where White is b (blancas and negras, blanc and noir).
    white = "b" if any("n" in one.letters for one in colors.values()) else "w"
    for number, (whole_line, marks) in enumerate(zip(lines, all_marks, strict=True), 1):
        line, cut = whole_line[:MAX_LINE_LENGTH], whole_line[MAX_LINE_LENGTH:]
        rest = line[:60] if holds_results(cut[:MAX_LINE_LENGTH]) else ""
        if number - 1 in scores.cells:
            yield _player(number, line, scores.cells[number - 1], rest)
        elif number - 1 in scores.broken - misread - colors.keys():
            yield ChartLine(number, (line.strip(),), rest=line.strip()[:60])
        elif marks.run:
            rest = rest or (line.strip()[:60] if marks.has_games_apart else "")
            cells = _cells_in(line, marks.run)
            if number - 1 in colors:
                line, cells = _with_colors(line, marks.run, colors[number - 1], white)
            yield _player(number, line, cells, rest)
        elif marks.is_bye:
            yield _player(number, line, [], rest)
        elif line.strip() and not RULE.fullmatch(line):
            yield split_label(number, line)


def _misread_as_points(
    lines: Sequence[str], all_marks: Sequence[_ResultMatches], scores: ScoreLines
) -> set[int]:
    """Return chart lines that look like lines of a broken table of points.

    “1.5  X 4  H--” is a total, a forfeit and a bye if most lines have games, or if
    player 4 has a result against this one.
    """
    known = scores.cells.keys() | scores.broken
    games = sum(
        at not in known and any(_PLAYED_GAME.match(mark[0]) for mark in marks.run)
        for at, marks in enumerate(all_marks)
    )
    met = [
        _opponent_pairs(line, marks)
        for line, marks in zip(lines, all_marks, strict=True)
    ]
    pairs = set[tuple[str, str]]().union(*met)
    with_results = {at for at in scores.broken if all_marks[at].run}
    answered = {
        at
        for at in with_results
        if met[at] and all(one != two and (two, one) in pairs for one, two in met[at])
    }
    is_chart = games + len(answered) > len(scores.broken - answered)
    return with_results if is_chart else answered


def _opponent_pairs(line: str, marks: _ResultMatches) -> set[tuple[str, str]]:
    """Return the player's number with that of each opponent."""
    number = _NUMBER.match(line)
    opponents = (OPPONENT.search(mark[0]) for mark in marks.run if _MET.match(mark[0]))
    return {(number[1], one[0]) for one in opponents if number and one}


def _without_bye_names(
    lines: Sequence[str], all_marks: Sequence[_ResultMatches]
) -> Sequence[_ResultMatches]:
    """Remove “Bye” from the results of a row if it is the name, or its last word."""
    is_named = any(
        mark.run and _NAME_WORD.search(line[: mark.run[0].start()])
        for line, mark in zip(lines, all_marks, strict=True)
    )
    if not is_named:
        return all_marks
    lengths = sorted(len(marks.run) for marks in all_marks)
    rounds = lengths[-2] if len(lengths) > 1 else MAX_ROUNDS
    return [
        replace(marks, run=marks.run[1:])
        if len(marks.run) > rounds and _ends_name(line, marks.run[0])
        else _without_bye_name(line, marks)
        for line, marks in zip(lines, all_marks, strict=True)
    ]


def _ends_name(line: str, mark: re.Match[str]) -> bool:
    """Return whether a single blank is between the word and a name: “Robert Bye”."""
    before = line[max(0, mark.start() - 2) : mark.start()]
    is_word = _NAME_WORD.match(mark[0]) is not None
    return is_word and before[1:] == " " and (before[0].isalpha() or before[0] in ".,")


def _without_bye_name(line: str, marks: _ResultMatches) -> _ResultMatches:
    """Remove the name of a bye's row from its results."""
    for words in (2, 1):
        name, rest = marks.run[:words], marks.run[words:]
        if len(name) < words or not all(_NAME_WORD.match(mark[0]) for mark in name):
            continue
        head, end = line[: name[-1].end()], rest[0].start() if rest else len(line)
        is_bye = bye_code(head) is not None and not _has_member_id(head)
        if is_bye and _AFTER_BYE.fullmatch(line[len(head) : end]):
            return _ResultMatches(marks.all, rest, is_bye=True)
    return marks


def _has_member_id(line: str) -> bool:
    return MEMBER_ID.within.search(line) is not None


@dataclass(frozen=True, slots=True)
class _Colors:
    """A word or row of letters before the results, one for each, and its position.

    *first* is the first result after it.
    """

    begins: int
    letters: str
    first: int
    rounds: int

    @property
    def fits(self) -> bool:
        return len(self.letters) == self.rounds


def _colors_of(line: str, run: Sequence[re.Match[str]]) -> _Colors | None:
    """Return the colors before a result; single letters may be a part of them."""
    candidates = []
    for first, mark in enumerate(run[:MAX_ROUNDS]):
        begin = max(0, mark.start() - _WIDEST_COLORS)
        if match := _COLORS.search(line, begin, mark.start()):
            rounds = len(_cells_in(line, run[first:]))
            # In "w-b" the dash may be a separator, or a round without a color.
            for letters in (match[1], re.sub(r"(?<=\w)[-/,. ]", "", match[1])):
                if _ONE_WORD.fullmatch(letters):
                    begins = match.start(1)
                    candidates.append(_Colors(begins, letters.lower(), first, rounds))
        if not _LONE_LETTER.fullmatch(mark[0]):
            break
    return max(candidates, key=lambda one: (one.fits, len(one.letters)), default=None)


def _all_colors(
    lines: Sequence[str], all_marks: Sequence[_ResultMatches]
) -> dict[int, _Colors]:
    """Return the colors of each player's line, none if a player has none."""
    players = [at for at, marks in enumerate(all_marks) if marks.run]
    by_line = {at: _colors_of(lines[at], all_marks[at].run) for at in players}
    colors = {at: one for at, one in by_line.items() if one}
    missing = [at for at in players if at not in colors and not all_marks[at].is_bye]
    words = [one.letters for one in colors.values()]
    are_colors = all(one.fits for one in colors.values()) or min(map(len, words)) > 1
    has_both = any({"w", "b"} & set(word) for word in words)
    return colors if len(words) > 1 and not missing and are_colors and has_both else {}


def _with_colors(
    line: str, run: Sequence[re.Match[str]], colors: _Colors, white: str
) -> tuple[str, list[tuple[int, str]]]:
    """Return a line without its column of colors, and the results with theirs.

    More letters than results belong to unknown rounds.
    """
    cells = _cells_in(line, run[colors.first :])
    first = cells[0][0]
    known = colors.letters if len(colors.letters) <= len(cells) else ""
    letters = [*known.ljust(len(cells), "-")]
    colored = [
        (at, f"{text}{'W' if letter == white else 'B'}")
        if letter.isalpha() and letter != "x" and _is_missing_color(text)
        else (at, text)
        for (at, text), letter in zip(cells, letters, strict=True)
    ]
    return f"{line[: colors.begins]:{first}}{line[first:]}", colored


def _is_missing_color(result: str) -> bool:
    cell = parse_result(result)
    return cell.code in _PLAYED and cell.opponent is not None and not cell.color


def _with_id_lines(items: Sequence[Item]) -> Iterator[Item]:
    """Add IDs from separate lines below the players' names."""
    joined = False
    for item, below in zip_longest(items, items[1:]):
        is_joined, joined = joined, False
        if isinstance(item, ChartPlayer) and isinstance(below, ChartLine):
            about = _identity("  ".join(below.cells))
            joined = bool(about["Member ID"] and not item.head["Member ID"])
            joined = joined and _NAME_WORD.search(about["Name"]) is None
        if joined and isinstance(item, ChartPlayer):
            known = {column: text for column, text in item.head.items() if text}
            taken = {column: about[column] for column in _ID_LINE_COLUMNS}
            yield replace(item, head={**item.head, **taken, **known})
        elif not is_joined:
            yield item


def _is_fact(line: str) -> bool:
    label, value = label_and_value([line.strip()])
    return bool(value) and find_header_field(label) is not None


@dataclass(frozen=True, slots=True)
class _ResultMatches:
    """Possible results in a line, and the longest run of them."""

    all: Sequence[re.Match[str]] = ()
    run: Sequence[re.Match[str]] = ()
    is_bye: bool = False  # whether the row has the name of a bye

    @property
    def has_games_apart(self) -> bool:
        first, last = self.run[0].start(), self.run[-1].start()
        return any(
            (mark.start() < first and _GAME.match(mark[0]))
            or (mark.start() > last and _MET.match(mark[0]))
            for mark in self.all
        )


_NO_MATCHES = _ResultMatches()


def _player_results(
    line: str, *, in_cells: bool = False, highest: int = MAX_PAIRING_NUMBER
) -> _ResultMatches:
    """Return the results in a player's line.

    A number beyond the *highest* is not an opponent but a rating after an initial.
    """
    marks = [mark for mark in _marks(line) if not _is_number_too_high(mark, highest)]
    run = _longest_run(line, marks)
    is_player = (
        in_cells
        or len(run) > 1
        or any(_GAME.match(result[0]) for result in run)
        or bool(run and (_NUMBER.match(line) or "," in line or _has_member_id(line)))
    )
    if not run or not is_player or _is_fact(line):
        return _NO_MATCHES
    results = [mark[0] for mark in run]
    is_count = is_tally(line[: run[0].start()], results)
    return _NO_MATCHES if is_count else _ResultMatches(marks, run)


def _longest_run(line: str, marks: Sequence[re.Match[str]]) -> Sequence[re.Match[str]]:
    """Return the longest run of results, with unreadable text between them."""
    parted = (
        at
        for at, (mark, after) in enumerate(pairwise(marks), start=1)
        if _separates_results(line[mark.end() : after.start()])
    )
    runs = [marks[begin:end] for begin, end in pairwise([0, *parted, len(marks)])]
    best = max(filter(_has_result, runs), key=len, default=[])
    begin = 0
    while begin < len(best) and _can_be_initial(line, best[begin]):
        begin += 1
    return best[begin:]


def _has_result(run: Sequence[re.Match[str]]) -> bool:
    """Return whether some of these are more than single letters."""
    return any(_RESULT.fullmatch(mark[0]) for mark in run)


def _marks(line: str) -> list[re.Match[str]]:
    results = [mark for mark in _RESULT.finditer(line) if not _is_time(line, mark)]
    taken = {at for result in results for at in range(*result.span())}
    letters = (m for m in _LONE_LETTER.finditer(line) if m.start() not in taken)
    return sorted([*results, *letters], key=lambda mark: mark.start())


def _is_number_too_high(mark: re.Match[str], highest: int) -> bool:
    number = _SPACED.fullmatch(mark[0])
    return number is not None and int(number[1]) > highest


def _is_time(line: str, mark: re.Match[str]) -> bool:
    before = line[max(0, mark.start() - _LONGEST_TIME) : mark.start()]
    return bool(_SECONDS.fullmatch(mark[0]) and _TIME.search(before))


def _separates_results(gap: str) -> bool:
    """Return whether the text between two results is more than an unreadable result."""
    if not gap.strip(_MARKS_BETWEEN):
        return False
    return _UNREADABLE.fullmatch(gap) is None or _WORD.search(gap) is not None


def _can_be_initial(line: str, mark: re.Match[str]) -> bool:
    """Return whether a mark is the end of a name, such as “Jan B”, not a bye."""
    before = line[max(0, mark.start() - 2) : mark.start()]
    apart = before.isspace() or before[:1].isdigit()
    return _LONE_LETTER.fullmatch(mark[0]) is not None and not apart


def _cells_in(line: str, run: Sequence[re.Match[str]]) -> list[tuple[int, str]]:
    """Return each result, or unreadable text, and its position."""
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
    end = results[0][0] if results else len(line)
    head = _WIDE.sub("  ", line[:end].rstrip())
    without_total = _TOTAL.sub("", head, count=1)
    is_numbered = _NUMBER.match(without_total + " ")
    cells = _identity(without_total if is_numbered else head)
    name_at = max(0, line.find(cells["Name"][:8])) + 1
    starts = (name_at, *(at + 1 for at, _ in results))
    return ChartPlayer(number, cells, [text for _, text in results], starts, rest)


def _identity(head: str) -> dict[str, str]:
    """Return number, place, member ID, name, state and rating."""
    number, head = _extract(_NUMBER, head + " ", first=True)
    place, head = _extract(_PLACE, head, first=True)
    member_id, head = _extract(MEMBER_ID.within, head)
    rating, head = _extract(_RATING, head)
    if rating:
        head = _TOTAL_BEFORE_RATING.sub("", head)
    state, head = _extract(_STATE, head)
    if bye_code(head) is None:  # three letters are a federation's
        _, head = _extract(_FEDERATION, head)
    name = " ".join(head.replace("(", " ").replace(")", " ").split()).strip(" /,")
    return {
        "No.": number,
        PLACE: place,
        "Member ID": MEMBER_ID.restore(member_id),
        "Name": name,
        "State": state,
        "Rating": rating,
    }


def _extract(
    pattern: re.Pattern[str], text: str, *, first: bool = False
) -> tuple[str, str]:
    """Return the last match of *pattern* (or the *first*), and the text without it."""
    matches = [pattern.match(text)] if first else [*pattern.finditer(text)][-1:]
    match = matches[0] if matches else None
    if match is None:
        return "", text
    blank = " " * (match.end() - match.start())
    return match[1], text[: match.start()] + blank + text[match.end() :]
