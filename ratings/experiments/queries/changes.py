"""Who would have gained and lost by a change of the rules, in tables and plots."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from players.models import Player
from ratings.experiments.queries.cells import (
    FEWEST_PEOPLE,
    Sheet,
    band,
    enough,
    plots,
    points,
    signed,
)
from ratings_site.common.looks.charts.plots import Interval, interval_plot

# Where an effect has how many gained and lost.
GAINED, LOST = 3, 4


def change_sheets(
    changes: dict[str, Any], variant: str, *, for_committee: bool, is_of_books: bool
) -> Iterator[Sheet]:
    """Yield who gains and loses by a change of the rules, if anybody does."""
    everybody = changes["everybody"]
    if everybody is not None and not any(everybody[GAINED : LOST + 1]):
        return
    caption = _(
        "Rating after the change less rating before it, at the end of the games. "
        "Points mark the mean, lines hold the middle 90 of 100 members."
    )
    together = [everybody] if everybody else []
    classes, ages = changes["classes"], changes["ages"]
    if not for_committee:
        together, classes, ages = (
            enough(rows, FEWEST_PEOPLE, 2) for rows in (together, classes, ages)
        )
    by_class = _("By class: {variant}").format(variant=variant)
    yield _effects("change-classes", by_class, [*together, *classes], caption)
    by_age = _("By age: {variant}").format(variant=variant)
    yield replace(_effects("change-ages", by_age, ages, caption), is_folded=True)
    if for_committee:
        gain = _("Who gains most: {variant}").format(variant=variant)
        lose = _("Who loses most: {variant}").format(variant=variant)
        yield _movers("gainers", gain, changes["gainers"], is_of_books)
        yield _movers("losers", lose, changes["losers"], is_of_books)


def _effects(name: str, title: str, rows: list[list[Any]], caption: str) -> Sheet:
    labels = [
        _("all") if number == 0 and name == "change-classes" else band(*row[:2])
        for number, row in enumerate(rows)
    ]
    plotted = [
        Interval(label, row[5], row[7], row[10])
        for label, row in zip(labels, rows, strict=True)
    ]
    return Sheet(
        name=name,
        title=title,
        columns=[
            *("from", "to", "players", "gained", "lost", "mean", "median"),
            *("percentile_5", "percentile_25", "percentile_75", "percentile_95"),
        ],
        rows=rows,
        headings=[
            _("Band"),
            _("Players"),
            _("Gained"),
            _("Lost"),
            _("Unchanged"),
            _("Mean"),
            _("Median"),
            _("Middle half"),
            _("Middle 90 of 100"),
        ],
        cells=[
            [
                label,
                f"{row[2]:,}",
                f"{row[3]:,}",
                f"{row[4]:,}",
                f"{row[2] - row[3] - row[4]:,}",
                signed(row[5], 1),
                signed(row[6], 1),
                f"{signed(row[8], 1)} … {signed(row[9], 1)}",
                f"{signed(row[7], 1)} … {signed(row[10], 1)}",
            ]
            for label, row in zip(labels, rows, strict=True)
        ],
        caption=caption,
        plots=plots(
            interval_plot(
                plotted,
                title=title,
                chart_id=f"plot-{name}",
                decimals=1,
                mark=0.0,
            )
        ),
    )


def _movers(
    name: str, title: str, movers: list[dict[str, Any]], is_of_books: bool
) -> Sheet:
    """Return the members who move most, for the committee alone."""
    named = _names(one["id"] for one in movers) if is_of_books else {}
    rows = [
        [
            one["name"] or named.get(one["id"], one["id"]),
            one["before"],
            one["after"],
            one["after"] - one["before"],
        ]
        for one in movers
    ]
    return Sheet(
        name=name,
        title=title,
        columns=["player", "before", "after", "difference"],
        rows=rows,
        headings=[_("Player"), _("Before"), _("After"), _("Difference")],
        cells=[
            [who, points(before), points(after), signed(difference, 1)]
            for who, before, after, difference in rows
        ],
        caption=_("Only the committee sees this table."),
        is_open=True,
        is_folded=True,
    )


def _names(ids: Iterable[str]) -> dict[str, str]:
    """Return names of members; in a history of the books ids are their numbers."""
    players = Player.objects.filter(pk__in=[int(one) for one in ids])
    return {str(one.pk): str(one) for one in players}
