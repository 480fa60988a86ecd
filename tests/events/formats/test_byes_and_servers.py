"""Byes, vacancies and servers in place of a player's name or a city."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest

from events.formats.byes import can_be_username
from events.formats.dbf.writer import write_report
from events.formats.findings import Severity
from events.formats.json.writer import write_json
from events.formats.report import ReportedEvent, format_cell
from events.formats.report_reader import ReadResult, read_report
from events.formats.tables.writer import write_crosstables
from events.formats.trf.writer import write_trf_files
from tests.events.formats.field_cases import field_case
from tests.events.formats.samples import report, section

_WORDS = {
    "": (
        *("BYE", "bye", "Bye.", "(bye)", "-bye-", "Bye #1", "BYE 1", "Bye Bye", "--"),
        *("No Player", "No Opponent", "spielfrei", "Freilos", "exempt", "Libre"),
        *("descansa", "riposo", "none", "", "0", "Odd man out", "Oneven", "Oversidder"),
        *("Sin rival", "Descanso", "Wolny los", "Свободен"),
        *("轮空", "Requested bye", "Sit out", "Isento", "Huilaaja", "free round"),
        *("Req. bye", "Round 3 bye", "Bye request", "N/A", "Kein Gegner", "Rundenfrei"),
        *("Sans adversaire", "Sin jugador", "Выходной", "Forfeit", "No show", "Frei"),
    ),
    "B": (
        "Full Point Bye",
        "BYE (full point)",
        "full bye",
        "1-point bye",
        "1pt bye",
        "FPB",
    ),
    "H": ("Half-point bye", "half bye", "½ bye", "HPB", "medio punto", "bye 1/2"),
    "U": ("zero-point bye", "0 point bye", "Unpaired", "not paired", "ZPB"),
}
_BYES = [(word, code) for code, words in _WORDS.items() for word in words]
# White's result without an opponent, and its bye code.
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
@pytest.mark.parametrize(("word", "bye"), _BYES)
def test_bye_written_as_a_game_is_a_bye(
    word: str, bye: str, written: str, code: str
) -> None:
    cells, result = _games(f'1,"Cedar, Cy","{word}",{written}')
    if bye in ("", code):
        assert cells["Cedar, Cy"] == [f"{code}0", "U0"]
        expected = ["table.bye_word"] if can_be_username(word) else []
        assert [one.code for one in result.findings] == expected
    else:
        [error] = result.findings
        assert (error.code, error.severity) == ("table.game_left_out", Severity.ERROR)
    assert {*cells} - {"Cedar, Cy"} == {"Ash, Ann", "Birch, Bob"}


@pytest.mark.parametrize(("word", "bye"), _BYES)
def test_bye_of_black_without_a_result_has_the_points_of_its_name(
    word: str, bye: str
) -> None:
    cells, _ = _games(f'1,{word},"Cedar, Cy",')
    assert cells["Cedar, Cy"] == [f"{bye or 'B'}0", "U0"]


@pytest.mark.parametrize("word", ["Libre", "Free", "Prost", "Slobodan", "Frei"])
@pytest.mark.parametrize("won", ["1,{},Fir,1-0", "3,Fir,{},0-1"])
def test_word_that_may_be_a_name_is_a_player_who_won_a_game(
    word: str, won: str
) -> None:
    cells, result = _games(
        f"1,Elm,{word},1-0" if won[0] == "3" else "", won.format(word)
    )
    assert "table.bye_word" not in {one.code for one in result.findings}
    assert any(cell.startswith("W") for cell in cells[word])


@pytest.mark.parametrize("word", ["TBD", "vacant", "N.N.", "NN NN", "Unknown", "Ghost"])
def test_opponent_who_is_not_named_is_an_error(word: str) -> None:
    cells, result = _games(f'1,"Cedar, Cy",{word},1-0')
    assert [one.code for one in result.findings] == ["table.game_left_out"]
    assert {*cells} == {"Ash, Ann", "Birch, Bob", "Cedar, Cy"}


@pytest.mark.parametrize("result", ["1-0", "0-1", "½-½", "+--"])
def test_result_in_the_place_of_black_is_an_error(result: str) -> None:
    cells, read = _games(f'1,"Cedar, Cy",{result}')
    assert [one.code for one in read.findings] == ["table.game_left_out"]
    assert {*cells} == {"Ash, Ann", "Birch, Bob", "Cedar, Cy"}


def test_loss_without_an_opponent_is_an_error() -> None:
    cells, result = _games('1,"Cedar, Cy",Bye,0-1')
    assert [one.code for one in result.findings] == ["table.game_left_out"]
    assert {*cells} == {"Ash, Ann", "Birch, Bob", "Cedar, Cy"}


@pytest.mark.parametrize(
    "name",
    [
        *("Bye, Mary", "Libre, Ann", "Byer", "John Bye", "TBDX", "A. Bye", "Bye, A."),
        *("Frei, Otto", "Na, Li", "Absent, Al", "Round, Ed", "Ghost, Ann"),
    ],
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


@pytest.mark.parametrize(
    ("remark", "cell", "codes"),
    [
        ("", "W4W", []),
        ("a good game", "W4W", []),
        ("no show", "X4", ["table.unplayed"]),
        ("kampflos", "X4", ["table.unplayed"]),
        ("Cheat detected", "W4W", ["table.unplayed/doubtful"]),
    ],
)
def test_remark_beside_a_game_that_it_was_not_played_is_asked_about(
    remark: str, cell: str, codes: list[str]
) -> None:
    lines = ["Round,White,Black,Result,Remark", "1,Ash,Birch,1-0,", "1,Cy,Di,1-0,"]
    result = read_report([("may.csv", ("\n".join(lines) + remark).encode())])
    assert result.reported is not None
    cells = [format_cell(one.cells[0]) for one in result.reported.sections[0].entries]
    assert cells[2] == cell
    assert [one.code for one in result.findings] == [code[:14] for code in codes]
    assert {one.severity for one in result.findings} <= {Severity.CONFIRM}


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
        ("022 Chesscom", True, ""),
        ("022 lichess4545.com", True, ""),
        ("022 SchemingMind", True, ""),
        ("022 Springfield, IL\n102 https://www.chess.com/club", True, "Springfield"),
        ("022 Springfield, IL\n092 Swiss on Playchess", True, "Springfield"),
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


@pytest.mark.parametrize(
    "name",
    [
        "Maple Online Open",
        "Internet Cup",
        "Open en línea",
        "Remote Open",
        "Discord Blitz",
    ],
)
def test_event_that_may_be_online_is_asked_about(name: str) -> None:
    text = f"012 {name}\n022 Springfield, IL\n042 2026/11/21\nXXR 1\n{_PLAYERS}"
    result = read_report([("may.trf", text.encode())])
    assert result.reported is not None
    assert result.reported.sections[0].online is False
    [asked] = [one for one in result.findings if one.code == "trf.online"]
    assert asked.severity is Severity.CONFIRM


@pytest.mark.parametrize(
    "site", ["www.maplechess.club", "https://maplechess.club", "vint.ee"]
)
def test_unknown_address_is_asked_about_and_is_not_a_city(site: str) -> None:
    text = f"012 Practice Night\n022 {site}\n042 2026/11/21\nXXR 1\n{_PLAYERS}"
    result = read_report([("may.trf", text.encode())])
    assert result.reported is not None
    assert result.reported.city == ""
    [section] = result.reported.sections
    assert section.online is False
    assert [entry.fide_rating for entry in section.entries] == ["", ""]
    [asked] = [one for one in result.findings if one.code == "trf.online"]
    assert asked.severity is Severity.CONFIRM


def _with_fide_ratings(**changes: object) -> ReportedEvent:
    """Return a report with FIDE ratings: one with a FIDE ID, one without."""
    event = report(section(), **changes)
    event = event.with_entry(1, 1, fide_id="2020001", fide_rating="2010")
    return event.with_entry(1, 2, fide_rating="2020")


def _sjson(event: ReportedEvent) -> dict[str, bytes]:
    players = [
        {
            "Pair number": entry.pairing_number,
            "Name": entry.name,
            "ID": entry.member_id,
            "ID2": entry.fide_id,
            "Rating": entry.rating,
            "Rating2": entry.fide_rating,
            "Results": ["B;0;-;0"],
        }
        for entry in event.sections[0].entries
    ]
    overview = {"Tournament title": event.name, "Event city": event.city}
    sections = [{"Section name": "OPEN", "Rounds played": 1, "Players": players}]
    return {
        "may.sjson": json.dumps({"Overview": overview, "Sections": sections}).encode()
    }


def _web(event: ReportedEvent) -> dict[str, bytes]:
    players = [
        {
            "name": entry.name,
            "id1": entry.member_id,
            "id2": entry.fide_id,
            "rating": entry.rating,
            "rating2": entry.fide_rating,
            "results": ["B"],
        }
        for entry in event.sections[0].entries
    ]
    sections = [{"section": "OPEN", "rounds_played": 1, "players": players}]
    page = {"NACHEventID": 1, "rounds_paired": 1, "sections": sections}
    page |= {"tournament": event.name, "city": event.city}
    return {"may.json": json.dumps(page).encode()}


def _xml(event: ReportedEvent) -> dict[str, bytes]:
    players = "".join(
        f'<player no="{entry.pairing_number}" lastname="{entry.name}" '
        f'fideid="{entry.fide_id}" rtgfide="{entry.fide_rating}" />'
        for entry in event.sections[0].entries
    )
    text = (
        f'<chessresults><tournamentdata><tournament name="{event.name}" '
        f'location="{event.city}" rounds="1" /></tournamentdata>'
        f"<players>{players}</players><playerpairings /></chessresults>"
    )
    return {"may.xml": text.encode()}


_WRITERS: dict[str, Callable[[ReportedEvent], Mapping[str, bytes]]] = {
    "dbf": write_report,
    "json": lambda event: {"may.json": write_json(event)},
    "trf": lambda event: write_trf_files(event, "TRF26"),
    "table": lambda event: {"may.csv": write_crosstables(event)},
    "swisssys": _sjson,
    "swisssys-web": _web,
    "chess-results": _xml,
}
_each_format = pytest.mark.parametrize("write", _WRITERS.values(), ids=_WRITERS.keys())


def _online(
    write: Callable[[ReportedEvent], Mapping[str, bytes]], event: ReportedEvent
) -> tuple[ReportedEvent, list[Severity]]:
    """Return the report, and the severities of its findings about online play."""
    result = read_report([*write(event).items()])
    assert result.reported is not None
    codes = ("trf.online", "section.online")
    return result.reported, [
        one.severity for one in result.findings if one.code in codes
    ]


@_each_format
@pytest.mark.parametrize("city", ["Chess.com", "https://lichess.org/swiss/x", "ICC"])
def test_server_is_no_city_and_its_ratings_are_not_fide_ratings_in_any_format(
    city: str, write: Callable[[ReportedEvent], Mapping[str, bytes]]
) -> None:
    event = _with_fide_ratings(city=city, state="", zip_code="", country="")
    read, asked = _online(write, event)
    assert read.city == ""
    assert read.sections[0].online is True
    assert {entry.fide_rating for entry in read.sections[0].entries} == {""}
    assert asked == [Severity.CONFIRM]


@_each_format
@pytest.mark.parametrize(
    ("changes", "city"),
    [
        ({"city": "www.maplechess.club", "state": "", "zip_code": ""}, ""),
        ({"name": "Maple Online Open", "city": "Dayton"}, "Dayton"),
        ({"name": "Chess.com Blitz", "city": "Dayton"}, "Dayton"),
        ({"name": "Friday Arena", "city": "Dayton"}, "Dayton"),
    ],
)
def test_possible_online_play_is_asked_about_in_any_format(
    changes: dict[str, str],
    city: str,
    write: Callable[[ReportedEvent], Mapping[str, bytes]],
) -> None:
    read, asked = _online(write, _with_fide_ratings(**changes))
    assert read.city == city
    assert read.sections[0].online is False
    ratings = [entry.fide_rating for entry in read.sections[0].entries]
    assert ratings == ["2010", "", "", ""]
    assert asked == [Severity.CONFIRM]


@_each_format
@pytest.mark.parametrize("city", ["St. Louis", "Comstock", "Webster", "Oakland"])
def test_play_over_the_board_is_not_asked_about_in_any_format(
    city: str, write: Callable[[ReportedEvent], Mapping[str, bytes]]
) -> None:
    read, asked = _online(write, _with_fide_ratings(city=city))
    assert read.city == city
    assert read.sections[0].entries[0].fide_rating == "2010"
    assert asked == []


def test_section_that_the_file_marks_as_online_is_not_asked_about() -> None:
    event = _with_fide_ratings(name="Maple Online Open").with_section(1, online=True)
    for name in ("dbf", "json", "trf", "table"):
        read, asked = _online(_WRITERS[name], event)
        assert (read.sections[0].online, asked) == (True, []), name


def test_field_case_server() -> None:
    cells, result = field_case("03-lichess-swiss.trf")
    assert result.reported is not None
    assert (result.reported.city, result.reported.country) == ("", "")
    [section] = result.reported.sections
    assert section.online is True
    assert {entry.fide_rating for entry in section.entries} == {""}
    assert cells["ash_annabelle"] == ["W2W", "L3B", "W4W"]
    assert "trf.online" in {one.code for one in result.findings}
