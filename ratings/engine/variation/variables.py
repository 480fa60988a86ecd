"""The catalog of what an experiment on our own rules may vary, as data.

Each entry has its words, bounds and unit, and says what it changes about the rules: the
form, the command and the documentation are made from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from ratings.engine.conversions import Conversion
from ratings.engine.rules import EDITIONS, Rules
from ratings.engine.words import _

from .parameter import Parameter

START: Final = "start"
END: Final = "end"
BASIS: Final = "basis"
EDITION: Final = "edition"
RECONSTRUCTED: Final = "reconstructed"
# No result reaches this many points, so nothing is limited, given or held by it.
_OUT_OF_REACH: Final = math.inf


Changes = Callable[[Rules, Any], Mapping[str, Any]]


class Variable(NamedTuple):
    """One thing that may be varied, its unit, and what it changes about the rules.

    *above* is a bound that the value itself may not have: B is more than 0. *changes*
    is None for what is not a value of the rules: the basis of dates, the edition.
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
    """Return what sets the parameter of the rules that has this name."""
    return lambda rules, value: {name: value}


def _part(name: str, part: str) -> Changes:
    """Return what sets one number of a parameter that is made of several."""
    return lambda rules, value: {name: replace(getattr(rules, name), **{part: value})}


def _piece(name: str, piece: int, part: str) -> Changes:
    """Return what sets one number of a piece of a conversion, -1 for the last."""

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
    """Return what makes these changes if a switch is off."""
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
        _("Off: nobody earns a bonus."),
    ),
    _number(
        "bonus",
        _("Bonus multiplier (B)"),
        _POINTS,
        _value("bonus_multiplier"),
        above=0,
        high=1000,
        help=_(
            "A gain of more than B times the root of the games earns a bonus. To have "
            "none, turn “Bonus points” off."
        ),
    ),
    _number(
        "bonus_from_games",
        _("Fewest games for a bonus"),
        _GAMES,
        _value("bonus_from_games"),
        low=1,
        high=50,
        default=3,
    ),
    _number(
        "bonus_counts_at_least",
        _("Fewest games counted in the bonus threshold"),
        _GAMES,
        _value("bonus_counts_at_least"),
        low=1,
        high=50,
        default=4,
    ),
    _number(
        "bonus_meetings",
        _("Most games against one opponent with a bonus"),
        _GAMES,
        _value("bonus_meetings"),
        low=1,
        high=50,
        default=2,
    ),
    _switch(
        "three_game_clause",
        _("No bonus for three games with an opponent met twice"),
        _value("three_game_repeat_clause"),
    ),
    # K and effective games
    _number(
        "k",
        _("Factor of K"),
        "",
        _k,
        above=0,
        high=10,
        help=_("1 leaves K as it is, 1.5 makes every K half as large again."),
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
        _("Most effective games (N*)"),
        _GAMES,
        _part("effective_games", "limit"),
        above=0,
        high=1000,
    ),
    _number(
        "n_full_above",
        _("Rating above which N* is at its limit"),
        _POINTS,
        _part("effective_games", "full_above"),
        low=100,
        high=5000,
    ),
    _number(
        "n_base",
        _("Base of N* under the root"),
        "",
        _part("effective_games", "base"),
        above=0,
        high=100,
    ),
    _number(
        "n_slope",
        _("Slope of N* under the root"),
        _("per squared point"),
        _part("effective_games", "slope"),
        low=0,
        high=1,
    ),
    _number(
        "n_pivot",
        _("Rating from which N* counts distance"),
        _POINTS,
        _part("effective_games", "pivot"),
        low=100,
        high=5000,
    ),
    # The formulas
    _number(
        "special_up_to",
        _("Most games for the special formula"),
        _GAMES,
        _value("special_up_to"),
        low=0,
        high=100,
        default=8,
    ),
    _number(
        "special_cap",
        _("Highest result of the special formula"),
        _POINTS,
        _value("special_cap"),
        low=100,
        high=5000,
    ),
    _number(
        "special_shift",
        _("Shift of the prior after only wins or only losses"),
        _POINTS,
        _value("special_shift"),
        low=0,
        high=2000,
    ),
    _number(
        "provisional_reach",
        _("Reach of the provisional winning expectancy"),
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
        help=_("It decides changes of ratings; predictions stay on the scale of 400."),
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
        _("Lowest rating of all"),
        _POINTS,
        _value("lowest_rating"),
        low=0,
        high=1500,
    ),
    _number(
        "established_after",
        _("Most games of a rating that is not established"),
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
        _("points a year"),
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
        _("Age above which it is given"),
        _YEARS,
        _part("age_start", "highest_above"),
        low=1,
        high=120,
    ),
    _number(
        "age_child",
        _("Age of a child of unknown age"),
        _YEARS,
        _part("age_start", "child_age"),
        low=1,
        high=120,
    ),
    _number(
        "age_adult",
        _("Age of an adult of unknown age"),
        _YEARS,
        _part("age_start", "adult_age"),
        low=1,
        high=120,
    ),
    _number(
        "blend_games",
        _("Most games a blended initial rating is worth"),
        _GAMES,
        _part("blend", "most_games"),
        low=0,
        high=100,
        default=10,
    ),
    _number(
        "blend_decay",
        _("Loss of weight of older ratings in a blend"),
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
            ("higher", _("Games that a higher FIDE rating is worth"), _GAMES, 100, 10),
            ("lower", _("Games that a lower FIDE rating is worth"), _GAMES, 100, 5),
        )
    ),
    _number(
        "cfc_factor",
        _("Games that a CFC rating is worth"),
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
            ("fide", "low", 0, "intercept", -5000, 5000, _("FIDE, lowest: added")),
            ("fide", "low", 0, "slope", 0, 10, _("FIDE, lowest: multiplied by")),
            ("fide", "high", -1, "intercept", -5000, 5000, _("FIDE, highest: added")),
            ("fide", "high", -1, "slope", 0, 10, _("FIDE, highest: multiplied by")),
            ("youth", "low", 0, "intercept", -5000, 5000, _("Youth, lowest: added")),
            ("youth", "low", 0, "slope", 0, 10, _("Youth, lowest: multiplied by")),
            ("youth", "high", -1, "intercept", -5000, 5000, _("Youth, highest: added")),
            ("youth", "high", -1, "slope", 0, 10, _("Youth, highest: multiplied by")),
            ("cfc", "low", 0, "intercept", -5000, 5000, _("CFC, lowest: added")),
            ("cfc", "low", 0, "slope", 0, 10, _("CFC, lowest: multiplied by")),
            ("cfc", "high", -1, "intercept", -5000, 5000, _("CFC, highest: added")),
            ("cfc", "high", -1, "slope", 0, 10, _("CFC, highest: multiplied by")),
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
        _("Fewest games of an event that counts toward the absolute floor"),
        _GAMES,
        _value("floor_event_games"),
        low=1,
        high=50,
        default=3,
    ),
    _switch(
        "peak_floors",
        _("Floors under the highest rating"),
        _unless({"lowest_peak_floor": _OUT_OF_REACH}),
    ),
    _number(
        "peak_floor_drop",
        _("Points from the peak down to its floor"),
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
        _("Limits on what matches change"),
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
        _("Largest change in one match"),
        _POINTS,
        _value("match_limit"),
        low=0,
        high=3000,
    ),
    _number(
        "match_limit_180_days",
        _("Largest net change by matches in 180 days"),
        _POINTS,
        _value("match_limit_180_days"),
        low=0,
        high=3000,
    ),
    _number(
        "match_limit_3_years",
        _("Largest net change by matches in 3 years"),
        _POINTS,
        _value("match_limit_3_years"),
        low=0,
        high=3000,
    ),
    # What is not a value
    _choice(
        BASIS,
        _("Day that decides which rules apply"),
        (START, END),
        _("The first or the last day of a section."),
    ),
    _choice(EDITION, _("Edition of the rules"), EDITIONS, _("The date of the text.")),
    _switch(
        RECONSTRUCTED,
        _("Reconstruction of the rules before 2013"),
        None,
        _("What no edition knows of 2004 to 2013 is taken from a text of 2004."),
        is_on=False,
    ),
)

GROUPS: Final = (
    (_("Bonus"), "bonus_given"),
    (_("K and effective games"), "k"),
    (_("The two formulas"), "special_up_to"),
    (_("Newcomers"), "age_points"),
    (_("Conversions"), "fide_low_intercept"),
    (_("Floors"), "absolute_floors"),
    (_("Matches"), "match_limits"),
    (_("Days and texts"), BASIS),
)
"""Headings for the catalog, each with the name that it stands before."""

CATALOG: Final[Mapping[str, Variable]] = {one.about.name: one for one in _VARIABLES}
"""Everything that may be varied, by the name it has in a form and a command."""

# Rules that a replay does not ask, mostly because an act of the office has decided.
NOT_ASKED: Final = {
    "olm_floor": _("Granted floors are in the books as they were granted."),
    "olm_games": _("Titles are in the books as they were earned."),
    "olm_reading": _("Titles are in the books as they were earned."),
    "money_floor_needs_established": _(
        "Granted floors are in the books as they were granted."
    ),
    "money_floor_prize": _("Granted floors are in the books as they were granted."),
    "highest_money_floor": _("Granted floors are in the books as they were granted."),
    "match_rating_gap": _("Which matches are rated was decided on their reports."),
    "match_floor_drop": _("Lowered floors are in the books as they were decided."),
    "foreign_automatic_from": _("Which foreign events count was decided on each."),
    "otb_time_controls": _("The systems of a section come from its time control."),
    "online_time_controls": _("The systems of a section come from its time control."),
}
