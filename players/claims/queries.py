"""Claims that wait, and where a code goes."""

from django.db.models import F, QuerySet
from django.utils import timezone

from players.guardians.notices import is_of_age
from players.models import Claim, Contact, Guardian, Player
from ratings_site.common.models import User

OPEN = (Claim.State.CODE, Claim.State.ASKED)


def address_on_record(player: Player) -> str:
    """Return where a code for this member goes; blank if nothing is on record.

    Until 18 a guardian's address comes first.
    """
    guardian = Guardian.objects.filter(player=player).first()
    if guardian and not is_of_age(player.birth_date, timezone.localdate()):
        return guardian.email
    contact = Contact.objects.filter(player=player).first()
    return contact.email if contact else ""


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
