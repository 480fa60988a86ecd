"""The results of an experiment, table by table: on its page and as files."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from ratings.experiments.queries.by_year import rolling_sheet, years_sheet
from ratings.experiments.queries.cells import (
    FEWEST_GAMES,
    FEWEST_PEOPLE,
    Sheet,
    band,
    enough,
    plots,
    ranged,
    signed,
)
from ratings.experiments.queries.changes import change_sheets
from ratings.experiments.queries.drift import drift_sheets, levels_sheet
from ratings.experiments.queries.our_rules import rule_sheets
from ratings.laboratory.measures import MEASURES
from ratings.models import Experiment, ExperimentVariant
from ratings_site.common.looks.charts.plots import (
    Interval,
    interval_plot,
)

CHOOSE_BY = "scaled_deviance"
# The variant whose gainers and losers are told: of two, the one that is not as it was.
CHANGED = 2
# Where a row of a calibration holds its games, and one by age its people.
GAMES, PEOPLE = 2, 7
BESIDE = ("player_month_rmse", "against_reference", "among_all", "improvement")
MOST_ROWS_OPEN = 6
# What a page has room for; the file has all.
ON_SCREEN = (
    "deviance",
    "deviance_base_10",
    "brier",
    "mean_absolute_error",
    "accuracy",
)


class Sheets:
    """Makes the tables and plots; *labels* are the variants' full names by number.

    *names* say what they differ in, which is all that plots have room for.
    """

    def __init__(
        self,
        experiment: Experiment,
        variants: Sequence[ExperimentVariant],
        labels: dict[int, str],
        names: dict[int, str],
        *,
        for_committee: bool,
    ) -> None:
        self._results = experiment.results
        self._labels = labels
        self._names = names
        self._for_committee = for_committee
        self._drifts = {
            one.number: one.result["drift"] for one in variants if one.result
        }
        self._is_of_books = experiment.file_id is None

    def of_all(self) -> Iterator[Sheet]:
        is_search = "chosen_on" in self._results
        if "rolling" in self._results:
            yield rolling_sheet(self._results["rolling"], self._names)
        yield self._measures(
            "measures",
            _("How good the choice is") if is_search else _("How well they predicted"),
            self._results,
            _(
                "Scaled deviance less that of {reference}: below 0 predicts better. A "
                "line that does not reach 0 is more than chance, also among all of "
                "these."
            ),
        )
        if "changes" in self._results:
            yield from change_sheets(
                self._results["changes"],
                self._names[CHANGED],
                for_committee=self._for_committee,
                is_of_books=self._is_of_books,
            )
        if "our_rules" in self._results:
            yield from rule_sheets(
                self._results["our_rules"],
                self._names,
                for_committee=self._for_committee,
            )
        years = self._years()
        if len(years) > 1:
            yield years_sheet(years, self._results, self._names)
        if is_search:
            chosen_on = self._measures(
                "chosen-on",
                _("Where the parameters were chosen"),
                self._results["chosen_on"],
                _(
                    "Scaled deviance less that of {reference}, on the games that "
                    "chose: the best of many looks better here than it is."
                ),
            )
            yield replace(chosen_on, is_folded=True)
        else:
            levels = levels_sheet(
                self._names, self._drifts, for_committee=self._for_committee
            )
            yield replace(levels, is_folded=True)
        yield self._other_measures()

    def _years(self) -> list[dict[str, Any]]:
        years = self._results.get("years", [])
        if self._for_committee:
            return years
        return [one for one in years if one["games"] >= FEWEST_GAMES]

    def _measures(
        self, name: str, title: str, record: dict[str, Any], caption: str
    ) -> Sheet:
        keys = list(MEASURES)
        columns = ["variant", "games_predicted", "games"]
        for key in [*keys, *BESIDE]:
            columns += [key, f"{key}_low", f"{key}_high"]
        reference = record["reference"]
        cells = [
            [
                self._names[one["number"]],
                _against(one, reference),
                _gained(one["improvement"]),
                _estimated(one["measures"][CHOOSE_BY], CHOOSE_BY),
                f"{one['predicted']:,}",
            ]
            for one in record["variants"]
        ]
        return Sheet(
            name,
            title,
            columns,
            [self._measured(one, keys) for one in record["variants"]],
            [
                _("Variant"),
                _("Against the reference"),
                _("Improvement"),
                _(MEASURES[CHOOSE_BY].label),
                _("Predicted"),
            ],
            cells,
            caption.format(reference=self._names[reference]),
            plots(self._differences(name, title, record)),
            is_open=len(cells) <= MOST_ROWS_OPEN,
        )

    def _differences(self, name: str, title: str, record: dict[str, Any]) -> str:
        plotted = [
            Interval(self._names[one["number"]], *_among_all(one)[:3])
            for one in record["variants"]
            if one["number"] != record["reference"]
        ]
        return interval_plot(plotted, title=title, chart_id=f"plot-{name}", mark=0.0)

    def _measured(self, one: dict[str, Any], keys: Sequence[str]) -> list[Any]:
        row: list[Any] = [self._labels[one["number"]], one["predicted"], one["of"]]
        for key in keys:
            row += one["measures"][key][:3]
        for key in BESIDE:
            row += (one.get(key) or [None, None, None])[:3]
        return row

    def _other_measures(self) -> Sheet:
        """The measures by which nothing is chosen, as other people publish them."""
        variants = self._results["variants"]
        keys = [*ON_SCREEN, "player_month_rmse"]
        found = [{**one["measures"], **one} for one in variants]
        return Sheet(
            name="other-measures",
            title=_("Other measures"),
            columns=["variant", *keys],
            rows=[
                [self._labels[one["number"]], *(one[key][0] for key in keys)]
                for one in found
            ],
            headings=[
                _("Variant"),
                *(_(MEASURES[key].label) for key in ON_SCREEN),
                _("Player and month"),
            ],
            cells=[
                [
                    self._names[one["number"]],
                    *(_estimated(one[key], key) for key in keys),
                ]
                for one in found
            ],
            caption=_("As other people publish them; nothing is chosen by these."),
            is_open=True,
            is_folded=True,
        )

    def of_one(self, variant: ExperimentVariant) -> Iterator[Sheet]:
        number = variant.number
        bands = self._results["calibration"].get(str(number))
        if bands is None:  # of a search, only what was chosen is looked at closely
            return
        yield self._calibration(
            number,
            "expectancy",
            _("Calibration: expected and actual score"),
            self._public("expectancy", bands["expectancy"]),
            _("Expected score of the favorite")
            if self._results.get("version", 1) >= 2
            else _("White’s expected score"),
            _(
                "Actual less expected score of a game. A line that does not reach 0 "
                "is more than chance explains, in all bands together."
            ),
        )
        titles = {
            "gap": (_("By difference of the ratings"), _("Higher rated by")),
            "rating": (_("By rating"), _("Rating")),
            "age": (_("By age"), _("Age")),
            "games": (_("By games played before"), _("Games before")),
        }
        for key, (title, heading) in titles.items():
            rows = self._public(key, bands[key])
            caption = _(
                "Actual less expected score of a game. Right of the line players "
                "score more than the system expects."
            )
            yield self._calibration(number, key, title, rows, heading, caption)

        yield from drift_sheets(
            number, variant.result["drift"], for_committee=self._for_committee
        )

    def _public(self, key: str, rows: list[list[Any]]) -> list[list[Any]]:
        if self._for_committee:
            return rows
        if key == "age":  # one child may play thirty games
            rows = enough(rows, FEWEST_PEOPLE, PEOPLE)
        return enough(rows, FEWEST_GAMES, GAMES)

    def _calibration(
        self,
        number: int,
        key: str,
        title: str,
        rows: list[list[Any]],
        heading: str,
        caption: str,
    ) -> Sheet:
        name = f"calibration-{key}-{number}"
        svg = _drawn_bands(rows, title, f"plot-{name}")
        columns = ["from", "to", "games", "expected", "actual", "low", "high"]
        headings = [
            heading,
            _("Games"),
            _("Expected"),
            _("Actual"),
            _("Difference"),
            _("More than chance"),
        ]
        cells = [
            [
                band(row[0], row[1]),
                f"{row[2]:,}",
                f"{row[3]:.3f}",
                f"{row[4]:.3f}",
                signed(row[4] - row[3], 3),
                _more_than_chance(row),
            ]
            for row in rows
        ]
        plain = [row[: len(columns)] for row in rows]
        return Sheet(name, title, columns, plain, headings, cells, caption, plots(svg))


def _among_all(one: dict[str, Any]) -> Sequence[float | None]:
    """Return the difference with the range that holds for all variants at once."""
    return one.get("among_all") or one["against_reference"]


def _against(one: dict[str, Any], reference: int) -> str:
    if one["number"] == reference:
        return _("reference")
    return ranged(_among_all(one), 2)


def _gained(gain: Sequence[float | None] | None) -> str:
    """Write what share of the reference's distance from a coin is gained."""
    if gain is None or gain[0] is None:
        return ""
    return f"{signed(100 * gain[0], 2)}%"


_DECIMALS = {
    "scaled_deviance": 2,
    "scaled_root_brier": 2,
    "scaled_mean_absolute_error": 2,
}


def _estimated(estimate: Sequence[float | None], key: str) -> str:
    value, low, high = estimate[:3]
    if value is None:
        return "–"
    if key == "accuracy":
        return f"{100 * value:.1f}%"
    decimals = _DECIMALS.get(key, 4)
    if key == CHOOSE_BY and low is not None:
        return f"{value:.{decimals}f} ({low:.{decimals}f}–{high:.{decimals}f})"
    return f"{value:.{decimals}f}"


def _more_than_chance(row: Sequence[Any]) -> str:
    _low, _high, _games, expected, _actual, least, most = row[:7]
    if least is None:
        return _("too few games")
    return "" if least <= expected <= most else _("yes")


def _drawn_bands(rows: Sequence[Sequence[Any]], title: str, chart_id: str) -> str:
    """Draw how far actual scores are from expected ones."""
    differences = [
        Interval(
            band(row[0], row[1]),
            row[4] - row[3],
            None if row[5] is None else row[5] - row[3],
            None if row[6] is None else row[6] - row[3],
        )
        for row in rows
    ]
    return interval_plot(
        differences, title=title, chart_id=chart_id, decimals=3, mark=0.0
    )
