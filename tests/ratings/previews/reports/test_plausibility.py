"""Hours of chess per day, and members with too many hours in two sections."""

from datetime import date, timedelta

import pytest

from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    parse_cell,
)
from ratings.previews.reports.queries.plausibility import check_hours

DAY = date(2024, 5, 4)


def section(number: int, control: str, rounds: int, **fields) -> ReportedSection:
    entry = ReportedEntry(7, member_id="12345678", cells=(parse_cell("W2W"),))
    return ReportedSection(
        number,
        time_control=control,
        rounds=rounds,
        kind_letter=fields.pop("kind_letter", "S"),
        entries=(entry,),
        **fields,
    )


def findings_of(*sections: ReportedSection, days: int = 1) -> list[tuple[str, str]]:
    last = DAY + timedelta(days=days - 1)
    report = ReportedEvent(starts=DAY, ends=last, sections=sections)
    return [(f.severity.value, f.code) for f in check_hours(report)]


@pytest.mark.parametrize(
    ("control", "rounds", "days", "severity"),
    [
        ("G/60;d5", 4, 1, None),
        ("G/90;d5", 4, 1, None),  # 12 hours and 40 minutes
        ("40/90,SD/30;d5", 3, 1, None),
        ("40/120,SD/60;d10", 2, 1, None),
        ("G/90;+30", 4, 1, "note"),
        ("40/120,SD/60;d10", 3, 1, "confirm"),
        ("40/120,SD/60;d10", 5, 2, "note"),
        ("40/120,SD/60;d10", 5, 3, None),
        ("G/5;d0", 99, 1, "note"),
        ("G/90;d5", 6, 1, "confirm"),
        ("soon", 9, 1, None),
    ],
)
def test_hours_a_day(control, rounds, days, severity):
    expected = [(severity, "section.hours_a_day")] if severity else []
    assert findings_of(section(1, control, rounds), days=days) == expected


def test_both_games_of_a_double_round_take_their_time():
    assert findings_of(section(1, "G/60;d5", 5)) == []
    assert findings_of(section(1, "G/60;d5", 5, kind_letter="2")) == [
        ("confirm", "section.hours_a_day")
    ]


@pytest.mark.parametrize(
    ("evening", "expected"),
    [
        (section(2, "G/5;d0", 7), []),
        (section(2, "G/90;d5", 3), [("confirm", "member.two_places.1.7")]),
        (section(2, "G/90;d5", 3, starts=DAY + timedelta(days=1)), []),
    ],
)
def test_one_player_in_two_sections_of_a_day(evening, expected):
    days = 1 if evening.starts is None else 2
    day = section(1, "G/90;d5", 3, starts=DAY, ends=DAY)
    assert findings_of(day, evening, days=days) == expected


def test_reversed_and_missing_dates_are_left_to_other_checks():
    assert findings_of(section(1, "G/90;d5", 9), days=0) == []
    report = ReportedEvent(sections=(section(1, "G/90;d5", 9),))
    assert list(check_hours(report)) == []
