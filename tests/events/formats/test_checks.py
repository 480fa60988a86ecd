from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings

from events.formats.catalog import FINDING_KINDS
from events.formats.catalog.files import FILES
from events.formats.catalog.report import REPORT
from events.formats.checks.report import LONGEST_SECTION, check_report
from events.formats.findings import Finding, Severity
from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    parse_cell,
)
from tests.cpu_time import cpu_time
from tests.events.formats.samples import (
    big_report,
    cells,
    event_reports,
    report,
    section,
)
from tests.hypothesis_settings import example_count


def codes_and_places(checked: ReportedEvent) -> list[tuple[str, str]]:
    """Return the code and the place of every finding."""
    return [(f.code, f.key.partition("|")[2]) for f in check_report(checked)]


def with_cells(*rows: tuple[str, ...], **changes: object) -> ReportedEvent:
    """Return a report of one section with these rows of cells."""
    entries = tuple(
        ReportedEntry(number, f"1234567{number}", f"P{number}", "CA", "", cells(*row))
        for number, row in enumerate(rows, start=1)
    )
    values: dict[str, object] = {
        "rounds": max(len(row) for row in rows),
        "last_pairing_number": len(rows),
        "entries": entries,
    }
    return report(section(**(values | changes)))


def test_faultless_report_has_no_finding() -> None:
    assert check_report(report()) == []


def test_opponent_who_reports_another_result_is_named_in_a_sentence() -> None:
    torn = report().with_cell(1, 3, 1, parse_cell("D2B"))
    assert [str(finding) for finding in check_report(torn)] == [
        "Section 1, pairing number 2, round 1: a win against 3, but 3 shows a draw. "
        "Check the wall chart and correct one of them.",
    ]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("", {("result.missing", 4), ("result.opponent_differs", 1)}),
        (
            "L2B",
            {
                ("result.opponent_differs", 4),
                ("result.opponent_differs", 1),
                ("result.claimed_by_opponent", 2),
            },
        ),
        ("H0", {("result.opponent_differs", 1), ("result.claimed_by_opponent", 4)}),
        ("W1B", {("result.not_mirrored", 1)}),
        ("L1W", {("result.both_white", 4), ("result.both_white", 1)}),
        ("L4B", {("result.self_pairing", 4), ("result.opponent_differs", 1)}),
        ("L77B", {("result.unknown_opponent", 4), ("result.opponent_differs", 1)}),
        ("L0", {("result.no_opponent", 4), ("result.opponent_differs", 1)}),
        ("lost", {("result.unreadable", 4)}),
        ("$1B", {("section.double_codes", None)}),
        ("F1", {("result.not_mirrored", 1), ("result.claimed_by_opponent", 4)}),
        ("N1B", {("result.asymmetric", 4)}),
        ("L1", set()),
    ],
)
def test_wrong_cell_is_found_on_both_sides(
    cell: str, expected: set[tuple[str, int | None]]
) -> None:
    """Pairing number 4 lost to 1 in round 1; change that cell."""
    torn = report().with_cell(1, 4, 1, parse_cell(cell))
    findings = check_report(torn)
    seen = {(f.code, f.place.pairing_number) for f in findings}
    if cell == "$1B":
        assert expected <= seen
    else:
        assert seen == expected


@pytest.mark.parametrize("claims", ["W", "L", "D"])
@pytest.mark.parametrize("answer", ["", *"HBUZXF"])
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("claimant", [1, 4])
def test_game_that_one_side_claims_is_an_error_at_both_cells(
    claims: str, answer: str, claimant: int, *, named: bool
) -> None:
    other = 5 - claimant
    cell = f"{answer}{claimant if named else 0}" if answer else ""
    torn = (
        report()
        .with_cell(1, claimant, 1, parse_cell(f"{claims}{other}W"))
        .with_cell(1, other, 1, parse_cell(cell))
    )
    errors = {
        finding.place.pairing_number
        for finding in check_report(torn)
        if finding.severity is Severity.ERROR and finding.place.round_number == 1
    }
    assert errors == {1, 4}


@pytest.mark.parametrize("claim", ["W2W", "L2B", "D2W", "N2", "X2", "F2"])
def test_game_claimed_by_a_third_player_is_an_error_at_both_cells(claim: str) -> None:
    checked = with_cells((claim,), ("W3W",), ("L2B",), ("U0",))
    findings = [one for one in check_report(checked) if one.severity is Severity.ERROR]
    assert sorted(one.place.pairing_number or 0 for one in findings) == [1, 2]
    [at_two] = [one for one in findings if one.place.pairing_number == 2]
    assert at_two.code == "result.claimed_by_opponent"
    assert at_two.message.startswith("1 also shows a ")


def test_three_who_claim_each_other_in_a_circle_have_an_error_each() -> None:
    checked = with_cells(("W2W",), ("W3W",), ("W1W",), ("U0",))
    assert codes_and_places(checked) == [
        ("result.opponent_differs", "s1|p1|r1|"),
        ("result.opponent_differs", "s1|p2|r1|"),
        ("result.opponent_differs", "s1|p3|r1|"),
    ]


def test_game_claimed_by_two_others_is_reported_once_at_its_cell() -> None:
    checked = with_cells(("W3W",), ("W3W",), ("L4B",), ("W3W",))
    assert codes_and_places(checked) == [
        ("result.opponent_differs", "s1|p1|r1|"),
        ("result.opponent_differs", "s1|p2|r1|"),
        ("result.claimed_by_opponent", "s1|p3|r1|"),
    ]


@pytest.mark.parametrize("code", "XFZ")
@pytest.mark.parametrize("answer", ["H0", "B0", "U0", "", "F3", "X3"])
def test_one_sided_forfeit_is_an_error_at_both_cells(code: str, answer: str) -> None:
    third = {"F3": "X2", "X3": "F2"}.get(answer, "U0")
    checked = with_cells(
        (f"{code}2", "W4W"), (answer, "U0"), (third, "U0"), ("U0", "L1B")
    )
    expected = ("result.forfeit_one_sided", Severity.ERROR)
    blank = ("result.missing", Severity.ERROR)
    assert {
        (one.place.pairing_number, one.place.round_number): (one.code, one.severity)
        for one in check_report(checked)
    } == {(1, 1): expected, (2, 1): expected if answer else blank}


@pytest.mark.parametrize("claim", ["X2", "F2", "Z2", "W2W"])
@pytest.mark.parametrize("answer", ["H1", "B1", "U1"])
def test_bye_against_the_player_who_claims_a_result_is_an_error_at_both_cells(
    claim: str, answer: str
) -> None:
    checked = with_cells((claim, "W4W"), (answer, "U0"), ("U0", "U0"), ("U0", "L1B"))
    errors = [one for one in check_report(checked) if one.severity is Severity.ERROR]
    assert [(one.code, one.place.pairing_number) for one in errors] == [
        ("result.not_mirrored", 1),
        ("result.claimed_by_opponent", 2),
    ]


def test_both_black() -> None:
    torn = report().with_cell(1, 1, 1, parse_cell("W4B"))
    assert codes_and_places(torn) == [
        ("result.both_black", "s1|p1|r1|"),
        ("result.both_black", "s1|p4|r1|"),
    ]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("X0", "F0", set()),
        ("X2", "F1", set()),
        ("X2W", "F1B", set()),
        ("X2", "F0", set()),
        ("X0", "F1", set()),
        ("F2", "F1", set()),
        ("Z2", "Z1", set()),
        ("Z0", "Z0", set()),
        ("Z2", "F1", set()),
        ("X2", "X1", {"result.not_mirrored"}),
        ("X2", "W3W", {"result.not_mirrored", "result.claimed_by_opponent"}),
        ("X2", "U0", {"result.forfeit_one_sided"}),
        ("X9", "F0", {"result.unknown_opponent"}),
        ("B2", "U0", {"result.bye_with_opponent"}),
    ],
)
def test_forfeits_with_and_without_opponents(
    one: str, other: str, expected: set[str]
) -> None:
    third = "L2B" if other == "W3W" else "U0"
    checked = with_cells((one, "W3W"), (other, "U0"), (third, "L1B"), ("U0", "U0"))
    assert {code for code, _ in codes_and_places(checked)} == expected


@pytest.mark.parametrize(
    ("one", "other", "fits"),
    [
        ("$2W", "L1B", True),
        ("#2W", "D1B", True),
        ("%2W", "%1B", True),
        ("W2W", "W1B", True),
        ("W2W", "L1B", False),
        ("D2W", "D1B", False),
        ("X0", "F0", True),
    ],
)
def test_double_game_sections_have_mirrors_of_their_own(
    one: str, other: str, fits: bool
) -> None:
    checked = with_cells((one, "W3W"), (other, "U0"), ("U0", "W1B"), kind_letter="2")
    assert ({code for code, _ in codes_and_places(checked)} == set()) is fits


def test_double_game_codes_ask_for_the_type() -> None:
    checked = with_cells(("$2W",), ("L1B",), ("U0",))
    [finding] = check_report(checked)
    assert (finding.severity, finding.code) == (Severity.ERROR, "section.double_codes")
    assert check_report(checked.with_section(1, kind_letter="2")) == []


def test_asymmetric_results_need_a_confirmation_each() -> None:
    checked = with_cells(("R2W",), ("S1B",), ("U0",))
    findings = check_report(checked)
    assert [(f.severity, f.code, f.place.pairing_number) for f in findings] == [
        (Severity.CONFIRM, "result.asymmetric", 1),
        (Severity.CONFIRM, "result.asymmetric", 2),
    ]


def test_missing_colors_are_reported_once() -> None:
    checked = with_cells(("W2", "W3"), ("L1", "U0"), ("U0", "L1"))
    assert codes_and_places(checked) == [("section.colors_missing", "s1|||")]


def test_round_robin_by_opponents() -> None:
    rows = (("U0", "W2W", "L3B"), ("L1B", "U0", "D3W"), ("W1W", "D2B", ""))
    assert codes_and_places(with_cells(*rows, kind_letter="R")) == []
    torn = (("U0", "W2W", "L3B"), ("D1B", "U0", "D3W"), ("W1W", "D2B", "H0"))
    assert codes_and_places(with_cells(*torn, kind_letter="R")) == [
        ("result.not_mirrored", "s1|p1|r2|"),
        ("result.diagonal", "s1|p3|r3|"),
    ]


def test_round_robin_of_three_rounds_may_have_four_columns() -> None:
    rows = (
        ("U0", "W2W", "L3B", "D4W"),
        ("L1B", "U0", "D3W", "W4B"),
        ("W1W", "D2B", "U0", "W4W"),
        ("D1B", "L2W", "L3B"),
    )
    assert codes_and_places(with_cells(*rows, kind_letter="R", rounds=3)) == []


def test_match_must_be_coded_as_one() -> None:
    games = (("W2W", "D2B"), ("L1B", "D1W"))
    assert codes_and_places(with_cells(*games)) == [
        ("section.not_coded_as_match", "s1|||kind_letter")
    ]
    assert codes_and_places(with_cells(*games, kind_letter="M")) == []
    assert codes_and_places(with_cells(("W2W",), ("L1B",))) == []
    three = with_cells(("W2W",), ("L1B",), ("U0",), kind_letter="M")
    assert codes_and_places(three) == [("section.match_players", "s1|||kind_letter")]


def test_game_in_progress_needs_a_confirmation() -> None:
    checked = with_cells(("W2W", "I3W"), ("L1B", "U0"), ("U0", "I1B"))
    assert codes_and_places(checked) == [
        ("result.in_progress", "s1|p1|r2|"),
        ("result.in_progress", "s1|p3|r2|"),
    ]


EVENT_FAULTS: list[tuple[dict[str, object], list[tuple[str, str]]]] = [
    ({"layout": ""}, [("event.layout", "|||layout")]),
    ({"name": ""}, [("event.name_missing", "|||name")]),
    ({"starts": None}, [("event.dates_missing", "|||starts")]),
    ({"ends": None}, [("event.dates_missing", "|||ends")]),
    ({"ends": date(2024, 5, 3)}, [("event.dates_reversed", "|||ends")]),
    ({"affiliate_id": ""}, [("event.affiliate_missing", "|||affiliate_id")]),
    ({"affiliate_id": "60514"}, [("event.affiliate_malformed", "|||affiliate_id")]),
    ({"affiliate_id": "H6051416"}, []),
    ({"chief_td_id": "00000000"}, [("event.chief_td_missing", "|||chief_td_id")]),
    ({"chief_td_id": "123"}, [("event.td_malformed", "|||chief_td_id")]),
    ({"assistant_td_id": ""}, []),
    ({"other_td_ids": ("1",)}, [("event.td_malformed", "|||other_td_ids")]),
    ({"city": ""}, [("event.place_missing", "|||city")]),
    ({"state": ""}, [("event.place_missing", "|||state")]),
    ({"send_crosstable": "Y"}, [("event.send_crosstable", "|||send_crosstable")]),
    ({"total_sections": 2}, [("event.section_count", "|||total_sections")]),
    ({"total_sections": None}, [("event.section_count", "|||total_sections")]),
    ({"sections": ()}, [("event.no_sections", "|||")]),
    ({"name": "A" * 36}, [("text.too_long", "|||name")]),
    ({"city": "Łódź"}, [("text.characters", "|||city")]),
]


@pytest.mark.parametrize(("changes", "expected"), EVENT_FAULTS)
def test_faults_of_the_event(
    changes: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    assert codes_and_places(report(**changes)) == expected


SECTION_FAULTS: list[tuple[dict[str, object], list[tuple[str, str]]]] = [
    ({"name": ""}, [("section.name_missing", "s1|||name")]),
    ({"time_control": ""}, [("section.time_control_missing", "s1|||time_control")]),
    ({"kind_letter": ""}, [("section.kind_missing", "s1|||kind_letter")]),
    ({"kind_letter": "C"}, [("section.kind_unknown", "s1|||kind_letter")]),
    ({"system_letter": "X"}, [("section.system_letter", "s1|||system_letter")]),
    ({"rounds": None}, [("section.rounds_missing", "s1|||rounds")]),
    ({"rounds": 4}, [("section.rounds_differ", "s1|||rounds")]),
    (
        {"last_pairing_number": 5},
        [("section.last_pairing_number", "s1|||last_pairing_number")],
    ),
    (
        {"last_pairing_number": None},
        [("section.last_pairing_number", "s1|||last_pairing_number")],
    ),
    ({"chief_td_id": "77"}, [("section.td_malformed", "s1|||chief_td_id")]),
    ({"starts": date(2024, 5, 5), "ends": date(2024, 5, 5)}, []),
    (
        {"starts": date(2024, 5, 5), "ends": date(2024, 5, 4)},
        [("section.dates_reversed", "s1|||starts")],
    ),
    ({"ends": date(2024, 5, 6)}, [("section.outside_event", "s1|||ends")]),
    ({"starts": date(2024, 5, 3)}, [("section.outside_event", "s1|||starts")]),
    (
        {"scholastic_level": "Z"},
        [("section.scholastic_level", "s1|||scholastic_level")],
    ),
    ({"scholastic_level": ""}, []),
    ({"grand_prix_points": 6}, [("section.grand_prix", "s1|||grand_prix")]),
    ({"grand_prix_points": 6, "grand_prix": True}, []),
]


@pytest.mark.parametrize(("changes", "expected"), SECTION_FAULTS)
def test_faults_of_a_section(
    changes: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    assert codes_and_places(report(section(**changes))) == expected


def test_section_of_six_weeks_is_not_long_but_a_day_more_is() -> None:
    starts = date(2024, 3, 1)
    event = report(starts=starts, ends=starts + LONGEST_SECTION)
    assert codes_and_places(event) == []
    assert codes_and_places(event.with_event(ends=event.ends + timedelta(days=1))) == [
        ("section.long", "s1|||dates")
    ]


def test_section_without_entries_or_games() -> None:
    assert codes_and_places(report(section(entries=()))) == [
        ("section.no_entries", "s1|||")
    ]
    byes = with_cells(("H0",), ("H0",), ("X0",))
    assert codes_and_places(byes) == [("section.no_game", "s1|||")]


def test_section_numbers_run_from_one() -> None:
    assert codes_and_places(report(section(1), section(3))) == [
        ("section.numbers_gap", "|||")
    ]
    assert ("section.number_repeated", "s1|||") in codes_and_places(
        report(section(), section())
    )
    assert ("section.number_invalid", "s0|||") in codes_and_places(report(section(0)))


ENTRY_FAULTS: list[tuple[dict[str, object], list[tuple[str, str]]]] = [
    ({"member_id": ""}, [("entry.member_id_missing", "s1|p3||member_id")]),
    ({"member_id": "00000000"}, [("entry.member_id_missing", "s1|p3||member_id")]),
    ({"member_id": "1234567"}, [("entry.member_id_malformed", "s1|p3||member_id")]),
    ({"member_id": "1234567A"}, [("entry.member_id_malformed", "s1|p3||member_id")]),
    ({"member_id": "12345671"}, [("entry.member_repeated", "s1|p3||member_id")]),
    ({"name": ""}, [("entry.name_missing", "s1|p3||name")]),
    ({"fide_id": "N/A"}, [("entry.foreign_rating", "s1|p3||fide_id")]),
    ({"cfc_rating": "12"}, [("entry.foreign_rating", "s1|p3||cfc_rating")]),
    ({"fide_id": "2020009", "fide_rating": "2211"}, []),
]


@pytest.mark.parametrize(("changes", "expected"), ENTRY_FAULTS)
def test_faults_of_an_entry(
    changes: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    assert codes_and_places(report().with_entry(1, 3, **changes)) == expected


def test_pairing_numbers_are_unique_and_without_gaps() -> None:
    codes = [
        code
        for code, _ in codes_and_places(report().with_entry(1, 4, pairing_number=3))
    ]
    assert "entry.pairing_number_repeated" in codes
    assert "section.pairing_numbers_gap" in codes
    codes = [
        code
        for code, _ in codes_and_places(report().with_entry(1, 4, pairing_number=9999))
    ]
    assert "section.pairing_numbers_gap" in codes
    codes = [
        code
        for code, _ in codes_and_places(report().with_entry(1, 4, pairing_number=0))
    ]
    assert "entry.pairing_number_invalid" in codes


@pytest.mark.parametrize(
    ("cell", "severity"), [("H0", Severity.CAUTION), ("D2B", Severity.ERROR)]
)
def test_missing_pairing_number_is_an_error_only_if_a_result_names_it(
    cell: str, severity: Severity
) -> None:
    entries = [
        ReportedEntry(number, f"1234567{number}", f"P{number}", cells=cells(text))
        for number, text in ((1, "W3W"), (3, "L1B"), (4, cell))
    ]
    faulty = report(section(rounds=1, entries=tuple(entries)))
    [gap] = [
        one for one in check_report(faulty) if one.code == "section.pairing_numbers_gap"
    ]
    assert gap.severity is severity


def test_result_after_the_last_round() -> None:
    late = report().with_cell(1, 1, 4, parse_cell("B0"))
    assert codes_and_places(late) == [("result.beyond_rounds", "s1|p1|r4|")]
    one_round = check_report(late.with_section(1, rounds=1))
    assert any(each.message.endswith("has 1 round.") for each in one_round)
    padded = report().with_cell(1, 1, 4, parse_cell("U0"))
    assert codes_and_places(padded) == []


def test_overridable_findings_are_those_to_confirm() -> None:
    kinds = {**FILES, **REPORT}
    assert {code for code, kind in kinds.items() if kind.severity == "confirm"} == {
        "entry.member_repeated",
        "file.other_event",
        "file.other_event/tournament",
        "result.asymmetric",
        "result.in_progress",
        "schedule.split_game",
        "section.not_coded_as_match",
        "section.numbers_gap",
        "section.online",
        "section.online/unsure",
        "trf.line_short",
        "trf.member_ids",
        "trf.online",
        "trf.online/unsure",
        "trf.player_count",
        "value.date_spelling/unclear",
        "value.date_spelling/unclear_text",
    }


@settings(max_examples=example_count(60), deadline=None)
@given(event_reports())
def test_any_report_can_be_checked(checked: ReportedEvent) -> None:
    findings = check_report(checked)
    assert findings == sorted(findings, key=lambda finding: finding.sort_key)
    for finding in findings:
        assert FINDING_KINDS[finding.code].severity is finding.severity
        assert re.search(r"[.”)]$", finding.message), finding.message
        assert Finding.from_json(finding.to_json()) == finding


def test_damaged_report_is_checked_quickly_with_few_findings() -> None:
    damaged = big_report(2000, 9)
    broken = tuple(
        replace(entry, cells=(parse_cell("W1W"),) * 9)
        for entry in damaged.sections[0].entries
    )
    findings = check_report(damaged.with_section(1, entries=broken))
    assert 100 < len(findings) < 500


def test_a_number_shared_by_all_is_reported_a_few_times() -> None:
    big = big_report(3_000, 1)
    [only] = big.sections
    entries = tuple(replace(entry, pairing_number=7) for entry in only.entries)
    bad = replace(big, sections=(replace(only, entries=entries),))
    with cpu_time() as spent:
        findings = check_report(bad)
    assert spent.seconds < 1
    repeated = [f for f in findings if f.code == "entry.pairing_number_repeated"]
    assert len(repeated) == 11
    assert any(f.message.startswith("There are 2,989 more") for f in repeated)
