from datetime import date

import pytest

from ratings.engine.rule_history import DatedValue, NoRuleInForce, RuleHistory

MULTIPLIER = RuleHistory(
    "bonus multiplier",
    DatedValue(date(2008, 6, 6), 6.0, "newer text", edition="2025-02-10"),
    DatedValue(date(2008, 8, 7), 6.5, "older text", last_edition="2020-09-02"),
    DatedValue(date(2012, 8, 3), 8.0, "both texts"),
)


@pytest.mark.parametrize(
    ("day", "edition", "value"),
    [
        (date(2008, 8, 7), "2020-09-02", 6.5),
        (date(2012, 8, 2), "2020-09-02", 6.5),
        (date(2012, 8, 3), "2020-09-02", 8.0),
        (date(2008, 6, 6), "2025-02-10", 6.0),
        (date(2008, 8, 7), "2025-02-10", 6.0),
        (date(2012, 8, 3), "2025-02-10", 8.0),
        (date(2030, 1, 1), "2025-07-26", 8.0),
    ],
)
def test_the_newest_value_known_to_the_edition_is_in_force(day, edition, value):
    assert MULTIPLIER.on(day, edition) == value


@pytest.mark.parametrize(
    ("day", "edition"),
    [(date(2008, 6, 5), "2025-02-10"), (date(2008, 8, 6), "2020-09-02")],
)
def test_a_day_before_the_first_value_is_an_error_not_a_guess(day, edition):
    with pytest.raises(NoRuleInForce) as error:
        MULTIPLIER.on(day, edition)
    assert str(error.value) == (
        "The bonus multiplier is not known for sections that start on "
        f"{day:%B} {day.day}, 2008, so nothing that needs it can be calculated."
    )


def test_a_value_without_a_day_holds_as_far_back_as_dates_go():
    floor = RuleHistory(
        "floor", DatedValue(date(2010, 4, 1), 12, ""), DatedValue(None, 14, "")
    )
    assert [
        floor.on(day, "2020-09-02")
        for day in (date.min, date(2010, 3, 31), date(2010, 4, 1), date.max)
    ] == [14, 14, 12, 12]


def test_entry_tells_the_source():
    assert MULTIPLIER.entry(date(2013, 1, 1), "2025-07-26") == DatedValue(
        date(2012, 8, 3), 8.0, "both texts"
    )
