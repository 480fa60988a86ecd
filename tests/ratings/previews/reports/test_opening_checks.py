"""Imported ratings that already include a section of a report."""

from dataclasses import replace
from datetime import date

import pytest

from events.records.section_rater import section_rater
from ratings.previews.reports.queries.openings import check_openings
from tests.factories import (
    event_report,
    make_player,
    make_td,
    merge_with_approval,
    open_rating,
    section_report,
    swiss_rows,
)

pytestmark = pytest.mark.django_db
ENDS = date(2024, 5, 5)


@pytest.fixture
def members():
    return [
        make_player(f"1800010{number}", f"Given{number}", f"Family{number}")
        for number in range(4)
    ]


def league(members, **fields):
    """One section that ended on 5 May, and one that ended on 30 June."""
    early = section_report(members, swiss_rows(4, 3), **fields)
    early = replace(early, starts=date(2024, 5, 4), ends=ENDS)
    days = {"starts": date(2024, 6, 29), "ends": date(2024, 6, 30)}
    late = replace(early, number=2, name="Late", **days)
    return event_report(
        make_td(), [early, late], starts=date(2024, 5, 4), ends=date(2024, 6, 30)
    )


def held(reported) -> list[int | None]:
    return [finding.place.section for finding in check_openings(reported)]


@pytest.mark.parametrize(
    ("system", "as_of", "sections"),
    [
        ("OTBR", date(2024, 5, 4), []),
        ("OTBR", ENDS, [1]),
        ("OTBR", date(2024, 6, 30), [1, 2]),
        ("OLR", date(2024, 6, 30), []),
        ("OTBB", date(2024, 6, 30), []),
    ],
)
def test_a_rating_holds_what_ended_by_its_day_in_its_system(
    members, system, as_of, sections
):
    open_rating(members[2], system, 1700.0, 30, as_of=as_of)
    assert held(league(members, time_control="G/90;d5")) == sections


def test_a_section_without_time_control_may_be_in_any_system_of_its_kind(members):
    open_rating(members[2], "OTBB", 1700.0, 30, as_of=ENDS)
    assert held(league(members, time_control="")) == [1]
    assert held(league(members, time_control="", online=True)) == []


@pytest.mark.parametrize("opened", ["kept", "merged"])
@pytest.mark.parametrize("plays", ["kept", "merged"])
def test_a_merged_number_is_the_member_it_goes_on_as(members, opened, plays):
    people = {"kept": make_player("18000999", "Kept"), "merged": members[0]}
    open_rating(people[opened], "OTBR", 1700.0, 30, as_of=ENDS)
    merge_with_approval(people["kept"], members[0])
    reported = league([people[plays], *members[1:]])
    assert held(reported) == [1]
    assert set(check_openings(reported)) <= set(section_rater().check_report(reported))
