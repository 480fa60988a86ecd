from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.formats.report import (
    BLANK,
    Cell,
    NoSuchEntry,
    ReportedEntry,
    ReportedEvent,
    format_cell,
    parse_cell,
)
from tests.events.formats.samples import cells, event_reports, report, section
from tests.hypothesis_settings import example_count


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("W12W", Cell("W", 12, "W")),
        ("w  12 b", Cell("W", 12, "B")),
        ("L0012B", Cell("L", 12, "B")),
        ("D 345", Cell("D", 345)),
        ("X0", Cell("X")),
        ("U", Cell("U")),
        ("$9W", Cell("$", 9, "W")),
        ("", BLANK),
        ("   ", BLANK),
    ],
)
def test_cell_is_read_in_every_spelling(text: str, cell: Cell) -> None:
    assert parse_cell(text) == cell


@pytest.mark.parametrize("text", ["Q12W", "W12X", "1-0", "W10000W", "W٣W", "W12W3"])
def test_unreadable_cell_keeps_its_text(text: str) -> None:
    assert parse_cell(text) == Cell(raw=text)
    assert format_cell(parse_cell(text)) == text


@given(st.text(max_size=12))
def test_any_text_becomes_a_cell_with_one_spelling(text: str) -> None:
    cell = parse_cell(text)
    assert parse_cell(format_cell(cell)) == cell


@pytest.mark.parametrize(
    "values",
    [
        {"code": "Q"},
        {"code": "W", "opponent": 0},
        {"code": "W", "opponent": 10000},
        {"code": "W", "color": "X"},
        {"code": "W", "raw": "W1"},
        {"opponent": 3},
    ],
)
def test_impossible_cell_is_rejected(values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        Cell(**values)


@settings(max_examples=example_count(60), deadline=None)
@given(event_reports())
def test_report_survives_json(original: ReportedEvent) -> None:
    text = json.dumps(original.to_json())
    assert ReportedEvent.from_json(json.loads(text)) == original


def test_json_of_another_version_still_loads() -> None:
    data = report().to_json()
    data["color_of_the_hall"] = "blue"
    del data["country"]
    assert ReportedEvent.from_json(data) == report(country="")


def test_edits_change_one_thing_and_leave_the_original() -> None:
    original = report(section(1), section(2))

    edited = (
        original.with_event(city="BERKELEY")
        .with_section(2, name="RESERVE", starts=date(2024, 5, 5))
        .with_entry(2, 3, member_id="87654321")
        .with_cell(2, 3, 2, parse_cell("D1W"))
    )

    assert original == report(section(1), section(2))
    assert edited.city == "BERKELEY"
    assert edited.sections[0] == section(1)
    assert edited.sections[1].name == "RESERVE"
    assert edited.sections[1].starts == date(2024, 5, 5)
    assert edited.sections[1].entries[2] == ReportedEntry(
        3, "87654321", "ADEYEMI, TOLU", "CA", "1500", cells("L2B", "D1W", "H0")
    )
    assert edited.sections[1].entries[3] == section(2).entries[3]


def test_cell_after_the_last_column_leaves_blank_cells_between() -> None:
    edited = report().with_cell(1, 4, 5, parse_cell("H0"))
    assert edited.sections[0].entries[3].cells == cells("L1B", "W2W", "B0", "", "H0")


def test_two_entries_with_one_pairing_number_are_distinct() -> None:
    twice = report().with_entry(1, 4, pairing_number=3)
    fixed = twice.with_entry(1, 3, occurrence=1, pairing_number=4)
    assert fixed == report()


@pytest.mark.parametrize(
    "edit",
    [
        lambda report: report.with_section(7, name="X"),
        lambda report: report.with_entry(1, 9, name="X"),
        lambda report: report.with_entry(1, 1, occurrence=1, name="X"),
        lambda report: report.with_cell(1, 1, 0, BLANK),
    ],
)
def test_edit_of_a_missing_entry_raises(edit) -> None:
    with pytest.raises(NoSuchEntry, match=r"no (section|pairing number|round) "):
        edit(report())


def test_opponent_columns_are_distinguished_from_rounds() -> None:
    by_opponents = section(
        kind_letter="R",
        entries=(
            ReportedEntry(1, cells=cells("U0", "W2W", "L3B")),
            ReportedEntry(2, cells=cells("L1B", "U0", "D3W")),
            ReportedEntry(3, cells=cells("W1W", "D2B", "U0")),
        ),
    )
    by_rounds = section(kind_letter="R")
    assert by_opponents.has_opponent_columns
    assert not by_rounds.has_opponent_columns


def test_blank_section_dates_mean_the_events() -> None:
    event = report(section(ends=date(2024, 5, 4)))
    assert event.dates_of(event.sections[0]) == (date(2024, 5, 4), date(2024, 5, 4))
