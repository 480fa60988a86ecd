"""The systems of the laboratory for pages, and our ratings in their units.

The systems themselves do not use our ledger. What a page needs to run one on them, a
rating with a deviation and an index, is assumed here, and every page says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.utils.translation import gettext, gettext_lazy

from ratings.engine.rule_history import NoRuleInForce
from ratings.laboratory.protocol import (
    SHAPES,
    STATUSES,
    About,
    Direction,
    Standing,
    Status,
    System,
)
from ratings.laboratory.registry import SYSTEMS
from ratings.laboratory.tables import expectation

# Exceptions that a system may raise for games or a day it cannot rate.
REFUSALS = (ArithmeticError, ValueError, NoRuleInForce)

# --- The catalog ---

# The families of modules, in the order of the catalog.
_FAMILIES = (
    (gettext_lazy("US Chess"), ("us_chess",)),
    (gettext_lazy("FIDE"), ("fide", "online_arena")),
    (gettext_lazy("Elo’s own versions"), ("elo",)),
    (
        gettext_lazy("Glicko family"),
        ("glicko", "glicko2", "stephenson", "glicko_boost"),
    ),
    (gettext_lazy("With draws"), ("draws",)),
    (gettext_lazy("From video games"), ("openskill", "trueskill", "elo_mmr")),
    (gettext_lazy("Other federations"), ("dwz", "ecf")),
    (gettext_lazy("Before Elo"), ("harkness", "ingo", "clarke")),
    (gettext_lazy("Correspondence and online"), ("correspondence", "ccla", "ics")),
    (
        gettext_lazy("Whole-history systems"),
        ("whole_history", "chessmetrics", "universal"),
    ),
    (gettext_lazy("Benchmarks"), ("regression",)),
    (gettext_lazy("Known by name only"), ("undefined",)),
)
_CHIPS = {
    Status.OFFICIAL: "good",
    Status.HISTORICAL: "note",
    Status.RECONSTRUCTION: "warning",
    Status.RECONSTRUCTION_IN_PART: "warning",
    Status.UNDEFINED: "open",
    Status.USES_THE_FUTURE: "warning",
    Status.YARDSTICK: "note",
}


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A system as the catalog shows it."""

    system: System

    @property
    def about(self) -> About:
        return self.system.about

    @property
    def shape(self) -> str:
        return gettext(SHAPES[self.about.shape])

    @property
    def status(self) -> str:
        return gettext(STATUSES[self.about.status])

    @property
    def chip(self) -> str:
        return _CHIPS[self.about.status]

    @property
    def lower_is_better(self) -> bool:
        return self.about.direction is Direction.LOWER_IS_BETTER

    @property
    def is_runnable(self) -> bool:
        return is_runnable(self.system)


@dataclass(frozen=True, slots=True)
class Family:
    """Systems that belong together."""

    name: str
    entries: list[CatalogEntry]


def families_of(is_in: Callable[[System], bool]) -> list[Family]:
    """Return these systems in families; one that belongs to none comes last."""
    placed = {module for _, modules in _FAMILIES for module in modules}
    others = sorted({_module(one) for one in SYSTEMS.values()} - placed)
    families = [*_FAMILIES, (gettext_lazy("Other systems"), tuple(others))]
    found = [
        Family(
            str(name),
            [
                CatalogEntry(system)
                for module in modules
                for system in SYSTEMS.values()
                if _module(system) == module and is_in(system)
            ],
        )
        for name, modules in families
    ]
    return [family for family in found if family.entries]


def all_families() -> list[Family]:
    return families_of(lambda system: True)


def _module(system: System) -> str:
    return type(system).__module__.rpartition(".")[2]


def family_of(system: System) -> Family:
    """Return the family a system belongs to."""
    return next(
        family
        for family in all_families()
        if any(entry.system is system for entry in family.entries)
    )


def is_runnable(system: System) -> bool:
    """Return whether a system can be run, or is known by name only."""
    return system.about.status is not Status.UNDEFINED


def runnable_systems() -> list[System]:
    """Return the systems that can be run, in the order of the catalog."""
    return [
        entry.system for family in families_of(is_runnable) for entry in family.entries
    ]


def label(system: System) -> str:
    return gettext(system.about.label)


def template_of(key: str) -> str | None:
    """Return the template with history and formula of a system, or None.

    A variant such as "fide.rapid" may use that of its family.
    """
    parts = key.split(".")
    for length in range(len(parts), 0, -1):
        name = f"ratings/laboratory/systems/{'_'.join(parts[:length])}.html"
        try:
            get_template(name)
        except TemplateDoesNotExist:
            continue
        return name
    return None


# --- Our ratings in another system ---

MAX_DEVIATION: Final = 350.0
MIN_DEVIATION: Final = 50.0
ASSUMED_VOLATILITY: Final = 0.06
GAMES_PER_EVENT: Final = 5
_Q = math.log(10) / 400


def deviation_after(games: int) -> float:
    """Return the assumed deviation of a rating based on *games* games.

    It is that of a newcomer of Glicko after as many games against equals, in rating
    points.

    >>> [round(deviation_after(games)) for games in (0, 1, 5, 25, 1000)]
    [350, 247, 142, 68, 50]
    """
    information = 1 / MAX_DEVIATION**2 + games * _Q**2 / 4
    return max(MIN_DEVIATION, math.pow(information, -0.5))


def standing_of(system: System, rating: float, games: int) -> Standing:
    """Return our *rating*, based on *games*, as a standing in a system."""
    own = system.from_elo_scale(rating)
    return Standing(
        rating=own,
        games=games,
        deviation=abs(system.from_elo_scale(rating + deviation_after(games)) - own),
        volatility=ASSUMED_VOLATILITY,
        evaluations=max(1, games // GAMES_PER_EVENT),
    )


def is_better(system: System, before: float, after: float) -> bool:
    """Return whether the second rating is the better one."""
    lower = system.about.direction is Direction.LOWER_IS_BETTER
    return after < before if lower else after > before


# --- The curves ---


class Expectation(NamedTuple):
    """The expected score of the higher rated, by Elo's table and by the curve."""

    difference: int
    table: str
    curve: str


def expectations() -> list[Expectation]:
    return [
        Expectation(
            difference,
            f"{expectation(difference) / 100:.2f}",
            f"{1 / (1 + 10 ** (-difference / 400)):.2f}",
        )
        for difference in (0, 50, 100, 150, 200, 300, 400, 600, 800)
    ]
