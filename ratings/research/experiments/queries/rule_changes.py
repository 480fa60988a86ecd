"""Who would have gained and lost by a change of the rules, in tables and plots."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import itemgetter
from typing import Any

from django.utils.translation import gettext as _

from players.models import Player
from ratings.laboratory.rule_change import MAX_MOVERS
from ratings.research.experiments.queries.cells import (
    EFFECT_COLUMNS,
    MIN_PEOPLE,
    Sheet,
    band,
    change_in,
    count_in,
    plots,
    points,
    signed,
    suppress_small_groups,
)
from ratings_site.common.ui.charts.plots import Interval, interval_plot

# The file has more.
MOVERS_SHOWN = 20
# The indexes of gained and lost in an effect.
GAINED, LOST = 3, 4


def change_sheets(
    changes: dict[str, Any],
    variant: str,
    *,
    for_committee: bool,
    is_ledger_experiment: bool,
) -> Iterator[Sheet]:
    """Yield who gains and loses by a change of the rules, if any player does."""
    everybody = changes["everybody"]
    if everybody is not None and not any(everybody[GAINED : LOST + 1]):
        return
    caption = _(
        "Rating under the changed rules minus rating under the old rules, after "
        "the last game. Dots show the average. Lines cover the middle 90% of "
        "members."
    )
    together = [everybody] if everybody else []
    classes, ages = changes["classes"], changes["ages"]
    if not for_committee:
        together, classes, ages = (
            suppress_small_groups(rows, MIN_PEOPLE, 2)
            for rows in (together, classes, ages)
        )
    by_class = _("By class: {variant}").format(variant=variant)
    yield _effects("change-classes", by_class, [*together, *classes], caption)
    by_age = _("By age: {variant}").format(variant=variant)
    yield replace(_effects("change-ages", by_age, ages, caption), is_folded=True)
    if for_committee:
        gain = _("Largest gains: {variant}").format(variant=variant)
        lose = _("Largest losses: {variant}").format(variant=variant)
        for name, title in (("gainers", gain), ("losers", lose)):
            if changes[name]:
                yield _movers(name, title, changes[name], is_ledger_experiment)


def _effects(name: str, title: str, rows: list[list[Any]], caption: str) -> Sheet:
    labels = [
        _("all") if number == 0 and name == "change-classes" else band(*row[:2])
        for number, row in enumerate(rows)
    ]
    named = [(label, *row) for label, row in zip(labels, rows, strict=True)]
    plotted = [Interval(row[0], row[6], row[8], row[11]) for row in named]
    return Sheet.of(
        name,
        title,
        EFFECT_COLUMNS,
        rows,
        [
            (_("Group"), itemgetter(0)),
            (_("Players"), count_in(3)),
            (_("Gained"), count_in(4)),
            (_("Lost"), count_in(5)),
            (_("Unchanged"), lambda row: f"{row[3] - row[4] - row[5]:,}"),
            (_("Mean"), change_in(6)),
            (_("Median"), change_in(7)),
            (
                _("Middle 50%"),
                lambda row: f"{signed(row[9], 1)} … {signed(row[10], 1)}",
            ),
            (
                _("Middle 90%"),
                lambda row: f"{signed(row[8], 1)} … {signed(row[11], 1)}",
            ),
        ],
        page_rows=named,
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
    name: str, title: str, movers: list[dict[str, Any]], is_ledger_experiment: bool
) -> Sheet:
    """Return the members who move most, for the committee alone."""
    named = _names(one["id"] for one in movers) if is_ledger_experiment else {}
    rows = [
        [
            one["name"] or named.get(one["id"], one["id"]),
            one["before"],
            one["after"],
            one["after"] - one["before"],
        ]
        for one in movers
    ]
    return Sheet.of(
        name,
        title,
        ["player", "before", "after", "difference"],
        rows,
        [
            (_("Player"), itemgetter(0)),
            (_("Before"), lambda row: points(row[1])),
            (_("After"), lambda row: points(row[2])),
            (_("Difference"), change_in(3)),
        ],
        page_rows=rows[:MOVERS_SHOWN],
        caption=_(
            "Only the committee can see this table. The ratings are replayed, not "
            "official. The file has up to {number} members."
        ).format(number=MAX_MOVERS),
        is_open=True,
        is_folded=True,
    )


def _names(ids: Iterable[str]) -> dict[str, str]:
    """Return names of members; in a history of the ledger ids are their numbers."""
    players = Player.objects.filter(pk__in=[int(one) for one in ids])
    return {str(one.pk): str(one) for one in players}
