"""The page of an experiment opens with its answer, in one sentence."""

import math
import re

import pytest

from ratings.engine.numbers import official
from ratings.laboratory.confidence_intervals import Estimate
from ratings.laboratory.measures import MEASURES
from ratings.laboratory.verdict import (
    ComparedVariant,
    Outlook,
    RatingShift,
    describe_change,
    outlook_of,
)
from ratings.models import Experiment
from ratings.research.experiments.plans import RunOptions, Variant
from ratings.research.experiments.queries.verdicts import verdict_of
from ratings.research.experiments.services.stored_columns import load_columns
from tests.ratings.research.experiments.factories import (
    committee_member,
    finished_experiment,
    games_csv,
)

PERCENTILES = (-6.0, -1.0, 1.0, 6.0)
ENDINGS = {
    Outlook.BETTER: "predictions would be better.",
    Outlook.WORSE: "predictions would be worse.",
    Outlook.SIMILAR: "predictions would be about as good.",
    Outlook.UNKNOWN: "there are too few games to compare predictions.",
}


def rule_change(**changes):
    rules = Variant("uschess.2025_07")
    varied = Variant("uschess.2025_07", tuple(changes.items()))
    return finished_experiment(
        kind=Experiment.Kind.RULE_CHANGE,
        asked=RunOptions(chosen=None, training=20, least_games=2, newcomers="own"),
        variants=[rules, varied],
        file=("games.csv", games_csv(players=120, months=8)),
    )


def final_ratings(experiment):
    """Return the final ratings of both variants, read from the stored columns."""
    games = experiment.history.games
    return [
        load_columns(variant, games).final_ratings
        for variant in experiment.variants.order_by("number")
    ]


@pytest.mark.django_db
def test_the_page_opens_with_what_the_change_does(client):
    """Counts and averages are computed here from each player's two ratings."""
    experiment = rule_change(k_numerator=1600.0)
    before, after = final_ratings(experiment)
    both = [
        (one, other)
        for one, other in zip(before, after, strict=True)
        if not (math.isnan(one) or math.isnan(other))
    ]
    moves = [(official(other) - official(one), other - one) for one, other in both]
    lower = [-exact for whole, exact in moves if whole < 0]
    higher = [exact for whole, exact in moves if whole > 0]
    assert len(lower) * 4 >= len(higher) >= len(lower) / 4  # so both are named
    client.force_login(committee_member())
    page = client.get(experiment.get_absolute_url()).content.decode()
    answer = re.search(r'id="answer">(.*?)</p>', page, re.S)[1]
    start, _, ending = answer.rpartition("; ")
    assert start == (
        f"With Numerator of K = 1600, {len(lower):,} of {len(both):,} members would be "
        f"rated lower, by {sum(lower) / len(lower):.1f} points on average, and "
        f"{len(higher):,} higher, by {sum(higher) / len(higher):.1f}"
    )
    assert ending in ENDINGS.values()
    assert page.index('id="answer"') < page.index('id="verdict"')


@pytest.mark.django_db
def test_the_outlook_is_that_of_the_log_loss_of_both():
    experiment = rule_change(k_numerator=1600.0)
    results = experiment.results
    by_number = {one["number"]: one for one in results["variants"]}
    loss = {
        number: one["measures"]["scaled_deviance"][0]
        for number, one in by_number.items()
    }
    low, high = by_number[2]["among_all"][1:3]
    answer = verdict_of(
        results, {1: "Actual", 2: "K doubled"}, for_committee=True
    ).answer
    assert set(loss) == {1, 2}
    assert "scaled_deviance" in MEASURES
    if low <= 0 <= high:
        assert answer.endswith((ENDINGS[Outlook.SIMILAR], ENDINGS[Outlook.UNKNOWN]))
    elif loss[2] < loss[1]:
        assert answer.endswith((ENDINGS[Outlook.BETTER], ENDINGS[Outlook.SIMILAR]))
    else:
        assert answer.endswith((ENDINGS[Outlook.WORSE], ENDINGS[Outlook.SIMILAR]))


def moved(higher, lower, *, gain=3.0, loss=4.0):
    return RatingShift(1613, higher, lower, -0.8, PERCENTILES, gain, loss)


@pytest.mark.parametrize("outlook", Outlook)
@pytest.mark.parametrize(
    ("change", "start"),
    [
        (
            moved(0, 312, gain=None),
            "312 of 1,613 members would be rated lower, by 4.0 points on average",
        ),
        (
            moved(312, 77),
            "312 of 1,613 members would be rated higher, by 3.0 points on average",
        ),
        (
            moved(312, 78),
            "78 of 1,613 members would be rated lower, by 4.0 points on average, and "
            "312 higher, by 3.0",
        ),
        (moved(0, 0, gain=None, loss=None), "no rating would change by a whole point"),
    ],
)
def test_one_sentence_says_who_moves_and_how_well_it_predicts(change, start, outlook):
    said = str(describe_change("B = 10", change, outlook))
    assert said == f"With B = 10, {start}; {ENDINGS[outlook]}"


def test_an_average_that_may_not_be_shown_is_not_said():
    assert (
        describe_change("B = 10", moved(9, 200, gain=None, loss=None), Outlook.WORSE)
        is None
    )


@pytest.mark.parametrize(
    ("against", "gain", "outlook"),
    [
        # A clear difference: of half a percent of the lead over a coin, or less.
        ((-0.2, -0.3, -0.1), (0.011, 0.002), Outlook.BETTER),
        ((0.2, 0.1, 0.3), (-0.011, 0.002), Outlook.WORSE),
        ((-0.02, -0.03, -0.01), (0.001, 0.0003), Outlook.SIMILAR),
        # None: games that would have shown two percent, and too few for that.
        ((-0.02, -0.1, 0.1), (0.001, 0.003), Outlook.SIMILAR),
        ((-0.2, -1.0, 1.0), (0.01, 0.03), Outlook.UNKNOWN),
    ],
)
def test_predictions_are_called_no_better_than_the_games_can_tell(
    against, gain, outlook
):
    value, error = gain
    rival = ComparedVariant(
        "B = 10",
        Estimate(*against, (against[2] - against[1]) / 4),
        Estimate(value, value - 2 * error, value + 2 * error, error),
        0.38,
    )
    assert outlook_of(rival, 2.0) is outlook


@pytest.mark.django_db
def test_results_without_averages_open_with_the_predictions():
    """As they were stored before averages were."""
    experiment = rule_change(k_numerator=1600.0)
    del experiment.results["changes"]["moves"]
    names = {1: "Actual", 2: "K doubled"}
    answer = verdict_of(experiment.results, names, for_committee=True).answer
    assert "members" not in answer
    assert "games" in answer
