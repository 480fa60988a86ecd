"""Members who have earned the original Life Master title, found in the ledger.

The title comes with 300 games, not necessarily in a row, of sections begun with an
established regular rating strictly above 2200; matches and games abroad do not count.
Other readings of the text are values of the rules (``olm_reading``).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import F, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy

from events.models import Section
from players.models import Player
from ratings.decisions.floors.queries.floors import title_of
from ratings.engine.parameters import (
    OLM_ABOVE_BEFORE,
    OLM_FROM_AFTER,
    OLM_FROM_BEFORE,
    OLM_READINGS,
)
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.systems import System
from ratings.models import Calculation, Floor, LifeMasterSetAside, RatingChange

# Lines keep the number they were written for; a merged member's lines count too.
MEMBER = Coalesce(F("player__merged_into_id"), F("player_id"))
IN_RATING_ORDER = tuple(f"calculation__{name}" for name in Calculation.ORDER)


@dataclass(frozen=True, slots=True)
class CountedSection:
    """A section whose games count. *running_total* is the count after it."""

    section: Section
    rating_before: float | None
    games: int
    running_total: int
    is_deciding: bool

    @property
    def title(self) -> str:
        return title_of(self.section)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A member with enough games, and the section that completed them."""

    player: Player
    games: int
    completed_in: CountedSection

    @property
    def starts(self) -> date:
        """The first day of the floor: the end of the event of the 300th game."""
        return self.completed_in.section.event.ends


def counted_lines(rules: Rules | None = None) -> QuerySet[RatingChange]:
    """Return the lines of the ledger whose games count toward the title."""
    return RatingChange.objects.filter(
        calculation__is_current=True,
        calculation__system=System.OTBR,
        calculation__section__isnull=False,
        **qualifying_lookups(rules or title_rules()),
    ).exclude(calculation__section__kind=Section.Kind.MATCH)


def qualifying_lookups(rules: Rules) -> dict[str, Any]:
    """Return the lookups of a line whose games count.

    ``ratings.rerates.services.change_summary`` has the same condition in SQL.
    """
    most, level = rules.established_after, rules.olm_floor
    return {
        OLM_ABOVE_BEFORE: {"pre_games__gt": most, "pre_rating__gt": level},
        OLM_FROM_BEFORE: {"pre_games__gt": most, "pre_rating__gte": level},
        OLM_FROM_AFTER: {
            "post_games__gt": most,
            "post_rating__gte": level,
            "floor_used__isnull": True,
        },
    }[rules.olm_reading]


READINGS = {
    OLM_ABOVE_BEFORE: gettext_lazy(
        "A game qualifies if the section started with an established Regular "
        "rating above 2200."
    ),
    OLM_FROM_BEFORE: gettext_lazy(
        "A game qualifies if the section started with an established Regular "
        "rating of 2200 or more."
    ),
    OLM_FROM_AFTER: gettext_lazy(
        "A game qualifies if the section ended with an established Regular rating "
        "of 2200 or more, without a floor."
    ),
}


@dataclass(frozen=True, slots=True)
class OtherReading:
    """Members who would gain or lose the title by another reading of the text."""

    sentence: str
    gained: list[Player]
    lost: list[Player]


def other_readings() -> list[OtherReading]:
    """Compare each other reading with the one in force (a query each, and two)."""
    rules = title_rules()
    now = set(_totals(rules))
    found = {
        reading: set(_totals(rules.vary(olm_reading=reading)))
        for reading in OLM_READINGS
        if reading != rules.olm_reading
    }
    changed = set().union(*(then ^ now for then in found.values()))
    players = Player.objects.in_bulk(changed)

    def named(members: set[int]) -> list[Player]:
        return sorted((players[one] for one in members), key=lambda one: one.name)

    return [
        OtherReading(str(READINGS[reading]), named(then - now), named(now - then))
        for reading, then in found.items()
    ]


def _totals(rules: Rules) -> dict[int, int]:
    """Return the counted games of each member who has enough of them."""
    return dict(
        counted_lines(rules)
        .annotate(member=MEMBER)
        .values("member")
        .annotate(total=Sum("games"))
        .filter(total__gte=rules.olm_games)
        .values_list("member", "total")
    )


def title_rules() -> Rules:
    return rules_in_force(timezone.localdate())


def confirmed_members() -> set[int]:
    """Return the members whose title the office has confirmed."""
    return _members_of(Floor.objects.filter(kind=Floor.Kind.LIFE_MASTER))


def declined_members() -> set[int]:
    return _members_of(LifeMasterSetAside.objects.all())


def _members_of(decisions: QuerySet[Any]) -> set[int]:
    return set(decisions.order_by().values_list(MEMBER, flat=True))


def candidates() -> list[Candidate]:
    """Return the members awaiting a decision, the most games first."""
    decided = confirmed_members() | declined_members()
    totals = {
        member: total
        for member, total in _totals(title_rules()).items()
        if member not in decided
    }
    players = Player.objects.in_bulk(totals)
    lines = _lines_by_member(totals)
    found = [
        _candidate(players[member], lines[member])
        for member in sorted(totals, key=lambda one: (-totals[one], one))
    ]
    return [one for one in found if one is not None]


def get_candidate(player: Player) -> Candidate | None:
    """Return the member as a candidate; None if they have too few games."""
    return _candidate(player, _lines_by_member([player.pk])[player.pk])


def qualifying_sections(player: Player) -> list[CountedSection]:
    """Return every section that counts, in rating order."""
    return _counted(_lines_by_member([player.pk])[player.pk])


def _lines_by_member(members: Iterable[int]) -> defaultdict[int, list[RatingChange]]:
    lines: defaultdict[int, list[RatingChange]] = defaultdict(list)
    rows = (
        counted_lines()
        .annotate(member=MEMBER)
        .filter(member__in=list(members))
        .select_related("calculation__section__event")
        .order_by(*IN_RATING_ORDER)
    )
    for line in rows:
        lines[line.member].append(line)
    return lines


def _candidate(player: Player, lines: Sequence[RatingChange]) -> Candidate | None:
    counted = _counted(lines)
    completed = next((one for one in counted if one.is_deciding), None)
    if completed is None:
        return None
    return Candidate(player, counted[-1].running_total, completed)


def _counted(lines: Sequence[RatingChange]) -> list[CountedSection]:
    needed = title_rules().olm_games
    counted: list[CountedSection] = []
    running_total = 0
    for line in lines:
        section = line.calculation.section
        assert section is not None  # noqa: S101 (as `counted_lines` selects)
        before, running_total = running_total, running_total + line.games
        is_deciding = before < needed <= running_total
        counted.append(
            CountedSection(
                section, line.pre_rating, line.games, running_total, is_deciding
            )
        )
    return counted


def confirmed() -> QuerySet[Floor]:
    """Return the floors of original Life Masters, the newest decision first."""
    return (
        Floor.objects.filter(kind=Floor.Kind.LIFE_MASTER)
        .select_related("player", "granted_by")
        .order_by("-granted_at", "-pk")
    )


def set_aside() -> QuerySet[LifeMasterSetAside]:
    return LifeMasterSetAside.objects.select_related("player", "decided_by")
