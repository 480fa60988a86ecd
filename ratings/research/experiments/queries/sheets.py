"""The results of an experiment, table by table: on its page and as files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from ratings.laboratory.measures import MEASURES
from ratings.models import Experiment, ExperimentVariant
from ratings.research.experiments.queries.cells import (
    MIN_GAMES,
    MIN_PEOPLE,
    Sheet,
    band,
    count_in,
    format_range,
    plots,
    signed,
    suppress_small_groups,
    value_with_range,
)
from ratings.research.experiments.queries.drift import drift_sheets, levels_sheet
from ratings.research.experiments.queries.our_rules import rule_sheets
from ratings.research.experiments.queries.rule_changes import change_sheets
from ratings.research.experiments.queries.yearly_results import (
    rolling_sheet,
    years_sheet,
)
from ratings.research.experiments.variant_names import change_label
from ratings_site.common.ui.charts.plots import (
    Interval,
    interval_plot,
)

PRIMARY_MEASURE = "scaled_deviance"
# The variants whose difference is shown, in results that do not say which.
PAIR = (1, 2)
# The indexes of the games in a calibration row, and of the people in one by age.
GAMES, PEOPLE = 2, 7
BESIDE = ("player_month_rmse", "against_reference", "among_all", "improvement")
MAX_ROWS_EXPANDED = 6
# The rows that fit on a page; the file has all.
ON_SCREEN = (
    "deviance",
    "deviance_base_10",
    "brier",
    "mean_absolute_error",
    "accuracy",
)


class Sheets:
    """Makes the tables and plots; *names* are the variants' by number."""

    def __init__(
        self,
        experiment: Experiment,
        variants: Sequence[ExperimentVariant],
        names: dict[int, str],
        *,
        for_committee: bool,
    ) -> None:
        self._results = experiment.results
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
            _("How well the chosen values predict")
            if is_search
            else _("How well they predicted"),
            self._results,
            _(
                "Scaled log loss minus that of {reference}. Below 0 is better. "
                "Lines are 95% confidence intervals that hold for all variants "
                "together: if a line doesn’t reach 0, the difference is more "
                "than chance."
            ),
        )
        if "changes" in self._results:
            yield from change_sheets(
                self._results["changes"],
                _changed(self._results["changes"], self._names),
                for_committee=self._for_committee,
                is_ledger_experiment=self._is_of_books,
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
                _("Results in the games used to choose"),
                self._results["chosen_on"],
                _(
                    "Scaled log loss minus that of {reference}, in the games "
                    "used to choose. The best of many values looks better here "
                    "than in new games (overfitting)."
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
        years: list[dict[str, Any]] = self._results.get("years", [])
        if self._for_committee:
            return years
        return [one for one in years if one["games"] >= MIN_GAMES]

    def _measures(
        self, name: str, title: str, record: dict[str, Any], caption: str
    ) -> Sheet:
        keys = list(MEASURES)
        columns = ["variant", "games_predicted", "games"]
        for key in [*keys, *BESIDE]:
            columns += [key, f"{key}_low", f"{key}_high"]
        reference = record["reference"]
        variants = record["variants"]
        return Sheet.of(
            name,
            title,
            columns,
            [self._measured(one, keys) for one in variants],
            [
                (_("Variant"), self._name),
                (
                    _("Compared with the reference"),
                    lambda one: _against(one, reference),
                ),
                (_("Improvement"), lambda one: _gained(one["improvement"])),
                (
                    _(MEASURES[PRIMARY_MEASURE].label),
                    lambda one: _estimated(
                        one["measures"][PRIMARY_MEASURE], PRIMARY_MEASURE
                    ),
                ),
                (_("Predicted"), lambda one: f"{one['predicted']:,}"),
            ],
            page_rows=variants,
            caption=caption.format(reference=self._names[reference]),
            plots=plots(self._differences(name, title, record)),
            is_open=len(variants) <= MAX_ROWS_EXPANDED,
        )

    def _name(self, one: dict[str, Any]) -> str:
        return self._names[one["number"]]

    def _differences(self, name: str, title: str, record: dict[str, Any]) -> str:
        plotted = [
            Interval(self._names[one["number"]], *_among_all(one)[:3])
            for one in record["variants"]
            if one["number"] != record["reference"]
        ]
        return interval_plot(plotted, title=title, chart_id=f"plot-{name}", mark=0.0)

    def _measured(self, one: dict[str, Any], keys: Sequence[str]) -> list[Any]:
        row: list[Any] = [self._names[one["number"]], one["predicted"], one["of"]]
        for key in keys:
            row += one["measures"][key][:3]
        for key in BESIDE:
            row += (one.get(key) or [None, None, None])[:3]
        return row

    def _other_measures(self) -> Sheet:
        """The measures that choose nothing, as others publish them."""
        labels = {key: _(MEASURES[key].label) for key in ON_SCREEN}
        labels["player_month_rmse"] = _("Error per player and month")
        found = [{**one["measures"], **one} for one in self._results["variants"]]
        return Sheet.of(
            "other-measures",
            _("Other measures"),
            ["variant", *labels],
            [[self._name(one), *(one[key][0] for key in labels)] for one in found],
            [
                (_("Variant"), self._name),
                *((label, _measure(key)) for key, label in labels.items()),
            ],
            page_rows=found,
            caption=_(
                "For comparison with published studies. The results above don’t use "
                "these measures."
            ),
            is_open=True,
            is_folded=True,
        )

    def sheets_of_variant(self, variant: ExperimentVariant) -> Iterator[Sheet]:
        number = variant.number
        bands = self._results["calibration"].get(str(number))
        if bands is None:  # a search shows only the chosen variant in detail
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
                "Actual score minus expected score per game. In a "
                "well-calibrated system the two agree. If a line doesn’t reach "
                "0, the gap is more than chance."
            ),
        )
        titles = {
            "gap": (_("By rating difference"), _("Higher rated by")),
            "rating": (_("By rating"), _("Rating")),
            "age": (_("By age"), _("Age")),
            "games": (_("By games played before"), _("Games before")),
        }
        for key, (title, heading) in titles.items():
            rows = self._public(key, bands[key])
            caption = _(
                "Actual score minus expected score per game. To the right of the "
                "line, players score more than the system expects."
            )
            yield self._calibration(number, key, title, rows, heading, caption)

        yield from drift_sheets(
            number, variant.result["drift"], for_committee=self._for_committee
        )

    def _public(self, key: str, rows: list[list[Any]]) -> list[list[Any]]:
        if self._for_committee:
            return rows
        if key == "age":  # one child may play thirty games
            rows = suppress_small_groups(rows, MIN_PEOPLE, PEOPLE)
        return suppress_small_groups(rows, MIN_GAMES, GAMES)

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
        columns = ["from", "to", "games", "expected", "actual", "low", "high"]
        return Sheet.of(
            name,
            title,
            columns,
            [row[: len(columns)] for row in rows],
            [
                (heading, lambda row: band(row[0], row[1])),
                (_("Games"), count_in(2)),
                (_("Expected"), lambda row: f"{row[3]:.3f}"),
                (_("Actual"), lambda row: f"{row[4]:.3f}"),
                (_("Difference"), lambda row: signed(row[4] - row[3], 3)),
                (_("More than chance"), _more_than_chance),
            ],
            caption=caption,
            plots=plots(_drawn_bands(rows, title, f"plot-{name}")),
        )


def _changed(changes: dict[str, Any], names: Mapping[int, str]) -> str:
    """Return the name of the change: that of the changed rules, or of two sets."""
    before, after = changes.get("pair", PAIR)
    if before == PAIR[0]:
        return names[after]
    return change_label(names[before], names[after])


def _among_all(one: dict[str, Any]) -> list[Any]:
    """Return the difference with the range that holds for all variants at once."""
    estimate: list[Any] = one.get("among_all") or one["against_reference"]
    return estimate


def _against(one: dict[str, Any], reference: int) -> str:
    if one["number"] == reference:
        return _("reference")
    return format_range(_among_all(one), 2)


def _gained(gain: Sequence[float | None] | None) -> str:
    """Format the share of the reference's distance from a coin that is gained."""
    if gain is None or gain[0] is None:
        return ""
    return f"{signed(100 * gain[0], 2)}%"


_SCALED = ("scaled_deviance", "scaled_root_brier", "scaled_mean_absolute_error")


def _measure(key: str) -> Callable[[dict[str, Any]], str]:
    return lambda one: _estimated(one[key], key)


def _estimated(estimate: Sequence[float | None], key: str) -> str:
    value = estimate[0]
    if value is None:
        return "–"
    if key == "accuracy":
        return f"{100 * value:.1f}%"
    if key == PRIMARY_MEASURE:
        return value_with_range(estimate)
    return f"{value:.{2 if key in _SCALED else 4}f}"


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
