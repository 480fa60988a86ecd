"""Email, sent by jobs, so no page waits for the mail server.

Pages use :func:`queue_mail`. A message may contain a code or a link for an account, so
it is encrypted while queued, deleted when the job ends, and not sent after it expires.
Other jobs use :func:`send`.

After each failure of the server no job tries it for a minute.
"""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused
from uuid import uuid4

from django.conf import settings
from django.core.cache import cache
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone
from django.utils.translation import gettext as _

from ratings_site.common.accounts.encryption import InvalidToken, decrypt, encrypt
from ratings_site.common.jobs.services import (
    ClaimedJob,
    JobFailed,
    Unavailable,
    enqueue,
    handles,
)
from ratings_site.common.mail.queries import DOWN_KEY, outage

logger = logging.getLogger(__name__)

SEND_MAIL = "common.send_mail"
SALT = "common.mail.queued"
# A queued email expires after this, or earlier.
LIFETIME = timedelta(days=1)
# The pause after a failure of the server.
PAUSE = timedelta(minutes=1)
# SMTP reply codes from here on are permanent failures; lower ones are temporary.
PERMANENT = 500

# Errors of one message (ValueError: of its address), not of the server.
REFUSALS = (SMTPRecipientsRefused, SMTPDataError, ValueError)


def is_configured() -> bool:
    """Return whether email is sent, not just printed to the console."""
    return settings.EMAIL_BACKEND != "django.core.mail.backends.console.EmailBackend"


# Queueing


def queue_mail(
    subject: str, text: str, address: str, *, lifetime: timedelta = LIFETIME
) -> None:
    """Queue an email, which is deleted unsent after its *lifetime*."""
    message = json.dumps([subject, text, address])
    expires_at = timezone.now() + min(lifetime, LIFETIME)
    args = {
        "message": encrypt(message, salt=SALT),
        "until": expires_at.isoformat(),
    }
    enqueue(SEND_MAIL, key=uuid4().hex, args=args)


@handles(SEND_MAIL, keep_args=False)
def send_queued_mail(job: ClaimedJob) -> None:
    if "message" not in job.args:
        raise JobFailed(_("The text of this email was deleted."))
    if timezone.now() >= datetime.fromisoformat(job.args["until"]):
        logger.warning("An email expired before the mail server took it.")
        with job.commit(_("Expired before the mail server took it.")):
            return
    try:
        message = json.loads(decrypt(job.args["message"], salt=SALT))
    except InvalidToken as error:
        raise JobFailed(
            _("This email was encrypted by a SECRET_KEY that is gone.")
        ) from error
    with job.keep_alive():
        send(*message)


# Sending


def send(subject: str, text: str, address: str) -> None:
    """Send an email now, in a job; raise Unavailable to have the job retried.

    A refused address is logged without naming it. Do not call this inside a
    transaction, because the server may be slow.
    """
    message = EmailMessage(subject, text.strip() + "\n", to=[address])
    with mail_server() as server:
        try:
            server.send_messages([message])
        except REFUSALS as refusal:
            if not is_permanent(refusal):
                raise Unavailable(
                    _("The mail server asked us to try again later.")
                ) from refusal
            # The error contains the address.
            logger.warning("An address on record is refused by the mail server.")


@contextmanager
def mail_server() -> Iterator[BaseEmailBackend]:
    """Connect to the mail server, unless it failed within the last minute.

    Raise Unavailable if it cannot be reached or the connection is lost.
    """
    since, until = outage()
    if until and timezone.now() < until:
        raise Unavailable(_("The mail server is not responding."))
    try:
        with get_connection() as server:
            if since:
                cache.delete(DOWN_KEY)
            yield server
    except REFUSALS:
        raise
    except OSError as error:
        logger.warning("The mail server does not answer: %s", error)
        failed_at = timezone.now()
        times = since or failed_at, failed_at + PAUSE
        cache.set(DOWN_KEY, times, timeout=LIFETIME.total_seconds())
        raise Unavailable(_("The mail server is not responding.")) from error


def is_permanent(refusal: Exception) -> bool:
    """Return whether a retry would not help."""
    if isinstance(refusal, SMTPDataError):
        return refusal.smtp_code >= PERMANENT
    if isinstance(refusal, SMTPRecipientsRefused):
        return all(code >= PERMANENT for code, _text in refusal.recipients.values())
    return True
