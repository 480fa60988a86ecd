"""The checks of a report that need the engine."""

from datetime import date

import pytest

from events.formats.report import ReportedEvent, ReportedSection
from events.records.section_rater import section_rater
from ratings.previews.reports.queries.time_controls import check_time_controls

DAY = date(2024, 5, 4)


def found(
    time_control: str, letter: str = "", *, day: date | None = DAY, online: bool = False
) -> list[tuple[str, str]]:
    section = ReportedSection(
        1, time_control=time_control, system_letter=letter, online=online
    )
    report = ReportedEvent(starts=day, ends=day, sections=(section,))
    return [(f.severity.value, f.code) for f in check_time_controls(report)]


@pytest.mark.django_db
def test_check_runs_on_every_report():
    section = ReportedSection(1, time_control="as long as it takes")
    report = ReportedEvent(starts=DAY, ends=DAY, sections=(section,))
    assert set(check_time_controls(report)) <= set(section_rater().check_report(report))


@pytest.mark.parametrize(
    ("time_control", "codes"),
    [
        ("G/90;d5", []),
        ("40/90,SD/30;+30", []),
        ("", []),  # reported by the checks of the report itself
        ("soon", [("error", "time_control.unreadable")]),
        ("180+30", [("error", "time_control.unreadable")]),
        ("40/5, SD/1", [("error", "time_control.unreadable")]),
        ("G/" + "9" * 400, [("error", "time_control.unreadable")]),
        ("G/90;d5" + " " * 80, []),
        ("40/90," * 12 + "SD/30;+30", [("error", "time_control.unreadable")]),
        ("G/5;d0", []),
        ("G/4;d0", [("error", "time_control.not_ratable")]),
    ],
)
def test_time_control_can_be_read_and_rated(time_control, codes):
    assert found(time_control) == codes


@pytest.mark.parametrize(
    ("day", "codes"),
    [
        (DAY, []),
        (date(1980, 1, 1), [("error", "time_control.not_ratable")]),
        (date(2013, 5, 7), [("error", "section.before_the_rules")]),
        (date(2013, 5, 8), []),
        (None, []),
    ],
)
def test_section_of_a_day_without_ratings_or_rules_cannot_be_rated(day, codes):
    assert found("G/90;d5", day=day) == codes


@pytest.mark.parametrize(
    ("day", "codes"),
    [(date(2020, 6, 1), []), (date(2020, 5, 31), ["time_control.not_ratable"])],
)
def test_slow_games_online_are_rated_since_june_2020(day, codes):
    assert [code for _, code in found("G/90;d5", day=day, online=True)] == codes


@pytest.mark.parametrize(
    ("letter", "time_control", "online", "fires"),
    [
        ("R", "G/90;d5", False, False),
        ("R", "G/60;d5", False, True),  # dual: also quick
        ("D", "G/60;d5", False, False),
        ("Q", "G/20;d5", False, False),
        ("B", "G/5;d0", False, False),
        ("Q", "G/5;d0", False, True),
        ("B", "G/5;d0", True, False),
        ("R", "G/90;d5", True, False),
        ("", "G/5;d0", False, False),
        ("?", "G/5;d0", False, False),
    ],
)
def test_system_letter_that_differs_is_only_noted(letter, time_control, online, fires):
    note = [("note", "time_control.other_system")]
    assert found(time_control, letter, online=online) == (note if fires else [])


def test_own_start_of_a_section_decides():
    section = ReportedSection(1, time_control="G/90;d5", starts=date(1980, 1, 1))
    report = ReportedEvent(starts=DAY, ends=DAY, sections=(section,))
    [finding] = check_time_controls(report)
    assert finding.key == "time_control.not_ratable|s1|||time_control"
    assert "January 1, 1980" in finding.message
