"""How good predictions were: every measure of the laboratory, on parallel columns.

*points* are White's scores (1, 0.5 or 0), *predictions* the scores that White was
expected to make before each game. Both have one place for each game. One prediction
that is `UNKNOWN` makes a result not a number: the same games for every system are
picked first, in `ratings.laboratory.comparison`.

The formulas are those with which systems were compared before: the binomial deviance
that Glickman proposed, the Deloitte/FIDE contest of 2011, the metrics of the R package
PlayerRatings, and the player-month error of the contest of 2010.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from .cases import Case
from .history import month_of
from .words import _

LIMITS: Final = (0.01, 0.99)
"""The deviance takes no prediction as surer than this (contest of 2011)."""
COIN_FLIP: Final = 100.0
"""What a scaled measure gives to who always says one half."""

_LN_2: Final = math.log(2.0)
_LN_10: Final = math.log(10.0)


class NoGames(ValueError):
    """Raised if there is nothing to measure; the message is marked for translation."""


# --- One loss a game ---


def deviances(
    points: Sequence[float],
    predictions: Sequence[float],
    limits: tuple[float, float] = LIMITS,
) -> list[float]:
    """Return the binomial deviance of each game, −[S ln P + (1 − S) ln(1 − P)].

    P is first brought within *limits*. The mean is least where P is the true expected
    score, so a draw needs no model of its own; it costs at least ln 2.

    >>> [round(loss, 4) for loss in deviances([1, 0.5, 0], [0.7, 0.5, 1.0])]
    [0.3567, 0.6931, 4.6052]
    """
    low, high = limits
    log = math.log
    losses = []
    for score, prediction in zip(points, predictions, strict=True):
        likely = low if prediction < low else high if prediction > high else prediction
        if score == 1.0:
            losses.append(-log(likely))
        elif score == 0.0:
            losses.append(-log(1.0 - likely))
        else:
            losses.append(-score * log(likely) - (1.0 - score) * log(1.0 - likely))
    return losses


def squared_errors(
    points: Sequence[float], predictions: Sequence[float]
) -> list[float]:
    """Return (S − P)² of each game.

    >>> squared_errors([1, 0.5], [0.5, 0.5])
    [0.25, 0.0]
    """
    return [
        (score - prediction) * (score - prediction)
        for score, prediction in zip(points, predictions, strict=True)
    ]


def absolute_errors(
    points: Sequence[float], predictions: Sequence[float]
) -> list[float]:
    """Return |S − P| of each game.

    >>> absolute_errors([1, 0.5], [0.75, 0.75])
    [0.25, 0.25]
    """
    return [
        abs(score - prediction)
        for score, prediction in zip(points, predictions, strict=True)
    ]


def hits(points: Sequence[float], predictions: Sequence[float]) -> list[float]:
    """Return the favorite's score in each game: how right the prediction was.

    The favorite is the one expected to score more than one half. A draw is half
    right, no matter who was the favorite; a prediction of exactly one half names no
    favorite and is half right, whatever happened. So a coin is half right, and drawn
    games neither help nor harm any system against it.

    >>> hits([1, 0, 0.5, 1], [0.6, 0.6, 0.9, 0.5])
    [1.0, 0.0, 0.5, 0.5]
    """
    return [
        float(score)
        if prediction > 0.5
        else 1.0 - score
        if prediction < 0.5
        else prediction  # one half, or unknown
        for score, prediction in zip(points, predictions, strict=True)
    ]


# --- One number for all games ---


def mean(values: Sequence[float]) -> float:
    """Return the exact sum divided by the count; raises NoGames for none.

    >>> mean([0.1] * 10)
    0.1
    """
    if not values:
        raise NoGames(_("There are no games to measure."))
    return math.fsum(values) / len(values)


def binomial_deviance(
    points: Sequence[float],
    predictions: Sequence[float],
    *,
    limits: tuple[float, float] = LIMITS,
    base_10: bool = False,
) -> float:
    """Return the mean binomial deviance, with natural logarithms or to *base_10*.

    Raises NoGames if there are none. The contest of 2011 used base 10, in which one
    half for every game gives log 2:

    >>> round(binomial_deviance([1, 0, 0.5], [0.5] * 3, base_10=True), 5)
    0.30103
    """
    natural = mean(deviances(points, predictions, limits))
    return natural / _LN_10 if base_10 else natural


def scaled_deviance(
    points: Sequence[float],
    predictions: Sequence[float],
    *,
    limits: tuple[float, float] = LIMITS,
) -> float:
    """Return the deviance in percent of a coin's: 100 is no information, 0 all of it.

    Raises NoGames if there are none.

    >>> scaled_deviance([1, 0, 0.5], [0.5] * 3)
    100.0
    """
    return 100.0 * (binomial_deviance(points, predictions, limits=limits) / _LN_2)


# --- Players and months ---


def months_of(days: Sequence[int]) -> array[int]:
    """Return the month of each ordinal day, counted from January of the year 0.

    >>> from datetime import date
    >>> day = date(2024, 5, 31).toordinal()
    >>> list(months_of([day, day + 1])) == [2024 * 12 + 4, 2024 * 12 + 5]
    True
    """
    return array("i", map(month_of, days))


class PlayerMonths(NamedTuple):
    """Players’ months as parallel columns: whose, which, and the squared error."""

    players: array[int]
    months: array[int]
    squares: array[float]


def player_month_squares(
    months: Sequence[int],
    white: Sequence[int],
    black: Sequence[int],
    points: Sequence[float],
    predictions: Sequence[float],
) -> PlayerMonths:
    """Return the player and the month of each player-month, and the squared error.

    Actual and predicted points are added up for each player and month; each game
    counts for both sides.

    >>> games = {"white": [1, 2], "black": [2, 1], "points": [1, 0]}
    >>> found = player_month_squares([6, 6], **games, predictions=[0.5] * 2)
    >>> [list(column) for column in found]
    [[1, 2], [6, 6], [1.0, 1.0]]
    """
    # One whole number for player and month is a much faster key than a pair.
    first = min(months, default=0)
    span = max(months, default=0) - first + 1
    errors: dict[int, float] = {}
    known = errors.get
    for month, one, other, score, prediction in zip(
        months, white, black, points, predictions, strict=True
    ):
        error = score - prediction
        key = one * span + month - first
        errors[key] = known(key, 0.0) + error
        key = other * span + month - first
        errors[key] = known(key, 0.0) - error
    return PlayerMonths(
        array("i", [key // span for key in errors]),
        array("i", [first + key % span for key in errors]),
        array("d", [error * error for error in errors.values()]),
    )


def player_month_rmse(
    months: Sequence[int],
    white: Sequence[int],
    black: Sequence[int],
    points: Sequence[float],
    predictions: Sequence[float],
) -> float:
    """Return the root mean square of what players were off by in a month, in points.

    Kaggle contest of 2010. Raises NoGames if there are none.

    >>> player_month_rmse([0, 0], [1, 2], [2, 1], [1, 0.5], [0.75, 0.5])
    0.25
    """
    found = player_month_squares(months, white, black, points, predictions)
    return math.sqrt(mean(found.squares))


# --- The measures as a list ---


class Transform(NamedTuple):
    """A function of a ratio of sums, and its derivative."""

    value: Callable[[float], float]
    slope: Callable[[float], float]


def _scaled_by(factor: float) -> Transform:
    return Transform(lambda ratio: factor * ratio, lambda _ratio: factor)


def _root(factor: float = 1.0) -> Transform:
    return Transform(
        lambda ratio: factor * math.sqrt(ratio),
        lambda ratio: factor / (2 * math.sqrt(ratio)) if ratio > 0 else math.nan,
    )


IDENTITY: Final = _scaled_by(1.0)
ROOT: Final = _root()
_PER_COIN: Final = Transform(
    lambda ratio: 100.0 * (ratio / _LN_2), lambda _ratio: 100.0 / _LN_2
)


def _coin_flip_squared_errors(points: Sequence[float]) -> list[float]:
    return [(score - 0.5) * (score - 0.5) for score in points]


def _coin_flip_absolute_errors(points: Sequence[float]) -> list[float]:
    return [abs(score - 0.5) for score in points]


def _ones(points: Sequence[float]) -> list[float]:
    return [1.0] * len(points)


Losses = Callable[[Sequence[float], Sequence[float]], list[float]]


@dataclass(frozen=True)
class Measure:
    """One measure: what each game loses, by what it is divided, how it is shown.

    Its value is *transform* of the sum of *losses* divided by the sum of *baseline*, so
    it can be had from sums over events or players without the games. *label* and *help*
    are marked for translation. *proper* means that no prediction does better in the
    long run than the true expected score: only such a measure may choose between
    systems.
    """

    key: str
    label: str
    help: str
    losses: Losses
    baseline: Callable[[Sequence[float]], list[float]] = _ones
    transform: Transform = IDENTITY
    proper: bool = True
    higher_is_better: bool = False

    def value(self, points: Sequence[float], predictions: Sequence[float]) -> float:
        """Return the measure of these games; raises NoGames if there are none."""
        losses = self.losses(points, predictions)
        if not losses:
            raise NoGames(_("There are no games to measure."))
        return self.of(math.fsum(losses), math.fsum(self.baseline(points)))

    def of(self, losses: float, baseline: float) -> float:
        """Return the measure from two sums; not a number if the second one is 0."""
        return self.transform.value(losses / baseline) if baseline else math.nan


MEASURES: Final[Mapping[str, Measure]] = {
    measure.key: measure
    for measure in (
        Measure(
            "scaled_deviance",
            _("Scaled log loss"),
            _(
                "Log loss measures how far predictions are from results. 100 = "
                "coin flip; lower is better."
            ),
            deviances,
            transform=_PER_COIN,
        ),
        Measure(
            "deviance",
            _("Log loss"),
            _(
                "Uses natural logarithms. Predictions are limited to 0.01 to 0.99. "
                "Also called binomial deviance."
            ),
            deviances,
        ),
        Measure(
            "deviance_base_10",
            _("Log loss, base 10"),
            _("As in the 2011 contest. A coin flip gives 0.30103."),
            deviances,
            transform=_scaled_by(1 / _LN_10),
        ),
        Measure(
            "brier",
            _("Brier score"),
            _("Average squared difference between score and prediction."),
            squared_errors,
        ),
        # PlayerRatings prints this in a column that it calls mse.
        Measure(
            "root_brier",
            _("Root Brier score"),
            _("In points per game. Often published as RMSE."),
            squared_errors,
            transform=ROOT,
        ),
        Measure(
            "scaled_root_brier",
            _("Scaled root Brier score"),
            _("As a percentage of a coin flip’s score."),
            squared_errors,
            baseline=_coin_flip_squared_errors,
            transform=_root(100.0),
        ),
        Measure(
            "mean_absolute_error",
            _("Mean absolute error"),
            _("For comparison only: it rewards overconfident predictions."),
            absolute_errors,
            proper=False,
        ),
        Measure(
            "scaled_mean_absolute_error",
            _("Scaled mean absolute error"),
            _("As a percentage of a coin flip’s error."),
            absolute_errors,
            baseline=_coin_flip_absolute_errors,
            transform=_scaled_by(100.0),
            proper=False,
        ),
        Measure(
            "accuracy",
            _("Accuracy"),
            _("Share of games the favorite won. A draw is half."),
            hits,
            proper=False,
            higher_is_better=True,
        ),
    )
}
"""Every measure that is a mean over games, the one to choose by first."""


# --- Published cases ---


def _deviance_case(inputs: Mapping[str, Any]) -> dict[str, float]:
    points, predictions = inputs["actual"], inputs["predicted"]
    low, high = inputs.get("cap") or LIMITS
    base_10 = "10" in str(inputs.get("log", "natural"))
    return {
        "mean": binomial_deviance(
            points, predictions, limits=(low, high), base_10=base_10
        ),
        "scaled": scaled_deviance(points, predictions, limits=(low, high)),
    }


def _root_case(inputs: Mapping[str, Any]) -> dict[str, float]:
    return _values(inputs, mse="brier", rmse="root_brier", scaled="scaled_root_brier")


def _absolute_case(inputs: Mapping[str, Any]) -> dict[str, float]:
    names = {"mae": "mean_absolute_error", "scaled": "scaled_mean_absolute_error"}
    return _values(inputs, **names)


def _values(inputs: Mapping[str, Any], **measures: str) -> dict[str, float]:
    return {
        name: MEASURES[key].value(inputs["actual"], inputs["predicted"])
        for name, key in measures.items()
    }


def _player_month_case(inputs: Mapping[str, Any]) -> dict[str, float]:
    games = inputs["games_month_white_black_predicted_actual"]
    if not games:
        raise NoGames(_("There are no games to measure."))
    months, white, black, predictions, points = zip(*games, strict=True)
    # Months and players may have names.
    month_of = _numbers(months)
    player_of = _numbers([*white, *black])
    return {
        "rmse": player_month_rmse(
            [month_of[month] for month in months],
            [player_of[player] for player in white],
            [player_of[player] for player in black],
            points,
            predictions,
        )
    }


def _numbers(names: Sequence[Any]) -> dict[Any, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


CASES: Final[Mapping[str, Case]] = {
    "metric.binomial_deviance": _deviance_case,
    "metric.rmse": _root_case,
    "metric.mae": _absolute_case,
    "metric.player_month_rmse": _player_month_case,
}
