"""The pool of players over time, in tables and plots."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from operator import attrgetter
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from ratings.laboratory.drift import level_range
from ratings.research.experiments.queries.cells import (
    MIN_PEOPLE,
    Sheet,
    band,
    plots,
    points,
    suppress_small_groups,
)
from ratings_site.common.ui.charts.plots import PlottedLine, line_plot
from ratings_site.common.ui.formatting import format_day

MAX_LINES = 12


class _Pool(NamedTuple):
    """The active players of a day: all under a variant, or a group of them.

    *named* is what the file calls it, *label* what the page does. *at_floor* is None
    in a replay of the ledger, which counts neither them nor groups of players.
    """

    day: str
    players: int
    mean: float | None
    spread: float | None
    at_floor: int | None
    bonus_points: float = 0.0
    named: tuple[Any, ...] = ()
    label: str = ""

    @property
    def level(self) -> tuple[float | None, ...]:
        """The mean and the two ends of its range."""
        level = level_range(self.players, self.mean, self.spread)
        return (
            (None, None, None) if level is None else (self.mean, level.low, level.high)
        )

    @property
    def level_in_words(self) -> str:
        _mean, low, high = self.level
        mean = points(self.mean)
        return mean if low is None else f"{mean} ({points(low)}–{points(high)})"


def levels_sheet(
    labels: Mapping[int, str],
    drifts: Mapping[int, list[dict[str, Any]]],
    *,
    for_committee: bool,
) -> Sheet:
    """The level of the pool under each variant."""
    pools = {
        number: [
            one._replace(named=(label,), label=label)
            for one in _pools(drifts[number], for_committee)
        ]
        for number, label in labels.items()
    }
    lines = [PlottedLine(labels[number], _means(pools[number])) for number in labels]
    title = _("Average rating over time")
    return _sheet(
        "levels",
        title,
        [pool for number in labels for pool in pools[number]],
        names=("variant",),
        heading=_("Variant"),
        caption=_(
            "Average ratings of active players. The table has 95% confidence "
            "intervals: how far each average could shift with other members. All "
            "variants have the same members, so differences between them are "
            "more certain than the intervals suggest."
        ),
        plots=plots(line_plot(lines[:MAX_LINES], title=title, chart_id="plot-levels")),
    )


def _pools(snapshots: list[dict[str, Any]], for_committee: bool) -> list[_Pool]:
    pools = []
    for one in snapshots:
        _low, _high, players, mean, spread, at_floor = one["everybody"]
        is_counted = one["classes"] or one["ages"] or not players
        counted = at_floor if is_counted else None
        bonus = one["bonus_points"]
        pools.append(_Pool(one["day"], players, mean, spread, counted, bonus))
    return [one for one in pools if for_committee or one.players >= MIN_PEOPLE]


def _sheet(
    name: str,
    title: str,
    pools: Sequence[_Pool],
    *,
    names: Sequence[str] = (),
    heading: str = "",
    with_bonus: bool = True,
    **more: Any,
) -> Sheet:
    """Return the sheet of *pools*, whose names have these columns and this heading."""
    optional = {
        "at_floor": (_("At floor"), lambda one: f"{one.at_floor:,}"),
        "bonus_points": (
            _("Total bonus points"),
            lambda one: f"{one.bonus_points:,.0f}",
        ),
    }
    if any(one.at_floor is None for one in pools):
        del optional["at_floor"]
    if not with_bonus:
        del optional["bonus_points"]
    return Sheet.of(
        name,
        title,
        [
            *("day", *names, "players", "mean", "mean_low", "mean_high", "spread"),
            *optional,
        ],
        [
            [
                *(one.day, *one.named, one.players, *one.level, one.spread),
                *(getattr(one, key) for key in optional),
            ]
            for one in pools
        ],
        [
            (_("Date"), lambda one: format_day(date.fromisoformat(one.day))),
            *([(heading, attrgetter("label"))] if heading else ()),
            (_("Active players"), lambda one: f"{one.players:,}"),
            (_("Mean"), attrgetter("level_in_words")),
            (_("Spread"), lambda one: points(one.spread)),
            *optional.values(),
        ],
        page_rows=pools,
        **more,
    )


def drift_sheets(
    number: int, snapshots: list[dict[str, Any]], *, for_committee: bool
) -> Iterator[Sheet]:
    """Yield the pool over time under one variant: all players, classes, ages."""
    everybody = _pools(snapshots, for_committee)
    name = f"drift-pool-{number}"
    drawn = [("mean", _("Mean")), ("spread", _("Spread"))]
    if any(one.bonus_points for one in everybody):
        drawn.append(("bonus_points", _("Total bonus points")))
    yield _sheet(
        name,
        _("Rating pool over time"),
        everybody,
        caption=_(
            "Average rating with its 95% confidence interval, and spread "
            "(standard deviation), of all who played in the year before."
        ),
        plots=plots(
            *(
                line_plot(
                    [PlottedLine(title, _points(everybody, key))],
                    title=title,
                    chart_id=f"plot-{name}-{key.removesuffix('_points')}",
                )
                for key, title in drawn
            )
        ),
    )
    # A replay of the ledger counts neither.
    for key, title, heading in (
        ("classes", _("By class over time"), _("Rating")),
        ("ages", _("By age over time"), _("Age")),
    ):
        if any(one[key] for one in snapshots):
            name = f"drift-{key}-{number}"
            groups = _groups(snapshots, key, for_committee)
            yield _sheet(
                name,
                title,
                groups,
                names=("from", "to"),
                heading=heading,
                with_bonus=False,
                caption=_(
                    "Average ratings of active players, with 95% confidence intervals."
                ),
                plots=plots(
                    line_plot(_lines(groups), title=title, chart_id=f"plot-{name}")
                ),
            )


def _groups(
    snapshots: list[dict[str, Any]], key: str, for_committee: bool
) -> list[_Pool]:
    return [
        _Pool(one["day"], *figures)._replace(named=(low, high), label=band(low, high))
        for one in snapshots
        for low, high, *figures in (
            one[key]
            if for_committee
            else suppress_small_groups(one[key], MIN_PEOPLE, 2)
        )
    ]


def _points(pools: Sequence[_Pool], key: str) -> list[tuple[date, float]]:
    return [
        (date.fromisoformat(one.day), value)
        for one in pools
        if (value := getattr(one, key)) is not None
    ]


def _means(pools: Sequence[_Pool]) -> list[tuple[date, float]]:
    return _points(pools, "mean")


def _lines(groups: Sequence[_Pool]) -> list[PlottedLine]:
    """Return a line of means for each band, the highest first."""
    bands: dict[tuple[Any, ...], list[_Pool]] = {}
    for one in groups:
        if one.mean is not None:
            bands.setdefault(one.named, []).append(one)
    highest_first = sorted(bands, key=lambda two: (two[0] is None, -(two[0] or 0)))
    return [PlottedLine(band(*two), _means(bands[two])) for two in highest_first]
