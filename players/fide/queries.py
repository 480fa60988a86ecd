"""The stored FIDE lists: ratings, links to members, and opt-ins."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from itertools import count
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from django.db.models import (
    Case,
    DateField,
    Exists,
    ExpressionWrapper,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.fields import CharField
from django.db.models.functions import Cast, Coalesce, ExtractYear, NullIf
from django.utils.translation import gettext as _

from players.members.queries import find_players, member_search_q, same_person
from players.models import (
    FideLinkRefusal,
    FideList,
    FideOptIn,
    FidePlayer,
    FideRating,
    Player,
)

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


class OnList(TypedDict):
    since: date


DatedRating: TypeAlias = "WithAnnotations[FideRating, OnList]"


def _history() -> QuerySet[DatedRating]:
    """Return the rows of lists in use, *since* the day of their list, oldest first."""
    rows = FideRating.objects.filter(list__state__in=FideList.IN_USE)
    return rows.annotate(since=F("list__list_date")).order_by("since")


def fide_ratings_on(fide_ids: Iterable[int], day: date) -> dict[int, DatedRating]:
    """Return the values of each FIDE ID on the list in force on *day*, in one query.

    Players who are on no stored list up to that day are left out.
    """
    rows = _history().filter(fide_id__in=set(fide_ids), list__list_date__lte=day)
    # The newest list comes last and overwrites the others.
    return {row.fide_id: row for row in rows}


def fide_rating_on(fide_id: int, day: date) -> "DatedRating | None":
    return fide_ratings_on([fide_id], day).get(fide_id)


def fide_history(fide_id: int) -> QuerySet[DatedRating]:
    """Return the changes of a FIDE ID, newest list first."""
    return _history().filter(fide_id=fide_id).reverse()


def newest_list() -> FideList | None:
    """Return the list in force."""
    return FideList.objects.filter(state=FideList.State.CURRENT).first()


def sexes_by_fide_id(fide_ids: Iterable[int]) -> dict[int, str]:
    """Return the sex of each FIDE ID on the list in force: F, M or ""."""
    rows = FidePlayer.objects.filter(
        list__state=FideList.State.CURRENT, fide_id__in=set(fide_ids)
    )
    return dict(rows.values_list("fide_id", "sex"))


def members_with_games(fide_list: FideList) -> list[tuple[Player, FideRating]]:
    """Return the linked members with games in the period of a list, in two queries."""
    rows = _history().filter(list=fide_list, games__gt=0)
    values = {str(row.fide_id): row for row in rows}
    linked = Player.objects.exclude(fide_id=None).order_by("search_name", "member_id")
    return [
        (player, values[player.fide_id])
        for player in linked.iterator(chunk_size=2000)
        if player.fide_id in values
    ]


def opted_in_before(player_ids: Iterable[int], day: date) -> set[int]:
    """Return the players whose opt-in covers an event abroad that begins on *day*.

    They opted in on an earlier day and have not opted out before *day*. The opt-in of a
    merged duplicate counts for the record it was merged into.
    """
    ids = set(player_ids)
    valid = FideOptIn.objects.filter(opted_in_on__lt=day).filter(
        Q(opted_out_on=None) | Q(opted_out_on__gte=day)
    )
    rows = valid.filter(same_person(ids)).values_list("player", "player__merged_into")
    return ids & {pk if pk in ids else kept for pk, kept in rows}


def opt_ins_of(player: Player) -> QuerySet[FideOptIn]:
    """Return the opt-ins of a person under any member number, newest first."""
    kept = player.merged_into_id or player.pk
    mine = FideOptIn.objects.filter(same_person([kept]))
    return mine.select_related("entered_by", "opt_out_approved_by")


def open_opt_in(player: Player) -> FideOptIn | None:
    """Return the member's active opt-in. Only the member and the office may see it."""
    return opt_ins_of(player).filter(opted_out_on=None).first()


def opt_out_requests() -> QuerySet[FideOptIn]:
    return FideOptIn.objects.filter(opt_out_asked_on__isnull=False, opted_out_on=None)


def search_opt_ins(text: str = "", *, only_asked: bool = False) -> QuerySet[FideOptIn]:
    """Return all opt-ins: opt-out requests first, then active ones, then ended ones."""
    rows = opt_out_requests() if only_asked else FideOptIn.objects.all()
    rows = rows.select_related("player", "entered_by", "opt_out_approved_by")
    if text:
        rows = rows.filter(member_search_q(text))
    asks = Q(opt_out_asked_on__isnull=False, opted_out_on=None)
    place = Case(
        When(asks, then=Value(0)),
        When(opted_out_on=None, then=Value(1)),
        default=Value(2),
    )
    return rows.order_by(place, "-opted_in_on", "-pk")


# The federation of members without one on record.
HOME_FEDERATION = "USA"
MAX_LINKED_SHOWN = 20
FULL_SCORE = 100
# Members per batch when collecting the links that are certain.
BATCH_SIZE = 500


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A FIDE ID that may belong to a member.

    *score* goes up to 100; *evidence* lists what matches.
    """

    player: Player
    fide: FidePlayer
    score: int
    evidence: tuple[str, ...]

    @property
    def is_certain(self) -> bool:
        """Return whether name, federation and birth year match, for only one player."""
        return self.score == FULL_SCORE

    @property
    def key(self) -> str:
        """Return the value that identifies it in a form; it changes with the score."""
        return f"{self.player.pk}:{self.fide.fide_id}:{self.score}"

    @property
    def strength(self) -> str:
        if self.score >= 90:
            return "strong"
        return "fair" if self.score >= 60 else "weak"

    @property
    def strength_label(self) -> str:
        return {"strong": _("strong"), "fair": _("fair"), "weak": _("weak")}[
            self.strength
        ]


def fide_player(fide_id: int) -> FidePlayer | None:
    """Return the row of a FIDE ID on the newest list."""
    return FidePlayer.objects.filter(list=newest_list(), fide_id=fide_id).first()


def members_to_link(text: str = "") -> QuerySet[Player]:
    """Return members without a FIDE ID who have a namesake on the newest list."""
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
                NullIf(OuterRef("federation"), Value("")), Value(HOME_FEDERATION)
            ),
        )
        .annotate(
            their_birth=ExpressionWrapper(OuterRef("birth_date"), DateField()),
            born=Coalesce(
                ExtractYear("their_birth"),
                OuterRef("birth_year"),
                output_field=IntegerField(),
            ),
        )
        .filter(Q(birth_year=None) | Q(born=None) | Q(birth_year=F("born")))
        .exclude(Exists(linked))
        .exclude(Exists(declined))
    )
    return members.filter(Exists(namesakes)).order_by("search_name", "member_id")


def linked_members(text: str) -> QuerySet[Player]:
    """Return the members with a FIDE ID that match *text*, best matches first."""
    return find_players(text).exclude(fide_id=None)[:MAX_LINKED_SHOWN]


def suggestions_for(members: Iterable[Player]) -> list[Suggestion]:
    """Return the suggestions for these members in four queries."""
    members = list(members)
    names = {member.search_name for member in members}
    listed = FidePlayer.objects.filter(list=newest_list(), search_name__in=names)
    # Sorted in Python: in SQL the planner would scan the whole list by FIDE ID.
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
        candidates = [row for row in rows if _is_candidate(member, row)]
        found += [
            _suggestion(member, row, len(candidates), namesakes[member.search_name])
            for row in candidates
            if str(row.fide_id) not in taken
            and (member.pk, row.fide_id) not in declined
        ]
    return found


def certain_links(text: str, *, most: int) -> list[Suggestion]:
    """Return up to *most* suggestions that are certain, in list order.

    Runs five queries for each batch of five hundred members without a FIDE ID.
    """
    found: list[Suggestion] = []
    members = members_to_link(text)
    for start in count(0, BATCH_SIZE):
        some = list(members[start : start + BATCH_SIZE])
        found += [one for one in suggestions_for(some) if one.is_certain]
        if len(found) >= most or len(some) < BATCH_SIZE:
            break
    return found[:most]


def suggestions_of(player_ids: Iterable[int]) -> dict[str, Suggestion]:
    """Return the current suggestions for these members by key, in five queries."""
    members = Player.objects.filter(
        pk__in=player_ids, fide_id=None, status=Player.Status.ACTIVE
    )
    return {one.key: one for one in suggestions_for(members)}


def _is_candidate(member: Player, row: FidePlayer) -> bool:
    if row.search_name != member.search_name:
        return False
    if row.federation != (member.federation or HOME_FEDERATION):
        return False
    born = member.year_of_birth
    return born is None or row.birth_year in (None, born)


def _suggestion(
    member: Player, row: FidePlayer, candidates: int, namesakes: int
) -> Suggestion:
    evidence, score = (
        [_("same name"), _("federation {code}").format(code=row.federation)],
        50,
    )
    if member.year_of_birth is None or row.birth_year is None:
        evidence.append(_("birth year unknown"))
    else:
        score += 30
        evidence.append(
            _("both born in {birth_year}").format(birth_year=row.birth_year)
        )
    if candidates == 1:
        score += 10
        evidence.append(_("no other FIDE player matches"))
    else:
        evidence.append(
            _("{candidates} FIDE players match").format(candidates=candidates)
        )
    if namesakes == 1:
        score += 10
        evidence.append(_("no other member with this name"))
    else:
        evidence.append(
            _("{namesakes} members with this name").format(namesakes=namesakes)
        )
    return Suggestion(member, row, score, tuple(evidence))
