"""What pages read about members."""

from django.db.models import Q, QuerySet
from django.utils import timezone

from players.models import Player
from ratings_site.common.figures import day
from ratings_site.common.names import searchable

# No name is longer, and a search need not read more words than a name has.
LONGEST_TEXT = 140
MOST_WORDS = 8

STATUS_WORDS = {
    Player.Status.DECEASED: "Deceased",
    Player.Status.DUPLICATE: "Duplicate number",
}


def find_players(text: str, state: str = "") -> QuerySet[Player]:
    """Return the members whose name or member ID begins like *text*.

    Names are found in either order, without regard to case and accents, each word
    by its beginning. An empty text finds everybody of the state.
    """
    players = Player.objects.all()
    if state:
        players = players.filter(state=state)
    if not text.strip():
        return players if state else players.none()
    words = searchable(text[:LONGEST_TEXT]).split()[:MOST_WORDS]
    if not words:
        return players.none()
    found = _named("search_name", words) | _named("search_given", words)
    if len(words) == 1 and words[0].isdecimal():
        found |= Q(member_id__startswith=words[0])
    return players.filter(found)


def _named(column: str, words: list[str]) -> Q:
    """The first word begins the name, each other one begins a word further on."""
    first, *others = words
    named = Q(**{f"{column}__startswith": first})
    for word in others:
        named &= Q(**{f"{column}__contains": f" {word}"})
    return named


def states() -> list[str]:
    """Return the states that members live in."""
    return list(
        Player.objects.exclude(state="")
        .order_by("state")
        .values_list("state", flat=True)
        .distinct()
    )


def membership_of(player: Player) -> str:
    """Say in words until when somebody is a member, from prefetched memberships.

    The type of membership is left out, because a youth membership tells an age; so
    is a suspension, which is between the member and the office.
    """
    if player.status != Player.Status.ACTIVE:
        return STATUS_WORDS.get(player.status, "Not a current member")
    last = max((one.expires for one in player.memberships.all()), default=None)
    if last is None:
        return "No membership on record"
    if last < timezone.localdate():
        return f"Membership ended {day(last)}"
    return f"Member until {day(last)}"
