"""Results year by year, and a search that is judged only on years it has not seen.

The best of many values looks better than it is on the games it was chosen by. So each
year is judged with the values that were best in the years before it: the gain there is
the one a committee may expect, and any larger gain before is optimism. Predictions were
made before the games anyhow, so nothing is run again.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .comparison import PRIMARY_MEASURE, Columns, MeasuredGames
from .confidence_intervals import Estimate
from .history import first_day_of, month_of
from .measures import MEASURES, NoGames
from .protocol import UNKNOWN
from .words import _

SPANS: Final = (12, 3, 1)
"""Months of a span, the longest first; the first that gives enough is taken."""
MIN_SPANS: Final = 3


@dataclass(frozen=True, slots=True)
class Span:
    """Games *start* up to, not with, *stop* of a list, from *first_day* to *last_day*.

    Both days are ordinals of the calendar's months, not of games.
    """

    first_day: int
    last_day: int
    start: int
    stop: int


@dataclass(frozen=True)
class SpanResult:
    """How systems did in a span: scaled deviances, and less that of the reference.

    Ranges are of each span alone.
    """

    span: Span
    measured: Mapping[str, Estimate]
    against: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class Fold:
    """The best variant before a span, and its result in it; both less the reference.

    *promised* is the difference on all games before the span, *judged* within it.
    """

    span: Span
    chosen: str
    promised: float
    judged: Estimate


@dataclass(frozen=True)
class Rolling:
    """A search judged year by year on games it had not seen, against the reference.

    *promised* and *judged* are differences of the scaled deviance, below 0 where the
    choice is better, over the *games* of all folds.
    """

    folds: Sequence[Fold]
    games: int
    promised: float
    judged: Estimate

    @property
    def optimism(self) -> float:
        """How much better the choice was on the games it was chosen by."""
        return self.judged.value - self.promised


def spans_of(days: Sequence[int]) -> list[Span]:
    """Return the years of ascending ordinal *days*; quarters or months if too few.

    >>> from datetime import date
    >>> def on(*texts): return [date.fromisoformat(text).toordinal() for text in texts]
    >>> found = spans_of(on("2019-05-01", "2020-02-01", "2020-03-01", "2022-01-01"))
    >>> [(date.fromordinal(one.last_day).year, one.stop - one.start) for one in found]
    [(2019, 1), (2020, 2), (2022, 1)]
    """
    found: list[Span] = []
    for months in SPANS:
        found = _spans(days, months)
        if len(found) >= MIN_SPANS:
            break
    return found


def _spans(days: Sequence[int], months: int) -> list[Span]:
    found, start = [], 0
    while start < len(days):
        begin = month_of(days[start]) // months * months
        first, after = first_day_of(begin), first_day_of(begin + months)
        stop = bisect_left(days, after, start)
        found.append(Span(first, after - 1, start, stop))
        start = stop
    return found


def by_year(
    measured: MeasuredGames, columns: Columns, reference: str
) -> list[SpanResult]:
    """Return each system's result in each span with games."""
    return [
        _year(measured.part(span.start, span.stop), columns, reference, span)
        for span in spans_of(measured.days)
    ]


def _year(
    measured: MeasuredGames, columns: Columns, reference: str, span: Span
) -> SpanResult:
    values = {name: measured.of(PRIMARY_MEASURE, one) for name, one in columns.items()}
    theirs = values[reference]
    return SpanResult(
        span,
        {name: measured.estimate(one) for name, one in values.items()},
        {
            name: measured.estimate(one.minus(theirs))
            for name, one in values.items()
            if name != reference
        },
    )


def rolling(measured: MeasuredGames, columns: Columns, reference: str) -> Rolling:
    """Choose the best column before each span, and judge it there.

    Raises NoGames if there are not two spans with games that are measured.
    """
    spans = spans_of(measured.days)
    if len(spans) < 2:
        raise NoGames(
            _(
                "A search needs games in at least two months: some to choose "
                "values, the rest to test them. Use more games."
            )
        )
    totals = {name: _totals(measured, one, spans) for name, one in columns.items()}
    choice = array("d", [UNKNOWN]) * len(measured.history)
    folds = []
    for place, span in enumerate(spans[1:], start=1):
        seen = {name: math.fsum(sums[:place]) for name, sums in totals.items()}
        chosen = min(seen, key=seen.__getitem__)
        within = measured.part(span.start, span.stop)
        for game in within.games:
            choice[game] = columns[chosen][game]
        scale = MEASURES[PRIMARY_MEASURE].transform.slope(0.0) / span.start
        judged = _judged(within, columns[chosen], columns[reference])
        promised = (seen[chosen] - seen[reference]) * scale
        folds.append(Fold(span, chosen, promised, judged))
    after = measured.part(spans[1].start, len(measured.games))
    promised = math.fsum(
        fold.promised * (fold.span.stop - fold.span.start) for fold in folds
    )
    return Rolling(
        folds,
        len(after.games),
        promised / len(after.games),
        _judged(after, choice, columns[reference]),
    )


def _totals(
    measured: MeasuredGames, column: Sequence[float], spans: Sequence[Span]
) -> list[float]:
    """Return the deviance of a column, added up over each span."""
    losses = measured.losses(PRIMARY_MEASURE, column)
    return [math.fsum(losses[span.start : span.stop]) for span in spans]


def _judged(
    measured: MeasuredGames, column: Sequence[float], reference: Sequence[float]
) -> Estimate:
    ours, theirs = (measured.of(PRIMARY_MEASURE, one) for one in (column, reference))
    return measured.estimate(ours.minus(theirs))
