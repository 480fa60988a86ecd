"""The stored results of an experiment, made once its last variant is done.

Everything is plain JSON: numbers that are not known are None, so that any database
takes it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ratings.laboratory.calibration import (
    AGE_BANDS,
    GAME_BANDS,
    RATING_BANDS,
    CalibrationBand,
)
from ratings.laboratory.comparison import Columns, Comparison
from ratings.laboratory.confidence_intervals import Estimate
from ratings.laboratory.drift import Snapshot
from ratings.laboratory.experiment import Plan
from ratings.laboratory.history import History
from ratings.laboratory.measures import NoGames as NothingToMeasure
from ratings.laboratory.rule_change import Changes, Effect, Mover, changes_between
from ratings.laboratory.yearly_results import (
    Rolling,
    Span,
    SpanResult,
    by_year,
    rolling,
)
from ratings.models import Experiment, ExperimentVariant
from ratings.research.experiments.plans import OUR_SYSTEMS, RunOptions
from ratings.research.experiments.services.histories import NoGames
from ratings.research.experiments.services.numpy_calibration import (
    ages,
    expectancy_bands,
    games_before,
    gap_bands,
    people_by_age,
    value_bands,
)
from ratings.research.experiments.services.numpy_measures import (
    Measurement,
    ended_between,
    measurement,
)

# Results before version 2 had ranges by events alone, and none by year.
VERSION = 2


@dataclass(frozen=True)
class FinishedVariant:
    """A finished variant as it was stored. Ratings are in points of today."""

    number: int
    system: str
    parameters: tuple[tuple[str, Any], ...]
    predictions: array[float]
    white_ratings: array[float]
    black_ratings: array[float]
    final_ratings: array[float]

    @classmethod
    def of(
        cls, variant: ExperimentVariant, columns: Sequence[array[float]]
    ) -> FinishedVariant:
        changes = tuple(map(tuple, variant.parameters))
        return cls(variant.number, variant.system, changes, *columns)


def results_of(
    kind: str,
    history: History,
    plan: Plan,
    done: Sequence[FinishedVariant],
    asked: RunOptions,
) -> dict[str, Any]:
    """Return all results for the pages; raises NoGames if nothing was predicted."""
    on = measurement(history, prediction_columns(done))
    reference = str(reference_of(kind, done))
    if kind == Experiment.Kind.SEARCH:
        results, on = _search_results(on, reference)
    else:
        results = {"years": years_record(by_year(on.measured, on.columns, reference))}
    results |= measured_results(on, reference, plan, done)
    if kind == Experiment.Kind.RULE_CHANGE:
        results["changes"] = changes_of(history, done, asked)
    return results


def prediction_columns(done: Sequence[FinishedVariant]) -> Columns:
    return {str(one.number): one.predictions for one in done}


def _search_results(
    on: Measurement, reference: str
) -> tuple[dict[str, Any], Measurement]:
    """Return a search year by year, and the measurement of its last year.

    It judges only the choice and the default values.
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
    on: Measurement, reference: str, plan: Plan, done: Sequence[FinishedVariant]
) -> dict[str, Any]:
    """Return the comparison and the calibration of the columns of *done*."""
    try:
        comparison = on.compared(reference)
    except NothingToMeasure as fault:
        raise NoGames(str(fault)) from fault
    on.measured.prune_cache([])
    return {
        "version": VERSION,
        **comparison_record(comparison),
        "calibration": _calibration(on, plan, done),
    }


def evaluated_from(experiment: Experiment) -> int | None:
    """Return the first day of the games in the results, None for all.

    A search is judged on its last year alone.
    """
    results, plan = experiment.results, experiment.plan
    if "rolling" in results:
        first: str = results["rolling"]["folds"][-1]["first_day"]
        return date.fromisoformat(first).toordinal()
    days = plan.get("test_days")  # before results of version 2
    if days and experiment.history and experiment.history.last_day:
        return experiment.history.last_day.toordinal() - int(days) + 1
    return None


def reference_of(kind: str, done: Sequence[FinishedVariant]) -> int:
    """Return the variant that the others are measured against.

    In a search the defaults, in a change the rules before it, else our own rules.
    """
    if kind == Experiment.Kind.SEARCH:
        candidates = [one.number for one in done if not one.parameters]
    elif kind in (Experiment.Kind.RULE_CHANGE, Experiment.Kind.OUR_RULES):
        candidates = []
    else:
        candidates = [one.number for one in done if one.system in OUR_SYSTEMS]
    return candidates[0] if candidates else done[0].number


def changes_of(
    history: History, done: Sequence[FinishedVariant], asked: RunOptions
) -> dict[str, Any]:
    """Return who gained and lost by the second variant as plain values."""
    before, after = done[:2]
    since = asked.since.toordinal() if asked.since else None
    changes = changes_between(
        history, before.final_ratings, after.final_ratings, since=since
    )
    pair = {"pair": [before.number, after.number]}
    return pair | _changes_record(changes, history)


def _changes_record(changes: Changes, history: History) -> dict[str, Any]:
    """Return who gained and lost as plain values; movers by their identifiers."""
    all_players = changes.all_players
    return {
        "everybody": _effect(all_players) if all_players else None,
        "moves": changes.moves._asdict(),
        "classes": [_effect(one) for one in changes.classes],
        "ages": [_effect(one) for one in changes.ages],
        "only_before": changes.only_before,
        "only_after": changes.only_after,
        "gainers": [_mover(one, history) for one in changes.gainers],
        "losers": [_mover(one, history) for one in changes.losers],
    }


def _effect(one: Effect) -> list[Any]:
    *figures, percentiles = one
    return [*figures, *percentiles]


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
                "measures": _estimates(one.measures),
                "player_month_rmse": estimate_record(one.player_month_rmse),
                "against_reference": estimate_record(one.against_reference),
                "among_all": estimate_record(one.among_all),
                "improvement": estimate_record(one.improvement),
            }
            for one in comparison.systems
        ],
    }


def years_record(years: Sequence[SpanResult]) -> list[dict[str, Any]]:
    """Return results by year as plain values."""
    return [
        {
            **_span(one.span),
            "measured": _estimates(one.measured),
            "against": _estimates(one.against),
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


def _estimates(values: Mapping[str, Estimate]) -> dict[str, Any]:
    return {name: estimate_record(one) for name, one in values.items()}


def estimate_record(one: Estimate | None) -> list[float | None] | None:
    """Return value, low and high end, and standard error."""
    if one is None:
        return None
    return [known(one.value), known(one.low), known(one.high), known(one.error)]


def known(value: float | None) -> float | None:
    """Return a number for JSON: None if it is not a number."""
    return None if value is None or value != value else value


def _calibration(
    on: Measurement, plan: Plan, done: Sequence[FinishedVariant]
) -> dict[str, dict[str, list[list[Any]]]]:
    """Return the bands of each column, on the games that all of them predict.

    *done* are the variants that the columns are named after.
    """
    measured = on.measured
    points, years = measured.points, measured.history.birth_years
    white, black = measured.white, measured.black
    old = (ages(measured.days, white, years), ages(measured.days, black, years))
    people = people_by_age((white, black), old)
    before = games_before(measured.history, plan)
    experience = (measured.select("i", before[0]), measured.select("i", before[1]))
    variants = {str(one.number): one for one in done}
    found = {}
    for name, predictions in on.columns.items():
        predicted = measured.select("d", predictions)
        ratings = (
            measured.select("d", variants[name].white_ratings),
            measured.select("d", variants[name].black_ratings),
        )
        found[name] = {
            "expectancy": _rows(expectancy_bands(points, predicted)),
            "gap": _rows(gap_bands(points, predicted, *ratings)),
            "rating": _rows(value_bands(points, predicted, *ratings, RATING_BANDS)),
            "age": _with_people(
                value_bands(points, predicted, *old, AGE_BANDS), people
            ),
            "games": _rows(value_bands(points, predicted, *experience, GAME_BANDS)),
        }
    return found


def _with_people(
    rows: Sequence[CalibrationBand],
    people: dict[tuple[float | None, float | None], int],
) -> list[list[Any]]:
    """Return rows by age, each followed by its number of people."""
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
            "everybody": list(one.all_players),
            "classes": [list(group) for group in one.classes],
            "ages": [list(group) for group in one.ages],
            "bonus_points": one.bonus_points,
        }
        for one in snapshots
    ]
