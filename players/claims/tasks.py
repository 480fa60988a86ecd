"""Mailing the code of a claim, so that no page waits for the mail server or tells by
its pace whether there is an address."""

import logging
from smtplib import SMTPRecipientsRefused

from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from players.claims.queries import address_on_record
from players.claims.services import MAIL_CODE, code_of
from players.models import Claim
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
    with job.commit():
        Claim.objects.filter(pk=claim.pk).update(mailed_at=timezone.now())
        _send(claim, address)


def _send(claim: Claim, address: str) -> None:
    code = code_of(claim)
    context = {"claim": claim, "player": claim.player, "code": f"{code[:4]} {code[4:]}"}
    with translation.override(language_of(claim.account)):
        subject = _("Your code for the ratings office")
        text = render_to_string("players/claims/code.txt", context)
    try:
        send_mail(subject, text, None, [address])
    except SMTPRecipientsRefused:  # its message holds the address
        logger.warning("The address on record for claim %s is refused.", claim.pk)
