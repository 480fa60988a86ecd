"""Who has earned the original Life Master title, found in the ledger.

The title comes with 300 games, not necessarily in a row, of sections begun with an
established regular rating strictly above 2200; matches do not count.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import F, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone

from events.models import Section
from players.models import Player
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.systems import System
from ratings.models import Floor, LifeMasterSetAside, RatingChange

# Lines stay under the number they were made for; a merged member's count with it.
MEMBER = Coalesce(F("player__merged_into_id"), F("player_id"))
IN_RATING_ORDER = tuple(
    f"calculation__{name}"
    for name in ("order_date", "order_starts", "order_event_id", "order_section")
)


@dataclass(frozen=True, slots=True)
class CountedSection:
    """A section whose games count. *together* is the count after it."""

    day: date
    event_ends: date
    title: str
    url: str
    rating_before: float
    games: int
    together: int
    is_the_last_needed: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A member with enough games, and the section that completed them."""

    player: Player
    games: int
    completed_in: CountedSection

    @property
    def starts(self) -> date:
        """The day the floor begins: the end of the event of the 300th game."""
        return self.completed_in.event_ends


def counted_lines() -> QuerySet[RatingChange]:
    """Return the lines of the ledger whose games count toward the title.

    ``ratings.rerates.services.titles`` asks the same of a rerate's lines.
    """
    rules = title_rules()
    return RatingChange.objects.filter(
        calculation__is_current=True,
        calculation__system=System.OTBR,
        calculation__section__isnull=False,
        pre_games__gt=rules.established_after,
        pre_rating__gt=rules.olm_floor,
    ).exclude(calculation__section__kind=Section.Kind.MATCH)


def title_rules() -> Rules:
    return rules_in_force(timezone.localdate())


def confirmed_members() -> set[int]:
    """Return the members whose title the office has confirmed."""
    return _members_of(Floor.objects.filter(kind=Floor.Kind.LIFE_MASTER))


def members_set_aside() -> set[int]:
    return _members_of(LifeMasterSetAside.objects.all())


def _members_of(decisions: QuerySet) -> set[int]:
    return set(decisions.order_by().values_list(MEMBER, flat=True))


def candidates() -> list[Candidate]:
    """Return whom the office has still to decide on, the most games first."""
    decided = confirmed_members() | members_set_aside()
    totals = {
        member: total
        for member, total in counted_lines()
        .annotate(member=MEMBER)
        .values("member")
        .annotate(total=Sum("games"))
        .filter(total__gte=title_rules().olm_games)
        .values_list("member", "total")
        if member not in decided
    }
    players = Player.objects.in_bulk(totals)
    lines = _lines_by_member(totals)
    found = [
        _candidate(players[member], lines[member])
        for member in sorted(totals, key=lambda one: (-totals[one], one))
    ]
    return [one for one in found if one is not None]


def candidate_of(player: Player) -> Candidate | None:
    """Return the member as a candidate, whatever was decided; None if games lack."""
    return _candidate(player, _lines_by_member([player.pk])[player.pk])


def evidence_of(player: Player) -> list[CountedSection]:
    """Return every section that counts, the first one first."""
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
    completed = next((one for one in counted if one.is_the_last_needed), None)
    if completed is None:
        return None
    return Candidate(player, counted[-1].together, completed)


def _counted(lines: Sequence[RatingChange]) -> list[CountedSection]:
    needed = title_rules().olm_games
    counted: list[CountedSection] = []
    together = 0
    for line in lines:
        section = line.calculation.section
        before, together = together, together + line.games
        counted.append(
            CountedSection(
                day=section.ends,
                event_ends=section.event.ends,
                title=f"{section.event.name}, "
                f"{section.name or f'section {section.number}'}",
                url=reverse(
                    "ratings:crosstable",
                    args=[section.event.event_id, section.number],
                ),
                rating_before=line.pre_rating,
                games=line.games,
                together=together,
                is_the_last_needed=before < needed <= together,
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
