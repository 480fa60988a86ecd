"""What an experiment on our own rules may vary: any dated value, for any days.

Here is the one catalog of what may be varied, with words, bounds and units: the form,
the command and the documentation are made from it. A `Variation` turns the rules of a
day into those of an experiment; the replay of the rerates takes it as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Any, Final, NamedTuple

from ratings.engine.conversions import Conversion
from ratings.engine.rules import EDITIONS, PARAMETERS, Rules, rules_in_force

from .parameters import Parameter
from .reconstructions import reconstructed
from .words import _

START: Final = "start"
END: Final = "end"
BASIS: Final = "basis"
EDITION: Final = "edition"
RECONSTRUCTED: Final = "reconstructed"
# No result reaches this many points, so nothing is limited, given or held by it.
_OUT_OF_REACH: Final = math.inf


class BadVariation(ValueError):
    """What is to be varied makes no sense; the message says why.

    *about* is the name of what it is about. A translation needs the *sentence* with its
    *values*.
    """

    def __init__(self, about: str, sentence: str, /, **values: Any) -> None:
        super().__init__(sentence.format(**values))
        self.about = about
        self.sentence = sentence
        self.values = values


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
            "none, turn bonus_given off."
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
    "blended_start": _("A start is blended where the weights of a blend are known."),
    "olm_floor": _("Granted floors are in the books as they were granted."),
    "olm_games": _("Titles are in the books as they were earned."),
    "money_floor_prize": _("Granted floors are in the books as they were granted."),
    "highest_money_floor": _("Granted floors are in the books as they were granted."),
    "match_rating_gap": _("Which matches are rated was decided on their reports."),
    "match_floor_drop": _("Lowered floors are in the books as they were decided."),
    "foreign_automatic_from": _("Which foreign events count was decided on each."),
    "otb_time_controls": _("The systems of a section come from its time control."),
    "online_time_controls": _("The systems of a section come from its time control."),
}


@dataclass(frozen=True, slots=True)
class Change:
    """One thing varied, for what has its rules from *first* to *last* (None: open).

    Raises BadVariation if there is no such thing, or the value makes no sense.
    """

    name: str
    value: Any
    first: date | None = None
    last: date | None = None

    def __post_init__(self) -> None:
        _refuse_senseless(self.name, self.value)
        if self.first and self.last and self.first > self.last:
            raise BadVariation(
                self.name,
                _("{name}: the last day, {last}, is before the first, {first}."),
                name=self.name,
                first=self.first.isoformat(),
                last=self.last.isoformat(),
            )

    def holds_on(self, day: date) -> bool:
        return (self.first is None or self.first <= day) and (
            self.last is None or day <= self.last
        )

    def __str__(self) -> str:
        """Return the change as a command writes it.

        >>> str(Change("bonus", 12.0, date(2015, 1, 1)))
        'bonus=12@2015-01-01..'
        >>> str(Change("lower_k", False))
        'lower_k=off'
        """
        if isinstance(self.value, bool):
            value = "on" if self.value else "off"
        elif isinstance(self.value, str):
            value = self.value
        else:
            value = f"{self.value:.10g}"
        if self.first is None and self.last is None:
            return f"{self.name}={value}"
        first, last = (
            day.isoformat() if day else "" for day in (self.first, self.last)
        )
        return f"{self.name}={value}@{first}..{last}"


@dataclass(frozen=True, slots=True)
class Variation:
    """Rules as they might have been: changes for days, in the order they are made.

    >>> b10 = Variation((Change("bonus", 10.0, date(2015, 1, 1), date(2024, 12, 31)),))
    >>> b10.rules_on(date(2018, 5, 1), "2025-07-26").bonus_multiplier
    10.0
    >>> b10.rules_on(date(2025, 5, 1), "2025-02-10").bonus_multiplier
    12.0
    """

    changes: tuple[Change, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes)

    @property
    def is_reconstructed(self) -> bool:
        """Tell whether rules may be those of a text that no edition has."""
        return any(one.name == RECONSTRUCTED and one.value for one in self.changes)

    def __str__(self) -> str:
        return ", ".join(map(str, self.changes))

    def day_of_rules(self, starts: date, ends: date) -> date:
        """Return the day that decides which rules apply to a section."""
        basis = START
        for change in self.changes:
            if change.name == BASIS and change.holds_on(starts):
                basis = change.value
        return ends if basis == END else starts

    def rules_on(self, day: date, edition: str) -> Rules:
        """Return the rules of *day*; any day has rules, as in `rules_in_force`."""
        return _varied(self, day, edition) if self else rules_in_force(day, edition)


NOTHING_VARIED: Final = Variation()


@lru_cache(maxsize=8192)
def _varied(variation: Variation, day: date, edition: str) -> Rules:
    holding = [one for one in variation.changes if one.holds_on(day)]
    for one in holding:
        if one.name == EDITION:
            edition = one.value
    rules = rules_in_force(day, edition)
    if any(one.name == RECONSTRUCTED and one.value for one in holding):
        rules = reconstructed(rules)
    for one in holding:
        changes = CATALOG[one.name].changes
        if changes is not None:
            rules = _changed(rules, changes, one.value)
    return rules


def _changed(rules: Rules, changes: Changes, value: Any) -> Rules:
    made = changes(rules, value)
    return rules.vary(**made) if made else rules


def read_change(
    text: str, *, first: date | None = None, last: date | None = None
) -> Change:
    """Read a change as a command has it: a name, a value, and days if it has its own.

    Without days of its own it holds from *first* to *last*.

    >>> read_change("bonus=12@2015-01-01..2024-12-31").last
    datetime.date(2024, 12, 31)
    >>> read_change("bonus=0")
    Traceback (most recent call last):
    ...
    ratings.laboratory.varying.BadVariation: bonus: 0 is not more than 0.
    """
    said, at, days = text.partition("@")
    name, sign, value = (part.strip() for part in said.partition("="))
    if not sign or not value:
        raise BadVariation(
            name or text,
            _("“{said}” varies nothing. Write a name and a value: bonus=12."),
            said=text,
        )
    if at:
        first, last = _days(name, days)
    return Change(name, value_of(name, value), first, last)


def _days(name: str, text: str) -> tuple[date | None, date | None]:
    first, dots, last = (part.strip() for part in text.partition(".."))
    try:
        if not dots:
            raise ValueError
        return (
            date.fromisoformat(first) if first else None,
            date.fromisoformat(last) if last else None,
        )
    except ValueError as error:
        raise BadVariation(
            name,
            _("{name}: “{said}” are no days. Write 2015-01-01..2024-12-31."),
            name=name,
            said=text,
        ) from error


_ON_OR_OFF: Final = {
    **dict.fromkeys(("on", "yes", "true", "1"), True),
    **dict.fromkeys(("off", "no", "false", "0"), False),
}


def value_of(name: str, text: str) -> Any:
    """Return the value that *text* is for *name*. Raises BadVariation."""
    about = variable(name).about
    if about.choices:
        return text
    if isinstance(about.default, bool):
        if text.lower() not in _ON_OR_OFF:
            raise BadVariation(
                name, _("{name}: “{said}” is not on or off."), name=name, said=text
            )
        return _ON_OR_OFF[text.lower()]
    try:
        number = float(text)
    except ValueError as error:
        raise BadVariation(
            name, _("{name}: “{said}” is not a number."), name=name, said=text
        ) from error
    if isinstance(about.default, int) and number == number // 1:
        return int(number)
    return number


def variable(name: str) -> Variable:
    """Return what may be varied under a name. Raises BadVariation if nothing may."""
    if name in CATALOG:
        return CATALOG[name]
    if name in NOT_ASKED:
        raise BadVariation(
            name,
            _("{name} cannot be varied. {why}"),
            name=name,
            why=NOT_ASKED[name],
        )
    if name in PARAMETERS:
        raise BadVariation(
            name,
            _("{name} is varied under another name; see the list of them."),
            name=name,
        )
    raise BadVariation(name, _("There is no rule “{name}” to vary."), name=name)


def _refuse_senseless(name: str, value: Any) -> None:
    about, _unit, _changes, above = variable(name)
    if about.choices:
        if value not in about.choices:
            raise BadVariation(
                name,
                _("{name}: “{given}” is none of {choices}."),
                name=name,
                given=value,
                choices=", ".join(about.choices),
            )
        return
    if isinstance(about.default, bool):
        return
    about_it = {"name": name, "given": f"{value:.10g}"}
    if not math.isfinite(value):
        raise BadVariation(name, _("{name}: {given} is not a number."), **about_it)
    if isinstance(about.default, int) and value != int(value):
        raise BadVariation(
            name, _("{name}: {given} is not a whole number."), **about_it
        )
    if above is not None and value <= above:
        raise BadVariation(
            name,
            _("{name}: {given} is not more than {above}."),
            above=above,
            **about_it,
        )
    if about.low is not None and value < about.low:
        raise BadVariation(
            name, _("{name}: {given} is less than {low}."), low=about.low, **about_it
        )
    if about.high is not None and value > about.high:
        raise BadVariation(
            name, _("{name}: {given} is more than {high}."), high=about.high, **about_it
        )


def catalog_lines() -> Iterable[str]:
    """Yield a line for each thing that may be varied, for a command to print."""
    for name, label, bounds in _catalog():
        yield f"{name:<24} {label} ({bounds})"


def catalog_table() -> Iterable[str]:
    """Yield the same as the rows of a table of `docs/laboratory.md`."""
    for name, label, bounds in _catalog():
        yield f"| `{name}` | {label} | {bounds} |"


def _catalog() -> Iterable[tuple[str, str, str]]:
    """Yield name, label and bounds with their unit."""
    for name, (about, unit, _changes, above) in CATALOG.items():
        if about.choices:
            bounds = ", ".join(about.choices)
        elif isinstance(about.default, bool):
            bounds = "on, off"
        elif above is not None:
            bounds = f"more than {above:g}, up to {about.high:g}"
        else:
            bounds = f"{about.low:g} to {about.high:g}"
        yield name, about.label, ", ".join(filter(None, (bounds, unit)))
