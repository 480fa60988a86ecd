"""Mailing codes and invitations, so that no page waits for the mail server, or tells by
its pace whether there is an address."""

import logging
from smtplib import SMTPRecipientsRefused

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from players.claims.queries import address_on_record
from players.claims.services import MAIL_CODE, MAIL_INVITATION, code_of, link_of
from players.models import Claim, Invitation
from ratings_site.common.jobs.services import ClaimedJob, handles
from ratings_site.common.notices.services import language_of

logger = logging.getLogger(__name__)


@handles(MAIL_CODE)
def mail_code(job: ClaimedJob) -> None:
    """Send the code to the address on record; without one there is nothing to do."""
    claims = Claim.objects.select_related("player", "account")
    claim = claims.get(pk=job.args["claim"])
    address = address_on_record(claim.player)
    if claim.mailed_at or claim.state != Claim.State.CODE or not address:
        return
    code = code_of(claim)
    context = {"claim": claim, "player": claim.player, "code": f"{code[:4]} {code[4:]}"}
    with translation.override(language_of(claim.account)):
        subject = _("Your code for the ratings office")
        text = render_to_string("players/claims/code.txt", context)
    with job.commit():
        Claim.objects.filter(pk=claim.pk).update(mailed_at=timezone.now())
        _send(subject, text, address)


@handles(MAIL_INVITATION)
def mail_invitation(job: ClaimedJob) -> None:
    """Send the link in the office's own language: the reader's is not known yet."""
    invitations = Invitation.objects.select_related("player")
    invitation = invitations.get(pk=job.args["invitation"])
    context = {"invitation": invitation, "link": link_of(invitation)}
    with translation.override(settings.LANGUAGE_CODE):
        subject = _("An invitation of the ratings office")
        text = render_to_string("players/claims/invitation.txt", context)
    with job.commit():
        _send(subject, text, invitation.email)


def _send(subject: str, text: str, address: str) -> None:
    try:
        send_mail(subject, text, None, [address])
    except SMTPRecipientsRefused:  # what it says holds the address
        logger.warning("An address on record is refused by the mail server.")
