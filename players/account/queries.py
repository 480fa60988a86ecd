"""The state of an account."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.db.models import Exists, OuterRef, Q

from players.claims.queries import open_claims_of
from players.fide.queries import open_opt_in
from players.guardians.queries import children_of
from players.members.queries import kept_records
from players.sharing.queries import followed_players
from ratings_site.common.audit.services import entries_about
from ratings_site.common.models import User
from ratings_site.common.programs.queries import active_programs
from ratings_site.common.sign_in.queries import SECOND_FACTORS

RECENT_ENTRIES = 8
MAX_RESULTS = 20


def account_summary(account: User) -> dict[str, Any]:
    """Return the state of each part of an account, and its recent activity."""
    factors = Authenticator.objects.filter(user=account, type__in=SECOND_FACTORS)
    addresses = EmailAddress.objects.filter(user=account, verified=True)
    own = getattr(account, "player", None)
    about = entries_about(account).filter(action__startswith="account.")
    return {
        "is_verified": addresses.filter(email__iexact=account.email).exists(),
        "factors": sorted(set(factors.values_list("type", flat=True))),
        "own": own,
        "opt_in": open_opt_in(own) if own else None,
        "children": children_of(account),
        "followed": followed_players(account),
        "claims": open_claims_of(account).count(),
        "keys": account.api_keys.filter(revoked_at=None).count(),
        "programs": active_programs(account).count(),
        "webhooks": account.webhooks.count(),
        "language": account.preferred_language,
        "acts": about.order_by("-pk")[:RECENT_ENTRIES],
    }


def find_accounts(text: str) -> list[User]:
    """Return the accounts with exactly this username, email address or member ID.

    An ID that was merged finds the account of the person and of the guardians, too.
    """
    named = Q(username__iexact=text) | Q(email__iexact=text)
    person = kept_records(member_id=text)
    guards = Q(children__player__in=person, children__ended_at=None)
    meant = named | Q(player__in=person) | guards
    factors = Authenticator.objects.filter(user=OuterRef("pk"), type__in=SECOND_FACTORS)
    found = User.objects.filter(meant, is_active=True).distinct()
    known = found.select_related("player").annotate(has_factor=Exists(factors))
    return list(known.order_by("username")[:MAX_RESULTS])
