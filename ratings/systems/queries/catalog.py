"""The systems of the laboratory as pages show them, and what others' ratings become.

The systems themselves know nothing of our books. What a page needs to run one on them,
a rating with a deviation and an index, is assumed here, and every page says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.utils.translation import gettext, gettext_lazy

from ratings.engine.dated import NoRuleInForce
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

# What a system may raise for games or a day that it has no answer to.
REFUSALS = (ArithmeticError, ValueError, NoRuleInForce)

# --- The catalog ---

# Which modules belong together, in the order of the catalog.
_FAMILIES = (
    (gettext_lazy("US Chess"), ("us_chess",)),
    (gettext_lazy("FIDE"), ("fide", "online_arena")),
    (gettext_lazy("Elo’s own forms"), ("elo",)),
    (
        gettext_lazy("Glicko and its relatives"),
        ("glicko", "glicko2", "stephenson", "glicko_boost"),
    ),
    (gettext_lazy("From computer games"), ("openskill", "trueskill", "elo_mmr")),
    (gettext_lazy("Other federations"), ("dwz", "ecf")),
    (gettext_lazy("Before Elo"), ("harkness", "ingo", "clarke")),
    (gettext_lazy("Correspondence and servers"), ("correspondence", "ccla", "ics")),
    (gettext_lazy("All games at once"), ("whole_history", "chessmetrics", "universal")),
    (gettext_lazy("Yardsticks"), ("regression",)),
    (gettext_lazy("Known by name"), ("undefined",)),
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
    def runs(self) -> bool:
        return runs(self.system)


@dataclass(frozen=True, slots=True)
class Family:
    """Systems that belong together."""

    name: str
    entries: list[CatalogEntry]


def all_families() -> list[Family]:
    """Return all systems in families; one that belongs to none comes last."""
    placed = {module for _, modules in _FAMILIES for module in modules}
    others = sorted({_module(one) for one in SYSTEMS.values()} - placed)
    families = [*_FAMILIES, (gettext_lazy("Others"), tuple(others))]
    found = [Family(str(name), _entries(modules)) for name, modules in families]
    return [family for family in found if family.entries]


def _entries(modules: Sequence[str]) -> list[CatalogEntry]:
    return [
        CatalogEntry(system)
        for module in modules
        for system in SYSTEMS.values()
        if _module(system) == module
    ]


def _module(system: System) -> str:
    return type(system).__module__.rpartition(".")[2]


def family_of(system: System) -> Family:
    """Return the family a system belongs to."""
    return next(
        family
        for family in all_families()
        if any(entry.system is system for entry in family.entries)
    )


def runs(system: System) -> bool:
    """Tell whether anything can be calculated, or a system is known by name only."""
    return system.about.status is not Status.UNDEFINED


def running() -> list[System]:
    """Return the systems that can be run, in the order of the catalog."""
    return [
        entry.system
        for family in all_families()
        for entry in family.entries
        if entry.runs
    ]


def label(system: System) -> str:
    return gettext(system.about.label)


def template_of(key: str) -> str | None:
    """Return the template with history and formula of a system, None if there is none.

    A variant such as "fide.rapid" may do with that of its family.
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

LARGEST_DEVIATION: Final = 350.0
SMALLEST_DEVIATION: Final = 50.0
ASSUMED_VOLATILITY: Final = 0.06
GAMES_AN_EVENT: Final = 5
_Q = math.log(10) / 400


def deviation_after(games: int) -> float:
    """Return the deviation that is assumed of a rating that rests on *games* games.

    That of a newcomer of Glicko after as many games against equals, in rating points.

    >>> [round(deviation_after(games)) for games in (0, 1, 5, 25, 1000)]
    [350, 247, 142, 68, 50]
    """
    information = 1 / LARGEST_DEVIATION**2 + games * _Q**2 / 4
    return max(SMALLEST_DEVIATION, information**-0.5)


def standing_of(system: System, rating: float, games: int) -> Standing:
    """Return what *rating*, of our books and resting on *games*, is in a system."""
    own = system.from_elo_scale(rating)
    return Standing(
        rating=own,
        games=games,
        deviation=abs(system.from_elo_scale(rating + deviation_after(games)) - own),
        volatility=ASSUMED_VOLATILITY,
        evaluations=max(1, games // GAMES_AN_EVENT),
    )


def gained(system: System, before: float, after: float) -> bool:
    """Tell whether the second rating is the better one."""
    lower = system.about.direction is Direction.LOWER_IS_BETTER
    return after < before if lower else after > before


# --- The curves ---


class Expectation(NamedTuple):
    """What the higher rated may expect, by Elo's table and by the curve."""

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
