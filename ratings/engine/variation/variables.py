"""The catalog of variables for experiments on our own rules, as data.

Each entry has its label, bounds and unit, and its change of the rules: the form, the
command and the documentation are generated from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from ratings.engine.conversions import Conversion
from ratings.engine.i18n import _
from ratings.engine.rules import EDITIONS, Rules

from .parameter import Parameter

START: Final = "start"
END: Final = "end"
BASIS: Final = "basis"
EDITION: Final = "edition"
RECONSTRUCTED: Final = "reconstructed"
# No result reaches this many points, so such a limit never applies.
_OUT_OF_REACH: Final = math.inf


Changes = Callable[[Rules, Any], Mapping[str, Any]]


class Variable(NamedTuple):
    """One variable of the rules, its unit, and its effect on them.

    *above* is an exclusive lower bound: B is more than 0. *changes* is None if it is
    not a value of the rules: the basis of dates, the edition.
    """

    about: Parameter
    unit: str
    changes: Changes | None
    above: float | None = None


def _number(
    name: str,
    label: str,
    unit: str,
    changes: Changes,
    *,
    low: float | None = None,
    high: float,
    above: float | None = None,
    help: str = "",
    default: float = 0.0,
) -> Variable:
    least = above if low is None else low
    about = Parameter(name, label, help, default, least, high, ())
    return Variable(about, unit, changes, above)


def _switch(
    name: str,
    label: str,
    changes: Changes | None,
    help: str = "",
    *,
    is_on: bool = True,
) -> Variable:
    return Variable(Parameter(name, label, help, is_on, None, None, ()), "", changes)


def _choice(name: str, label: str, choices: tuple[str, ...], help: str) -> Variable:
    about = Parameter(name, label, help, choices[0], None, None, choices)
    return Variable(about, "", None)


def _value(name: str) -> Changes:
    """Return the change that sets the parameter of this name."""
    return lambda rules, value: {name: value}


def _part(name: str, part: str) -> Changes:
    """Return the change that sets one number of a parameter with several."""
    return lambda rules, value: {name: replace(getattr(rules, name), **{part: value})}


def _piece(name: str, piece: int, part: str) -> Changes:
    """Return the change that sets one number of a conversion's piece, -1 the last."""

    def changes(rules: Rules, value: float) -> Mapping[str, Any]:
        lines = list(getattr(rules, name).lines)
        lines[piece] = replace(lines[piece], **{part: value})
        return {name: Conversion(tuple(lines))}

    return changes


def _k(rules: Rules, factor: float) -> Mapping[str, Any]:
    """Multiply K, the lower K of dual-rated sections with it."""
    changes: dict[str, Any] = {"k_numerator": rules.k_numerator * factor}
    if rules.lower_k_when_dual:
        # Below its flat part the lower K is a share of K's own numerator.
        lower = rules.lower_k
        changes["lower_k"] = replace(lower, flat=lower.flat * factor)
    return changes


def _unless(changes: Mapping[str, Any]) -> Changes:
    """Return the change that applies these changes if a switch is off."""
    return lambda rules, is_on: {} if is_on else changes


_POINTS: Final = _("points")
_GAMES: Final = _("games")
_YEARS: Final = _("years")

_VARIABLES: Final = (
    # Bonus
    _switch(
        "bonus_given",
        _("Bonus points"),
        _unless({"bonus_multiplier": _OUT_OF_REACH}),
        _("Off: no player earns a bonus."),
    ),
    _number(
        "bonus",
        _("Bonus multiplier (B)"),
        _POINTS,
        _value("bonus_multiplier"),
        above=0,
        high=1000,
        help=_(
            "A gain of more than B times the square root of the number of games "
            "earns a bonus. For no bonus, turn off “Bonus points.”"
        ),
    ),
    _number(
        "bonus_from_games",
        _("Minimum games for a bonus"),
        _GAMES,
        _value("bonus_from_games"),
        low=1,
        high=50,
        default=3,
    ),
    _number(
        "bonus_counts_at_least",
        _("Minimum games in the bonus threshold (m′)"),
        _GAMES,
        _value("bonus_counts_at_least"),
        low=1,
        high=50,
        default=4,
    ),
    _number(
        "bonus_meetings",
        _("Maximum games against one opponent for a bonus"),
        _GAMES,
        _value("bonus_meetings"),
        low=1,
        high=50,
        default=2,
    ),
    _switch(
        "three_game_clause",
        _("Three-game clause"),
        _value("three_game_repeat_clause"),
        _("On: no bonus for three games if one opponent was met twice."),
    ),
    # K and effective games
    _number(
        "k",
        _("K multiplier"),
        "",
        _k,
        above=0,
        high=10,
        help=_("1 leaves K unchanged. 1.5 makes every K 50% larger."),
    ),
    _number(
        "k_numerator",
        _("Numerator of K"),
        "",
        _value("k_numerator"),
        above=0,
        high=10_000,
        help=_("K is this number divided by N′ + m."),
    ),
    _switch(
        "lower_k",
        _("Lower K above 2200 in dual-rated sections"),
        _value("lower_k_when_dual"),
    ),
    _number(
        "lower_k_above",
        _("Rating above which K is lower"),
        _POINTS,
        _part("lower_k", "above"),
        low=100,
        high=3500,
    ),
    _number(
        "n_limit",
        _("Maximum effective games (N*)"),
        _GAMES,
        _part("effective_games", "limit"),
        above=0,
        high=1000,
    ),
    _number(
        "n_full_above",
        _("Rating above which N* is at its maximum"),
        _POINTS,
        _part("effective_games", "full_above"),
        low=100,
        high=5000,
    ),
    _number(
        "n_base",
        _("Base of N* under the square root"),
        "",
        _part("effective_games", "base"),
        above=0,
        high=100,
    ),
    _number(
        "n_slope",
        _("Slope of N* under the square root"),
        _("per squared point"),
        _part("effective_games", "slope"),
        low=0,
        high=1,
    ),
    _number(
        "n_pivot",
        _("Pivot rating of N*"),
        _POINTS,
        _part("effective_games", "pivot"),
        low=100,
        high=5000,
    ),
    # The formulas
    _number(
        "special_up_to",
        _("Maximum games for the special formula"),
        _GAMES,
        _value("special_up_to"),
        low=0,
        high=100,
        default=8,
    ),
    _number(
        "special_cap",
        _("Highest rating from the special formula"),
        _POINTS,
        _value("special_cap"),
        low=100,
        high=5000,
    ),
    _number(
        "special_shift",
        _("Rating shift after only wins or only losses"),
        _POINTS,
        _value("special_shift"),
        low=0,
        high=2000,
    ),
    _number(
        "provisional_reach",
        _("Range of the provisional winning expectancy"),
        _POINTS,
        _value("provisional_reach"),
        low=100,
        high=2000,
    ),
    _number(
        "expectancy_scale",
        _("Scale of the standard winning expectancy"),
        _POINTS,
        _value("expectancy_scale"),
        low=100,
        high=2000,
        help=_("This affects rating changes only. Predictions keep the scale of 400."),
    ),
    _number(
        "first_estimate_games",
        _("Effective games in step 3"),
        _GAMES,
        _value("first_estimate_games"),
        above=0,
        high=100,
    ),
    _number(
        "lowest_rating",
        _("Lowest possible rating"),
        _POINTS,
        _value("lowest_rating"),
        low=0,
        high=1500,
    ),
    _number(
        "established_after",
        _("Games before a rating is established"),
        _GAMES,
        _value("established_after"),
        low=0,
        high=200,
        default=25,
    ),
    # Newcomers
    _number(
        "age_points",
        _("Initial rating points per year of age"),
        _("points per year"),
        _part("age_start", "points_per_year"),
        low=0,
        high=300,
    ),
    _number(
        "age_highest",
        _("Highest initial rating by age"),
        _POINTS,
        _part("age_start", "highest"),
        low=100,
        high=3000,
    ),
    _number(
        "age_highest_above",
        _("Age above which a new player gets the highest initial rating"),
        _YEARS,
        _part("age_start", "highest_above"),
        low=1,
        high=120,
    ),
    _number(
        "age_child",
        _("Age used for a child of unknown age"),
        _YEARS,
        _part("age_start", "child_age"),
        low=1,
        high=120,
    ),
    _number(
        "age_adult",
        _("Age used for an adult of unknown age"),
        _YEARS,
        _part("age_start", "adult_age"),
        low=1,
        high=120,
    ),
    _number(
        "blend_games",
        _("Maximum games a blended initial rating is worth"),
        _GAMES,
        _part("blend", "most_games"),
        low=0,
        high=100,
        default=10,
    ),
    _number(
        "blend_decay",
        _("Decay of older ratings in a blend"),
        _("per year"),
        _part("blend", "decay"),
        low=0,
        high=10,
    ),
    *(
        _number(
            f"fide_factor_{part}",
            label,
            unit,
            _part("fide_game_factor", part),
            low=0,
            high=high,
            default=default,
        )
        for part, label, unit, high, default in (
            (
                "above",
                _("FIDE rating above which it is worth more games"),
                _POINTS,
                5000,
                0.0,
            ),
            ("higher", _("Games a higher FIDE rating is worth"), _GAMES, 100, 10),
            ("lower", _("Games a lower FIDE rating is worth"), _GAMES, 100, 5),
        )
    ),
    _number(
        "cfc_factor",
        _("Games a CFC rating is worth"),
        _GAMES,
        _value("cfc_game_factor"),
        low=0,
        high=100,
        default=5,
    ),
    # Conversions
    *(
        _number(
            f"{body}_{place}_{part}",
            label,
            _POINTS if part == "intercept" else "",
            _piece(f"{body}_conversion", number, part),
            low=low,
            high=high,
        )
        for body, place, number, part, low, high, label in (
            (
                "fide",
                "low",
                0,
                "intercept",
                -5000,
                5000,
                _("FIDE conversion, low range: add"),
            ),
            (
                "fide",
                "low",
                0,
                "slope",
                0,
                10,
                _("FIDE conversion, low range: multiply by"),
            ),
            (
                "fide",
                "high",
                -1,
                "intercept",
                -5000,
                5000,
                _("FIDE conversion, high range: add"),
            ),
            (
                "fide",
                "high",
                -1,
                "slope",
                0,
                10,
                _("FIDE conversion, high range: multiply by"),
            ),
            (
                "youth",
                "low",
                0,
                "intercept",
                -5000,
                5000,
                _("Youth conversion, low range: add"),
            ),
            (
                "youth",
                "low",
                0,
                "slope",
                0,
                10,
                _("Youth conversion, low range: multiply by"),
            ),
            (
                "youth",
                "high",
                -1,
                "intercept",
                -5000,
                5000,
                _("Youth conversion, high range: add"),
            ),
            (
                "youth",
                "high",
                -1,
                "slope",
                0,
                10,
                _("Youth conversion, high range: multiply by"),
            ),
            (
                "cfc",
                "low",
                0,
                "intercept",
                -5000,
                5000,
                _("CFC conversion, low range: add"),
            ),
            (
                "cfc",
                "low",
                0,
                "slope",
                0,
                10,
                _("CFC conversion, low range: multiply by"),
            ),
            (
                "cfc",
                "high",
                -1,
                "intercept",
                -5000,
                5000,
                _("CFC conversion, high range: add"),
            ),
            (
                "cfc",
                "high",
                -1,
                "slope",
                0,
                10,
                _("CFC conversion, high range: multiply by"),
            ),
        )
    ),
    # Floors
    _switch(
        "absolute_floors",
        _("Personal absolute floors"),
        _value("personal_absolute_floor"),
    ),
    _number(
        "absolute_floor_highest",
        _("Highest absolute floor"),
        _POINTS,
        _part("absolute_floor", "highest"),
        low=100,
        high=1500,
        default=150,
    ),
    _number(
        "floor_event_games",
        _("Minimum games for an event to count toward the absolute floor"),
        _GAMES,
        _value("floor_event_games"),
        low=1,
        high=50,
        default=3,
    ),
    _switch(
        "peak_floors",
        _("Floors based on peak rating"),
        _unless({"lowest_peak_floor": _OUT_OF_REACH}),
    ),
    _number(
        "peak_floor_drop",
        _("Points from peak rating down to the floor"),
        _POINTS,
        _value("peak_floor_drop"),
        low=0,
        high=2000,
        default=200,
    ),
    _number(
        "peak_floor_step",
        _("Step between peak floors"),
        _POINTS,
        _value("peak_floor_step"),
        low=1,
        high=1000,
        default=100,
    ),
    _number(
        "lowest_peak_floor",
        _("Lowest peak floor"),
        _POINTS,
        _value("lowest_peak_floor"),
        low=100,
        high=3000,
        default=1200,
    ),
    _number(
        "highest_peak_floor",
        _("Highest peak floor"),
        _POINTS,
        _value("highest_peak_floor"),
        low=100,
        high=3000,
        default=2100,
    ),
    # Matches
    _switch(
        "match_limits",
        _("Match limits"),
        _unless(
            {
                "match_limit": _OUT_OF_REACH,
                "match_limit_180_days": _OUT_OF_REACH,
                "match_limit_3_years": _OUT_OF_REACH,
            }
        ),
    ),
    _number(
        "match_limit",
        _("Maximum change in one match"),
        _POINTS,
        _value("match_limit"),
        low=0,
        high=3000,
    ),
    _number(
        "match_limit_180_days",
        _("Maximum net change from matches in 180 days"),
        _POINTS,
        _value("match_limit_180_days"),
        low=0,
        high=3000,
    ),
    _number(
        "match_limit_3_years",
        _("Maximum net change from matches in 3 years"),
        _POINTS,
        _value("match_limit_3_years"),
        low=0,
        high=3000,
    ),
    # Not values of the rules
    _choice(
        BASIS,
        _("Rules in effect on the section’s day"),
        (START, END),
        _("Whether the section’s first or last day decides which rules apply."),
    ),
    _choice(
        EDITION, _("Edition of the rules"), EDITIONS, _("The date of the rating paper.")
    ),
    _switch(
        RECONSTRUCTED,
        _("Reconstructed rules before 2013"),
        None,
        _("Rules for 2004 to 2013 that no edition gives come from a 2004 paper."),
        is_on=False,
    ),
)

GROUPS: Final = (
    (_("Bonus"), "bonus_given"),
    (_("K and effective games"), "k"),
    (_("The two formulas"), "special_up_to"),
    (_("New players"), "age_points"),
    (_("Conversions"), "fide_low_intercept"),
    (_("Floors"), "absolute_floors"),
    (_("Matches"), "match_limits"),
    (_("Dates and editions"), BASIS),
)
"""Headings for the catalog, each with the name that it stands before."""

CATALOG: Final[Mapping[str, Variable]] = {one.about.name: one for one in _VARIABLES}
"""Everything that may be varied, by the name it has in a form and a command."""

# Rules that a replay does not read, mostly because a decision of the office replaces
# them.
EXCLUDED_PARAMETERS: Final = {
    "olm_floor": _("Granted floors are part of the record."),
    "olm_games": _("Titles earned are part of the record."),
    "olm_reading": _("Titles earned are part of the record."),
    "money_floor_needs_established": _("Granted floors are part of the record."),
    "money_floor_prize": _("Granted floors are part of the record."),
    "highest_money_floor": _("Granted floors are part of the record."),
    "match_rating_gap": _(
        "The office decided which matches to rate when they were reported."
    ),
    "match_floor_drop": _("Lowered floors are part of the record."),
    "foreign_automatic_from": _(
        "The office decided on each foreign event when it came in."
    ),
    "otb_time_controls": _("A section’s rating systems come from its time control."),
    "online_time_controls": _("A section’s rating systems come from its time control."),
}
