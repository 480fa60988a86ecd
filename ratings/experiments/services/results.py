"""What the pages show of an experiment, made once when its last variant is done.

Everything is plain JSON: numbers that are not known are None, so that any database
takes it.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ratings.experiments.plans import OUR_SYSTEMS, Asked
from ratings.experiments.services.calibrating import (
    ages,
    by_band,
    by_expectancy,
    by_gap,
    games_before,
    people_by_age,
)
from ratings.experiments.services.histories import NoGames
from ratings.experiments.services.measuring import (
    Measurement,
    ended_between,
    measurement,
)
from ratings.laboratory.calibration import (
    AGE_BANDS,
    GAME_BANDS,
    RATING_BANDS,
    CalibrationBand,
)
from ratings.laboratory.comparing import Columns, Comparison
from ratings.laboratory.drift import Group, Snapshot
from ratings.laboratory.experiment import Plan
from ratings.laboratory.history import History
from ratings.laboratory.measures import NoGames as NothingToMeasure
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
    on = measurement(history, columns_of(done))
    reference = str(reference_of(kind, done))
    if kind == Experiment.Kind.SEARCH:
        results, on = _search_results(on, reference)
    else:
        results = {"years": years_record(by_year(on.measured, on.columns, reference))}
    results |= measured_results(on, reference, plan, done)
    if kind == Experiment.Kind.RULE_CHANGE:
        results["changes"] = changes_of(history, done, asked)
    return results


def columns_of(done: Sequence[Done]) -> Columns:
    return {str(one.number): one.predictions for one in done}


def _search_results(
    on: Measurement, reference: str
) -> tuple[dict[str, Any], Measurement]:
    """Return a search year by year, and what its last year is measured on.

    That judges the choice and the usual values, and nothing else.
    """
    history, columns = on.measured.history, on.columns
    try:
        found = rolling(on.measured, columns, reference)
        last = found.folds[-1]
        days = ended_between(history, None, last.span.first_day - 1)
        chosen_on = measurement(history, columns, days).compared(reference)
    except NothingToMeasure as fault:
        raise NoGames(str(fault)) from fault
    results = {
        "rolling": rolling_record(found),
        "chosen_on": comparison_record(chosen_on),
    }
    judged = {name: columns[name] for name in {reference, last.chosen}}
    days = ended_between(history, last.span.first_day, None)
    return results, measurement(history, judged, days)


def measured_results(
    on: Measurement, reference: str, plan: Plan, done: Sequence[Done]
) -> dict[str, Any]:
    """Return the comparison and the calibration of the columns of *done*."""
    try:
        comparison = on.compared(reference)
    except NothingToMeasure as fault:
        raise NoGames(str(fault)) from fault
    on.measured.keep_only([])
    return {
        "version": VERSION,
        **comparison_record(comparison),
        "calibration": _calibration(on, plan, done),
    }


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


def changes_of(history: History, done: Sequence[Done], asked: Asked) -> dict[str, Any]:
    """Return who gained and lost by the second variant as plain values."""
    before, after = (one.final_ratings for one in done[:2])
    since = asked.since.toordinal() if asked.since else None
    return _changes_record(
        changes_between(history, before, after, since=since), history
    )


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
    on: Measurement, plan: Plan, done: Sequence[Done]
) -> dict[str, dict[str, list[list[Any]]]]:
    """Return the bands of each column, on the games that all of them predict.

    *done* are the variants that the columns are named after.
    """
    measured = on.measured
    points, years = measured.points, measured.history.birth_years
    players = (measured.white, measured.black)
    old = [ages(measured.days, one, years) for one in players]
    people = people_by_age(players, old)
    experience = [
        measured.picked("i", one) for one in games_before(measured.history, plan)
    ]
    variants = {str(one.number): one for one in done}
    found = {}
    for name, predictions in on.columns.items():
        predicted = measured.picked("d", predictions)
        ratings = [
            measured.picked("d", one)
            for one in (variants[name].white_ratings, variants[name].black_ratings)
        ]
        found[name] = {
            "expectancy": _rows(by_expectancy(points, predicted)),
            "gap": _rows(by_gap(points, predicted, *ratings)),
            "rating": _rows(by_band(points, predicted, *ratings, RATING_BANDS)),
            "age": _with_people(by_band(points, predicted, *old, AGE_BANDS), people),
            "games": _rows(by_band(points, predicted, *experience, GAME_BANDS)),
        }
    return found


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
