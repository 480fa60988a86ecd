"""What the standing comparison has found, month by month, ready to show."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import count
from typing import Any

from django.db.models import QuerySet
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ratings.experiments.queries.cells import signed
from ratings.laboratory.measures import MEASURES
from ratings.laboratory.protocol import STATUSES
from ratings.laboratory.registry import SYSTEMS
from ratings.models import Experiment, ExperimentVariant
from ratings_site.common.looks.charts.plots import (
    Interval,
    PlottedLine,
    interval_plot,
    line_plot,
)

CHOOSE_BY = "scaled_deviance"
# The page looks back so far; the file has all months.
MONTHS_SHOWN = 36
# More lines could not be told apart.
MOST_LINES = 10

Estimated = tuple[float, float | None, float | None]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A system in a month's comparison.

    *deviance* is scaled: 100 is what a coin knows, less is better; *against* is the
    same less the reference's, None for the reference. Both are values with their
    ranges. *differs* is -1 for what is surely better than the reference, also among all
    that are compared, 1 for what is surely worse, else 0. *before* is the deviance of
    the month before, None if it was not there. A bound, which shows what could be
    gained and is no candidate, has no *place*.
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
        """What a bound is; empty for a candidate."""
        return _(STATUSES[SYSTEMS[self.key].about.status]) if self.is_bound else ""

    @property
    def is_bound(self) -> bool:
        return self.has_page and SYSTEMS[self.key].about.is_bound

    @property
    def has_page(self) -> bool:
        return self.key in SYSTEMS

    @property
    def deviance_in_words(self) -> str:
        value, low, high = self.deviance
        return f"{value:.2f}" if low is None else f"{value:.2f} ({low:.2f}–{high:.2f})"

    @property
    def against_in_words(self) -> str:
        if self.against is None:
            return _("reference")
        value, low, high = self.against
        shown = signed(value, 2)
        return (
            shown if low is None else f"{shown} ({signed(low, 2)} … {signed(high, 2)})"
        )

    @property
    def before_in_words(self) -> str:
        return "–" if self.before is None else f"{self.before:.2f}"


@dataclass(frozen=True, slots=True)
class StandingMonth:
    """The comparison of a month, the best system first.

    The games are those from *test_from* to the month's end.
    """

    month: date
    test_from: date
    experiment_id: int
    published_at: datetime
    games: int
    events: int
    systems: Sequence[Ranked]

    @property
    def best(self) -> Ranked:
        return next(one for one in self.systems if one.place == 1)

    @property
    def reference(self) -> Ranked | None:
        return next((one for one in self.systems if one.against is None), None)

    @property
    def verdict(self) -> str:
        """How many candidates are better and worse than our rules, in words."""
        rivals = [one for one in self.systems if one.place and one.against]
        better = sum(one.differs < 0 for one in rivals)
        worse = sum(one.differs > 0 for one in rivals)
        if not better + worse:
            return ngettext(
                "On these games the one other system cannot be told apart from our "
                "rules.",
                "On these games none of {count} other systems, all looked at together, "
                "can be told apart from our rules.",
                len(rivals),
            ).format(count=len(rivals))
        return _(
            "Of {count} other systems, all looked at together, {better} surely "
            "predicted better than our rules and {worse} surely worse; of {open} "
            "neither can be told."
        ).format(
            count=len(rivals),
            better=better,
            worse=worse,
            open=len(rivals) - better - worse,
        )


def standing_experiments() -> QuerySet[Experiment]:
    """Return those that everybody may see, the newest month first."""
    return Experiment.objects.filter(
        standing_month__isnull=False, published_at__isnull=False
    ).order_by("-standing_month")


def standing_months(experiments: QuerySet[Experiment]) -> list[StandingMonth]:
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
    for pk, month, test_from, *facts, variants in reversed(rows):
        systems = _in_places(
            _ranked(keys[pk, one["number"]], one, earlier) for one in variants
        )
        begins = date.fromisoformat(test_from)
        months.append(StandingMonth(month, begins, pk, *facts, systems))
        earlier = {one.key: one.deviance[0] for one in systems}
    return months[::-1]


def _systems(
    experiments: Iterable[int] | QuerySet,
) -> dict[tuple[int, int], tuple[str, str]]:
    """Return key and stored label of the systems by experiment and number."""
    variants = ExperimentVariant.objects.filter(experiment__in=experiments)
    return {
        (experiment, number): (key, label)
        for experiment, number, key, label in variants.values_list(
            "experiment_id", "number", "system", "label"
        )
    }


def _in_places(systems: Iterable[Ranked]) -> list[Ranked]:
    """Return the systems, the best first, with places for those that are candidates."""
    places = count(1)
    return [
        one if one.is_bound else replace(one, place=next(places)) for one in systems
    ]


def _ranked(
    system: tuple[str, str],
    record: dict[str, Any],
    earlier: dict[str, float],
) -> Ranked:
    key, label = system
    against = record["against_reference"]
    return Ranked(
        place=None,
        key=key,
        label=_(SYSTEMS[key].about.label) if key in SYSTEMS else label,
        predicted=record["predicted"],
        of=record["of"],
        deviance=_with_range(record["measures"][CHOOSE_BY]),
        against=None if against is None else _with_range(against),
        differs=_direction(record["among_all"]),
        before=earlier.get(key),
    )


def _direction(estimate: Sequence[float | None] | None) -> int:
    _value, low, high = _with_range(estimate) if estimate else (0.0, None, None)
    if low is None or high is None:
        return 0
    return (low > 0) - (high < 0)


def _with_range(estimate: Sequence[float | None]) -> Estimated:
    """Return value and range of an estimate, without what else was kept of it."""
    value, low, high, *_rest = estimate
    return value, low, high


def month_plot(shown: StandingMonth) -> SafeString:
    """Draw how much better or worse than our rules each system was, with ranges."""
    rows = [Interval(one.label, *one.against) for one in shown.systems if one.against]
    title = _("Scaled deviance of each system, less that of our rules")
    return mark_safe(  # noqa: S308 - texts are escaped
        interval_plot(rows, title=title, chart_id="plot-systems", decimals=1, mark=0.0)
    )


def months_plot(months: Sequence[StandingMonth]) -> SafeString:
    """Draw the best systems of the newest month over all months; empty for one."""
    if len(months) < 2:
        return mark_safe("")
    best = [one for one in months[0].systems if one.place][:MOST_LINES]
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
    title = _("Scaled deviance of the best systems, month by month")
    return mark_safe(  # noqa: S308 - texts are escaped
        line_plot(lines, title=title, chart_id="plot-months", decimals=1)
    )


def standing_rows() -> Iterator[tuple[Any, ...]]:
    """Yield month, system, games, games predicted and measures, the oldest first."""
    found = standing_experiments().order_by("standing_month")
    keys = _systems(found.values("pk"))
    for pk, month, games, variants in found.values_list(
        "pk", "standing_month", "results__games", "results__variants"
    ):
        for one in variants:
            values = (one["measures"][key][0] for key in MEASURES)
            key, _label = keys[pk, one["number"]]
            yield (f"{month:%Y-%m}", key, games, one["predicted"], *values)
