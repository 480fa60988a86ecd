"""Mailing codes and invitations, so that no page waits for the mail server, or tells by
its pace whether there is an address."""

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from players.claims.queries import address_on_record
from players.claims.services.claiming import MAIL_CODE, code_of
from players.claims.services.invitations import MAIL_INVITATION, link_of
from players.claims.services.offers import (
    MAIL_OFFER,
    OFFER,
    due_offers,
    offer_own_account,
)
from players.models import Claim, Guardian, Invitation
from ratings_site.common.jobs.services import ClaimedJob, handles
from ratings_site.common.models import User
from ratings_site.common.sign_in.mail import send


@handles(MAIL_CODE)
def mail_code(job: ClaimedJob) -> None:
    """Send the code to the address on record; without one there is nothing to do."""
    claims = Claim.objects.select_related("player", "account")
    claim = claims.get(pk=job.args["claim"])
    address = address_on_record(claim.player)
    if claim.mailed_at or claim.state != Claim.State.CODE or not address:
        return
    code = code_of(claim)
    context = {
        "claim": claim,
        "player": claim.player,
        "code": f"{code[:4]} {code[4:]}",
        "site": settings.SITE_URL,
    }
    with translation.override(claim.account.reads):
        subject = _("Your code for the ratings office")
        text = render_to_string("players/claims/code.txt", context)
    with job.commit():
        Claim.objects.filter(pk=claim.pk).update(mailed_at=timezone.now())
        send(subject, text, address)


@handles(MAIL_INVITATION)
def mail_invitation(job: ClaimedJob) -> None:
    """Send the link in the office's own language: the reader's is not known yet.

    Not if it has been used, or taken back, while the letter waited.
    """
    invitations = Invitation.objects.select_related("player")
    invitation = invitations.filter(pk=job.args["invitation"], used_at=None).first()
    if invitation is None:
        return
    context = {
        "invitation": invitation,
        "link": link_of(invitation),
        "site": settings.SITE_URL,
    }
    with translation.override(settings.LANGUAGE_CODE):
        subject = _("An invitation of the ratings office")
        text = render_to_string("players/claims/invitation.txt", context)
    with job.commit():
        send(subject, text, invitation.email)


@handles(OFFER)
def offer_own_accounts(job: ClaimedJob) -> None:
    due = due_offers(timezone.localdate())
    for done, (player, age) in enumerate(due, start=1):
        with job.part(done=done, total=len(due)):
            offer_own_account(player_id=player, age=age)


@handles(MAIL_OFFER)
def mail_offer(job: ClaimedJob) -> None:
    """Send a guardian the link for the child, unless it has been used meanwhile."""
    invitations = Invitation.objects.select_related("player")
    invitation = invitations.filter(pk=job.args["invitation"], used_at=None).first()
    account = User.objects.filter(pk=job.args.get("account")).first()
    guardian = Guardian.objects.filter(pk=job.args.get("guardian")).first()
    to = account or guardian
    if invitation is None or to is None:
        return
    context = {
        "invitation": invitation,
        "link": link_of(invitation),
        "site": settings.SITE_URL,
    }
    with translation.override(account.reads if account else settings.LANGUAGE_CODE):
        name = invitation.player.name
        subject = _("{name} may have an account of their own").format(name=name)
        text = render_to_string("players/claims/offer.txt", context)
    with job.commit():
        send(subject, text, to.email)
