"""Emails of notices, sent in batches by jobs.

All notices of a batch to one account are one email. It is marked as sent before it is
handed to the server, and unmarked if the server does not accept it, so a job that runs
twice sends it once. If a worker is killed in between, a few emails are not sent, but
the notices are on the site.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ratings_site.common.jobs.services import ClaimedJob, Unavailable, handles
from ratings_site.common.mail.services import REFUSALS, is_permanent, mail_server
from ratings_site.common.models import Notice, User
from ratings_site.common.notices.services import (
    MAIL,
    MAIL_NOTICES,
    NoticePreferences,
    about_link,
    forwarding_addresses,
)

logger = logging.getLogger(__name__)

# Emails that are marked as sent before they are handed to the server.
EMAILS_PER_PART = 20

SALT = "notices.unsubscribe"
LINK_DAYS = 365


@dataclass(frozen=True, slots=True)
class NoticeEmail:
    """An email with notices to one account; *to* may be a guardian's address."""

    user: User
    to: str
    notices: tuple[Notice, ...]

    @property
    def told(self) -> list[tuple[Notice, str]]:
        """Return each notice with the text above its link."""
        return [(notice, about_link(notice.kind)) for notice in self.notices]

    @property
    def is_to_guardian(self) -> bool:
        return self.to != self.user.email


@handles(MAIL_NOTICES)
def mail_notices(job: ClaimedJob) -> None:
    """Send the unsent notices of a batch."""
    waiting = Notice.objects.filter(batch=job.args["batch"], mailed_at=None)
    emails = iter(_emails(list(waiting.order_by("account_id", "pk"))))
    done, put_off = 0, 0
    with mail_server() as server:
        while some := list(islice(emails, EMAILS_PER_PART)):
            done += len(some)
            with job.part(done=done):
                _mark_mailed(some, sent=True)
            put_off += _send(server, some)
    if put_off:  # the job is retried for these
        raise Unavailable(_("The mail server asked us to try again later."))


def _emails(notices: Sequence[Notice]) -> Iterator[NoticeEmail]:
    """Yield one email for each account (three queries).

    Closed accounts, and kinds that were turned off meanwhile, are skipped.
    """
    numbers = {notice.account_id for notice in notices}
    users = User.objects.filter(is_active=True).in_bulk(numbers)
    instead, wishes = forwarding_addresses(numbers), NoticePreferences(numbers)
    for account, some in groupby(notices, key=lambda notice: notice.account_id):
        if (user := users.get(account)) is None:
            continue
        wanted = [one for one in some if not wishes.is_off(account, one.kind, MAIL)]
        to = instead.get(account, user.email)
        if to and wanted:
            yield NoticeEmail(user, to, tuple(wanted))


def _mark_mailed(emails: Sequence[NoticeEmail], *, sent: bool) -> None:
    numbers = [notice.pk for email in emails for notice in email.notices]
    when = timezone.now() if sent else None
    Notice.objects.filter(pk__in_array=numbers).update(mailed_at=when)


def _send(server: BaseEmailBackend, emails: Sequence[NoticeEmail]) -> int:
    """Send each email; return how many were refused temporarily.

    A refused email does not stop the others.
    """
    put_off = 0
    for place, email in enumerate(emails):
        try:
            server.send_messages([build_message(email)])
        except (*REFUSALS, ValueError) as refusal:
            if is_permanent(refusal):
                logger.warning("No email to account %s: %s", email.user.pk, refusal)
            else:
                _mark_mailed([email], sent=False)
                put_off += 1
        except BaseException:
            _mark_mailed(emails[place:], sent=False)
            raise
    return put_off


def build_message(email: NoticeEmail) -> EmailMessage:
    """Return the email in the account's language, with unsubscribe links.

    The two headers enable one-click unsubscribe (RFC 8058).
    """
    kinds = sorted({notice.kind for notice in email.notices})
    unsubscribe = settings.SITE_URL + reverse(
        "notices:unsubscribe", args=[unsubscribe_token(email.user.pk, kinds)]
    )
    with translation.override(email.user.preferred_language):
        context = {
            "email": email,
            "site": settings.SITE_URL,
            "unsubscribe": unsubscribe,
        }
        subject = _subject(email)
        body = render_to_string("common/notices/mail.txt", context)
    headers = {
        "List-Unsubscribe": f"<{unsubscribe}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }
    return EmailMessage(subject, body.strip() + "\n", to=[email.to], headers=headers)


def _subject(email: NoticeEmail) -> str:
    first, *others = email.notices
    if not others:
        return first.title
    return ngettext(
        "{title} (and {number} more)", "{title} (and {number} more)", len(others)
    ).format(title=first.title, number=len(others))


def unsubscribe_token(account: int, kinds: Sequence[str]) -> str:
    return signing.dumps([account, list(kinds)], salt=SALT, compress=True)


class InvalidLink(Exception):
    """The link is incomplete, forged or expired."""


def read_token(token: str) -> tuple[int, list[str]]:
    """Return the account and the kinds of an unsubscribe link."""
    try:
        account, kinds = signing.loads(token, salt=SALT, max_age=LINK_DAYS * 86_400)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise InvalidLink from error
    return account, kinds
