"""Results of the monthly comparison, ready to show."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import count
from typing import Any

from django.db.models import QuerySet
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ratings.laboratory.measures import MEASURES
from ratings.laboratory.protocol import STATUSES
from ratings.laboratory.registry import SYSTEMS
from ratings.models import Experiment, ExperimentVariant
from ratings.research.experiments.queries.cells import format_range, value_with_range
from ratings_site.common.ui.charts.plots import (
    Interval,
    PlottedLine,
    interval_plot,
    line_plot,
)

PRIMARY_MEASURE = "scaled_deviance"
# The page shows so many months; the file has all.
MONTHS_SHOWN = 36
# More lines could not be told apart.
MAX_LINES = 10

Estimated = tuple[float, float | None, float | None]


@dataclass(frozen=True, slots=True)
class RankedSystem:
    """A system in a month's comparison.

    *deviance* is scaled: 100 = coin flip; lower is better; *against* is the same less
    the reference's, None for the reference. Both are values with their ranges.
    *differs* is -1 if surely better than the reference, also among all that are
    compared, 1 if surely worse, else 0. *before* is the deviance of the month before,
    None if it was not there. An upper bound, which is no candidate, has no *place*.
    """

    place: int | None
    key: str
    label: str
    predicted: int
    of: int
    deviance: Estimated
    against: Estimated | None
    differs: int
    before: float | None

    @property
    def status(self) -> str:
        """The status of an upper bound; empty for a candidate."""
        return (
            _(STATUSES[SYSTEMS[self.key].about.status]) if self.is_upper_bound else ""
        )

    @property
    def is_upper_bound(self) -> bool:
        return self.has_page and SYSTEMS[self.key].about.is_upper_bound

    @property
    def has_page(self) -> bool:
        return self.key in SYSTEMS

    @property
    def deviance_in_words(self) -> str:
        return value_with_range(self.deviance)

    @property
    def against_in_words(self) -> str:
        return format_range(self.against, 2) if self.against else _("reference")

    @property
    def before_in_words(self) -> str:
        return "–" if self.before is None else f"{self.before:.2f}"


@dataclass(frozen=True, slots=True)
class MonthlyComparison:
    """The comparison of a month, the best system first.

    The games are those from *test_from* to the month's end.
    """

    month: date
    test_from: date
    experiment_id: int
    published_at: datetime
    games: int
    events: int
    systems: Sequence[RankedSystem]

    @property
    def best(self) -> RankedSystem:
        return next(one for one in self.systems if one.place == 1)

    @property
    def reference(self) -> RankedSystem | None:
        return next((one for one in self.systems if one.against is None), None)

    @property
    def verdict(self) -> str:
        """How many candidates are better and worse than our rules, in words."""
        rivals = [one for one in self.systems if one.place and one.against]
        better = sum(one.differs < 0 for one in rivals)
        worse = sum(one.differs > 0 for one in rivals)
        if not better + worse:
            return ngettext(
                "In these games, the other system predicts neither clearly better nor "
                "clearly worse than our rules.",
                "In these games, none of the {count} other systems predicts clearly "
                "better or clearly worse than our rules.",
                len(rivals),
            ).format(count=len(rivals))
        return _(
            "{better} of {count} other systems predicted clearly better than our "
            "rules and {worse} clearly worse; the difference of {open} could be chance."
        ).format(
            count=len(rivals),
            better=better,
            worse=worse,
            open=len(rivals) - better - worse,
        )


def monthly_experiments() -> QuerySet[Experiment]:
    """Return the public ones, newest month first."""
    return Experiment.objects.filter(
        standing_month__isnull=False, published_at__isnull=False
    ).order_by("-standing_month")


def monthly_comparisons(experiments: QuerySet[Experiment]) -> list[MonthlyComparison]:
    """Return the months of these experiments in their order (two queries)."""
    rows = list(
        experiments.values_list(
            "pk",
            "standing_month",
            "plan__test_from",
            "published_at",
            "results__games",
            "results__events",
            "results__variants",
        )
    )
    keys = _systems([row[0] for row in rows])
    earlier: dict[str, float] = {}
    months = []
    for pk, month, test_from, published, games, events, variants in reversed(rows):
        places = count(1)
        systems = [
            _ranked(keys[pk, one["number"]], one, earlier, places) for one in variants
        ]
        begins = date.fromisoformat(test_from)
        months.append(
            MonthlyComparison(month, begins, pk, published, games, events, systems)
        )
        earlier = {one.key: one.deviance[0] for one in systems}
    return months[::-1]


def _systems(
    experiments: Iterable[int] | QuerySet[Experiment, Any],
) -> dict[tuple[int, int], tuple[str, str]]:
    """Return key and stored label of the systems by experiment and number."""
    variants = ExperimentVariant.objects.filter(experiment__in=experiments)
    return {
        (experiment, number): (key, label)
        for experiment, number, key, label in variants.values_list(
            "experiment_id", "number", "system", "label"
        )
    }


def _ranked(
    system: tuple[str, str],
    record: dict[str, Any],
    earlier: dict[str, float],
    places: Iterator[int],
) -> RankedSystem:
    """Return a system of a month; candidates take the next of the *places*."""
    key, label = system
    against = record["against_reference"]
    is_candidate = key not in SYSTEMS or not SYSTEMS[key].about.is_upper_bound
    return RankedSystem(
        place=next(places) if is_candidate else None,
        key=key,
        label=_(SYSTEMS[key].about.label) if key in SYSTEMS else label,
        predicted=record["predicted"],
        of=record["of"],
        deviance=_with_range(record["measures"][PRIMARY_MEASURE]),
        against=None if against is None else _with_range(against),
        differs=_direction(record["among_all"]),
        before=earlier.get(key),
    )


def _direction(estimate: Sequence[Any] | None) -> int:
    _value, low, high = _with_range(estimate) if estimate else (0.0, None, None)
    if low is None or high is None:
        return 0
    return (low > 0) - (high < 0)


def _with_range(estimate: Sequence[Any]) -> Estimated:
    """Return value and range of an estimate, without its other values."""
    value, low, high, *_rest = estimate
    return value, low, high


def month_plot(shown: MonthlyComparison) -> SafeString:
    """Draw how much better or worse than our rules each system was, with ranges."""
    rows = [Interval(one.label, *one.against) for one in shown.systems if one.against]
    title = _("Scaled log loss of each system minus that of our rules")
    return mark_safe(  # noqa: S308 - texts are escaped
        interval_plot(rows, title=title, chart_id="plot-systems", decimals=1, mark=0.0)
    )


def months_plot(months: Sequence[MonthlyComparison]) -> SafeString:
    """Draw the best systems of the newest month over all months; empty for one."""
    if len(months) < 2:
        return mark_safe("")
    best = [one for one in months[0].systems if one.place][:MAX_LINES]
    labels = {one.key: one.label for one in best}
    lines = [
        PlottedLine(
            label,
            [
                (shown.month, one.deviance[0])
                for shown in reversed(months)
                for one in shown.systems
                if one.key == key
            ],
        )
        for key, label in labels.items()
    ]
    title = _("Scaled log loss of the best systems, month by month")
    return mark_safe(  # noqa: S308 - texts are escaped
        line_plot(lines, title=title, chart_id="plot-months", decimals=1)
    )


def monthly_rows() -> Iterator[tuple[Any, ...]]:
    """Yield month, system, games, games predicted and measures, the oldest first."""
    found = monthly_experiments().order_by("standing_month")
    keys = _systems(found.values("pk"))
    for pk, month, games, variants in found.values_list(
        "pk", "standing_month", "results__games", "results__variants"
    ):
        for one in variants:
            values = (one["measures"][key][0] for key in MEASURES)
            key, _label = keys[pk, one["number"]]
            yield (f"{month:%Y-%m}", key, games, one["predicted"], *values)
