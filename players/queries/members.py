"""What pages read about members."""

from django.db.models import Case, Q, QuerySet, Value, When
from django.utils import timezone

from players.models import ExternalRating, FideOptIn, Player
from players.models.player import member_id_is_eight_digits
from ratings_site.common.audit import entries_about
from ratings_site.common.figures import day
from ratings_site.common.models import AuditEntry
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


def by_member_id(member_id: str) -> Player | None:
    """Return the member with this ID; texts that are no ID belong to nobody."""
    if not member_id_is_eight_digits.regex.fullmatch(member_id):
        return None
    return Player.objects.filter(member_id=member_id).first()


def _of_members(text: str) -> Q:
    """Rows below the members that a text finds, to search them by."""
    return Q(player__in=find_players(text))


def external_ratings(body: str, text: str = "") -> QuerySet[ExternalRating]:
    """Return the ratings of one body, the newest lists first."""
    rows = ExternalRating.objects.filter(body=body).select_related("player")
    if text:
        rows = rows.filter(_of_members(text))
    return rows.order_by("-list_date", "player__search_name", "pk")


def opt_ins_of(player: Player) -> QuerySet[FideOptIn]:
    return player.fide_opt_ins.select_related("entered_by", "opt_out_approved_by")


def opt_ins_to_show(text: str = "") -> QuerySet[FideOptIn]:
    """Return all opt-ins: who asks to opt out, then who is in, then who was."""
    rows = FideOptIn.objects.select_related(
        "player", "entered_by", "opt_out_approved_by"
    )
    if text:
        rows = rows.filter(_of_members(text))
    asks = Q(opt_out_asked_on__isnull=False, opted_out_on=None)
    place = Case(
        When(asks, then=Value(0)),
        When(opted_out_on=None, then=Value(1)),
        default=Value(2),
    )
    return rows.order_by(place, "-opted_in_on", "-pk")


def status_history(player: Player) -> QuerySet[AuditEntry]:
    return entries_about(player).filter(action="player.status_changed")
