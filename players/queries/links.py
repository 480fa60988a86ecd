"""Suggestions which FIDE ID belongs to a member."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import (
    DateField,
    Exists,
    ExpressionWrapper,
    OuterRef,
    Q,
    QuerySet,
    Value,
)
from django.db.models.fields import CharField
from django.db.models.functions import Cast, Coalesce, ExtractYear, NullIf
from django.utils.translation import gettext as _

from players.models import FideLinkRefusal, FidePlayer, Player
from players.queries.fide import newest_list
from players.queries.members import find_players

# The flag of those with none on record.
HOME_FLAG = "USA"
MOST_LINKED_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A FIDE ID that may be a member's. *score* runs to 100, *evidence* says why."""

    player: Player
    fide: FidePlayer
    score: int
    evidence: tuple[str, ...]

    @property
    def strength(self) -> str:
        if self.score >= 90:
            return "strong"
        return "fair" if self.score >= 60 else "weak"


def fide_player(fide_id: int) -> FidePlayer | None:
    """Return what the newest list says of a FIDE ID."""
    return FidePlayer.objects.filter(list=newest_list(), fide_id=fide_id).first()


def members_to_link(text: str = "") -> QuerySet[Player]:
    """Return the members without a FIDE ID for whom the newest list has a namesake."""
    fide_list = newest_list()
    members = Player.objects.filter(fide_id=None, status=Player.Status.ACTIVE)
    if fide_list is None:
        return members.none()
    if text:
        members = members.filter(pk__in=find_players(text).values("pk"))
    linked = Player.objects.filter(fide_id=Cast(OuterRef("fide_id"), CharField()))
    declined = FideLinkRefusal.objects.filter(
        player=OuterRef(OuterRef("pk")), fide_id=OuterRef("fide_id")
    )
    namesakes = (
        FidePlayer.objects.filter(
            list=fide_list,
            search_name=OuterRef("search_name"),
            federation=Coalesce(
                NullIf(OuterRef("federation"), Value("")), Value(HOME_FLAG)
            ),
        )
        .annotate(born=ExpressionWrapper(OuterRef("birth_date"), DateField()))
        .filter(Q(birth_year=None) | Q(born=None) | Q(birth_year=ExtractYear("born")))
        .exclude(Exists(linked))
        .exclude(Exists(declined))
    )
    return members.filter(Exists(namesakes)).order_by("search_name", "member_id")


def linked_members(text: str) -> QuerySet[Player]:
    """Return the members with a FIDE ID that *text* may mean, the likeliest first."""
    return find_players(text).exclude(fide_id=None)[:MOST_LINKED_SHOWN]


def suggestions_for(members: Iterable[Player]) -> list[Suggestion]:
    """Return the suggestions for these members, the best first, in four queries."""
    members = list(members)
    names = {member.search_name for member in members}
    listed = FidePlayer.objects.filter(list=newest_list(), search_name__in=names)
    # Sorted here: the database would walk the whole list in the order of IDs.
    rows = sorted(listed, key=lambda row: row.fide_id)
    taken = set(
        Player.objects.filter(
            fide_id__in=[str(row.fide_id) for row in rows]
        ).values_list("fide_id", flat=True)
    )
    declined = set(
        FideLinkRefusal.objects.filter(player__in=members).values_list(
            "player_id", "fide_id"
        )
    )
    namesakes = Counter(
        Player.objects.filter(search_name__in=names, merged_into=None)
        .order_by()
        .values_list("search_name", flat=True)
    )
    found = []
    for member in members:
        candidates = [row for row in rows if _may_be(member, row)]
        found += [
            _suggestion(member, row, len(candidates), namesakes[member.search_name])
            for row in candidates
            if str(row.fide_id) not in taken
            and (member.pk, row.fide_id) not in declined
        ]
    return found


def _may_be(member: Player, row: FidePlayer) -> bool:
    if row.search_name != member.search_name:
        return False
    if row.federation != (member.federation or HOME_FLAG):
        return False
    born = member.birth_date
    return born is None or row.birth_year in (None, born.year)


def _suggestion(
    member: Player, row: FidePlayer, candidates: int, namesakes: int
) -> Suggestion:
    evidence, score = [_("same name"), f"flag {row.federation}"], 50
    if member.birth_date is None or row.birth_year is None:
        evidence.append(_("birth year unknown"))
    else:
        score += 30
        evidence.append(
            _("both born in {birth_year}").format(birth_year=row.birth_year)
        )
    if candidates == 1:
        score += 10
        evidence.append(_("no other such player there"))
    else:
        evidence.append(
            _("{candidates} such players there").format(candidates=candidates)
        )
    if namesakes == 1:
        score += 10
        evidence.append(_("no other member of this name"))
    else:
        evidence.append(
            _("{namesakes} members of this name").format(namesakes=namesakes)
        )
    return Suggestion(member, row, score, tuple(evidence))
