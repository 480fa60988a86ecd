"""E-mails of notices. A job sends a batch of them, so a mail server that is down costs
nobody a page; what it refuses is tried again.

Everything that a batch has for one account is one e-mail. A letter is noted as sent
before it is handed over, and the note is taken back if the server does not take it: so
a job that runs twice sends once. If a worker is killed with a few letters in its hands,
their readers find the notices on the site.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from smtplib import SMTPDataError, SMTPRecipientsRefused

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import ngettext

from ratings_site.common.jobs.services import ClaimedJob, handles
from ratings_site.common.models import Notice, User
from ratings_site.common.notices.services import (
    MAIL,
    MAIL_NOTICES,
    Wishes,
    about_link,
    addresses_instead,
)

logger = logging.getLogger(__name__)

# So many letters are in a worker's hands at once.
LETTERS_IN_HAND = 20
# From this reply code on a server means what it says; below, it asks to come again.
FOR_GOOD = 500

SALT = "notices.unsubscribe"
LINK_DAYS = 365


class PutOff(Exception):
    """The mail server asked to send some letters again later."""


@dataclass(frozen=True, slots=True)
class Letter:
    """What one account is told in one e-mail; *to* may be a guardian's address."""

    user: User
    to: str
    notices: tuple[Notice, ...]

    @property
    def told(self) -> list[tuple[Notice, str]]:
        """Return each notice with what there is to say of its link."""
        return [(notice, about_link(notice.kind)) for notice in self.notices]

    @property
    def is_to_guardian(self) -> bool:
        return self.to != self.user.email


@handles(MAIL_NOTICES)
def mail_notices(job: ClaimedJob) -> None:
    """Send what a batch still has to mail."""
    waiting = Notice.objects.filter(batch=job.args["batch"], mailed_at=None)
    letters = iter(_letters(list(waiting.order_by("account_id", "pk"))))
    done, put_off = 0, 0
    with get_connection() as server:
        while some := list(islice(letters, LETTERS_IN_HAND)):
            done += len(some)
            with job.part(done=done):
                _mark(some, sent=True)
            put_off += _send(server, some)
    if put_off:  # the others have theirs; the job comes again for these
        raise PutOff(f"The mail server put off {put_off} letters.")


def _letters(notices: Sequence[Notice]) -> Iterator[Letter]:
    """Put each account's notices into a letter (three queries).

    Who has closed the account, or switched the kind off meanwhile, gets none.
    """
    numbers = {notice.account_id for notice in notices}
    users = User.objects.filter(is_active=True).in_bulk(numbers)
    instead, wishes = addresses_instead(numbers), Wishes(numbers)
    for account, some in groupby(notices, key=lambda notice: notice.account_id):
        user = users.get(account)
        wanted = [one for one in some if not wishes.is_off(account, one.kind, MAIL)]
        to = instead.get(account, user.email) if user else ""
        if to and wanted:
            yield Letter(user, to, tuple(wanted))


def _mark(letters: Sequence[Letter], *, sent: bool) -> None:
    numbers = [notice.pk for letter in letters for notice in letter.notices]
    when = timezone.now() if sent else None
    Notice.objects.filter(pk__among=numbers).update(mailed_at=when)


def _send(server: BaseEmailBackend, letters: Sequence[Letter]) -> int:
    """Send each letter; return how many the server wants to be sent again later.

    One letter that is refused holds up no other.
    """
    put_off = 0
    for place, letter in enumerate(letters):
        try:
            server.send_messages([message_of(letter)])
        except (SMTPRecipientsRefused, SMTPDataError, ValueError) as refusal:
            if _is_for_good(refusal):
                logger.warning("No e-mail to account %s: %s", letter.user.pk, refusal)
            else:
                _mark([letter], sent=False)
                put_off += 1
        except BaseException:
            _mark(letters[place:], sent=False)
            raise
    return put_off


def _is_for_good(refusal: Exception) -> bool:
    """Tell whether nobody gains by trying again: a bad address, a letter refused."""
    if isinstance(refusal, SMTPDataError):
        return refusal.smtp_code >= FOR_GOOD
    if isinstance(refusal, SMTPRecipientsRefused):
        return all(code >= FOR_GOOD for code, _ in refusal.recipients.values())
    return True


def message_of(letter: Letter) -> EmailMessage:
    """Write the letter in its reader's language, with links to end such letters.

    The two headers let mail programs do so with one press (RFC 8058).
    """
    kinds = sorted({notice.kind for notice in letter.notices})
    unsubscribe = settings.SITE_URL + reverse(
        "notices:unsubscribe", args=[unsubscribe_token(letter.user.pk, kinds)]
    )
    with translation.override(letter.user.reads):
        context = {
            "letter": letter,
            "site": settings.SITE_URL,
            "unsubscribe": unsubscribe,
        }
        subject = _subject(letter)
        body = render_to_string("common/notices/mail.txt", context)
    headers = {
        "List-Unsubscribe": f"<{unsubscribe}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }
    return EmailMessage(subject, body.strip() + "\n", to=[letter.to], headers=headers)


def _subject(letter: Letter) -> str:
    first, *others = letter.notices
    if not others:
        return first.title
    return ngettext(
        "{title} (and {number} more)", "{title} (and {number} more)", len(others)
    ).format(title=first.title, number=len(others))


def unsubscribe_token(account: int, kinds: Sequence[str]) -> str:
    return signing.dumps([account, list(kinds)], salt=SALT, compress=True)


class BadLink(Exception):
    """The link is cut, made up, or too old."""


def read_token(token: str) -> tuple[int, list[str]]:
    """Return the account and the kinds that a link in an e-mail switches off."""
    try:
        account, kinds = signing.loads(token, salt=SALT, max_age=LINK_DAYS * 86_400)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise BadLink from error
    return account, kinds
