"""How the current ratings of a system are spread: all of them, by state and by age.

What a page reads does not grow with the members. Ages are those on 1 January, so that
nobody's birthday shows; of a group of fewer than ten nothing is said, and ages are not
crossed with anything else.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext as _

from players.models import Player
from ratings.engine.systems import System
from ratings.lists.queries.spreads import (
    AGES,
    Asked,
    Figures,
    Spread,
    counted,
)
from ratings.models import PlayerRating

FEWEST = 10


@dataclass(frozen=True, slots=True)
class Group:
    """A state or ages, of which at least ten people are counted."""

    name: str
    spread: Figures | Spread


@dataclass(frozen=True, slots=True)
class Distribution:
    spread: Spread
    counted_at: datetime
    states: list[Group] = field(default_factory=list)
    ages: list[Group] = field(default_factory=list)


def distribution_of(asked: Asked) -> Distribution:
    """Return how those asked for are spread (two queries)."""
    found = counted(asked)
    ages = ((_ages_in_words(place), one) for place, one in sorted(found.ages.items()))
    return Distribution(
        spread=found.spread,
        counted_at=found.counted_at,
        states=_groups(found.states.items()),
        ages=_groups(ages) if asked.is_everybody else [],
    )


def rating_of(player: Player, system: System) -> int | None:
    """Return a member's rating as the distribution counts it, None if unrated."""
    ratings = PlayerRating.objects.filter(player=player, system=system)
    return ratings.values_list("published_rating", flat=True).first()


def _ages_in_words(place: int) -> str:
    if place == 0:
        return _("under {age}").format(age=AGES[1])
    if place == len(AGES) - 1:
        return _("{age} and older").format(age=AGES[place])
    return f"{AGES[place]}–{AGES[place + 1] - 1}"


def _groups(found: Iterable[tuple[str, Figures | Spread]]) -> list[Group]:
    """Leave out the groups that are too small to say anything of."""
    return [Group(name, one) for name, one in found if one.people >= FEWEST]
