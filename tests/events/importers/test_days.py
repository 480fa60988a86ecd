"""Dates in all readings, held against each other."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from events.importers.days import choose_days, parse_day, readings
from events.importers.read_report import read_report

CASE = Path(__file__).resolve().parents[2] / "data/field-cases"
PLAYERS = (
    "001    1      Ash, Ann                                               "
    "             1.0    1     2 w 1\n"
    "001    2      Birch, Bob                                             "
    "             0.0    2     1 b 0\n"
)
TODAY = date(2026, 11, 28)
# How people write a day, and whether more than one order of the numbers is possible.
SPELLINGS = [
    "{d.year}-{d.month:02}-{d.day:02}", "{d.year}/{d.month}/{d.day}",
    "{d.year}{d.month:02}{d.day:02}", "{d:%B} {d.day}, {d.year}",
    "{d.day} {d:%b} {d.year}", "{d.day}-{d:%b}-{d.year}", "{d.day}.{d.month}.{d.year}",
    "{d:%A}, {d:%B} {d.day}, {d.year}", "{d.month}/{d.day}/{d.year}",
    "{d.day}/{d.month}/{d.year}", "{d:%d.%m.%y}", "{d:%y.%m.%d}", "{d:%m/%d/%y}",
    "{d:%d/%m/%y}", "{d:%y/%m/%d}",
]  # fmt: skip
CERTAIN = SPELLINGS[:8]


def dates_of(head: str, today: date | None = None):
    result = read_report(
        [("may.trf", f"012 May Open\n{head}{PLAYERS}".encode())], None, today
    )
    asked = [f for f in result.findings if f.severity.value == "confirm"]
    return result.reported.starts, result.reported.ends, asked


@given(st.dates(date(1990, 1, 1), date(2060, 12, 31)), st.sampled_from(SPELLINGS))
def test_the_right_day_is_always_among_the_readings(day, spelling):
    found = readings(spelling.format(d=day))
    assert day in found.values()
    if spelling in CERTAIN:
        assert parse_day(spelling.format(d=day)) == day
        assert len(found) == 1


@given(
    st.dates(date(2024, 1, 1), TODAY - timedelta(days=3)),
    st.integers(1, 3),
    st.sampled_from(SPELLINGS),
)
@example(date(2025, 5, 3), 1, "{d:%y.%m.%d}")
def test_the_right_days_are_chosen_or_asked_about(first, length, spelling):
    days = (first, first + timedelta(days=length))
    chosen = choose_days([spelling.format(d=day) for day in days], today=TODAY)
    assert chosen.days == days or chosen.others is not None
    if spelling in CERTAIN:
        assert chosen.others is None


@given(
    st.dates(date(2024, 1, 1), TODAY - timedelta(days=3)), st.sampled_from(SPELLINGS)
)
def test_the_days_of_the_rounds_decide(first, spelling):
    last = first + timedelta(days=1)
    rounds = [day.isoformat() for day in (first, first, last)]
    texts = [spelling.format(d=day) for day in (first, last)]
    assert choose_days(texts, rounds, today=TODAY) == choose_days(rounds[::2])


def test_file_with_the_year_first_in_two_digits():
    content = (CASE / "13-trf-year-first-dates.trf").read_bytes()
    result = read_report([("13.trf", content)], None, TODAY)
    report = result.reported
    assert (report.starts, report.ends) == (date(2025, 5, 3), date(2025, 5, 4))
    assert not [f for f in result.findings if f.severity.value == "confirm"]


def test_what_stays_unclear_is_asked_with_both_readings():
    starts, ends, asked = dates_of("042 03/05/2025\n052 04/05/2025\n")
    assert (starts, ends) == (date(2025, 3, 5), date(2025, 4, 5))
    assert [(f.code, f.place.field) for f in asked] == [
        ("value.date_spelling", "ends"),
        ("value.date_spelling", "starts"),
    ]
    for part in ("03/05/2025", "5 March 2025", "3 May 2025"):
        assert part in asked[1].message


@pytest.mark.parametrize(
    ("starts", "ends", "today", "days"),
    [
        ("11.12.24", "11.12.25", None, ("2011-12-24", "2011-12-25")),
        ("10/12/2026", "11/10/2026", TODAY, ("2026-10-12", "2026-11-10")),
        ("12/10/2026", "", TODAY, ("2026-10-12", "None")),
        ("30/04/2025", "02/05/2025", None, ("2025-04-30", "2025-05-02")),
        ("10.09.13", "11.03.13", None, ("2010-09-13", "2011-03-13")),
    ],
)
def test_only_one_order_fits(starts, ends, today, days):
    head = f"042 {starts}\n" + (f"052 {ends}\n" if ends else "")
    first, last, asked = dates_of(head, today)
    assert ((str(first), str(last)), asked) == (days, [])


def test_tables_compare_both_days():
    table = "Event,May Open\nFirst day,30/04/2025\nLast day,02/05/2025\n\n"
    table += "Number,Name,Round 1\n1,Ash Ann,W2\n2,Birch Bob,L1\n"
    report = read_report([("may.csv", table.encode())]).reported
    assert (report.starts, report.ends) == (date(2025, 4, 30), date(2025, 5, 2))
