"""Open link requests, and the address that a code is mailed to."""

from datetime import timedelta

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from players.guardians.notices import is_of_age
from players.models import Claim, Contact, Guardian, Invitation, Player
from ratings_site.common.models import User

# How long the link of an invitation is valid.
INVITATION_LIFETIME = timedelta(days=14)
OPEN = (Claim.State.CODE, Claim.State.ASKED)


def address_on_record(player: Player) -> str:
    """Return the address that receives codes for this member, or "" if there is none.

    Until 18 a guardian's address comes first.
    """
    guardian: Guardian | None = getattr(player, "guardian", None)
    if guardian and not is_of_age(player.latest_birth_date, timezone.localdate()):
        return guardian.email
    contact: Contact | None = getattr(player, "contact", None)
    return contact.email if contact else ""


def guardian_accounts(player: Player) -> QuerySet[User]:
    """Return the guardian accounts of a child, including those of merged duplicates."""
    theirs = Q(children__player=player) | Q(children__player__merged_into=player)
    guards = User.objects.filter(theirs, children__ended_at=None, is_active=True)
    return guards.distinct().order_by("pk")


def open_offers(account: User) -> QuerySet[Invitation]:
    """Return the open offers of accounts for the children of a guardian."""
    mine = account.children.filter(ended_at=None)
    numbers = Q(player__in=mine.values("player"))
    numbers |= Q(player__in=mine.values("player__merged_into"))
    since = timezone.now() - INVITATION_LIFETIME
    waiting = Invitation.objects.filter(used_at=None, made_at__gt=since)
    return waiting.exclude(at_age=None).filter(numbers).select_related("player")


def open_claims_of(account: User) -> QuerySet[Claim]:
    return account.claims.filter(state__in=OPEN).select_related("player")


def waiting_claims(*, as_td: bool = False) -> QuerySet[Claim]:
    """Return the open link requests, or the open TD requests, oldest first."""
    asked = Claim.objects.open().filter(as_td=as_td)
    return asked.select_related("player", "account").order_by("asked_at", "pk")


def decided_claims(*, as_td: bool = False) -> QuerySet[Claim]:
    """Return the requests decided by the office or by a code, newest first."""
    states = [Claim.State.GRANTED, Claim.State.REFUSED]
    decided = Claim.objects.filter(state__in=states, as_td=as_td)
    people = decided.select_related("player", "account", "decided_by")
    return people.order_by(F("decided_at").desc(), "-pk")
