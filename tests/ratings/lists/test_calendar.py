"""Months and cutoffs, compared with dates from printed calendars."""

from datetime import UTC, date, datetime

import pytest

from ratings.lists.months import CutOffRule, months_before
from ratings.lists.queries.official import (
    cut_off_for,
    listed_members_since,
    next_month_due,
    written_moment,
)


@pytest.mark.parametrize(
    ("month", "cut_off"),
    [
        # In winter Chicago is six hours behind, so a Wednesday ends on Thursday.
        (date(2026, 1, 1), datetime(2025, 12, 18, 5, 45, tzinfo=UTC)),
        (date(2024, 2, 1), datetime(2024, 1, 18, 5, 45, tzinfo=UTC)),
        # The month begins on the weekday itself: November 2023 on a Wednesday.
        (date(2023, 12, 1), datetime(2023, 11, 16, 5, 45, tzinfo=UTC)),
        # The month begins on the day after it: August 2024 on a Thursday.
        (date(2024, 9, 1), datetime(2024, 8, 22, 4, 45, tzinfo=UTC)),
        # Clocks go forward on 10 March 2024 and back on 3 November 2024.
        (date(2024, 3, 1), datetime(2024, 2, 22, 5, 45, tzinfo=UTC)),
        (date(2024, 4, 1), datetime(2024, 3, 21, 4, 45, tzinfo=UTC)),
        (date(2024, 11, 1), datetime(2024, 10, 17, 4, 45, tzinfo=UTC)),
        (date(2024, 12, 1), datetime(2024, 11, 21, 5, 45, tzinfo=UTC)),
    ],
)
def test_cutoff_is_the_third_wednesday_of_the_month_before(month, cut_off):
    assert cut_off_for(month) == cut_off


@pytest.mark.parametrize(
    ("rule", "cut_off"),
    [
        # The lists up to November 2012 had their cutoff on the first Friday.
        ("1 friday 23:45 America/Chicago", datetime(2012, 8, 4, 4, 45, tzinfo=UTC)),
        ("3 friday 00:00 UTC", datetime(2012, 8, 17, tzinfo=UTC)),
        ("4 tuesday 09:30 UTC", datetime(2012, 8, 28, 9, 30, tzinfo=UTC)),
    ],
)
def test_cut_off_is_a_setting(settings, rule, cut_off):
    settings.LIST_CUT_OFF = rule
    assert cut_off_for(date(2012, 9, 1)) == cut_off


@pytest.mark.parametrize(
    "text",
    [
        "",
        "third wednesday 23:45 America/Chicago",
        "5 wednesday 23:45 America/Chicago",
        "3 midweek 23:45 America/Chicago",
        "3 wednesday 23:45",
        "3 wednesday 25:45 America/Chicago",
    ],
)
def test_other_rules_are_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011 (time and zone have their own words)
        CutOffRule.parse(text)


def test_cut_off_is_written_by_its_own_clocks():
    assert written_moment(cut_off_for(date(2026, 1, 1))) == (
        "Dec 17, 2025, 11:45 PM CT"
    )
    assert written_moment(cut_off_for(date(2024, 9, 1))) == "Aug 21, 2024, 11:45 PM CT"


@pytest.mark.parametrize(
    ("now", "month"),
    [
        (datetime(2024, 8, 22, 4, 44, tzinfo=UTC), date(2024, 8, 1)),
        (datetime(2024, 8, 22, 4, 45, tzinfo=UTC), date(2024, 9, 1)),
        (datetime(2024, 12, 31, 12, 0, tzinfo=UTC), date(2025, 1, 1)),
        (datetime(2025, 1, 1, 12, 0, tzinfo=UTC), date(2025, 1, 1)),
    ],
)
def test_newest_list_whose_cut_off_has_passed_is_due(now, month):
    assert next_month_due(now) == month


def test_a_membership_may_have_ended_three_months_before(settings):
    assert listed_members_since(date(2014, 4, 1)) == date(2014, 1, 1)
    settings.LIST_MEMBERSHIP_MONTHS = 14
    assert listed_members_since(date(2014, 4, 1)) == date(2013, 2, 1)


def test_months_before():
    assert months_before(date(2024, 3, 1), 3) == date(2023, 12, 1)
    assert months_before(date(2024, 12, 1), -1) == date(2025, 1, 1)
