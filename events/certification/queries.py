"""Requests for TD certification, and the facts that the office checks."""

from dataclasses import dataclass

from django.db.models import Prefetch, QuerySet

from events.models import EventOfficial, Official
from players.claims.queries import decided_claims, waiting_claims
from players.guardians.queries import age_class
from players.members.queries import membership_label
from players.models import Claim, Membership
from ratings_site.common.models import User


def open_requests() -> QuerySet[Claim]:
    return waiting_claims(as_td=True)


def decided_requests() -> QuerySet[Claim]:
    return decided_claims(as_td=True)


def next_request() -> Claim | None:
    """Return the oldest open request."""
    return open_requests().first()


def open_request_of(account: User) -> Claim | None:
    return open_requests().filter(account=account).first()


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """Facts on record about the person who requests certification."""

    official: Official | None
    membership: str
    age_class: str
    events_directed: int
    is_linked: bool
    other_account: User | None


def request_with_facts(pk: int) -> tuple[Claim, RequestFacts] | None:
    """Return a request and its facts (three queries)."""
    memberships = Membership.objects.select_related("type")
    requests = Claim.objects.filter(as_td=True).select_related(
        "account__invited_by",
        "decided_by",
        "player__account",
        "player__official",
        "player__merged_into__account",
        "player__merged_into__official",
    )
    requests = requests.prefetch_related(
        Prefetch("player__memberships", memberships),
        Prefetch("player__merged_into__memberships", memberships),
    )
    request = requests.filter(pk=pk).first()
    if request is None:
        return None
    member = request.player.canonical
    directed = EventOfficial.objects.filter(player=member).values("event").distinct()
    is_linked = member.account_id == request.account_id
    return request, RequestFacts(
        official=getattr(member, "official", None),
        membership=membership_label(member),
        age_class=age_class(member.birth_date),
        events_directed=directed.count(),
        is_linked=is_linked,
        other_account=None if is_linked else member.account,
    )
