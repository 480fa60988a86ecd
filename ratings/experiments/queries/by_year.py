"""Results year by year, and a search that was judged so, in tables and plots."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from ratings.experiments.queries.cells import Sheet, plots, ranged, signed
from ratings_site.common.looks.charts.plots import Interval, interval_plot

# The best ones, as many as a page has room for; the file has all.
MOST_COLUMNS = 3


def years_sheet(
    years: Sequence[dict[str, Any]], results: dict[str, Any], names: Mapping[int, str]
) -> Sheet:
    """What each variant was worth in each of the *years*, less the reference."""
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
        Interval(said_span(one), *one[key][str(best)][:3])
        for one in years
        if one[key][str(best)][0] is not None
    ]
    return Sheet(
        name="years",
        title=title,
        columns=[
            *("first_day", "last_day", "games", "variant"),
            *("scaled_deviance", "scaled_deviance_low", "scaled_deviance_high"),
            *("against_reference", "against_reference_low", "against_reference_high"),
        ],
        rows=rows,
        headings=[
            _("Period"),
            _("Games"),
            *(names[number] for number in rivals[:MOST_COLUMNS]),
            _("Scaled deviance of {reference}").format(reference=names[reference]),
        ],
        cells=[
            [
                said_span(one),
                f"{one['games']:,}",
                *(
                    ranged(one["against"][str(number)], 2)
                    for number in rivals[:MOST_COLUMNS]
                ),
                f"{one['measured'][str(reference)][0] or 0:.2f}",
            ]
            for one in years
        ],
        caption=_(
            "Scaled deviance of {name} less that of {reference}, each period by "
            "itself; below 0 it predicts better."
        ).format(name=names[best], reference=names[reference])
        if rivals
        else _("Scaled deviance of {name}, each period by itself.").format(
            name=names[best]
        ),
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
    """What was best before each year, and how it then did."""
    folds, title = found["folds"], _("Judged in years that chose nothing")
    whole = [
        _("all together"),
        f"{found['games']:,}",
        "",
        signed(found["promised"], 2),
        ranged(found["judged"], 2),
        signed(found["judged"][0] - found["promised"], 2),
    ]
    drawn = [Interval(said_span(one), *one["judged"][:3]) for one in folds]
    drawn.append(Interval(_("all together"), *found["judged"][:3]))
    return Sheet(
        name="rolling",
        title=title,
        columns=[
            *("first_day", "last_day", "games", "chosen", "promised"),
            *("judged", "judged_low", "judged_high"),
        ],
        rows=[
            [
                *(one["first_day"], one["last_day"], one["games"]),
                *(names[one["chosen"]], one["promised"], *one["judged"][:3]),
            ]
            for one in folds
        ],
        headings=[
            _("Period"),
            _("Games"),
            _("Best before it"),
            _("Where it was chosen"),
            _("In new games"),
            _("Optimism"),
        ],
        cells=[
            *(
                [
                    said_span(one),
                    f"{one['games']:,}",
                    names[one["chosen"]],
                    signed(one["promised"], 2),
                    ranged(one["judged"], 2),
                    signed(one["judged"][0] - one["promised"], 2),
                ]
                for one in folds
            ),
            whole,
        ],
        caption=_(
            "Scaled deviance less that of the usual values, in each period for what "
            "was best before it; below 0 it predicts better."
        ),
        plots=plots(interval_plot(drawn, title=title, chart_id="plot-rolling", mark=0)),
        is_open=True,
    )


def _by_what(period: dict[str, Any]) -> str:
    """Name what follows: quarters or months, where there are few years."""
    first, last = _ends(period)
    if (first.month, last.month) == (1, 12):
        return _("Year by year")
    if first.month == last.month:
        return _("Month by month")
    return _("Quarter by quarter")


def said_span(one: dict[str, Any]) -> str:
    """Return the year, or the months, of a stored span.

    >>> said_span({"first_day": "2020-01-01", "last_day": "2020-12-31"})
    '2020'
    >>> said_span({"first_day": "2020-04-01", "last_day": "2020-06-30"})
    '2020-04 … 06'
    """
    first, last = _ends(one)
    if (first.month, last.month) == (1, 12):
        return str(first.year)
    if first.month == last.month:
        return f"{first:%Y-%m}"
    return f"{first:%Y-%m} … {last:%m}"


def _ends(period: dict[str, Any]) -> tuple[date, date]:
    first, last = (date.fromisoformat(period[key]) for key in ("first_day", "last_day"))
    return first, last
