"""Queries for pages about members."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import date
from typing import Any

from django.db import connection
from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.formats.member_ids import MEMBER_ID
from players.members.search import MemberSearch
from players.models import ExternalRating, Player
from players.models.membership import is_life_membership
from players.models.name_viewer import name_viewer
from ratings_site.common.audit.services import entries_about
from ratings_site.common.models import AuditEntry
from ratings_site.common.ui.formatting import format_day

# Limit of suggestions if the search finds no member.
MAX_SUGGESTIONS = 6

# Private members come last, by member ID: a place among names would tell theirs.
BY_NAME = ("private_id", "search_name", "member_id")
PLAYER_BY_NAME = tuple(f"player__{field}" for field in BY_NAME)

STATUS_LABELS: dict[str, Promise] = {
    Player.Status.DECEASED: _("Deceased"),
    Player.Status.DUPLICATE: _("Duplicate ID"),
}


def find_players(text: str, state: str = "") -> QuerySet[Player]:
    """Return the members that match *text*, best matches first.

    Names match in either order, ignoring case, accents and apostrophes: each word by
    prefix, as nickname or full form, family names also by sound, and with a state at
    the end. Members also match by member ID or FIDE ID, or a prefix of one. An empty
    text matches all members of the state.
    """
    players = Player.objects.all()
    if state:
        players = players.filter(state=state)
    if not text.strip():
        return players.order_by(*BY_NAME) if state else players.none()
    asked = MemberSearch.parse(text)
    if not asked.words:
        return players.none()
    found = players.filter(asked.all_matches(), _found_by(asked))
    return found.order_by(_relevance(asked), *BY_NAME)


def _found_by(asked: MemberSearch) -> Q:
    """Leave out private members, unless by member ID or for those who see names."""
    if name_viewer().sees_all:
        return Q()
    number = asked.number or (asked.state and asked.name.number)
    by_id = Q(member_id__has_prefix=number) if number else Q()
    return Q(is_private=False) | by_id


def _relevance(asked: MemberSearch) -> Case:
    """Order the matches; with a state, those that match by name only come last."""
    ranked_matches = asked.ranked_matches()
    if asked.state:
        ranked_matches += asked.name.ranked_matches()
    places = [
        When(kind, then=Value(place)) for place, kind in enumerate(ranked_matches)
    ]
    return Case(
        *places, default=Value(len(ranked_matches)), output_field=IntegerField()
    )


def names_of(player_ids: Iterable[int]) -> dict[int, str]:
    """Return the names of members with their IDs, by primary key."""
    return {pk: str(one) for pk, one in Player.objects.in_bulk(player_ids).items()}


def suggest_players(text: str, state: str = "") -> list[Player]:
    """Return suggestions if *text* matches no member: other states, or typos."""
    asked = MemberSearch.parse(text)
    if not asked.words:
        return []
    elsewhere = list(find_players(text)[:MAX_SUGGESTIONS]) if state else []
    if elsewhere:
        return elsewhere
    there = Q(state=asked.state or state)
    if asked.state and not asked.number:
        asked = asked.name
    first = [
        Case(When(one, then=0), default=1) for one in (asked.word_matches(), there)
    ]
    found = Player.objects.filter(asked.typo_matches(), _found_by(asked))
    return list(found.order_by(*first, *BY_NAME)[:MAX_SUGGESTIONS])


# One index lookup per state, instead of a scan of all members.
_STATES = """
WITH RECURSIVE found(state) AS (
    SELECT MIN(state) FROM players_player WHERE state > ''
    UNION ALL
    SELECT (SELECT MIN(state) FROM players_player WHERE state > found.state)
    FROM found WHERE found.state IS NOT NULL
)
SELECT state FROM found WHERE state IS NOT NULL
"""


def states() -> list[str]:
    """Return the states of all members, sorted."""
    with connection.cursor() as cursor:
        cursor.execute(_STATES)
        return [state for (state,) in cursor.fetchall()]


def membership_label(player: Player) -> str:
    """Return the membership's end in words, from prefetched memberships.

    The type of membership is omitted, because a youth membership reveals an age; so is
    a suspension, which is between the member and the office.
    """
    if player.status != Player.Status.ACTIVE:
        return str(STATUS_LABELS.get(player.status, gettext("Not a current member")))
    return membership_end_label(_last_day(player))


def membership_end(player: Player) -> date | None:
    """Return the last day of the membership, from prefetched memberships.

    None for life members, without a membership, and where the label gives no day.
    """
    last = _last_day(player) if player.status == Player.Status.ACTIVE else None
    return None if last is None or is_life_membership(last) else last


def is_life_member(player: Player) -> bool:
    """Return whether the label is "Life member", from prefetched memberships."""
    last = _last_day(player) if player.status == Player.Status.ACTIVE else None
    return last is not None and is_life_membership(last)


def membership_end_label(last: date | None) -> str:
    """Return in words when a membership with this last day ends."""
    if last is None:
        return gettext("No membership on record")
    if is_life_membership(last):
        return gettext("Life member")
    if last < timezone.localdate():
        return gettext("Membership ended {last}").format(last=format_day(last))
    return gettext("Member until {last}").format(last=format_day(last))


def _last_day(player: Player) -> date | None:
    """Return the last day of the last membership, annotated or prefetched."""
    if hasattr(player, "membership_until"):
        last: date | None = player.membership_until
        return last
    return max((one.expires for one in player.memberships.all()), default=None)


def get_member(member_id: str) -> Player | None:
    """Return the member with this ID, or None if it is unknown or invalid."""
    if not MEMBER_ID.whole.fullmatch(member_id):
        return None
    return Player.objects.filter(member_id=member_id).first()


def member_search_q(text: str) -> Q:
    """Return a filter for rows whose member matches a text."""
    return Q(player__in=find_players(text))


def external_ratings(body: str, text: str = "") -> QuerySet[ExternalRating]:
    """Return the ratings of one federation, newest lists first."""
    rows = ExternalRating.objects.filter(body=body).select_related("player")
    if text:
        rows = rows.filter(member_search_q(text))
    return rows.order_by("-list_date", "player__search_name", "pk")


def status_history(player: Player) -> QuerySet[AuditEntry]:
    return entries_about(player).filter(action="player.status_changed")


def same_person(members: Collection[int]) -> Q:
    """Return the condition that a row is of one of the members, or of a duplicate."""
    any_id = Q(pk__in_array=members) | Q(merged_into__in_array=members)
    # Two index lookups; an OR across the join would read the whole table.
    return Q(player__in=Player.objects.filter(any_id).order_by().values("pk"))


def kept_records(**member: object) -> QuerySet[Player, Any]:
    """Return the keys of the kept records of members, as a subquery."""
    rows = Player.objects.filter(**member).order_by()
    return rows.values_list(Coalesce("merged_into", "pk"), flat=True)


def same_person_ids(ids: Iterable[int]) -> dict[int, list[int]]:
    """Return all IDs of the person for each canonical ID, the canonical one first."""
    kept = list(dict.fromkeys(ids))
    found: defaultdict[int | None, list[int]] = defaultdict(list)
    rows = Player.objects.filter(merged_into__in=kept).order_by("pk")
    for kept_id, pk in rows.values_list("merged_into", "pk"):
        found[kept_id].append(pk)
    return {pk: [pk, *found[pk]] for pk in kept}
