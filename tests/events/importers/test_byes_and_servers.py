"""Byes, vacant places and servers where a file names a player or a place."""

from __future__ import annotations

import pytest

from events.importers.findings import Severity
from events.importers.read_report import ReadResult, read_report
from events.importers.records import format_cell
from tests.events.importers.field_cases import field_case

_WORDS = {
    "": (
        *("BYE", "bye", "Bye.", "(bye)", "-bye-", "Bye #1", "BYE 1", "Bye Bye", "--"),
        *("No Player", "No Opponent", "spielfrei", "Freilos", "exempt", "Libre"),
        *("descansa", "riposo", "vacant", "TBD", "none", "", "0"),
    ),
    "B": ("Full Point Bye", "BYE (full point)", "full bye", "1-point bye"),
    "H": ("Half-point bye", "half bye", "½ bye", "HPB"),
    "U": ("Unpaired", "zero-point bye", "not paired"),
}
_SAID = [(word, code) for code, words in _WORDS.items() for word in words]
# White's result against nobody, and what it is worth.
_RESULTS = {"1-0": "B", "+--": "B", "½-½": "H", "0.5-0.5": "H", "0-0": "U", "1": "B"}


def _games(*rows: str) -> tuple[dict[str, list[str]], ReadResult]:
    lines = ["Round,White,Black,Result", '2,"Ash, Ann","Birch, Bob",1-0', *rows]
    result = read_report([("may.csv", "\n".join(lines).encode())])
    assert result.reported is not None
    cells = {
        entry.name: [format_cell(cell) for cell in entry.cells]
        for entry in result.reported.sections[0].entries
    }
    return cells, result


@pytest.mark.parametrize(("written", "code"), _RESULTS.items())
@pytest.mark.parametrize(("word", "said"), _SAID)
def test_bye_written_as_a_game_is_a_bye(
    word: str, said: str, written: str, code: str
) -> None:
    cells, result = _games(f'1,"Cedar, Cy","{word}",{written}')
    if said in ("", code):
        assert cells["Cedar, Cy"] == [f"{code}0", "U0"]
        assert result.findings == []
    else:
        [error] = result.findings
        assert (error.code, error.severity) == ("table.game_left_out", Severity.ERROR)
    assert {*cells} - {"Cedar, Cy"} == {"Ash, Ann", "Birch, Bob"}


@pytest.mark.parametrize(("word", "said"), _SAID)
def test_bye_of_black_without_a_result_is_what_its_word_says(
    word: str, said: str
) -> None:
    cells, _ = _games(f'1,{word},"Cedar, Cy",')
    assert cells["Cedar, Cy"] == [f"{said or 'B'}0", "U0"]


def test_loss_to_nobody_is_an_error() -> None:
    cells, result = _games('1,"Cedar, Cy",Bye,0-1')
    assert [one.code for one in result.findings] == ["table.game_left_out"]
    assert {*cells} == {"Ash, Ann", "Birch, Bob", "Cedar, Cy"}


@pytest.mark.parametrize(
    "name", ["Bye, Mary", "Libre, Ann", "Byer", "John Bye", "TBDX"]
)
def test_people_whose_names_resemble_a_bye_are_players(name: str) -> None:
    cells, _ = _games(f'1,"Cedar, Cy","{name}",1-0')
    assert cells[name] == ["L3B", "U0"]


def test_numbers_with_a_zero_are_a_bye() -> None:
    text = "Round,White,Black,Result\n1,1,2,1-0\n1,3,0,1-0\n"
    result = read_report([("may.csv", text.encode())])
    assert result.reported is not None
    assert [
        (entry.pairing_number, format_cell(entry.cells[0]))
        for entry in result.reported.sections[0].entries
    ] == [(1, "W2W"), (2, "L1B"), (3, "B0")]


def test_field_case_games_with_byes() -> None:
    cells, result = field_case("19-games-bye-1-0.csv")
    assert cells == {
        "Ash, Ann": ["W2W", "L3W"],
        "Birch, Bob": ["L1B", "B0"],
        "Cedar, Cy": ["B0", "W1B"],
    }
    assert result.findings == []


def _chess_results(players: str, pairings: str = "") -> ReadResult:
    text = (
        '<chessresults><tournamentdata><tournament name="May" rounds="1" />'
        f"</tournamentdata><players>{players}</players>"
        f"<playerpairings>{pairings}</playerpairings></chessresults>"
    )
    return read_report([("may.xml", text.encode())])


@pytest.mark.parametrize(
    ("last", "pairing", "expected"),
    [
        ('<player no="3" lastname="" />', "", [1, 2]),
        ('<player no="3" lastname=" " firstname=","/>', "", [1, 2]),
        ('<player no="4" lastname="" /><player no="3" lastname="" />', "", [1, 2]),
        ('<player no="3" lastname="" />', 'whiteno="3" blackno="-2"', [1, 2]),
        ('<player no="3" lastname="Elm" />', "", [1, 2, 3]),
        ('<player no="3" lastname="" fideid="2099101" />', "", [1, 2, 3]),
        (
            '<player no="3" lastname="" />',
            'whiteno="3" blackno="-1" reswhite="1.0"',
            [1, 2, 3],
        ),
    ],
)
def test_vacant_places_of_chess_results_are_left_out(
    last: str, pairing: str, expected: list[int]
) -> None:
    players = '<player no="1" lastname="Ash" /><player no="2" lastname="Birch" />'
    game = '<playerpairing round="1" whiteno="1" blackno="2" reswhite="1.0" />'
    other = f'<playerpairing round="1" {pairing} />' if pairing else ""
    result = _chess_results(players + last, game + other)
    assert result.reported is not None
    entries = result.reported.sections[0].entries
    assert [entry.pairing_number for entry in entries] == expected
    left_out = "chess_results.nameless" in {one.code for one in result.findings}
    assert left_out is (len(expected) == 2)


def test_field_case_vacant_places() -> None:
    cells, result = field_case("20-chess-results-nameless.xml")
    assert cells == {
        "Ash, Ann": ["W3W"],
        "Birch, Bob": ["D4B"],
        "Cedar, Cy": ["L1B"],
        "Dogwood, Di": ["D2W"],
    }
    assert "chess_results.nameless" in {one.code for one in result.findings}


_PLAYERS = (
    "001    1 m    ash_annabelle                     2000                         "
    "    1.0          2 w 1\n"
    "001    2 m    bb                                2001                         "
    "    0.0          1 b 0"
)


@pytest.mark.parametrize(
    ("heads", "online", "city"),
    [
        ("022 https://lichess.org/swiss/AbCd\n032 Lichess", True, ""),
        ("022 lichess.org\n032 USA", True, ""),
        ("022 Lichess", True, ""),
        ("022 chess.com/play", True, ""),
        ("022 Springfield, IL\n102 https://www.chess.com/club", True, "Springfield"),
        ("022 Springfield, IL\n092 Swiss on Playchess", True, "Springfield"),
        ("022 www.maplechess.club", False, ""),
        ("022 https://maplechess.club", False, ""),
        ("022 Springfield, IL", False, "Springfield"),
        ("022 St. Louis, MO", False, "St. Louis"),
    ],
)
def test_server_is_recognized_and_no_city(
    heads: str, city: str, *, online: bool
) -> None:
    text = f"012 Practice Night\n{heads}\n042 2026/11/21\nXXR 1\n{_PLAYERS}"
    result = read_report([("may.trf", text.encode())])
    assert result.reported is not None
    [section] = result.reported.sections
    assert (result.reported.city, section.online) == (city, online)
    ratings = ["", ""] if online else ["2000", "2001"]
    assert [entry.fide_rating for entry in section.entries] == ratings
    asked = [one for one in result.findings if one.code == "trf.online"]
    assert [one.severity for one in asked] == [Severity.CONFIRM] * online


@pytest.mark.parametrize("name", ["Maple Online Open", "Internet Cup", "Open en línea"])
def test_event_that_may_be_online_is_asked_about(name: str) -> None:
    text = f"012 {name}\n022 Springfield, IL\n042 2026/11/21\nXXR 1\n{_PLAYERS}"
    result = read_report([("may.trf", text.encode())])
    assert result.reported is not None
    assert result.reported.sections[0].online is False
    [asked] = [one for one in result.findings if one.code == "trf.online"]
    assert asked.severity is Severity.CONFIRM


def test_address_is_no_city_of_a_table() -> None:
    text = "City: https://lichess.org/swiss\nNo,Name,Rd 1\n1,Ann,W2\n2,Bob,L1\n"
    result = read_report([("may.csv", text.encode())])
    assert result.reported is not None
    assert result.reported.city == ""
    assert "table.fact_unreadable" in {one.code for one in result.findings}


def test_field_case_server() -> None:
    cells, result = field_case("03-lichess-swiss.trf")
    assert result.reported is not None
    assert (result.reported.city, result.reported.country) == ("", "")
    [section] = result.reported.sections
    assert section.online is True
    assert {entry.fide_rating for entry in section.entries} == {""}
    assert cells["ash_annabelle"] == ["W2W", "L3B", "W4W"]
    assert "trf.online" in {one.code for one in result.findings}
