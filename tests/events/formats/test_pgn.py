"""Games in PGN as reports: the spellings of programs, and faults."""

import random
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.formats.checks.report import check_report
from events.formats.findings import Collector, Finding, Severity
from events.formats.pgn.reader import looks_like_pgn, read_pgn
from events.formats.pgn.tags import parse_games
from events.formats.places import with_parsed_place
from events.formats.played_games import played_games
from events.formats.report import ReportedEvent, format_cell
from tests.cpu_time import cpu_time
from tests.events.formats.pgn_samples import (
    CHESS_COM,
    CHESSBASE,
    DGT_ROUND,
    LICHESS,
    game,
)
from tests.hypothesis_settings import example_count

Read = tuple[ReportedEvent | None, list[Finding]]


def read(*texts: str | bytes) -> Read:
    findings = Collector()
    files = [
        (f"{number}.pgn", text if isinstance(text, bytes) else text.encode())
        for number, text in enumerate(texts, start=1)
    ]
    report = read_pgn(files, findings)
    return report and with_parsed_place(report), findings.in_order()


def rows(report: ReportedEvent, section: int = 0) -> dict[str, str]:
    return {
        entry.name: " ".join(format_cell(cell) for cell in entry.cells)
        for entry in report.sections[section].entries
    }


def codes(findings: list[Finding]) -> list[str]:
    """Return the codes, without the note that a time control was read."""
    return [one.code for one in findings if one.code != "pgn.time_control"]


class TestPrograms:
    def test_chessbase_gives_rounds_and_boards(self):
        report, findings = read(CHESSBASE)
        # The second game has no moves.
        assert codes(findings) == ["pgn.no_moves"]
        assert rows(report) == {
            "Poe, Ann": "W2W W3B",
            "Doe, Bob": "L1B U0",
            "Roe, Cid": "D4W L1W",
            'Loe, "Didi"': "D3B U0",
        }
        assert (report.name, report.city, report.state, report.country) == (
            *("May Open", "Oakland", "CA", "USA"),
        )
        assert (report.starts, report.ends) == (date(2024, 5, 4), date(2024, 5, 5))
        [section] = report.sections
        assert (section.name, section.kind_letter, section.rounds) == (
            *("May Open", "S", 2),
        )
        assert (section.time_control, section.online) == ("G/90;+30", False)

    def test_ids_and_ratings_of_members_and_of_fide(self):
        report, _ = read(CHESSBASE + "\n" + game(Round="3", WhiteUSCF="1799"))
        ann, bob, *_ = report.sections[0].entries
        assert (ann.member_id, ann.rating) == ("12345671", "1799")
        assert (ann.fide_id, ann.fide_rating) == ("2012345", "2010")
        # Without a FIDE ID the source of the rating is unknown.
        assert (bob.member_id, bob.fide_id, bob.fide_rating) == ("12345672", "", "")

    def test_live_boards_write_a_file_for_each_round(self):
        first = DGT_ROUND.format(round=1, white="Núñez, Eva", black="Ito", result="1-0")
        second = DGT_ROUND.format(round=2, white="Ito", black="Núñez, Eva", result="*")
        report, findings = read(first.encode("latin-1"), second.replace("*", "0-1"))
        assert codes(findings) == ["pgn.encoding"]
        assert rows(report) == {"Núñez, Eva": "W2W W2B", "Ito": "L1B L1W"}
        assert report.city == ""

    def test_an_arena_has_no_rounds(self):
        played = [
            ("a", "b", "1-0", "18:00:02"),
            ("c", "a", "1/2-1/2", "18:09:00"),
            ("b", "a", "0-1", "18:00:01"),
        ]
        text = "".join(
            LICHESS.format(
                game=f"xyz{number}",
                white=white,
                black=black,
                result=result,
                time=moment,
                termination="Normal",
            )
            for number, (white, black, result, moment) in enumerate(played)
        )
        report, findings = read(text)
        assert codes(findings) == ["pgn.rounds_in_order"]
        assert rows(report) == {"a": "W2B W2W D3B", "b": "L1W L1B U0", "c": "U0 U0 D1W"}
        [section] = report.sections
        assert (section.time_control, section.online) == ("G/5;+3", True)
        assert {entry.fide_rating for entry in section.entries} == {""}

    def test_games_of_two_players_are_a_match(self):
        text = "\n".join(
            CHESS_COM.format(day=day, white=white, black=black, result="1-0")
            for day, white, black in ((2, "eva", "ito"), (1, "ito", "eva"))
        )
        report, findings = read(text)
        assert codes(findings) == ["pgn.rounds_in_order"]
        assert rows(report) == {"eva": "L2B W2W", "ito": "W1W L1B"}
        assert report.sections[0].kind_letter == "M"

    def test_a_broadcast_is_not_played_online(self):
        address = "https://lichess.org/broadcast/may/round-1/abc"
        text = "".join(
            game(
                Event=f"Round {number}: Poe - Doe",
                Round=f"0{number}",
                Site=f"{address}/{number}",
                BroadcastName="May Open | A",
                WhiteFideId="2012345",
                WhiteElo="2010",
                TimeControl="120+30",
            )
            for number in (1, 2)
        )
        report, findings = read(text)
        assert [one.severity for one in findings] == [Severity.CONFIRM]
        assert rows(report) == {"Poe, Ann": "W2W W2W", "Doe, Bob": "L1B L1B"}
        [section] = report.sections
        assert (section.name, section.online) == ("May Open | A", False)
        assert section.time_control == "G/120;+30"
        assert section.entries[0].fide_rating == "2010"

    def test_section_tags_make_sections(self):
        report, findings = read(
            game(Section="Open", Date="2024.05.03"),
            game(Section="Under 1200", White="Roe, Cid", TimeControl="3600"),
        )
        assert codes(findings) == ["pgn.several_events"]
        assert [
            (one.name, one.starts, one.ends, one.time_control)
            for one in report.sections
        ] == [
            ("Open", None, date(2024, 5, 3), ""),
            ("Under 1200", date(2024, 5, 4), None, "G/60;d0"),
        ]
        assert report.total_sections == 2


class TestTheText:
    """The tags of the next game are found after any text."""

    @pytest.mark.parametrize(
        "text",
        [
            game() + game(Round="2"),
            (game() + game(Round="2")).replace("\n", "\r\n"),
            (game() + game(Round="2")).replace("\n", "\r"),
            game("") + game("", Round="2"),
            game("1. e4 {[Event") + game(Round="2"),
            game('1. e4 (1. d4 {\n[Result "0-1"]\n}) 1-0') + game(Round="2"),
            game().replace("]\n", "] ", 6) + game(Round="2"),
            "% for programs\n" + game("1. e4 ; 0-1 [\n% {\n1-0") + game(Round="2"),
            game().replace('[White "', "[White “").replace('Ann"', "Ann”")
            + game(Round="2"),
            (game() + game(Round="2")).replace("\n\n1. e4 e5 1-0\n", ""),
        ],
    )
    def test_two_games_are_found(self, text):
        report, _ = read(text)
        assert rows(report) == {"Poe, Ann": "W2W W2W", "Doe, Bob": "L1B L1B"}

    @pytest.mark.parametrize(
        ("data", "expected"),
        [
            (game().encode("utf-8-sig"), []),
            (game().encode("utf-16"), []),
            (game().encode().replace(b"Oak", b"O\x00ak"), ["pgn.characters"]),
            (game(Annotator="é").encode("cp1252"), ["pgn.encoding"]),
        ],
    )
    def test_encodings(self, data, expected):
        assert looks_like_pgn("games.txt", data)
        report, findings = read(data)
        assert (rows(report), codes(findings)) == (
            {"Poe, Ann": "W2W", "Doe, Bob": "L1B"},
            expected,
        )
        assert report.city == "Oakland"

    def test_files_without_a_game(self):
        report, findings = read("Dear director,\n\nhere it is.")
        assert report is None
        assert codes(findings) == ["pgn.no_games", "pgn.no_player"]
        assert [one.code for one in read(b"")[1]] == ["pgn.no_games"]

    @pytest.mark.parametrize(
        ("name", "data", "is_pgn"),
        [
            ("a.PGN", b"", True),
            ("a.txt", b'\n\n [White "Ann"]\n', True),
            ("a.txt", b'notes on [White "Ann"]\n', False),
            ("a.json", b'["Event", "White"]', False),
        ],
    )
    def test_detection_of_games(self, name, data, is_pgn):
        assert looks_like_pgn(name, data) is is_pgn


class TestFindings:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (game("1. e4 e5 *", Result="*"), "pgn.no_result"),
            (game("1. e4 e5 1-0", Result="*"), "pgn.no_result"),
            (game(Result="won"), "pgn.no_result"),
            (game("1. e4 e5 0-1"), "pgn.other_ending"),
            (game("1. e4 e5 *"), "pgn.other_ending"),
            (game("1. e4 e5 1-0", Result="0-0"), "pgn.other_ending"),
            (game(White="?"), "pgn.no_player"),
            (game(Black="N.N."), "pgn.no_player"),
            (game(Black="poe,  ann"), "pgn.one_player"),
            (game(Variant="Chess960"), "pgn.variant"),
            (game(Variant="From Position"), "pgn.variant"),
            (game(SetUp="1", FEN="8/8/4k3/8/8/4K3/4P3/8 w - - 0 1"), "pgn.position"),
            (game(Termination="Abandoned"), "pgn.termination"),
            (game(Termination="rules infraction"), "pgn.termination"),
            (game(Termination="unterminated"), "pgn.termination"),
            (game(Round="3"), "pgn.rounds_missing"),
            (game(Round="?"), "pgn.rounds_in_order"),
            (game(Round="100"), "pgn.rounds_in_order"),
            (game() + game(Date="2024.05.05"), "pgn.rounds_in_order"),
            (game(Date="????.??.??"), "pgn.date"),
            (game(Date="2024.05.??"), "pgn.date"),
            (game(Date="2024.02.30"), "pgn.date"),
            (game() + game(), "pgn.twice"),
            (game("1. e4 e5 1-0") + game("1-0", ECO="C60"), "pgn.twice"),
            (game("1-0") + game("1. e4 e5 1-0", ECO="C60"), "pgn.twice"),
            (game("1. e4 e5 1-0") + game("1. d4 d5 1-0"), "pgn.rounds_in_order"),
            (
                game(TimeControl="300") + game(Round="2", TimeControl="600"),
                "pgn.time_controls",
            ),
            (game(Event="May") + game(Event="June"), "pgn.several_events"),
            (game() + game(Round="2", White="Ann Poe"), "pgn.alike"),
            (game(White="राम") + game(Round="2", White="रिम"), None),
            (
                game(WhiteUSCF="12345671")
                + game(Round="2", WhiteUSCF="12345675", White="Lee, Kim"),
                None,
            ),
            (
                game(WhiteUSCF="12345671")
                + game(Round="2", WhiteUSCF="12345671", White="Lee, Kim"),
                "pgn.other_name",
            ),
            (
                game(WhiteUSCF="12345671")
                + game(Round="2", WhiteUSCF="12345675")
                + game(Round="3"),
                "pgn.alike",
            ),
            ('[White "Ann\n' + game(), "pgn.tag"),
            (game() + "\n1. d4 d5 0-1\n", "pgn.no_player"),
            (game() + "\nSent from my board.\n", "pgn.no_player"),
        ],
    )
    def test_findings(self, text, expected):
        _, findings = read(text)
        assert codes(findings) == ([expected] if expected else [])

    def test_a_missing_result_is_a_blank_cell(self):
        report, findings = read(
            game("1. e4 e5 *", Result="*", Round="1") + game(Round="2")
        )
        assert rows(report) == {"Poe, Ann": " W2W", "Doe, Bob": " L1B"}
        assert "Poe, Ann – Doe, Bob, round 1, result *" in findings[0].message
        missing = [one for one in check_report(report) if one.code == "result.missing"]
        assert [one.severity for one in missing] == [Severity.ERROR] * 2

    @pytest.mark.parametrize(
        ("result", "black", "cells"),
        [
            ("1-0F", "Doe, Bob", {"Poe, Ann": "X2", "Doe, Bob": "F1"}),
            ("---", "Doe, Bob", {"Poe, Ann": "Z2", "Doe, Bob": "Z1"}),
            ("1-0", "bye", {"Poe, Ann": "B0"}),
            ("1/2-1/2", "BYE", {"Poe, Ann": "H0"}),
        ],
    )
    def test_forfeits_and_byes(self, result, black, cells):
        report, findings = read(game("*", Result=result, Black=black))
        assert (rows(report), codes(findings)) == (cells, [])

    def test_names_are_one_player_but_for_case_and_blanks(self):
        report, findings = read(game() + game(Round="2", White="POE,  Ann"))
        assert codes(findings) == []
        assert list(rows(report)) == ["Poe, Ann", "Doe, Bob"]

    def test_an_id_in_one_game_is_the_players_in_all(self):
        named = game(Round="2", WhiteUSCF="12345671")
        for text in (game() + named, named + game()):
            report, findings = read(text)
            assert codes(findings) == []
            assert {e.name: e.member_id for e in report.sections[0].entries} == {
                "Poe, Ann": "12345671",
                "Doe, Bob": "",
            }

    def test_games_of_namesakes_are_unassigned_until_confirmed(self):
        text = (
            game(Round="3")
            + game(WhiteUSCF="12345671")
            + game(Round="2", WhiteUSCF="12345675")
        )
        report, _ = read(text)
        assert [
            (entry.member_id, [cell.code for cell in entry.cells])
            for entry in report.sections[0].entries
        ] == [
            ("", ["U", "U", "W"]),
            ("", ["L", "L", "L"]),
            ("12345671", ["W", "U", "U"]),
            ("12345675", ["U", "W", "U"]),
        ]

    def test_of_three_copies_those_with_other_moves_are_another_game(self):
        copies = [game("1-0"), game("1. e4 e5 1-0"), game("1. d4 d5 1-0")]
        for first in range(3):
            report, findings = read("".join(copies[first:] + copies[:first]))
            assert codes(findings) == ["pgn.twice", "pgn.rounds_in_order"]
            assert rows(report)["Poe, Ann"] == "W2W W2W"

    def test_games_without_anything_to_tell_them_apart_are_two_and_asked_about(self):
        text = game("1-0", Round="-", Date="2024.05.04")
        report, findings = read(text + text)
        assert codes(findings) == ["pgn.twice", "pgn.rounds_in_order"]
        assert rows(report)["Poe, Ann"] == "W2W W2W"

    @pytest.mark.parametrize(
        ("written", "control", "severities"),
        [
            ("40/7200:3600", "40/120,SD/60;d0", [Severity.NOTE]),
            ("5400", "G/90;d0", [Severity.NOTE]),
            ("60+30", "G/60;+30", [Severity.CONFIRM]),
            ("90", "90", []),
            ("-", "", []),
            ("?", "", []),
            ("G/60;d5", "G/60;d5", []),
        ],
    )
    def test_time_controls(self, written, control, severities):
        report, findings = read(game(TimeControl=written))
        assert report.sections[0].time_control == control
        assert [one.severity for one in findings] == severities

    def test_more_games_than_a_section_has_rounds(self):
        report, findings = read(
            "".join(game(Date=f"{n}.01.01") for n in range(1900, 2001))
        )
        assert codes(findings) == ["pgn.no_room", "pgn.no_room", "pgn.rounds_in_order"]
        assert len(report.sections[0].entries[0].cells) == 99

    def test_more_sections_than_an_event_has(self):
        report, findings = read("".join(game(Event=f"Event {n}") for n in range(101)))
        assert codes(findings) == ["pgn.too_many", "pgn.several_events"]
        assert len(report.sections) == 99


# Results and time for hostile files.


def seconds(data: bytes) -> float:
    with cpu_time() as spent:
        read(data)
    return spent.seconds


def test_a_large_tournament_is_read_within_a_second():
    order = random.Random(1)
    names = [f"Player, {number}" for number in range(500)]
    moves = "1. e4 {[%clk 1:29:30] best by test} e5 " * 55
    texts = []
    for number in range(1, 10):
        order.shuffle(names)
        texts += [
            game(f"{moves} 1-0", Round=f"{number}.1", White=white, Black=black)
            for white, black in zip(names[::2], names[1::2], strict=True)
        ]
    data = "".join(texts).encode()
    assert len(data) > 5_000_000
    assert seconds(data) < 1


@pytest.mark.parametrize(
    "piece",
    [
        b"[",
        b'[White "',
        b"[White ",
        b'[White "a"] ',
        b'[White "a" ]\n',
        b"{",
        b"}",
        b"1. e4 {\n",
        b"\n",
        b" ",
        b"\\",
        b'"',
        b"(((\n",
        b"1-0 ",
        b"1-0\n\n",
        b'[Event "',
        b"\x00",
        b"\xff",
        b'[Event "a"]\n[White "b"]\n[Black "c"]\n[Result "1-0"]\n',
    ],
)
def test_any_text_is_read_quickly(piece):
    # The maximum number of games takes a second; quadratic time would be minutes.
    assert seconds(b'[White "Ann"]\n' + piece * (400_000 // len(piece))) < 10


_RESULTS = ("1-0", "0-1", "1/2-1/2")
# Findings about a result that is not in the report as written in the file.
_REPORTED = {
    *("pgn.no_player", "pgn.one_player", "pgn.no_room", "pgn.twice"),
    *("pgn.other_ending", "pgn.no_result"),
}

_played = st.builds(
    lambda white, black, result, number, day: game(
        f"1. e4 e5 {result}",
        White=white,
        Black=black,
        Result=result,
        Round=number,
        Date=f"2024.05.{day:02}",
    ),
    st.sampled_from(("Poe, Ann", "Doe, Bob", "Roe, Cid")),
    st.sampled_from(("Lee, Kim", "Ann Poe", "Ito")),
    st.sampled_from(_RESULTS),
    st.sampled_from(("1", "2", "3.1", "4.2(1)", "?", "-")),
    st.integers(1, 9),
)


@st.composite
def mangled(draw: st.DrawFn) -> tuple[int, str]:
    """Draw games, and their text with one line changed in most of them."""
    texts = draw(st.lists(_played, min_size=1, max_size=6))
    mangled_texts = []
    for text in texts:
        lines = text.split("\n")
        at = draw(st.integers(0, len(lines) - 1))
        place = draw(st.integers(0, len(lines[at])))
        mark = draw(st.sampled_from('"[]{}\\%;*x0 \n'))
        changed = {
            "kept": [lines[at]],
            "lost": [],
            "doubled": [lines[at]] * 2,
            "cut": [lines[at][:place]],
            "marked": [lines[at][:place] + mark + lines[at][place + 1 :]],
        }
        lines[at : at + 1] = changed[draw(st.sampled_from(sorted(changed)))]
        mangled_texts.append("\n".join(lines))
    return len(texts), "".join(mangled_texts)


@settings(max_examples=example_count(600), deadline=None)
@given(mangled())
def test_each_result_is_in_the_report_or_in_a_finding(drawn: tuple[int, str]) -> None:
    games, text = drawn
    report, findings = read(text)
    reported = sum(one.code in _REPORTED for one in findings)
    sections = report.sections if report else ()
    held = sum(len(list(played_games(section))) for section in sections)
    assert held + reported >= games


def survives(data: bytes) -> None:
    report, findings = read(data)
    if report is None:
        assert Severity.ERROR in {finding.severity for finding in findings}
        return
    assert "\x00" not in str(report.to_json())
    assert ReportedEvent.from_json(report.to_json()) == report
    assert all(
        finding.message and "\x00" not in finding.message
        for finding in [*findings, *check_report(report)]
    )


@settings(max_examples=example_count(300), deadline=None)
@given(st.binary(max_size=300), st.integers(0, len(CHESSBASE)))
def test_any_bytes_within_a_file_are_survived(data: bytes, at: int) -> None:
    survives(data)
    text = CHESSBASE.encode()
    survives(text[:at] + data + text[at:])


def test_an_unclosed_comment_has_no_games():
    text = game("1. e4 {never closed") + game(Round="2").removeprefix(
        '[Event "May Open"]'
    )
    assert len(parse_games("a.pgn", text.encode(), Collector())) == 2
