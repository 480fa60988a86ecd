"""Results year by year, and a search that was judged so, in tables and plots."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from operator import itemgetter
from typing import Any

from django.utils.translation import gettext as _

from ratings.research.experiments.queries.cells import (
    Sheet,
    format_range,
    plots,
    signed,
)
from ratings_site.common.ui.charts.plots import Interval, interval_plot
from ratings_site.common.ui.formatting import short_month

# The number of best ones on the page; the file has all.
MAX_COLUMNS = 3


def years_sheet(
    years: Sequence[dict[str, Any]], results: dict[str, Any], names: Mapping[int, str]
) -> Sheet:
    """Each variant's measure in each of the *years*, less the reference."""
    reference = results["reference"]
    rivals = [
        one["number"] for one in results["variants"] if one["number"] != reference
    ]
    rows = [
        [
            *(one["first_day"], one["last_day"], one["games"], names[number]),
            *one["measured"][str(number)][:3],
            *one["against"].get(str(number), [None] * 3)[:3],
        ]
        for one in years
        for number in (reference, *rivals)
    ]
    best = rivals[0] if rivals else reference
    key = "against" if rivals else "measured"
    title = _by_what(years[0])
    drawn = [
        Interval(span_label(one), *one[key][str(best)][:3])
        for one in years
        if one[key][str(best)][0] is not None
    ]
    return Sheet.of(
        "years",
        title,
        [
            *("first_day", "last_day", "games", "variant"),
            *("scaled_deviance", "scaled_deviance_low", "scaled_deviance_high"),
            *("against_reference", "against_reference_low", "against_reference_high"),
        ],
        rows,
        [
            (_("Period"), span_label),
            (_("Games"), _games),
            *((names[number], _against(number)) for number in rivals[:MAX_COLUMNS]),
            (
                _("Scaled log loss of {reference}").format(reference=names[reference]),
                lambda one: f"{one['measured'][str(reference)][0] or 0:.2f}",
            ),
        ],
        page_rows=years,
        caption=_(
            "Scaled log loss of {name} minus that of {reference}, for each "
            "period. Below 0, {name} predicts better."
        ).format(name=names[best], reference=names[reference])
        if rivals
        else _(
            "Scaled log loss of {name} for each period. 100 = coin flip; lower is "
            "better."
        ).format(name=names[best]),
        plots=plots(
            interval_plot(
                drawn,
                title=title,
                chart_id="plot-years",
                mark=0.0 if rivals else None,
            )
        ),
    )


def rolling_sheet(found: dict[str, Any], names: Mapping[int, str]) -> Sheet:
    """The best variant before each year, and its result in it."""
    folds, title = found["folds"], _("Out-of-sample results by period")
    whole = {**found, "period": _("all periods")}
    periods = [{**one, "period": span_label(one)} for one in folds] + [whole]
    drawn = [Interval(one["period"], *one["judged"][:3]) for one in periods]
    return Sheet.of(
        "rolling",
        title,
        [
            *("first_day", "last_day", "games", "chosen", "promised"),
            *("judged", "judged_low", "judged_high"),
        ],
        [
            [
                *(one["first_day"], one["last_day"], one["games"]),
                *(names[one["chosen"]], one["promised"], *one["judged"][:3]),
            ]
            for one in folds
        ],
        [
            (_("Period"), itemgetter("period")),
            (_("Games"), _games),
            (
                _("Best in earlier games"),
                lambda one: names[one["chosen"]] if "chosen" in one else "",
            ),
            (_("In earlier games"), lambda one: signed(one["promised"], 2)),
            (_("In new games"), lambda one: format_range(one["judged"], 2)),
            (
                _("Overfitting"),
                lambda one: signed(one["judged"][0] - one["promised"], 2),
            ),
        ],
        page_rows=periods,
        caption=_(
            "For each period, the values that were best in earlier games are "
            "tested on new games. Shown: their scaled log loss minus that of the "
            "default values. Below 0 is better."
        ),
        plots=plots(interval_plot(drawn, title=title, chart_id="plot-rolling", mark=0)),
        is_open=True,
    )


def _games(one: dict[str, Any]) -> str:
    return f"{one['games']:,}"


def _against(number: int) -> Callable[[dict[str, Any]], str]:
    return lambda one: format_range(one["against"][str(number)], 2)


def _by_what(period: dict[str, Any]) -> str:
    """Return the name of the spans: quarters or months if there are few years."""
    first, last = _ends(period)
    if (first.month, last.month) == (1, 12):
        return _("Year by year")
    if first.month == last.month:
        return _("Month by month")
    return _("Quarter by quarter")


def span_label(one: dict[str, Any]) -> str:
    """Return the year, quarter or month of a stored span.

    >>> span_label({"first_day": "2020-01-01", "last_day": "2020-12-31"})
    '2020'
    >>> from django.utils.translation import override
    >>> with override("en"):
    ...     span_label({"first_day": "2020-04-01", "last_day": "2020-06-30"})
    'Q2 2020'
    >>> with override("es"):
    ...     span_label({"first_day": "2020-04-01", "last_day": "2020-04-30"})
    'abr 2020'
    """
    first, last = _ends(one)
    if (first.month, last.month) == (1, 12):
        return str(first.year)
    if first.month == last.month:
        return short_month(first)
    # Translators: a quarter of a year, such as "Q2 2020".
    quarter = (first.month + 2) // 3
    return _("Q{quarter} {year}").format(quarter=quarter, year=first.year)


def _ends(period: dict[str, Any]) -> tuple[date, date]:
    first, last = (date.fromisoformat(period[key]) for key in ("first_day", "last_day"))
    return first, last
