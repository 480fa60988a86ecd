"""Reading files that pairing programs make for chess-results.com."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.formats.checks.report import check_report
from events.formats.chess_results.reader import (
    looks_like_chess_results,
    read_chess_results,
)
from events.formats.findings import Collector, Finding, Severity
from events.formats.places import with_parsed_place
from events.formats.played_games import played_games
from events.formats.report import ReportedEvent, format_cell
from tests.cpu_time import cpu_time
from tests.hypothesis_settings import example_count

Read = tuple[ReportedEvent | None, list[Finding]]

TOURNAMENT = {
    "key": "1268",
    "type": "0",
    "name": "May Open",
    "location": "Oakland, CA",
    "rounds": "3",
    "currentround": "3",
    "rankinground": "3",
    "from": "20240504",
    "to": "05.05.2024",
    "ratedfide": "-",
    "timecontrol": "90min + 30sec",
    "chiefarbiter": "Poe, Eve (USCF 12345670)",
    "federation": "USA",
}
ANN = {
    "no": "1",
    "id": "12345671",
    "lastname": "Poe,Ann",
    "firstname": "",
    "rtgnat": "1800",
    "rtgfide": "1700",
    "dob": "1990",
    "fed": "USA",
    "fideid": "2012345",
    "pts": "2,5",
}
BOB = {
    "no": "2",
    "id": "12345672",
    "lastname": "Doe",
    "firstname": "Bob",
    "rtgnat": "",
    "rtgfide": "1500",
    "dob": "04.05.2011",
    "pts": "0,5",
}
CID = {"no": "3", "id": "12345673", "lastname": "Roe", "firstname": "Cid", "pts": "1.5"}
PLAYERS = (ANN, BOB, CID)


def element(name: str, values: dict[str, str]) -> str:
    text_ = " ".join(f'{key}="{value}"' for key, value in values.items())
    return f"    <{name}\n{text_}\n/>"


def pairing(
    number: int, white: int, black: int, points: str = "1.0 0.0", mark: str = ""
) -> str:
    white_points, _, black_points = points.partition(" ")
    values = {
        "round": str(number),
        "pairing": "1",
        "board": "1",
        "whiteno": str(white),
        "blackno": str(black),
        "reswhite": white_points,
        "resblack": black_points,
        "forfeit": mark,
    }
    return element("playerpairing", values)


PAIRINGS = (
    pairing(1, 1, 2),
    pairing(1, 3, -1, "1.0 0.0", "K"),
    pairing(2, 3, 1, "0,5 0,5"),
    pairing(2, 2, -2, "0.5 "),
    pairing(3, 1, 3, "1.0 ", "K"),
    pairing(3, 2, -2, " "),
)


def document(
    pairings: tuple[str, ...] = PAIRINGS,
    players: tuple[dict[str, str], ...] = PLAYERS,
    **changes: str,
) -> bytes:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<chessresults>",
        "<tournamentdata>",
        element("tournament", TOURNAMENT | changes),
        "</tournamentdata>",
        "<rounds>",
        *(element("round", {"round": str(n), "date": "", "time": ""}) for n in (1, 2)),
        "</rounds>",
        "<players>",
        *(element("player", player) for player in players),
        "</players>",
        "<playerpairings>",
        *pairings,
        "</playerpairings>",
        '<security><securitydata source="13" sid="x" /></security>',
        "</chessresults>",
    ]
    return "\n".join(lines).encode()


def read(*documents: bytes) -> Read:
    findings = Collector()
    files = [(f"{number}.xml", one) for number, one in enumerate(documents, start=1)]
    report = read_chess_results(files, findings)
    return report and with_parsed_place(report), findings.in_order()


def rows(report: ReportedEvent) -> list[str]:
    return [
        " ".join(format_cell(cell) for cell in entry.cells)
        for entry in report.sections[0].entries
    ]


def codes(findings: list[Finding]) -> list[str]:
    """Return the codes, without the note that a time control was read."""
    all_codes = [one.code for one in findings]
    return [code for code in all_codes if code != "chess_results.time_control"]


class TestAFile:
    def test_the_games(self):
        report, findings = read(document())
        assert codes(findings) == []
        assert rows(report) == ["W2W D3B X3", "L1B H0 U0", "B0 D1W F1"]

    def test_the_event_and_its_section(self):
        report, _ = read(document())
        assert (report.name, report.city, report.state, report.country) == (
            *("May Open", "Oakland", "CA", "USA"),
        )
        assert (report.starts, report.ends) == (date(2024, 5, 4), date(2024, 5, 5))
        assert report.chief_td_id == "12345670"
        [section] = report.sections
        assert (section.name, section.kind_letter, section.rounds, section.fide) == (
            *("May Open", "S", 3, False),
        )
        assert (section.time_control, section.last_pairing_number) == ("G/90;+30", 3)

    def test_the_players(self):
        report, _ = read(document())
        ann, bob, _ = report.sections[0].entries
        assert (ann.name, ann.member_id, ann.rating) == ("Poe, Ann", "12345671", "1800")
        assert (ann.fide_id, ann.fide_rating) == ("2012345", "1700")
        # Without a FIDE ID, programs repeat another rating there.
        assert (bob.name, bob.member_id, bob.fide_rating) == (
            "Doe, Bob",
            "12345672",
            "",
        )

    def test_birth_dates_are_dropped(self):
        report, findings = read(document())
        text_ = str(report.to_json()) + "".join(map(str, findings))
        assert "1990" not in text_
        assert "2011" not in text_

    def test_ids_of_other_federations_are_not_taken_for_ours(self):
        report, findings = read(document(federation="GER"))
        assert [entry.member_id for entry in report.sections[0].entries] == [
            *("12345671", "", ""),
        ]
        assert codes(findings) == ["chess_results.other_ids"]

    def test_several_files_are_sections_of_one_event(self):
        report, findings = read(
            document(name="May Open - U1600"),
            document(name="May Open - U1200", to="20240504"),
        )
        assert codes(findings) == []
        assert (report.name, [one.name for one in report.sections]) == (
            *("May Open", ["U1600", "U1200"]),
        )
        assert [one.ends for one in report.sections] == [None, date(2024, 5, 4)]

    def test_files_of_different_events_are_to_be_confirmed(self):
        _, findings = read(document(), document(name="Quads"))
        assert codes(findings) == ["file.other_event"]

    @pytest.mark.parametrize(
        ("changes", "kind", "expected"),
        [
            ({"type": "1"}, "R", []),
            ({"type": "1", "replay": "2"}, "D", []),
            ({"type": "3"}, "S", ["chess_results.teams"]),
            ({"type": "9"}, "", []),
        ],
    )
    def test_kinds(self, changes, kind, expected):
        report, findings = read(document(**changes))
        assert (report.sections[0].kind_letter, codes(findings)) == (kind, expected)

    @pytest.mark.parametrize(
        ("written", "control"),
        [
            ("5400+30", "G/90;+30"),
            ("60+30", "G/60;+30"),
            ("    15 Min + 5 Sec.", "G/15;+5"),
            ("   ", ""),
            ("Fischer", "Fischer"),
        ],
    )
    def test_time_controls(self, written, control):
        report, _ = read(document(timecontrol=written))
        assert report.sections[0].time_control == control


class TestResults:
    @pytest.mark.parametrize(
        ("points", "mark", "cells", "expected"),
        [
            ("1 0", "", ["W2W", "L1B"], []),
            ("0,0 1,0", "", ["L2W", "W1B"], []),
            ("½ ½", "", ["D2W", "D1B"], []),
            (" 1.0", "", ["L2W", "W1B"], []),
            ("0.5 0", "", ["R2W", "S1B"], []),
            ("0 1", "K", ["F2", "X1"], []),
            (" ", "K", ["Z2", "Z1"], []),
            ("0 0", "", ["Z2", "Z1"], ["chess_results.nobody_won"]),
            ("0 0", "D", ["Z2", "Z1"], ["chess_results.nobody_won"]),
            ("1 0", "U", ["X2", "F1"], ["chess_results.not_rated"]),
            ("0,5 0,5", "U", ["H0", "H0"], ["chess_results.not_rated"]),
        ],
    )
    def test_result_codes_of_a_pairing(self, points, mark, cells, expected):
        report, findings = read(document((pairing(1, 1, 2, points, mark),), (ANN, BOB)))
        assert rows(report) == cells
        assert [one for one in codes(findings) if "points" not in one] == expected

    @pytest.mark.parametrize(
        ("points", "cell"), [("1 ", "B0"), ("0,5 ", "H0"), ("0 ", "U0"), (" ", "U0")]
    )
    def test_rounds_without_an_opponent(self, points, cell):
        for nobody in (-1, -2):
            last = pairing(2, 1, 2)
            report, _ = read(document((pairing(1, 1, nobody, points), last)))
            assert rows(report)[0] == f"{cell} W2W"

    @pytest.mark.parametrize(
        ("bad", "severity"),
        [
            (pairing(1, 1, 2, "3 0"), Severity.ERROR),
            (pairing(1, 1, 2, "1 0", "?"), Severity.ERROR),
            (pairing(1, 1, -1, "x "), Severity.ERROR),
            (pairing(0, 1, 2), Severity.ERROR),
            (pairing(100, 1, 2), Severity.ERROR),
            (pairing(1, 1, 7), Severity.ERROR),
            (pairing(1, 1, 1), Severity.ERROR),
            (pairing(1, -1, 2), Severity.ERROR),
            (pairing(2, 1, 3), Severity.ERROR),
            (pairing(1, 1, 2, " "), Severity.NOTE),
            (pairing(1, 1, 2, " ", "H"), Severity.NOTE),
        ],
    )
    def test_a_pairing_that_cannot_be_entered_is_reported(self, bad, severity):
        report, findings = read(document((pairing(2, 1, 2), bad), PLAYERS))
        assert [cell.code for cell in report.sections[0].entries[0].cells][1] == "W"
        assert [one.severity for one in findings if "pairing" in one.code] == (
            [severity] if severity is Severity.ERROR else []
        )
        assert ("chess_results.no_result" in codes(findings)) == (
            severity is Severity.NOTE
        )

    def test_future_rounds_are_skipped_but_not_a_missing_result(self):
        report, _ = read(
            document((pairing(1, 1, 2, " "), pairing(2, 1, 2), pairing(3, 1, 2, " ")))
        )
        assert rows(report) == [" W2W", " L1B", "U0 U0"]
        check_codes = [one.code for one in check_report(report)]
        assert check_codes.count("result.missing") == 2
        assert "section.rounds_differ" in check_codes

    def test_points_that_differ_from_the_results(self):
        _, findings = read(document(PAIRINGS[1:]))
        points = [one for one in findings if one.code == "chess_results.points"]
        assert [one.place.pairing_number for one in points] == [1]
        assert codes(read(document(PAIRINGS[1:], rankinground="2"))[1]) == []


class TestDistrust:
    @pytest.mark.parametrize(
        "declared",
        [
            b'<!DOCTYPE chessresults [<!ENTITY a "aaaa">]>',
            b'<!DOCTYPE chessresults SYSTEM "file:///etc/passwd">',
        ],
    )
    def test_declarations_are_rejected(self, declared):
        data = document().replace(b"?>", b"?>" + declared, 1)
        report, findings = read(data)
        assert report is None
        assert codes(findings) == [
            *("chess_results.no_players", "chess_results.unreadable"),
        ]

    def test_an_endless_element_is_rejected(self):
        endless = "".join(f'a{number}="" ' for number in range(100_000))
        data = document((*PAIRINGS, f"<a {endless}/>"))
        report, findings = read(data)
        assert rows(report)[0] == "W2W D3B X3"
        assert [one.message for one in findings if one.code.endswith("unreadable")] == [
            "1.xml has an element that is too long. We read everything before that "
            "point."
        ]

    def test_text_outside_of_elements_is_reported(self):
        broken = pairing(1, 1, 2).replace("<", " ")
        report, findings = read(document((broken, pairing(2, 1, 2))))
        assert rows(report)[0] == "U0 W2W"
        assert "chess_results.text" in codes(findings)

    def test_elements_before_a_break_are_kept(self):
        data = document()
        report, findings = read(data[: data.index(b"</playerpairings>")] + b"<<")
        assert rows(report) == ["W2W D3B X3", "L1B H0 U0", "B0 D1W F1"]
        assert codes(findings) == ["chess_results.unreadable"]

    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            (lambda data: b"\xef\xbb\xbf" + data, []),
            (
                lambda data: data.decode().replace("UTF-8", "UTF-16").encode("utf-16"),
                [],
            ),
            (
                lambda data: (
                    data.decode().replace("UTF-8", "ISO-8859-1").encode("latin-1")
                ),
                [],
            ),
            (
                lambda data: data.decode().encode("cp1252"),
                ["chess_results.encoding"],
            ),
            (
                lambda data: data.replace(b"Oak", b"O\x00ak"),
                ["chess_results.characters"],
            ),
            (lambda data: data.replace(b" no=", b" No=").replace(b"fed=", b"Fed="), []),
        ],
    )
    def test_encodings_and_letter_case(self, change, expected):
        players = (ANN | {"lastname": "Núñez"}, BOB, CID)
        data = change(document(players=players))
        assert looks_like_chess_results("a.xml", data)
        report, findings = read(data)
        assert report.sections[0].entries[0].name == "Núñez"
        assert report.city == "Oakland"
        assert codes(findings) == expected

    def test_other_xml_is_not_for_this_reader(self):
        assert not looks_like_chess_results("a.xml", b"<?xml version='1.0'?><Players/>")

    @pytest.mark.parametrize("number", ["", "0", "x", "12345"])
    def test_a_player_without_a_number_is_reported_and_kept(self, number):
        report, findings = read(document(players=(ANN, BOB, CID | {"no": number})))
        assert "chess_results.player" in codes(findings)
        assert [entry.name for entry in report.sections[0].entries] == [
            *("Roe, Cid", "Poe, Ann", "Doe, Bob"),
        ]

    def test_more_players_than_a_section_has(self):
        players = tuple({"no": str(n), "lastname": "A"} for n in range(1, 5_003))
        report, findings = read(document((), players))
        assert len(report.sections[0].entries) == 5_000
        assert codes(findings) == ["chess_results.too_large"]

    @pytest.mark.parametrize(
        "piece",
        [
            b"<a>",
            b"<player",
            b'<player no="1"/>',
            b"&amp;",
            b"\x00",
            b"\xff",
            b"<!--",
            b"</chessresults>",
        ],
    )
    def test_any_text_is_read_quickly(self, piece):
        with cpu_time() as spent:
            read(b"<chessresults>" + piece * (400_000 // len(piece)))
        assert spent.seconds < 1


# Findings about a pairing that is not in the report as written.
_REPORTED = {
    "chess_results.pairing",
    "chess_results.no_result",
    "chess_results.nobody_won",
    "chess_results.not_rated",
    "chess_results.text",
    "chess_results.unreadable",
}


@st.composite
def mangled(draw: st.DrawFn) -> tuple[int, bytes]:
    """Draw games of three players, and their file with some characters changed."""
    rounds = draw(st.lists(st.sampled_from(("1 0", "0 1", "0,5 0,5")), min_size=1))
    pairings = tuple(
        pairing(number, 1, 2, points) for number, points in enumerate(rounds[:6], 1)
    )
    lines = document(pairings).decode().split("\n")
    begin = lines.index("<playerpairings>")
    for at in draw(st.lists(st.integers(begin + 1, len(lines) - 1), max_size=3)):
        place = draw(st.integers(0, len(lines[at])))
        mark = draw(st.sampled_from('"<>/&=xK019 \n'))
        lines[at] = lines[at][:place] + mark + lines[at][place + 1 :]
    return len(pairings), "\n".join(lines).encode()


@settings(max_examples=example_count(300), deadline=None)
@given(mangled())
def test_each_result_is_in_the_report_or_in_a_finding(drawn: tuple[int, bytes]) -> None:
    games, data = drawn
    report, findings = read(data)
    found_codes = codes(findings)
    held = sum(len(list(played_games(section))) for section in report.sections)
    unplayed = sum(
        cell.code in ("X", "F", "Z", "B", "H", "U") and cell.opponent is not None
        for entry in report.sections[0].entries
        for cell in entry.cells
    )
    reported = sum(code in _REPORTED for code in found_codes)
    assert (
        held + unplayed / 2 + reported >= games
        or "chess_results.unreadable" in found_codes
    )


def survives(data: bytes) -> None:
    report, findings = read(data)
    if report is None:
        assert Severity.ERROR in {finding.severity for finding in findings}
        return
    assert "\x00" not in str(report.to_json())
    assert ReportedEvent.from_json(report.to_json()) == report
    assert all(one.message for one in [*findings, *check_report(report)])


@settings(max_examples=example_count(300), deadline=None)
@given(st.binary(max_size=200), st.integers(0, 3_000), st.integers(0, 50))
def test_any_bytes_within_a_file_are_survived(data: bytes, at: int, gone: int) -> None:
    whole = document()
    survives(whole[:at] + data + whole[at + gone :])
