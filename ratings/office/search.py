"""Search of members by the office, and what is on record of a member."""

from collections.abc import Iterator
from datetime import date

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from events.access import td_field
from events.models import CorrectionRequest, Official, Submission
from players.members.queries import find_players
from players.models import Membership, Player

CURRENT, EXPIRED, NO_MEMBERSHIP = "current", "expired", "none"

# The columns of the file, and the fields that they hold.
COLUMNS = {
    name: name
    for name in (
        *("member_id", "given_name", "family_name", "suffix", "state", "status"),
        *("membership_until", "fide_id", "td_level", "td_certified_until"),
    )
} | {"account": "account_name"}
EMAIL_COLUMNS = {"email": "contact__email", "guardian_email": "guardian__email"}
BIRTH_COLUMNS = {"birth_date": "birth_date"}


def directory(text: str = "") -> QuerySet[Player]:
    """Return all members, or those that a search finds.

    With ``membership_until``, ``td_level`` and ``td_certified_until``.
    """
    members = find_players(text) if text else Player.objects.all()
    last = Membership.objects.filter(player=OuterRef("pk")).order_by("-expires")
    return members.select_related("account").annotate(
        membership_until=Subquery(last.values("expires")[:1]),
        td_level=td_field("level"),
        td_certified_until=td_field("certified_until"),
    )


def with_membership(
    members: QuerySet[Player], kind: str, today: date
) -> QuerySet[Player]:
    """Keep the members whose membership is current, has expired, or never was.

    One that begins later is current, as it is in the table.
    """
    theirs = Membership.objects.filter(player=OuterRef("pk"))
    has_day_left = Exists(theirs.filter(expires__gte=today))
    if kind == CURRENT:
        return members.filter(has_day_left)
    if kind == EXPIRED:
        return members.filter(~has_day_left, Exists(theirs))
    return members.filter(~Exists(theirs))


def is_td(level: str) -> Q:
    """Return the condition that a member is a TD, of this level if it is one."""
    tds = Official.objects.filter(pk=td_field("pk", "player__")).order_by()
    if level in Official.Level:
        tds = tds.filter(level=level)
    people = tds.values(person=Coalesce("player__merged_into", "player"))
    return Q(pk__in=people) | Q(merged_into__in=people)


def file_rows(
    members: QuerySet[Player], columns: dict[str, str]
) -> Iterator[list[str]]:
    """Yield the heading and the rows of a file of members."""
    yield list(columns)
    # A username may be an email address, which only a file with a reason has.
    is_address = When(account__username__contains="@", then=Value("yes"))
    named = members.annotate(account_name=Case(is_address, default="account__username"))
    rows = named.values_list(*columns.values())
    for row in rows.iterator(chunk_size=2_000):
        yield ["" if value is None else str(value) for value in row]


def member_on_record(member_id: str) -> Player | None:
    """Return a member with accounts, addresses and memberships (four queries)."""
    members = Player.objects.select_related(
        "account", "contact", "guardian", "merged_into"
    ).prefetch_related("memberships__type", "duplicates", "guardian_accounts__account")
    return members.filter(member_id=member_id).first()


def reports_of_member(player: Player) -> QuerySet[Submission]:
    """Return the reports that the member's account has sent, newest first."""
    sent = Submission.objects.filter(uploaded_by__player=player)
    return sent.defer("content", "reader_findings").order_by("-pk")


def open_corrections_of(player: Player) -> QuerySet[CorrectionRequest]:
    """Return open requests by the member, or about a section the member played in."""
    ids = [player.pk, *(one.pk for one in player.duplicates.all())]
    played = Q(section__entries__player__in=ids)
    requests = CorrectionRequest.objects.open().filter(
        played | Q(asked_by__player=player)
    )
    return requests.select_related("section__event").distinct().order_by("pk")
