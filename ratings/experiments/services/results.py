"""What the pages show of an experiment, made once when its last variant is done.

Everything is plain JSON: numbers that are not known are None, so that any database
takes it.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ratings.experiments.plans import OUR_SYSTEMS, Asked
from ratings.experiments.services.histories import NoGames
from ratings.laboratory.calibration import (
    AGE_BANDS,
    GAME_BANDS,
    RATING_BANDS,
    CalibrationBand,
    ages,
    band_limits,
    band_of,
    by_band,
    by_expectancy,
    by_gap,
)
from ratings.laboratory.comparing import (
    Columns,
    Comparison,
    compare_columns,
    predicted_by_all,
)
from ratings.laboratory.drift import Group, Snapshot
from ratings.laboratory.experiment import Plan, games_before
from ratings.laboratory.history import History
from ratings.laboratory.measures import NoGames as NothingToMeasure
from ratings.laboratory.protocol import UNKNOWN
from ratings.laboratory.ranges import Estimate
from ratings.laboratory.rule_change import Changes, Effect, Mover, changes_between
from ratings.laboratory.years import Rolling, Span, Year, by_year, rolling
from ratings.models import Experiment

# Results before version 2 had ranges by events alone, and none by year.
VERSION = 2


@dataclass(frozen=True)
class Done:
    """A variant as it was kept when it was done. Ratings are in points of today."""

    number: int
    system: str
    parameters: tuple[tuple[str, Any], ...]
    predictions: array
    white_ratings: array
    black_ratings: array
    final_ratings: array


def results_of(
    kind: str, history: History, plan: Plan, done: Sequence[Done], asked: Asked
) -> dict[str, Any]:
    """Return all that the pages show; raises NoGames if nothing was predicted."""
    columns: Columns = {str(one.number): one.predictions for one in done}
    results: dict[str, Any] = {"version": VERSION}
    reference = str(reference_of(kind, done))
    try:
        if kind == Experiment.Kind.SEARCH:
            found = rolling(history, columns, reference)
            results["rolling"] = rolling_record(found)
            last = found.folds[-1]
            seen = _rated(columns, history, None, last.span.first_day - 1)
            chosen_on = compare_columns(history, seen, reference)
            results["chosen_on"] = comparison_record(chosen_on)
            # The last year judges the choice and the usual values, and nothing else.
            columns = _rated(
                {name: columns[name] for name in {reference, last.chosen}},
                history,
                last.span.first_day,
                None,
            )
        else:
            results["years"] = years_record(by_year(history, columns, reference))
        if kind != Experiment.Kind.OUR_RULES:  # which are compared in their own columns
            results |= comparison_record(compare_columns(history, columns, reference))
    except NothingToMeasure as fault:
        raise NoGames(str(fault)) from fault
    results["calibration"] = _calibration(history, plan, done, columns)
    if kind in (Experiment.Kind.RULE_CHANGE, Experiment.Kind.OUR_RULES):
        before, after = (one.final_ratings for one in done[:2])
        since = asked.since.toordinal() if asked.since else None
        changes = changes_between(history, before, after, since=since)
        results["changes"] = _changes_record(changes, history)
    return results


def judged_from(experiment: Experiment) -> int | None:
    """Return the first day of the games that the results are about, None for all.

    A search is judged on its last year alone.
    """
    results, plan = experiment.results, experiment.plan
    if "rolling" in results:
        first = results["rolling"]["folds"][-1]["first_day"]
        return date.fromisoformat(first).toordinal()
    if plan.get("test_days"):  # before results of version 2
        return experiment.history.last_day.toordinal() - plan["test_days"] + 1
    return None


def reference_of(kind: str, done: Sequence[Done]) -> int:
    """Return the variant that the others are measured against.

    In a search the usual values, in a change the rules before it, else our own rules.
    """
    if kind == Experiment.Kind.SEARCH:
        candidates = [one.number for one in done if not one.parameters]
    elif kind in (Experiment.Kind.RULE_CHANGE, Experiment.Kind.OUR_RULES):
        candidates = []
    else:
        candidates = [one.number for one in done if one.system in OUR_SYSTEMS]
    return candidates[0] if candidates else done[0].number


def _rated(
    columns: Columns,
    history: History,
    first_day: int | None,
    last_day: int | None,
) -> Columns:
    """Return the columns with the predictions of these days only."""
    days = history.rated_days
    low = first_day if first_day is not None else 0
    high = last_day if last_day is not None else max(days, default=0)
    return {
        name: array(
            "d",
            [
                value if low <= day <= high else UNKNOWN
                for value, day in zip(predictions, days, strict=True)
            ],
        )
        for name, predictions in columns.items()
    }


def _changes_record(changes: Changes, history: History) -> dict[str, Any]:
    """Return who gained and lost as plain values; movers by their identifiers."""
    everybody = changes.everybody
    return {
        "everybody": _effect(everybody) if everybody else None,
        "classes": [_effect(one) for one in changes.classes],
        "ages": [_effect(one) for one in changes.ages],
        "only_before": changes.only_before,
        "only_after": changes.only_after,
        "gainers": [_mover(one, history) for one in changes.gainers],
        "losers": [_mover(one, history) for one in changes.losers],
    }


def _effect(one: Effect) -> list[Any]:
    return [
        one.low,
        one.high,
        one.players,
        one.gained,
        one.lost,
        one.mean,
        one.median,
        *one.percentiles,
    ]


def _mover(one: Mover, history: History) -> dict[str, Any]:
    return {
        "id": history.ids[one.player],
        "name": history.names[one.player] if history.names else "",
        "before": one.before,
        "after": one.after,
    }


def comparison_record(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as plain values, the best variant first."""
    return {
        "reference": int(comparison.reference),
        "games": comparison.games,
        "events": comparison.events,
        "players": comparison.players,
        "factor": comparison.factor,
        "factor_of_all": comparison.factor_of_all,
        "variants": [
            {
                "number": int(one.name),
                "predicted": one.coverage.predicted,
                "of": one.coverage.games,
                "measures": {
                    key: estimate_record(value) for key, value in one.measures.items()
                },
                "player_month_rmse": estimate_record(one.player_month_rmse),
                "against_reference": estimate_record(one.against_reference),
                "among_all": estimate_record(one.among_all),
                "improvement": estimate_record(one.improvement),
            }
            for one in comparison.systems
        ],
    }


def years_record(years: Sequence[Year]) -> list[dict[str, Any]]:
    """Return results by year as plain values."""
    return [
        {
            **_span(one.span),
            "measured": {
                name: estimate_record(two) for name, two in one.measured.items()
            },
            "against": {
                name: estimate_record(two) for name, two in one.against.items()
            },
        }
        for one in years
    ]


def rolling_record(found: Rolling) -> dict[str, Any]:
    """Return a search that was judged year by year as plain values."""
    return {
        "games": found.games,
        "promised": found.promised,
        "judged": estimate_record(found.judged),
        "folds": [
            {
                **_span(one.span),
                "chosen": int(one.chosen),
                "promised": one.promised,
                "judged": estimate_record(one.judged),
            }
            for one in found.folds
        ],
    }


def _span(span: Span) -> dict[str, Any]:
    return {
        "first_day": date.fromordinal(span.first_day).isoformat(),
        "last_day": date.fromordinal(span.last_day).isoformat(),
        "games": span.stop - span.start,
    }


def estimate_record(one: Estimate | None) -> list[float | None] | None:
    """Return value, low and high end, and standard error."""
    if one is None:
        return None
    return [known(one.value), known(one.low), known(one.high), known(one.error)]


def known(value: float | None) -> float | None:
    """Return a number as JSON takes it: None for what is not a number."""
    return None if value is None or value != value else value


def _calibration(
    history: History, plan: Plan, done: Sequence[Done], columns: Columns
) -> dict[str, dict[str, list[list[Any]]]]:
    """Return the bands of each column, on the games that all of them predict.

    *done* are the variants that the columns are named after.
    """
    shared = predicted_by_all(columns)
    games = history.games
    points = [games.points[game] for game in shared]
    white = [games.white[game] for game in shared]
    black = [games.black[game] for game in shared]
    days = [history.rated_days[game] for game in shared]
    years = history.birth_years
    white_ages, black_ages = ages(days, white, years), ages(days, black, years)
    people = _people_by_age([*white, *black], [*white_ages, *black_ages])
    before = games_before(history, plan)
    white_games, black_games = ([one[game] for game in shared] for one in before)
    variants = {str(one.number): one for one in done}
    found = {}
    for name, predictions in columns.items():
        predicted = [predictions[game] for game in shared]
        whites = [variants[name].white_ratings[game] for game in shared]
        blacks = [variants[name].black_ratings[game] for game in shared]
        found[name] = {
            "expectancy": _rows(by_expectancy(points, predicted)),
            "gap": _rows(by_gap(points, predicted, whites, blacks)),
            "rating": _rows(by_band(points, predicted, whites, blacks, RATING_BANDS)),
            "age": _with_people(
                by_band(points, predicted, white_ages, black_ages, AGE_BANDS),
                people,
            ),
            "games": _rows(
                by_band(points, predicted, white_games, black_games, GAME_BANDS)
            ),
        }
    return found


def _people_by_age(
    players: Iterable[int], ages: Iterable[int | None]
) -> dict[tuple[int | None, int | None], int]:
    """Return how many people each band of age is about, by its limits."""
    limits = band_limits(AGE_BANDS)
    found: defaultdict[tuple[int | None, int | None], set[int]] = defaultdict(set)
    for player, age in zip(players, ages, strict=True):
        found[limits[band_of(age, AGE_BANDS)]].add(player)
    return {band: len(who) for band, who in found.items()}


def _with_people(
    rows: Sequence[CalibrationBand], people: dict[tuple[int | None, int | None], int]
) -> list[list[Any]]:
    """Return rows by age, and behind each the people it is about."""
    return [
        [*cells, people[row.low, row.high]]
        for row, cells in zip(rows, _rows(rows), strict=True)
    ]


def _rows(rows: Iterable[CalibrationBand]) -> list[list[Any]]:
    return [
        [
            one.low,
            one.high,
            one.games,
            one.expected,
            one.actual,
            *(one.interval or (None, None)),
        ]
        for one in rows
    ]


def drift_record(snapshots: Iterable[Snapshot]) -> list[dict[str, Any]]:
    """Return the pool's level and spread over time as plain values."""
    return [
        {
            "day": date.fromordinal(one.day).isoformat(),
            "everybody": _group(one.everybody),
            "classes": [_group(group) for group in one.classes],
            "ages": [_group(group) for group in one.ages],
            "bonus_points": one.bonus_points,
        }
        for one in snapshots
    ]


def _group(one: Group) -> list[float | None]:
    return [one.low, one.high, one.players, one.mean, one.spread, one.at_floor]
