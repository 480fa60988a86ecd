"""The pool of players over time, in tables and plots."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

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


def levels_sheet(
    labels: Mapping[int, str],
    drifts: Mapping[int, list[dict[str, Any]]],
    *,
    for_committee: bool,
) -> Sheet:
    """The level of the pool under each variant."""
    pools = {number: _pools(drifts[number], for_committee) for number in labels}
    rows = [
        (when, label, *pool)
        for number, label in labels.items()
        for when, *pool in pools[number]
    ]
    lines = [
        PlottedLine(
            label,
            [
                (date.fromisoformat(when), mean)
                for when, _players, mean, *_rest in pools[number]
                if mean is not None
            ],
        )
        for number, label in labels.items()
    ]
    title = _("Average rating over time")
    with_floors = all(map(_counts_floors, pools.values()))
    return Sheet(
        name="levels",
        title=title,
        columns=["day", "variant", *_pool_columns(with_floors)],
        rows=[
            [when, label, *_pool_row(pool, with_floors)] for when, label, *pool in rows
        ],
        headings=[_("Date"), _("Variant"), *_pool_headings(with_floors)],
        cells=[
            [
                format_day(date.fromisoformat(when)),
                label,
                *_pool_cells(pool, with_floors),
            ]
            for when, label, *pool in rows
        ],
        caption=_(
            "Average ratings of active players. The table has 95% confidence "
            "intervals: how far each average could shift with other members. All "
            "variants have the same members, so differences between them are "
            "more certain than the intervals suggest."
        ),
        plots=plots(line_plot(lines[:MAX_LINES], title=title, chart_id="plot-levels")),
    )


def _pools(
    snapshots: list[dict[str, Any]], for_committee: bool
) -> list[tuple[Any, ...]]:
    """Return day, players, mean, spread, how many at floors, and bonus points.

    How many are at their floors is None in a replay of the ledger, which counts neither
    them nor groups of players.
    """
    pools = []
    for one in snapshots:
        _low, _high, *figures, at_floor = one["everybody"]
        is_counted = one["classes"] or one["ages"] or not figures[0]
        counted = at_floor if is_counted else None
        pools.append((one["day"], *figures, counted, one["bonus_points"]))
    return pools if for_committee else [one for one in pools if one[1] >= MIN_PEOPLE]


def _counts_floors(pools: Iterable[tuple[Any, ...]]) -> bool:
    return all(at_floor is not None for *_pool, at_floor, _bonus in pools)


def _pool_columns(with_floors: bool) -> list[str]:
    floors = ["at_floor"] if with_floors else []
    return [
        *("players", "mean", "mean_low", "mean_high", "spread"),
        *floors,
        "bonus_points",
    ]


def _pool_row(pool: Sequence[Any], with_floors: bool) -> list[Any]:
    players, mean, spread, at_floor, bonus = pool
    floors = [at_floor] if with_floors else []
    return [players, *_level(players, mean, spread), spread, *floors, bonus]


def _pool_headings(with_floors: bool) -> list[str]:
    floors = [_("At floor")] if with_floors else []
    return [
        *(_("Active players"), _("Mean"), _("Spread")),
        *floors,
        _("Total bonus points"),
    ]


def _pool_cells(pool: Sequence[Any], with_floors: bool) -> list[str]:
    players, mean, spread, at_floor, bonus = pool
    floors = [f"{at_floor:,}"] if with_floors else []
    return [
        *(f"{players:,}", _level_in_words(players, mean, spread), points(spread)),
        *floors,
        f"{bonus:,.0f}",
    ]


def _level(
    players: int, mean: float | None, spread: float | None
) -> tuple[float | None, ...]:
    """Return a mean and the two ends of its range."""
    level = level_range(players, mean, spread)
    return (None, None, None) if level is None else (mean, level.low, level.high)


def _level_in_words(players: int, mean: float | None, spread: float | None) -> str:
    _mean, low, high = _level(players, mean, spread)
    return (
        points(mean)
        if low is None
        else f"{points(mean)} ({points(low)}–{points(high)})"
    )


def drift_sheets(
    number: int, snapshots: list[dict[str, Any]], *, for_committee: bool
) -> Iterator[Sheet]:
    """Yield the pool over time under one variant: all players, classes, ages."""
    everybody = _pools(snapshots, for_committee)
    name, title = f"drift-pool-{number}", _("Rating pool over time")
    with_floors = _counts_floors(everybody)
    yield Sheet(
        name=name,
        title=title,
        columns=["day", *_pool_columns(with_floors)],
        rows=[[when, *_pool_row(pool, with_floors)] for when, *pool in everybody],
        headings=[_("Date"), *_pool_headings(with_floors)],
        cells=[
            [format_day(date.fromisoformat(when)), *_pool_cells(pool, with_floors)]
            for when, *pool in everybody
        ],
        caption=_(
            "Average rating with its 95% confidence interval, and spread "
            "(standard deviation), of all who played in the year before."
        ),
        plots=plots(
            _line(f"{name}-mean", _("Mean"), everybody, 2),
            _line(f"{name}-spread", _("Spread"), everybody, 3),
            _line(f"{name}-bonus", _("Total bonus points"), everybody, 5)
            if any(row[5] for row in everybody)
            else "",
        ),
    )
    # A replay of the ledger counts neither.
    for key, title in (
        ("classes", _("By class over time")),
        ("ages", _("By age over time")),
    ):
        if any(one[key] for one in snapshots):
            yield _groups(number, key, title, snapshots, for_committee)


def _line(
    chart_id: str, name: str, rows: Sequence[tuple[Any, ...]], column: int
) -> str:
    points = [
        (date.fromisoformat(row[0]), row[column])
        for row in rows
        if row[column] is not None
    ]
    return line_plot(
        [PlottedLine(name, points)], title=name, chart_id=f"plot-{chart_id}"
    )


def _groups(
    number: int,
    key: str,
    title: str,
    snapshots: list[dict[str, Any]],
    for_committee: bool,
) -> Sheet:
    rows = [
        [one["day"], *group]
        for one in snapshots
        for group in (
            one[key]
            if for_committee
            else suppress_small_groups(one[key], MIN_PEOPLE, 2)
        )
    ]
    name = f"drift-{key}-{number}"
    return Sheet(
        name=name,
        title=title,
        columns=[
            *("day", "from", "to", "players", "mean", "mean_low", "mean_high"),
            *("spread", "at_floor"),
        ],
        rows=[
            [*before, players, *_level(players, mean, spread), spread, at_floor]
            for *before, players, mean, spread, at_floor in rows
        ],
        headings=[
            _("Date"),
            _("Rating") if key == "classes" else _("Age"),
            _("Active players"),
            _("Mean"),
            _("Spread"),
            _("At floor"),
        ],
        cells=[
            [
                format_day(date.fromisoformat(when)),
                band(low, high),
                f"{players:,}",
                _level_in_words(players, mean, spread),
                points(spread),
                f"{at_floor:,}",
            ]
            for when, low, high, players, mean, spread, at_floor in rows
        ],
        caption=_("Average ratings of active players, with 95% confidence intervals."),
        plots=plots(line_plot(_lines(rows), title=title, chart_id=f"plot-{name}")),
    )


def _lines(rows: Sequence[Sequence[Any]]) -> list[PlottedLine]:
    """Return a line of means for each band, the highest first."""
    means: dict[tuple[Any, Any], list[tuple[date, float]]] = {}
    for when, low, high, _players, mean, *_rest in rows:
        if mean is not None:
            days = means.setdefault((low, high), [])
            days.append((date.fromisoformat(when), mean))
    highest_first = sorted(means, key=lambda two: (two[0] is None, -(two[0] or 0)))
    return [PlottedLine(band(*two), means[two]) for two in highest_first]
