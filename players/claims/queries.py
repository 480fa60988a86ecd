"""Claims that wait, and where a code goes."""

from datetime import timedelta

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from players.guardians.notices import is_of_age
from players.models import Claim, Invitation, Player
from ratings_site.common.models import User

# How long the link of an invitation counts.
INVITATION_LASTS = timedelta(days=14)
OPEN = (Claim.State.CODE, Claim.State.ASKED)


def address_on_record(player: Player) -> str:
    """Return where a code for this member goes; blank if nothing is on record.

    Until 18 a guardian's address comes first.
    """
    guardian = getattr(player, "guardian", None)
    if guardian and not is_of_age(player.birth_date, timezone.localdate()):
        return guardian.email
    contact = getattr(player, "contact", None)
    return contact.email if contact else ""


def guardian_accounts(player: Player) -> QuerySet[User]:
    """Return the accounts that speak for a child, also under a merged number."""
    theirs = Q(children__player=player) | Q(children__player__merged_into=player)
    guards = User.objects.filter(theirs, children__ended_at=None, is_active=True)
    return guards.distinct().order_by("pk")


def offers_to(account: User) -> QuerySet[Invitation]:
    """Return the offers of own accounts that wait, for children of a guardian."""
    mine = account.children.filter(ended_at=None)
    numbers = Q(player__in=mine.values("player"))
    numbers |= Q(player__in=mine.values("player__merged_into"))
    since = timezone.now() - INVITATION_LASTS
    waiting = Invitation.objects.filter(used_at=None, made_at__gt=since)
    return waiting.exclude(at_age=None).filter(numbers).select_related("player")


def open_claims_of(account: User) -> QuerySet[Claim]:
    return account.claims.filter(state__in=OPEN).select_related("player")


def waiting_claims() -> QuerySet[Claim]:
    """Return what the office has to decide, the oldest first."""
    asked = Claim.objects.filter(state=Claim.State.ASKED)
    return asked.select_related("player", "account").order_by("asked_at", "pk")


def decided_claims() -> QuerySet[Claim]:
    """Return what was granted or refused, by the office or by a code, newest first."""
    decided = Claim.objects.filter(state__in=[Claim.State.GRANTED, Claim.State.REFUSED])
    people = decided.select_related("player", "account", "decided_by")
    return people.order_by(F("decided_at").desc(), "-pk")
