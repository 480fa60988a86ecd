"""The office invites somebody to speak for a member: a link, mailed or handed over."""

from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from players.claims.queries import INVITATION_LASTS
from players.claims.services.claiming import (
    PERMISSION,
    ClaimRefused,
    give,
    locked_member,
    role,
)
from players.models import Invitation
from ratings_site.common.accounts.permissions import require
from ratings_site.common.audit.services import record
from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import User

MAIL_INVITATION = "players.mail_invitation"
# The salt of an invitation's signature, and how long its link counts.
INVITATION = "players.invitations"


def invite(*, player_id: int, as_guardian: bool, email: str, actor: User) -> Invitation:
    """Invite somebody to speak for a member; mail the link if there is an address."""
    require(actor, PERMISSION)
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
    """Make an invitation that somebody may make; its letter may have to *wait*."""
    with transaction.atomic():
        player = locked_member(player_id)
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
    """Return the address that the invited person opens."""
    token = signing.dumps(invitation.pk, salt=INVITATION)
    return settings.SITE_URL + reverse("players:invited", args=[token])


def invitation_with(token: str) -> Invitation:
    """Return the invitation of a link, or refuse what is forged, old or used."""
    try:
        number = signing.loads(token, salt=INVITATION, max_age=INVITATION_LASTS)
    except signing.BadSignature:
        raise ClaimRefused(
            _("This link is not whole, or older than 14 days.")
        ) from None
    invitations = Invitation.objects.select_related("player")
    invitation = invitations.filter(pk=number, used_at=None).first()
    if invitation is None:
        raise ClaimRefused(_("This link has been used. It counts once."))
    return invitation


def accept_invitation(*, token: str, actor: User) -> Invitation:
    with transaction.atomic():
        wanted = invitation_with(token).pk
        open_ones = Invitation.objects.select_for_update(of=("self",))
        invitation = open_ones.filter(pk=wanted, used_at=None).first()
        if invitation is None:
            raise ClaimRefused(_("This link has been used. It counts once."))
        player = locked_member(invitation.player_id)
        give(player, actor, as_guardian=invitation.as_guardian, actor=actor)
        invitation.used_by, invitation.used_at = actor, timezone.now()
        invitation.save()
        facts = {"as": role(invitation.as_guardian), "account": actor.username}
        record("invitation.accepted", subject=player, actor=actor, facts=facts)
    return invitation
