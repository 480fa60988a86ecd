"""What pages read about members."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date

from django.db import connection
from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.members.text import Asked
from players.models import ExternalRating, Player
from players.models.player import member_id_is_eight_digits
from ratings_site.common.audit.services import entries_about
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.models import AuditEntry

# So many can be looked over where nobody is found.
MOST_INSTEAD = 6

STATUS_WORDS = {
    Player.Status.DECEASED: "Deceased",
    Player.Status.DUPLICATE: gettext_lazy("Duplicate number"),
}


def find_players(text: str, state: str = "") -> QuerySet[Player]:
    """Return the members that *text* may mean, the likeliest first.

    Names are found in either order, without regard to case, accents and apostrophes,
    each word by its beginning, as nickname or full form, family names by their sound,
    and with a state behind them; members by their own ID and FIDE ID, or the beginning
    of one. An empty text finds everybody of the state.
    """
    players = Player.objects.all()
    if state:
        players = players.filter(state=state)
    if not text.strip():
        return players if state else players.none()
    asked = Asked.of(text)
    if not asked.words:
        return players.none()
    found = players.filter(asked.is_meant())
    return found.order_by(_likeliest(asked), "search_name", "member_id")


def _likeliest(asked: Asked) -> Case:
    """Order what is found; last, where it has the state, what the name alone finds."""
    kinds = asked.kinds()
    if asked.state:
        kinds += asked.name.kinds()
    places = [When(kind, then=Value(place)) for place, kind in enumerate(kinds)]
    return Case(*places, default=Value(len(kinds)), output_field=IntegerField())


def names_of(player_ids: Iterable[int]) -> dict[int, str]:
    """Return what members are called, with their IDs, by primary key."""
    return {pk: str(one) for pk, one in Player.objects.in_bulk(player_ids).items()}


def meant_instead(text: str, state: str = "") -> list[Player]:
    """Return whom a text may mean that finds nobody: elsewhere, or with a slip."""
    asked = Asked.of(text)
    if not asked.words:
        return []
    elsewhere = list(find_players(text)[:MOST_INSTEAD]) if state else []
    if elsewhere:
        return elsewhere
    there = Q(state=asked.state or state)
    if asked.state and not asked.number:
        asked = asked.name
    first = [Case(When(one, then=0), default=1) for one in (asked.has_a_word(), there)]
    found = Player.objects.filter(asked.is_a_slip_away())
    return list(found.order_by(*first, "search_name", "member_id")[:MOST_INSTEAD])


# A question for each state, which the index answers, instead of a look at each member.
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
    """Return the states that members live in, in order."""
    with connection.cursor() as cursor:
        cursor.execute(_STATES)
        return [state for (state,) in cursor.fetchall()]


def membership_of(player: Player) -> str:
    """Say in words until when somebody is a member, from prefetched memberships.

    The type of membership is left out, because a youth membership tells an age; so
    is a suspension, which is between the member and the office.
    """
    if player.status != Player.Status.ACTIVE:
        return STATUS_WORDS.get(player.status, "Not a current member")
    last = _last_day(player)
    if last is None:
        return _("No membership on record")
    if last < timezone.localdate():
        return _("Membership ended {last}").format(last=day_in_words(last))
    return _("Member until {last}").format(last=day_in_words(last))


def _last_day(player: Player) -> date | None:
    """Return the last day of the last membership, which a query may have brought."""
    if hasattr(player, "membership_until"):
        return player.membership_until
    return max((one.expires for one in player.memberships.all()), default=None)


def by_member_id(member_id: str) -> Player | None:
    """Return the member with this ID; texts that are no ID belong to nobody."""
    if not member_id_is_eight_digits.regex.fullmatch(member_id):
        return None
    return Player.objects.filter(member_id=member_id).first()


def of_members(text: str) -> Q:
    """Rows below the members that a text finds, to search them by."""
    return Q(player__in=find_players(text))


def external_ratings(body: str, text: str = "") -> QuerySet[ExternalRating]:
    """Return the ratings of one body, the newest lists first."""
    rows = ExternalRating.objects.filter(body=body).select_related("player")
    if text:
        rows = rows.filter(of_members(text))
    return rows.order_by("-list_date", "player__search_name", "pk")


def status_history(player: Player) -> QuerySet[AuditEntry]:
    return entries_about(player).filter(action="player.status_changed")


def same_person_ids(ids: Iterable[int]) -> dict[int, list[int]]:
    """Return for each canonical ID all numbers of that person, its own first."""
    kept = list(dict.fromkeys(ids))
    found: defaultdict[int, list[int]] = defaultdict(list)
    rows = Player.objects.filter(merged_into__in=kept).order_by("pk")
    for kept_id, pk in rows.values_list("merged_into", "pk"):
        found[kept_id].append(pk)
    return {pk: [pk, *found[pk]] for pk in kept}
