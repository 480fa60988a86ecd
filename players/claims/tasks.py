"""Mail codes and invitations from jobs.

Responses do not wait for the mail server, so their timing does not reveal whether there
is an address.
"""

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from players.claims.queries import address_on_record
from players.claims.services.claims import CODE_LIFETIME, MAIL_CODE, code_of
from players.claims.services.invitations import MAIL_INVITATION, link_of
from players.claims.services.offers import (
    MAIL_OFFER,
    OFFER,
    due_offers,
    offer_own_account,
)
from players.models import Claim, Guardian, Invitation
from ratings_site.common.jobs.services import ClaimedJob, handles
from ratings_site.common.mail.services import send
from ratings_site.common.models import User


@handles(MAIL_CODE)
def mail_code(job: ClaimedJob) -> None:
    """Mail the code to the address on record, if there is one, before it expires."""
    claims = Claim.objects.select_related("player", "account")
    claim = claims.get(pk=job.args["claim"])
    address = address_on_record(claim.player)
    is_expired = timezone.now() > claim.created_at + CODE_LIFETIME
    is_open = claim.state == Claim.State.CODE and not is_expired
    if claim.mailed_at or not is_open or not address:
        return
    code = code_of(claim)
    context = {
        "claim": claim,
        "player": claim.player,
        "code": f"{code[:4]} {code[4:]}",
        "site": settings.SITE_URL,
    }
    with translation.override(claim.account.preferred_language):
        subject = _("Your code for the ratings office")
        text = render_to_string("players/claims/code.txt", context)
    with job.keep_alive():
        send(subject, text, address)
    with job.commit():
        Claim.objects.filter(pk=claim.pk).update(mailed_at=timezone.now())


@handles(MAIL_INVITATION)
def mail_invitation(job: ClaimedJob) -> None:
    """Mail the link in the office's language: the recipient's is not known yet.

    Skip it if the invitation was used or withdrawn in the meantime.
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
        subject = _("An invitation from the ratings office")
        text = render_to_string("players/claims/invitation.txt", context)
    with job.keep_alive():
        send(subject, text, invitation.email)


@handles(OFFER)
def offer_own_accounts(job: ClaimedJob) -> None:
    due = due_offers(timezone.localdate())
    for done, (player, age) in enumerate(due, start=1):
        with job.part(done=done, total=len(due)):
            offer_own_account(player_id=player, age=age)


@handles(MAIL_OFFER)
def mail_offer(job: ClaimedJob) -> None:
    """Mail a guardian the link for the child, unless it has been used already."""
    invitations = Invitation.objects.select_related("player")
    invitation = invitations.filter(pk=job.args["invitation"], used_at=None).first()
    to: User | Guardian | None
    if "account" in job.args:
        to = User.objects.filter(pk=job.args["account"]).first()
    else:
        to = Guardian.objects.filter(pk=job.args["guardian"]).first()
    if invitation is None or to is None:
        return
    context = {
        "invitation": invitation,
        "link": link_of(invitation),
        "site": settings.SITE_URL,
    }
    with translation.override(
        to.preferred_language if isinstance(to, User) else settings.LANGUAGE_CODE
    ):
        name = invitation.player.full_name
        subject = _("{name} can now have their own account").format(name=name)
        text = render_to_string("players/claims/offer.txt", context)
    with job.keep_alive():
        send(subject, text, to.email)
