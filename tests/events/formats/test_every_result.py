"""Each result in a file becomes a cell of the report, or an error shows it.

Sections are generated, one cell of each is changed, and each reader of rows or pairings
gets the section in its own format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from events.formats.checks.report import check_report
from events.formats.findings import Finding, Severity
from events.formats.report import format_cell
from events.formats.report_reader import read_report
from tests.cpu_time import cpu_time
from tests.events.formats.pgn_samples import game
from tests.events.formats.samples import zipped
from tests.events.formats.section_files import (
    FORMATS,
    Format,
    Mark,
    Section,
    matches,
    swiss_sections,
    trf,
)
from tests.hypothesis_settings import example_count

_NAMES = ("Ash, Ann", "Birch, Bob", "Cedar, Cy", "Dogwood, Di", "Elm, Eve", "Fir, Flo")


@dataclass(frozen=True)
class Answer:
    """The result of a file: cells by section, number and round, and findings."""

    cells: dict[tuple[int, int, int], set[str]]
    findings: list[Finding]

    def errors(self) -> list[Finding]:
        return [one for one in self.findings if one.severity is Severity.ERROR]

    def error_places(self) -> set[tuple[int | None, int | None, int | None]]:
        return {
            (one.place.section, one.place.pairing_number, one.place.round_number)
            for one in self.errors()
        }

    def shows(self, place: tuple[int, int, int], *texts: str) -> bool:
        """Return whether an error is at the cell, or names one of the *texts*."""
        return place in self.error_places() or any(
            text and text in f"{one.message} {one.place.field}"
            for one in self.errors()
            for text in texts
        )


def _answer(files: list[tuple[str, bytes]]) -> Answer:
    with cpu_time() as spent:
        result = read_report(files)
    assert spent.seconds < 1
    reported = result.reported
    if reported is None or result.question is not None:
        assert any(one.severity is Severity.ERROR for one in result.findings)
        return Answer({}, result.findings)
    cells: dict[tuple[int, int, int], set[str]] = {}
    for section in reported.sections:
        for entry in section.entries:
            for at, cell in enumerate(entry.cells, start=1):
                place = section.number, entry.pairing_number, at
                cells.setdefault(place, set()).add(format_cell(cell))
    return Answer(cells, [*result.findings, *check_report(reported)])


def _findings(name: str, text: str) -> tuple[dict[tuple[int, int], str], list[Finding]]:
    """Return the cells of a file of one section, and all findings."""
    answer = _answer([(name, text.encode())])
    cells = {
        (number, at): "/".join(sorted(texts))
        for (_, number, at), texts in answer.cells.items()
    }
    return cells, answer.findings


def _expected(kind: Format, mark: Mark) -> str:
    color = mark.color.upper() if kind.has_colors and mark.is_game else ""
    return f"{mark.code}{mark.opponent or 0}{color}"


def _places(
    sections: Sequence[Section],
) -> Iterator[tuple[tuple[int, int, int], Mark]]:
    for at, section in enumerate(sections, start=1):
        for number, _, row in section.numbered():
            for column, mark in enumerate(row, start=1):
                yield (at, number, column), mark


def _matches_result(kind: Format, mark: Mark, texts: set[str]) -> bool:
    """Return whether a cell matches the row; a forfeit may keep its color."""
    if mark.code in ("U", "Z", ""):
        return texts <= {"", "U0", "Z0"}
    expected = _expected(kind, mark)
    return any(text in (expected, f"{expected}W", f"{expected}B") for text in texts)


_ALL = pytest.mark.parametrize("kind", FORMATS.values(), ids=FORMATS)


@_ALL
@given(data=st.data(), is_zipped=st.booleans())
@settings(max_examples=example_count(200), deadline=None)
def test_each_result_of_a_faultless_section_is_a_cell(
    kind: Format, data: st.DataObject, *, is_zipped: bool
) -> None:
    sections = data.draw(
        st.lists(kind.sections(), min_size=1, max_size=kind.most_sections)
    )
    files = kind.write(sections)
    answer = _answer([("may.zip", zipped(dict(files)))] if is_zipped else files)
    wrong = {
        place: answer.cells.get(place)
        for place, mark in _places(sections)
        if not _matches_result(kind, mark, answer.cells.get(place, set()))
    }
    assert not wrong
    assert not {place for place in answer.error_places() if place[2]}


@pytest.mark.parametrize(
    "kind",
    [kind for kind in FORMATS.values() if kind.unplayed],
    ids=[name for name, kind in FORMATS.items() if kind.unplayed],
)
@given(data=st.data())
@settings(max_examples=example_count(300), deadline=None)
def test_result_that_one_side_claims_is_an_error_at_both_cells(
    kind: Format, data: st.DataObject
) -> None:
    section = data.draw(kind.sections())
    games = [p for p, mark in _places([section]) if mark.is_game or mark.code == "X"]
    assume(games)
    _, claimant, at = data.draw(st.sampled_from(games))
    silent = section.mark(claimant, at).opponent
    silent_at = claimant if kind.by_opponents else at
    remark = Mark(data.draw(st.sampled_from(kind.unplayed)))
    # A forfeit loss without an opponent fits a forfeit win.
    assume(section.mark(claimant, at).is_game or remark.code != "Z")
    files = kind.write([section.with_mark(silent, silent_at, remark)])
    answer = _answer(files)
    lost = {
        place: answer.cells.get(place)
        for place, mark in _places([section])
        if place[1:] != (silent, silent_at)
        and not _matches_result(kind, mark, answer.cells.get(place, set()))
    }
    if lost:  # a table of points that is not whole, or a line of a chart, is shown
        shown = {place: _shown_of(kind, files, section, place[1]) for place in lost}
        assert all(answer.shows(place, *texts) for place, texts in shown.items())
        return
    errors = {place for place in answer.error_places() if place[2]}
    assert errors == {(1, claimant, at), (1, silent, silent_at)}


_JUNK = st.one_of(
    st.sampled_from(
        ("1-0", "won?", "W", "W0", "W99", "W3?", "w 2 x", "½?", "3-Jan", "#REF!", "??")
    ),
    st.text("WLDXFBHUwb0123456789+-=½:;?!*#()/|.,", min_size=1, max_size=5),
)


# With such signs alone, a text may mean that there was no game.
_UNPAIRED = "-.,;:|*()#0UZuz"


@_ALL
@given(data=st.data(), junk=_JUNK)
@settings(max_examples=example_count(300), deadline=None)
def test_any_text_in_a_cell_hides_no_result(
    kind: Format, data: st.DataObject, junk: str
) -> None:
    assume(not set(kind.parting) & set(junk))
    section = data.draw(kind.sections())
    number = data.draw(st.integers(1, len(section.rows)))
    at = data.draw(st.integers(1, section.rounds))
    assume(not kind.by_opponents or at != number)
    torn = section.with_mark(number, at, Mark(text=junk))
    files = kind.write([torn])
    answer = _answer(files)
    hidden = {
        place: answer.cells.get(place)
        for place, mark in _places([section])
        if place[1:] != (number, at)
        and not _matches_result(kind, mark, answer.cells.get(place, set()))
        and not answer.shows(place, *_shown_of(kind, files, section, place[1]))
        # A game that the two players report differently is one error, at one of them.
        and (1, mark.opponent, place[2]) not in answer.error_places()
        # Later cells in a line with blanks move to the left: its last round is missing.
        and not (
            " " in kind.parting
            and place[1] == number
            and place[2] > at
            and (1, number, section.rounds) in answer.error_places()
        )
    }
    assert not hidden
    blank = not (answer.cells.get((1, number, at), set()) - {"", "U0", "Z0"})
    # If nothing could be read, the whole text was refused.
    if blank and answer.cells and junk.strip(_UNPAIRED):
        shown = _shown_of(kind, files, section, number)
        texts = {f"{one.message} {one.place.field}" for one in answer.findings}
        # For a line that no other player names, a note that it was skipped is enough.
        assert answer.shows((1, number, at), junk, *shown) or (
            not section.mark(number, at).is_game
            and any(text in named for text in shown for named in texts)
        )


def _shown_of(
    kind: Format, files: list[tuple[str, bytes]], section: Section, number: int
) -> list[str]:
    """Return the texts in an error that shows the whole row of a player."""
    name = section.names[number - 1]
    if not kind.has_lines:
        return [name]
    lines = files[0][1].decode().splitlines()
    return [name, *(f"line {at}" for at, text in enumerate(lines, 1) if name in text)]


def test_tournament_file_with_a_color_but_no_opponent_is_a_game_without_one() -> None:
    rows = ((Mark("W", 0, "w"),), (Mark("L", 0, "b"),), (Mark("D", 0, "w"),))
    answer = _answer(trf([Section(_NAMES[:3], rows)]))
    assert [*answer.cells.values()] == [{"W0W"}, {"L0B"}, {"D0W"}]
    assert [
        finding.place.pairing_number
        for finding in answer.findings
        if finding.code == "result.no_opponent"
    ] == [1, 2, 3]


_GAME_ROWS = st.lists(
    st.tuples(
        st.sampled_from(("1", "2", "0", "x", "")),
        st.sampled_from((*_NAMES[:3], "Bye", "")),
        st.sampled_from((*_NAMES[:3], "Bye", "", "half-point bye", "Bye #2")),
        st.sampled_from(("1-0", "0-1", "½-½", "0.5-0.5", "+--", "1", "0", "?", "")),
    ),
    min_size=1,
    max_size=6,
)


@given(rows=_GAME_ROWS)
@settings(max_examples=example_count(600), deadline=None)
def test_each_row_of_a_list_of_games_is_a_cell_or_an_error(
    rows: list[tuple[str, str, str, str]],
) -> None:
    lines = ["Round,White,Black,Result", '9,"Gum, Gil","Haw, Hal",1-0']
    lines += [f'{at},"{white}","{black}",{result}' for at, white, black, result in rows]
    result = read_report([("may.csv", "\n".join(lines).encode())])
    assert result.reported is not None
    entries = result.reported.sections[0].entries
    by_name = {entry.name: entry for entry in entries}
    named = {finding.place.field.split(",")[0] for finding in result.findings}
    for number, (at, white, black, result_text) in enumerate(rows, start=3):
        if (
            not (result_text and {white, black} & set(_NAMES))
            or f"line {number}" in named
        ):
            continue
        if {white, black} <= set(_NAMES):
            ours, theirs = by_name[white], by_name[black]
            met = ours.cell(int(at)).opponent, theirs.cell(int(at)).opponent
            assert met == (theirs.pairing_number, ours.pairing_number)
        else:
            alone = by_name[white if white in _NAMES else black]
            assert alone.cell(int(at)).code in "BHU"


_PAIRINGS = st.lists(
    st.tuples(
        st.sampled_from(("1", "2", "0", "")),
        st.sampled_from(("1", "2", "3", "4", "9", "")),
        st.sampled_from(("1", "2", "3", "4", "-1", "-2", "9", "")),
        st.sampled_from(("1.0", "0.5", "0.0", "", "2")),
        st.sampled_from(("1.0", "0.5", "0.0", "", "x")),
        st.sampled_from(("", "K", "D", "H", "?")),
    ),
    max_size=5,
)


@given(pairings=_PAIRINGS)
@settings(max_examples=example_count(600), deadline=None)
def test_each_pairing_of_chess_results_is_a_cell_or_an_error(
    pairings: list[tuple[str, ...]],
) -> None:
    players = "".join(
        f'<player no="{number}" lastname="{name}" fed="USA" />'
        for number, name in enumerate(_NAMES[:4], start=1)
    )
    keys = ("round", "whiteno", "blackno", "reswhite", "resblack", "forfeit")
    lines = "\n".join(
        "<playerpairing "
        + " ".join(f'{key}="{value}"' for key, value in zip(keys, one, strict=True))
        + " />"
        for one in pairings
    )
    text = (
        '<chessresults><tournamentdata><tournament name="May" rounds="2" />'
        f"</tournamentdata><players>{players}</players>"
        f"<playerpairings>\n{lines}\n</playerpairings></chessresults>"
    )
    cells, findings = _findings("may.xml", text)
    named = {
        finding.place.field
        for finding in findings
        if finding.severity is Severity.ERROR
    }
    missing = {
        (finding.place.pairing_number, finding.place.round_number)
        for finding in findings
        if finding.code == "result.missing"
    }
    for line, (at, white, black, *_) in enumerate(pairings, start=2):
        if f"line {line}" in named:
            continue
        place = int(white), int(at)
        if not cells.get(place) or cells[place] == "0":
            assert place in missing or int(at) > max((n for _, n in cells), default=0)
        elif int(black) > 0:
            assert cells[place][1:].strip("WB") == black
            assert cells[int(black), int(at)][1:].strip("WB") == white


_BROKEN_TAGS = st.sampled_from(
    (
        {},
        *({"White": text} for text in ("", "?", "Bye", "NN")),
        *({"Black": text} for text in ("", "?", "BYE #2")),
        *({"Result": text} for text in ("", "*", "?", "1-1", "½-½", "1-0F")),
        *({"Round": text} for text in ("", "?", "0", "1000", "-")),
        *({"Date": text} for text in ("", "????.??.??", "05/04/2024")),
    )
)


@given(
    section=st.one_of(swiss_sections(""), matches("")),
    has_rounds=st.booleans(),
    moves=st.sampled_from(("1. e4 e5 {and so on}", "")),
    files=st.integers(1, 3),
    data=st.data(),
)
@settings(max_examples=example_count(300), deadline=None)
def test_each_game_of_a_pgn_is_in_two_cells_or_an_error(
    section: Section, *, has_rounds: bool, moves: str, files: int, data: st.DataObject
) -> None:
    points = {"W": "1-0", "L": "0-1", "D": "1/2-1/2"}
    games = [
        (at, name, section.names[row[at].opponent - 1], row[at].code)
        for at in range(section.rounds)
        for _, name, row in section.numbered()
        if row[at].color == "w"
    ]
    broken = data.draw(st.integers(0, len(games) - 1))
    changed = data.draw(_BROKEN_TAGS)
    texts = [b""] * files
    lines: dict[int, tuple[str, str]] = {}
    for number, (at, white, black, code) in enumerate(games):
        tags = {"White": white, "Black": black, "Result": points[code]}
        tags["Date"] = f"2024.05.{at + 1:02}"
        tags["Round"] = f"{at + 1}.{number + 1}" if has_rounds else "-"
        tags |= changed if number == broken else {}
        file = number % files
        line = texts[file].count(b"\n") + 1
        lines[number] = f"games{file}.pgn", f"line {line}"
        texts[file] += game(f"{moves} {tags['Result']}".strip(), **tags).encode()
    result = read_report([(f"games{n}.pgn", text) for n, text in enumerate(texts)])
    errors = {
        (one.place.file, one.place.field)
        for one in result.findings
        if one.severity is Severity.ERROR
    }
    there = Counter(
        (entry.name, section.entry(cell.opponent).name, cell.code)
        for section in (result.reported.sections if result.reported else ())
        for entry in section.entries
        for cell in entry.cells
        if cell.opponent and cell.color == "W"
    )
    reported = Counter(
        one[1:]
        for number, one in enumerate(games)
        if lines[number] not in errors
        and (number != broken or not changed.keys() & {"White", "Black", "Result"})
    )
    assert not reported - there
    if changed.get("White", "Bye") in ("", "?", "NN") or changed.get("Black") in (
        "",
        "?",
    ):
        assert lines[broken] in errors
