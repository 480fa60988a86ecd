"""Invitations from the office to link an account: a link, mailed or handed over."""

from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from players.claims.queries import INVITATION_LIFETIME
from players.claims.services.claims import (
    PERMISSION,
    ClaimRefused,
    link_account,
    lock_member,
    role,
)
from players.models import Invitation
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import User

MAIL_INVITATION = "players.mail_invitation"
# The salt of an invitation's signature, and how long its link is valid.
INVITATION = "players.invitations"


def invite(*, player_id: int, as_guardian: bool, email: str, actor: User) -> Invitation:
    """Invite a person to link to a member; mail the link if *email* is given."""
    require_permission(actor, PERMISSION)
    return send_invitation(
        player_id=player_id, as_guardian=as_guardian, email=email, actor=actor
    )


def send_invitation(
    *,
    player_id: int,
    as_guardian: bool,
    email: str,
    actor: User | None,
    wait: timedelta = timedelta(0),
) -> Invitation:
    """Create an invitation and queue its letter, delayed by *wait*.

    Permissions are checked by the caller.
    """
    with transaction.atomic():
        player = lock_member(player_id)
        invitation = Invitation.objects.create(
            player=player, as_guardian=as_guardian, email=email, made_by=actor
        )
        facts = {"as": role(as_guardian), "mailed": bool(email)}
        record("invitation.made", subject=player, actor=actor, facts=facts)
        if email:
            key = str(invitation.pk)
            args = {"invitation": invitation.pk}
            enqueue(MAIL_INVITATION, key=key, args=args, wait=wait)
    return invitation


def link_of(invitation: Invitation) -> str:
    """Return the URL that the invited person opens."""
    token = signing.dumps(invitation.pk, salt=INVITATION)
    return settings.SITE_URL + reverse("players:invited", args=[token])


def get_invitation(token: str) -> Invitation:
    """Return the invitation of a token; refuse it if forged, expired or used."""
    try:
        number = signing.loads(token, salt=INVITATION, max_age=INVITATION_LIFETIME)
    except signing.BadSignature:
        raise ClaimRefused(
            _("This link is incomplete or older than 14 days. Ask for a new one.")
        ) from None
    invitations = Invitation.objects.select_related("player")
    invitation = invitations.filter(pk=number, used_at=None).first()
    if invitation is None:
        raise ClaimRefused(_("This link was already used. It works once."))
    return invitation


def accept_invitation(*, token: str, actor: User) -> Invitation:
    with transaction.atomic():
        wanted = get_invitation(token).pk
        open_ones = Invitation.objects.select_for_update(of=("self",))
        invitation = open_ones.filter(pk=wanted, used_at=None).first()
        if invitation is None:
            raise ClaimRefused(_("This link was already used. It works once."))
        player = lock_member(invitation.player_id)
        link_account(player, actor, as_guardian=invitation.as_guardian, actor=actor)
        invitation.used_by, invitation.used_at = actor, timezone.now()
        invitation.save()
        facts = {"as": role(invitation.as_guardian), "account": actor.username}
        record("invitation.accepted", subject=player, actor=actor, facts=facts)
    return invitation
