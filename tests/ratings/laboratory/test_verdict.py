"""The verdict of a comparison, which never claims more than the ranges support."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.laboratory.confidence_intervals import Estimate
from ratings.laboratory.our_rules import Control
from ratings.laboratory.verdict import (
    ComparedVariant,
    RatingShift,
    describe_control,
    describe_predictions,
    describe_ratings,
    describe_search,
)

JARGON = re.compile(r"deviance|cluster|standard error|σ|bootstrap|Brier|p-value", re.I)
figures = st.floats(-5, 5)


def rival(value, error=0.05, *, name="B = 10", factor=2.0, gain=None):
    share = -value / 20 if gain is None else gain
    wide = factor * error
    return ComparedVariant(
        name,
        Estimate(value, value - wide, value + wide, error),
        Estimate(share, share - wide / 20, share + wide / 20, error / 20),
        0.38 + value / 1000,
    )


def text(sentences):
    return " ".join(map(str, sentences))


def said_of(*rivals, games=120_000):
    return text(describe_predictions("B = 12", 0.38, rivals, games, 2.0))


def test_a_better_variant_is_named_with_how_much_and_how_sure():
    assert said_of(rival(-0.2)) == (
        "B = 10 predicted these 120,000 games better than B = 12. Its expected scores "
        "had a typical error of 0.3798 points per game, compared with 0.3800 for "
        "B = 12. It beats a coin flip by 1.00% more than B = 12 (95% confidence "
        "interval: 0.50% to 1.50%). The interval shows how far the result could shift "
        "with other events and players."
    )


def test_a_worse_variant_is_said_to_be_worse():
    said = said_of(rival(0.2))
    assert said.startswith("B = 10 predicted these 120,000 games worse than B = 12.")
    assert "by 1.00% less than B = 12" in said


def test_what_cannot_be_told_says_what_could_have_been():
    """Two errors and 0.84 of them, of a gain's error of 0.25 percent."""
    assert said_of(rival(-0.06)) == (
        "These 120,000 games show no clear difference between B = 10 and B = 12. To "
        "show up in 4 of 5 such tests, a variant would have to beat a coin flip by "
        "0.71% more or less than B = 12."
    )


def test_games_that_are_too_few_for_any_difference_are_called_so():
    """Of 0.4, an error of the gain, 2.8 times are more than all there is to foresee."""
    few = ComparedVariant(
        "B = 10", Estimate(-9.0, -19, 1, 5.0), Estimate(0.4, -0.4, 1.2, 0.4), 0.4
    )
    assert said_of(few).endswith(
        "There are too few games: even the whole lead of B = 12 over a coin flip would "
        "not show up in 4 of 5 such tests."
    )


def test_of_many_variants_of_which_none_stands_out_is_said_so():
    said = said_of(*(rival(0.02, name=f"B = {place}") for place in range(3)))
    assert said.startswith(
        "These 120,000 games show no clear difference between B = 0 and B = 12. None "
        "of the 3 variants is clearly different from B = 12."
    )


def test_a_small_difference_is_called_small_and_a_large_one_large():
    assert "significant but small" in said_of(rival(-0.08, 0.01))
    assert "small" not in said_of(rival(-0.2, 0.01))
    assert "large" in said_of(rival(-0.6, 0.01))


def test_of_many_variants_is_said_how_many_are_surely_better():
    said = said_of(
        *(
            rival(value, name=f"B = {place}")
            for place, value in enumerate((-0.4, -0.02, 0.03, 0.3))
        )
    )
    assert said.startswith(
        "B = 0 predicted these 120,000 games better than B = 12. Compared with B = 12, "
        "1 of 4 variants predicted clearly better and 1 clearly worse; the difference "
        "of 2 could be chance."
    )


def test_the_reference_may_be_the_best():
    said = said_of(rival(0.4, name="B = 8"), rival(0.3, name="B = 9"))
    assert said.startswith(
        "B = 12 predicted these 120,000 games better than all others."
    )


def test_a_single_event_tells_nothing():
    lone = ComparedVariant("A", Estimate(-1.0), Estimate(0.05), 0.4)
    assert said_of(lone) == (
        "Games from a single event, or between the same two players, can’t show which "
        "predicts better."
    )
    assert said_of() == ""


@given(figures, st.floats(0.001, 2))
def test_nothing_is_called_better_that_its_range_leaves_open(value, error):
    one = rival(value, error)
    said = said_of(one)
    low, high = one.against.low, one.against.high
    assert ("games better than" in said) is (high < 0)
    assert ("games worse than" in said) is (low > 0)
    assert ("no clear difference" in said) is (low <= 0 <= high)
    assert not JARGON.search(said)


@pytest.mark.parametrize(
    ("judged", "promised", "said"),
    [
        (
            Estimate(-0.3, -0.4, -0.2, 0.05),
            -0.4,
            "Values chosen from earlier games predicted later games better than "
            "K = 32, in 5 out-of-sample tests. The latest choice is K = 24. "
            "Out-of-sample: no game tests a value that it helped to choose. Of the "
            "improvement in the games used to choose, 75% remained in new games; the "
            "rest was overfitting.",
        ),
        (
            Estimate(0.01, -0.1, 0.12, 0.05),
            -0.2,
            "Values chosen from earlier games predicted later games neither clearly "
            "better nor clearly worse than K = 32, in 5 out-of-sample tests. "
            "Out-of-sample: no game tests a value that it helped to choose. Of the "
            "improvement in the games used to choose, 0% remained in new games; the "
            "rest was overfitting.",
        ),
        (
            Estimate(0.3, 0.2, 0.4, 0.05),
            0.0,
            "Values chosen from earlier games predicted later games worse than "
            "K = 32, in 5 out-of-sample tests. Out-of-sample: no game tests a value "
            "that it helped to choose.",
        ),
    ],
)
def test_a_search_says_what_is_left_of_its_promise(judged, promised, said):
    assert text(describe_search("K = 24", "K = 32", judged, promised, 5)) == said


@pytest.mark.parametrize(
    ("percentiles", "notice"),
    [
        (
            (-24.0, -1.0, 1.0, 2.0),
            "Few members would notice: 90% would move",
        ),
        ((-2.0, -1.0, 1.0, 25.0), "Some members would notice: at least one in twenty"),
        ((-60.0, -25.0, 1.0, 2.0), "Many members would notice: at least one in four"),
    ],
)
def test_members_notice_what_one_game_decides(percentiles, notice):
    assert notice in text(describe_ratings(RatingShift(100, 30, 20, 0.0, percentiles)))


def test_of_several_changes_each_is_named():
    moved = RatingShift(100, 30, 20, 0.0, (-1.0, 0.0, 0.0, 1.0))
    assert text(describe_ratings(moved, "B = 10")).startswith(
        "With B = 10, 30 of 100 members would be rated higher, 20 lower"
    )


def test_a_change_without_effect_says_so():
    still = RatingShift(100, 0, 0, 0.0, (0.0, 0.0, 0.0, 0.0))
    assert text(describe_ratings(still)) == "No rating would change by a whole point."
    assert text(describe_ratings(still, "B = 10")) == (
        "With B = 10, no rating would change by a whole point."
    )


def test_less_than_a_point_is_not_called_one_points():
    moved = RatingShift(100, 2, 1, 0.01, (-0.4, 0.0, 0.0, 0.9))
    assert text(describe_ratings(moved)).endswith("would move by less than a point.")


def test_those_who_played_are_judged_not_the_many_who_did_not():
    everybody = RatingShift(1634, 74, 23, 2.0, (-0.4, 0.0, 0.0, 0.9))
    active = RatingShift(104, 74, 23, 31.4, (-9.0, 2.0, 48.0, 90.0))
    assert text(describe_ratings(everybody, active=active)) == (
        "Of 1,634 members, 74 would be rated higher, 23 lower, and 1,537 the same. Of "
        "the 104 who played in the last year, 74 would be rated higher, 23 lower, and "
        "7 the same. On average, their ratings would be 31.4 points higher. Many "
        "members would notice: at least one in four would move by 25 points or more, "
        "about as much as one game decides."
    )


def test_a_control_that_fails_says_what_explains_it():
    assert text(describe_control(Control(lines=9, equal=8, is_waiting=True))) == (
        "Check failed: replaying the actual rules reproduces only 8 of 9 rating "
        "changes on record, so there are no results. Pending rerates explain this. "
        "Publish the rerate first, then run the experiment again."
    )


@pytest.mark.parametrize(
    ("mean", "said"),
    [
        (2.26, "On average, ratings would be 2.3 points higher."),
        (-2.26, "On average, ratings would be 2.3 points lower."),
        (-0.04, "On average, ratings would not change."),
    ],
)
def test_the_level_is_said_with_its_direction(mean, said):
    moved = RatingShift(1000, 300, 200, mean, (-3.0, -1.0, 1.0, 3.0))
    assert said in text(describe_ratings(moved))
    assert (
        "Of 1,000 members, 300 would be rated higher, 200 lower, and 500 the same."
        in (text(describe_ratings(moved)))
    )
