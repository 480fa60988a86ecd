"""Dates in tables of members: one order of day and month for a whole column."""

from datetime import date
from pathlib import Path

import pytest

from players.formats.dates import DAY_FIRST, MONTH_FIRST, YEAR_FIRST, parse_date
from players.formats.errors import InputRefused
from players.formats.member_words import Answers
from players.formats.members import (
    LEAVE_BLANK,
    MemberColumns,
    MemberRow,
    RefusedRow,
    read_members,
)
from players.formats.xlsx_writer import write_xlsx

TODAY = date(2026, 11, 28)
MARCH_5, MAY_3 = date(2007, 3, 5), date(2007, 5, 3)


def read(folder: Path, *births: str, answers=None, heading: str = "DOB"):
    rows = [(str(20_000_001 + n), "Adams", text) for n, text in enumerate(births)]
    path = folder / "members.xlsx"
    path.write_bytes(write_xlsx([("ID", "Last name", heading), *rows]))
    return list(read_members(path, MemberColumns(TODAY, answers))[1])


def births_of(folder: Path, *births: str, **kwargs) -> list[date | str]:
    return [
        row.birth_date if isinstance(row, MemberRow) else row.reason.code
        for row in read(folder, *births, **kwargs)
    ]


def refusal_of(folder: Path, *births: str, **kwargs) -> InputRefused:
    with pytest.raises(InputRefused) as refused:
        read(folder, *births, **kwargs)
    return refused.value


@pytest.mark.parametrize(
    ("decides", "day"),
    [
        ("25/03/2007", MAY_3),
        ("03/25/2007", MARCH_5),
        ("25-3-2007", MAY_3),
        ("3/25/07", MARCH_5),
        ("3/25/2007 12:00:00 AM", MARCH_5),
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_one_value_decides_for_the_column_wherever_it_is(tmp_path, decides, day, place):
    values = ["03/05/2007", "05/05/2007", "2007-03-05"]
    values.insert(place, decides)
    found = births_of(tmp_path, *values)
    assert found[values.index("03/05/2007")] == day
    assert found[-1] == MARCH_5
    assert found[place].day == 25


def test_values_that_contradict_refuse_the_file_and_two_rows_are_named(tmp_path):
    refusal = refusal_of(
        tmp_path, "03/05/2007", "25/03/2007", "03/05/2007", "03/25/2007", "04/25/2007"
    )
    assert refusal.reason.code == "day_orders_contradict"
    assert refusal.reason.values == {
        "column": "birth_date",
        "day_line": "3",
        "day_cell": "25/03/2007",
        "month_line": "5",
        "month_cell": "03/25/2007",
    }


def test_where_both_orders_fit_every_value_it_is_asked(tmp_path):
    refusal = refusal_of(tmp_path, "05/05/2007", "03/05/2007", "12/11/2007")
    assert refusal.reason.code == "day_order_unclear"
    assert refusal.reason.values == {
        "columns": "birth_date",
        "lines": "3",
        "examples": "03/05/2007",
        "orders": "month_first day_first",
    }


@pytest.mark.parametrize(
    ("answers", "day"),
    [
        ({"birth_date": DAY_FIRST}, MAY_3),
        ({"": MONTH_FIRST}, MARCH_5),
        ({"": MONTH_FIRST, "birth_date": DAY_FIRST}, MAY_3),
    ],
)
def test_an_answer_counts_where_the_values_leave_it_open(tmp_path, answers, day):
    assert births_of(tmp_path, "03/05/2007", answers=answers) == [day]


def test_an_answer_does_not_overrule_the_values(tmp_path):
    found = births_of(tmp_path, "03/05/2007", "25/03/2007", answers={"": MONTH_FIRST})
    assert found[0] == MAY_3


def test_what_is_the_same_in_both_orders_is_not_asked_about(tmp_path):
    assert births_of(tmp_path, "05/05/2007") == [date(2007, 5, 5)]


def test_each_column_has_its_own_order(tmp_path):
    path = tmp_path / "members.csv"
    path.write_text(
        "ID,Last name,DOB,Start,Expires\n"
        "20000001,Adams,03/05/2007,02/03/2026,02/03/2027\n"
        "20000002,Baker,25/03/2007,1/1/2026,01/31/2027\n"
    )
    with pytest.raises(InputRefused) as refused:
        read_members(path, MemberColumns(TODAY))
    assert refused.value.reason.values["columns"] == "starts"
    prescan = MemberColumns(TODAY, {"starts": DAY_FIRST})
    row = next(read_members(path, prescan)[1])
    assert (row.birth_date, row.starts, row.expires) == (
        MAY_3,
        date(2026, 3, 2),
        date(2027, 2, 3),
    )


def test_with_dots_the_day_comes_first(tmp_path):
    assert births_of(tmp_path, "03.05.2007", "05.13.2007") == [MAY_3, "no_day"]


@pytest.mark.parametrize(
    "text", ["03-May-2007", "3 may 07", "May 3, 2007", "3. Mai 2007", "03-Foo-2007"]
)
def test_months_may_be_words(tmp_path, text):
    known = "Foo" not in text
    assert births_of(tmp_path, text) == [MAY_3 if known else "no_day"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("7/18/48", date(1948, 7, 18)),
        ("5/14/19", date(2019, 5, 14)),
        ("7/18/27", date(1927, 7, 18)),
        # born this year, not a hundred years ago
        ("7/18/26", date(2026, 7, 18)),
        ("7/18/23", date(2023, 7, 18)),
    ],
)
def test_a_two_digit_birth_year_is_of_the_last_hundred_years(tmp_path, text, found):
    assert births_of(tmp_path, text) == [found]


@pytest.mark.parametrize(
    ("heading", "text", "found"),
    [
        ("Expires", "12/16/27", date(2027, 12, 16)),
        ("Expires", "12/31/99", "year_of_two_digits"),
        ("Starts", "12/31/97", date(1997, 12, 31)),
    ],
)
def test_other_years_of_two_digits(tmp_path, heading, text, found):
    [row] = read(tmp_path, text, heading=heading)
    if isinstance(row, RefusedRow):
        assert row.reason.code == found
    else:
        assert (row.expires or row.starts) == found


@pytest.mark.parametrize(
    ("births", "found"),
    [
        # 93 is no day and no month, and 25 no month.
        (["930425", "070503"], [date(1993, 4, 25), MAY_3]),
        # A spreadsheet has dropped the zero of 070503.
        (["930425", "70503", "070503.0"], [date(1993, 4, 25), MAY_3, MAY_3]),
        (["250393", "030507"], [date(1993, 3, 25), MAY_3]),
        (["032593", "030507"], [date(1993, 3, 25), MARCH_5]),
        (["20070503", "930425"], [MAY_3, date(1993, 4, 25)]),
        # No order fits both.
        (["930425", "250393"], ["no_day", "no_day"]),
        # The others are no dates in any order.
        (["930425", "939999", "000000"], [date(1993, 4, 25), "no_day", "no_day"]),
        (["990229", "000000"], ["no_day", "no_day"]),
        # Months with their years: 05/2026.
        (["052007", "121998", "111919"], ["no_day"] * 3),
        (["051907", "121898"], [date(2007, 5, 19), date(1998, 12, 18)]),
        # A serial number among dates of six digits.
        (["930425", "36935"], ["no_day", date(2001, 2, 13)]),
        # Serial numbers of a spreadsheet.
        (["36935", "39205"], [date(2001, 2, 13), date(2007, 5, 3)]),
    ],
)
def test_dates_of_six_digits_are_read_in_the_one_order_that_fits(
    tmp_path, births, found
):
    assert births_of(tmp_path, *births) == found


def test_dates_of_six_digits_are_asked_about_if_several_orders_fit(tmp_path):
    refusal = refusal_of(tmp_path, "070503", "071203")
    assert refusal.reason.code == "day_order_unclear"
    assert refusal.reason.values == {
        "columns": "birth_date",
        "lines": "2",
        "examples": "070503",
        "orders": "month_first day_first year_first",
    }
    # There is no 13th month.
    refusal = refusal_of(tmp_path, "070503", "130725")
    assert refusal.reason.values["orders"] == "day_first year_first"
    found = births_of(tmp_path, "070503", "130725", answers={"": YEAR_FIRST})
    assert found == [MAY_3, date(2013, 7, 25)]


def test_an_answer_about_other_dates_of_the_column_is_not_about_six_digits(tmp_path):
    births = ["03/05/2007", "070503"]
    assert refusal_of(tmp_path, *births).reason.values["lines"] == "2"
    found = births_of(tmp_path, *births, answers={"birth_date": MONTH_FIRST})
    assert found == [MARCH_5, "no_day"]


def test_six_digits_of_last_days_may_be_of_two_centuries(tmp_path):
    [soon, never] = read(tmp_path, "271231", "991231", heading="Expires")
    assert soon.expires == date(2027, 12, 31)
    assert never.reason.code == "no_day"


def test_a_last_day_with_an_unclear_century_can_be_left_blank(tmp_path):
    path = tmp_path / "members.csv"
    path.write_text("ID,Last name,Starts,Expires\n12345678,Adams,1/15/2026,12/31/99\n")
    fixes = {"year_of_two_digits:expires": LEAVE_BLANK}
    columns = MemberColumns(TODAY, answers=Answers(fixes=fixes))
    [row] = read_members(path, columns)[1]
    assert isinstance(row, MemberRow)
    assert (row.expires, row.starts) == (None, date(2026, 1, 15))
    [blanked] = row.blanked
    assert blanked.kind == "year_of_two_digits:expires"


def test_years_of_last_days_are_noted_as_they_were_read(tmp_path):
    """Days to come reach 25 years both ways, not a hundred years back."""
    path = tmp_path / "members.csv"
    path.write_text("ID,Last name,Expires\n12345678,Adams,12/31/27\n")
    table, rows = read_members(path, MemberColumns(TODAY))
    list(rows)
    [note] = table.all_notes()
    assert note.values == {"column": "expires", "first": "2001", "last": "2051"}


@pytest.mark.parametrize("text", ["03/05/2007", "5-3-2007"])
def test_a_single_day_with_two_readings_is_refused(text):
    with pytest.raises(InputRefused) as refused:
        parse_date(text, "birth_date")
    assert refused.value.reason.code == "day_has_two_readings"
