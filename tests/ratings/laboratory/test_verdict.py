"""What is said of a comparison, and that it is never more than the ranges hold."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.laboratory.our_rules import Control
from ratings.laboratory.ranges import Estimate
from ratings.laboratory.verdict import (
    Moved,
    Rival,
    on_control,
    on_predictions,
    on_ratings,
    on_search,
)

JARGON = re.compile(r"deviance|cluster|standard error|σ|bootstrap|Brier|p-value", re.I)
figures = st.floats(-5, 5)


def rival(value, error=0.05, *, name="B = 10", factor=2.0, gain=None):
    share = -value / 20 if gain is None else gain
    wide = factor * error
    return Rival(
        name,
        Estimate(value, value - wide, value + wide, error),
        Estimate(share, share - wide / 20, share + wide / 20, error / 20),
        0.38 + value / 1000,
    )


def text(sentences):
    return " ".join(map(str, sentences))


def said_of(*rivals, games=120_000):
    return text(on_predictions("B = 12", 0.38, rivals, games, 2.0))


def test_a_better_variant_is_named_with_how_much_and_how_sure():
    assert said_of(rival(-0.2)) == (
        "B = 10 predicted these 120,000 games better than B = 12. Its expected scores "
        "were off by 0.3798 points a game, those of B = 12 by 0.3800. Of what B = 12 "
        "foresees beyond tossing a coin, that is 1.00 percent more; with other events "
        "and other players it would be between 0.50 and 1.50 in 95 of 100 cases."
    )


def test_a_worse_variant_is_said_to_be_worse():
    said = said_of(rival(0.2))
    assert said.startswith("B = 10 predicted these 120,000 games worse than B = 12.")
    assert "1.00 percent less" in said


def test_what_cannot_be_told_says_what_could_have_been():
    """Two errors and 0.84 of them, of a gain's error of 0.25 percent."""
    assert said_of(rival(-0.06)) == (
        "With these 120,000 games no difference can be told between B = 10 and B = 12. "
        "To show in 4 of 5 cases, a difference would have to be 0.71 percent of what "
        "B = 12 foresees beyond tossing a coin."
    )


def test_games_that_are_too_few_for_any_difference_are_called_so():
    """Of 0.4, an error of the gain, 2.8 times are more than all there is to foresee."""
    few = Rival(
        "B = 10", Estimate(-9.0, -19, 1, 5.0), Estimate(0.4, -0.4, 1.2, 0.4), 0.4
    )
    assert said_of(few).endswith(
        "These are too few: all that B = 12 foresees beyond tossing a coin would not "
        "have shown in 4 of 5 cases."
    )


def test_of_many_variants_of_which_none_stands_out_is_said_so():
    said = said_of(*(rival(0.02, name=f"B = {place}") for place in range(3)))
    assert said.startswith(
        "Of 3 variants none can be told apart from B = 12. With these 120,000 games no "
        "difference can be told between B = 0 and B = 12."
    )


def test_a_small_difference_is_called_small_and_a_large_one_large():
    assert "certain, but small" in said_of(rival(-0.08, 0.01))
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
        "Of 4 variants beside B = 12, 1 surely predicted better and 1 surely worse; of "
        "2 neither can be told. B = 0 predicted these 120,000 games better than B = 12."
    )


def test_the_reference_may_be_the_best():
    said = said_of(rival(0.4, name="B = 8"), rival(0.3, name="B = 9"))
    assert said.endswith("B = 12 predicted these 120,000 games better than all others.")


def test_a_single_event_tells_nothing():
    lone = Rival("A", Estimate(-1.0), Estimate(0.05), 0.4)
    assert said_of(lone) == (
        "Games of a single event, or of two players, do not tell which predicts better."
    )
    assert said_of() == ""


@given(figures, st.floats(0.001, 2))
def test_nothing_is_called_better_that_its_range_leaves_open(value, error):
    one = rival(value, error)
    said = said_of(one)
    low, high = one.against.low, one.against.high
    assert ("games better than" in said) is (high < 0)
    assert ("games worse than" in said) is (low > 0)
    assert ("no difference" in said) is (low <= 0 <= high)
    assert not JARGON.search(said)


@pytest.mark.parametrize(
    ("judged", "promised", "said"),
    [
        (
            Estimate(-0.3, -0.4, -0.2, 0.05),
            -0.4,
            "In 5 periods that chose nothing, what was best before each of them "
            "predicted better than K = 32. The last choice is K = 24. Of the gain "
            "that showed where it was chosen, 75 percent was left in new games; the "
            "rest was hindsight.",
        ),
        (
            Estimate(0.01, -0.1, 0.12, 0.05),
            -0.2,
            "In 5 periods that chose nothing, no difference can be told between what "
            "was best before each of them and K = 32. Of the gain that showed where it "
            "was chosen, 0 percent was left in new games; the rest was hindsight.",
        ),
        (
            Estimate(0.3, 0.2, 0.4, 0.05),
            0.0,
            "In 5 periods that chose nothing, what was best before each of them "
            "predicted worse than K = 32.",
        ),
    ],
)
def test_a_search_says_what_is_left_of_its_promise(judged, promised, said):
    assert text(on_search("K = 24", "K = 32", judged, promised, 5)) == said


@pytest.mark.parametrize(
    ("percentiles", "notice"),
    [
        (
            (-24.0, -1.0, 1.0, 2.0),
            "Hardly anybody would notice: 90 in 100 would move",
        ),
        ((-2.0, -1.0, 1.0, 25.0), "Some would notice: at least one in twenty"),
        ((-60.0, -25.0, 1.0, 2.0), "Many would notice: at least one in four"),
    ],
)
def test_members_notice_what_one_game_decides(percentiles, notice):
    assert notice in text(on_ratings(Moved(100, 30, 20, 0.0, percentiles)))


def test_of_several_changes_each_is_named():
    moved = Moved(100, 30, 20, 0.0, (-1.0, 0.0, 0.0, 1.0))
    assert text(on_ratings(moved, "B = 10")).startswith(
        "B = 10 would have changed ratings. Of 100 members 30 would stand higher"
    )


def test_a_change_that_moves_nobody_says_so():
    still = Moved(100, 0, 0, 0.0, (0.0, 0.0, 0.0, 0.0))
    assert text(on_ratings(still)) == "No rating would have changed by a whole point."
    assert text(on_ratings(still, "B = 10")) == (
        "B = 10 would have changed no rating by a whole point."
    )


def test_less_than_a_point_is_not_called_one_points():
    moved = Moved(100, 2, 1, 0.01, (-0.4, 0.0, 0.0, 0.9))
    assert text(on_ratings(moved)).endswith("would move by less than a point.")


def test_those_who_played_are_judged_not_the_many_who_did_not():
    everybody = Moved(1634, 74, 23, 2.0, (-0.4, 0.0, 0.0, 0.9))
    active = Moved(104, 74, 23, 31.4, (-9.0, 2.0, 48.0, 90.0))
    assert text(on_ratings(everybody, active=active)) == (
        "Of 1,634 members 74 would stand higher, 23 lower and 1,537 the same. Of the "
        "104 who played in the last year 74 would stand higher, 23 lower and 7 the "
        "same. On average their ratings would be 31.4 points higher. Many would "
        "notice: at least one in four would move by 25 points or more, about what one "
        "game decides."
    )


def test_a_control_that_fails_says_what_explains_it():
    assert text(on_control(Control(lines=9, equal=8, is_waiting=True))) == (
        "The unchanged rules do not give the books: only 8 of 9 lines are equal. So "
        "there is no verdict. Changes in the books wait for a rerate, which explains "
        "it. Publish the rerate first, and run the experiment again."
    )


@pytest.mark.parametrize(
    ("mean", "said"),
    [
        (2.26, "On average ratings would be 2.3 points higher."),
        (-2.26, "On average ratings would be 2.3 points lower."),
        (-0.04, "On average ratings would stay as they are."),
    ],
)
def test_the_level_is_said_with_its_direction(mean, said):
    moved = Moved(1000, 300, 200, mean, (-3.0, -1.0, 1.0, 3.0))
    assert said in text(on_ratings(moved))
    assert "Of 1,000 members 300 would stand higher, 200 lower and 500 the same." in (
        text(on_ratings(moved))
    )
