"""Letters about an account to its owner, so that no page waits for the mail server."""

import logging
from smtplib import SMTPRecipientsRefused

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from ratings_site.common.jobs.services import ClaimedJob, handles
from ratings_site.common.models import User
from ratings_site.common.sign_in.services import MAIL_LETTER, link_to_set_password

logger = logging.getLogger(__name__)

# What is written in templates/common/letters, and what stands above it.
SUBJECTS = {
    "locked": _("Many wrong passwords for your account"),
    "factors_reset": _("Your second factor was taken away"),
    "invited": _("Your account at the ratings office"),
    "joined": _("You work in the ratings office now"),
}


def is_set_up() -> bool:
    """Tell whether letters leave the office, or stand in its log only."""
    return settings.EMAIL_BACKEND != "django.core.mail.backends.console.EmailBackend"


@handles(MAIL_LETTER)
def mail_letter(job: ClaimedJob) -> None:
    letter = job.args["letter"]
    open_accounts = User.objects.filter(is_active=True).exclude(email="")
    user = open_accounts.filter(pk=job.args["account"]).first()
    if user is None:
        return
    context = {
        "user": user,
        "failures": settings.FAILED_SIGN_INS_AN_HOUR,
        "site": settings.SITE_URL,
        "link": link_to_set_password(user),
    }
    with translation.override(user.reads):
        subject = str(SUBJECTS[letter])
        text = render_to_string(f"common/letters/{letter}.txt", context)
    with job.commit():
        send(subject, text, user.email)


def send(subject: str, text: str, address: str) -> None:
    """Send a letter; an address that the server refuses is noted without its name."""
    try:
        send_mail(subject, text.strip() + "\n", None, [address])
    except SMTPRecipientsRefused:  # what it says holds the address
        logger.warning("An address on record is refused by the mail server.")
