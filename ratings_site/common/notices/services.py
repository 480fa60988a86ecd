"""Notices to accounts, on the site and by email.

Apps register kinds of notices (:func:`register`) and send drafts in the transaction of
an action, or in a job if there are many (:func:`notify`). Each account turns each kind
on or off for the site and for email. ``ratings_site.common.notices.mail`` sends the
emails.

A notice has a key, so an account gets it only once, even if a job runs twice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Count, OuterRef, QuerySet, Subquery, When
from django.db.models.functions import Coalesce
from django.utils import timezone, translation

from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import Notice, NoticeSetting, User
from ratings_site.common.web.files import groups

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

# Notices written at once, and emailed by one job.
BATCH_SIZE = 500
MAIL_NOTICES = "common.mail_notices"

SITE, MAIL = NoticeSetting.Channel.SITE, NoticeSetting.Channel.MAIL


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of notice: its label and its defaults.

    An email has *about_link* above the link; on the site the title is the link.
    """

    name: str
    label: _StrOrPromise
    help: _StrOrPromise
    by_mail: bool = True
    about_link: _StrOrPromise = ""

    def is_on(self, channel: str) -> bool:
        """Return whether the kind is on by default for a channel."""
        return self.by_mail if channel == MAIL else True


@dataclass(frozen=True, slots=True)
class NoticeDraft:
    """A notice to be sent to one account.

    *write* returns title and text in the active language; *key* identifies the subject.
    Without *by_mail* it is never emailed, regardless of preferences.
    """

    kind: Kind
    account: int
    key: str
    url: str
    write: Callable[[], tuple[str, str]]
    by_mail: bool = True


_kinds: dict[str, Kind] = {}

# Returns addresses that replace those of accounts, by account ID; "" means no email.
ForwardingAddresses = Callable[[Collection[int]], dict[int, str]]
_bound: list[ForwardingAddresses] = []


def register(
    name: str, label: _StrOrPromise, help: _StrOrPromise, **defaults: Any
) -> Kind:
    """Register a kind of notice; *defaults* are those of :class:`Kind`."""
    kind = _kinds[name] = Kind(name, label, help, **defaults)
    return kind


def kinds() -> list[Kind]:
    """Return all kinds, with those of this app last."""
    return sorted(_kinds.values(), key=lambda kind: kind.name.startswith("common."))


def about_link(kind_name: str) -> str:
    """Return the text above the link in emails of this kind."""
    kind = _kinds.get(kind_name)
    return str(kind.about_link) if kind else ""


def bind_forwarding_addresses(addresses: ForwardingAddresses) -> None:
    """Set the function that returns forwarding addresses."""
    _bound[:] = [addresses]


def forwarding_addresses(accounts: Collection[int]) -> dict[int, str]:
    """Return the forwarding addresses by account."""
    return _bound[0](accounts)


def notify(news: Iterable[NoticeDraft], *, wave: int = 0) -> int:
    """Create notices and queue their emails; return how many are new.

    Queries are batched. The emails of each batch are sent later than those of the one
    before (its *wave*), so that the mail server is not flooded.
    """
    return sum(
        _create_notices(some, number)
        for number, some in enumerate(groups(news, BATCH_SIZE), start=wave)
    )


def _create_notices(news: list[NoticeDraft], wave: int) -> int:
    with transaction.atomic(savepoint=False):
        batch = uuid4().hex
        rows = _rows(news, batch)
        if not rows:
            return 0
        # Another transaction may have created the same notices.
        Notice.objects.bulk_create(rows, ignore_conflicts=True)
        count_unread({row.account_id for row in rows if row.on_site})
        if any(row.batch for row in rows):
            delay = timedelta(
                minutes=wave * BATCH_SIZE / settings.NOTICE_MAILS_A_MINUTE
            )
            enqueue(MAIL_NOTICES, key=batch, args={"batch": batch}, wait=delay)
    return len(rows)


def _rows(news: list[NoticeDraft], batch: str) -> list[Notice]:
    """Return the new notices that their accounts want."""
    accounts = _readers({one.account for one in news})
    known = _known(news)
    wishes = NoticePreferences(accounts)
    reachable = _reachable(accounts)
    rows = []
    for language, some in _by_language(news, accounts):
        with translation.override(language):
            for one in some:
                place = one.account, one.key
                on_site = wishes.wants(one.account, one.kind, SITE)
                may_be_mailed = one.by_mail and one.account in reachable
                by_mail = may_be_mailed and wishes.wants(one.account, one.kind, MAIL)
                if place not in known and (on_site or by_mail):
                    known.add(place)
                    rows.append(_row(one, on_site, batch if by_mail else ""))
    return rows


def _row(one: NoticeDraft, on_site: bool, batch: str) -> Notice:
    title, text = one.write()
    return Notice(
        account_id=one.account,
        kind=one.kind.name,
        key=one.key,
        title=fit_title(title),
        text=text.strip(),
        url=one.url,
        on_site=on_site,
        batch=batch,
    )


def fit_title(title: str) -> str:
    """Return a title as one line, shortened to fit its column."""
    line = " ".join(title.split())
    longest = Notice._meta.get_field("title").max_length or len(line)
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _readers(accounts: Collection[int]) -> dict[int, User]:
    open_accounts = User.objects.filter(pk__in_array=accounts, is_active=True)
    return {user.pk: user for user in open_accounts.only("pk", "language", "email")}


def _known(news: list[NoticeDraft]) -> set[tuple[int, str]]:
    """Return the accounts and keys of notices that exist already."""
    told = Notice.objects.filter(
        account__in_array={one.account for one in news},
        key__in={one.key for one in news},
    )
    return set(told.values_list("account_id", "key"))


def _reachable(accounts: dict[int, User]) -> set[int]:
    instead = forwarding_addresses(accounts)
    return {pk for pk, user in accounts.items() if instead.get(pk, user.email)}


def _by_language(
    news: list[NoticeDraft], accounts: dict[int, User]
) -> Iterator[tuple[str, list[NoticeDraft]]]:
    """Group the drafts by the accounts' languages, without closed accounts."""

    def language(one: NoticeDraft) -> str:
        return accounts[one.account].preferred_language

    told = sorted((one for one in news if one.account in accounts), key=language)
    for code, some in groupby(told, key=language):
        yield code, list(some)


class NoticePreferences:
    """The notice preferences of some accounts (one query)."""

    def __init__(self, accounts: Collection[int]) -> None:
        rows = NoticeSetting.objects.filter(account__in_array=accounts)
        self._said = {
            (account, kind, channel): is_on
            for account, kind, channel, is_on in rows.values_list(
                "account_id", "kind", "channel", "is_on"
            )
        }

    def wants(self, account: int, kind: Kind, channel: str) -> bool:
        return self._said.get((account, kind.name, channel), kind.is_on(channel))

    def is_off(self, account: int, kind_name: str, channel: str) -> bool:
        """Return whether the account has turned the kind off itself."""
        return self._said.get((account, kind_name, channel)) is False


# Actions of readers


def notices_of(user: User) -> QuerySet[Notice]:
    """Return the notices of an account, unread ones first, then the newest."""
    unread_first = Case(When(read_at=None, then=0), default=1)
    mine = Notice.objects.filter(account=user, on_site=True)
    return mine.order_by(unread_first, "-pk")


def mark_read(user: User, *, notice_id: int | None = None) -> int:
    """Mark one notice or all as read; return how many were unread."""
    unread = Notice.objects.filter(account=user, on_site=True, read_at=None)
    if notice_id is not None:
        unread = unread.filter(pk=notice_id)
    with transaction.atomic():
        marked = unread.update(read_at=timezone.now())
        count_unread([user.pk])
    return marked


def count_unread(accounts: Collection[int]) -> None:
    """Update the accounts' counts of unread notices."""
    unread = (
        Notice.objects.filter(account=OuterRef("pk"), on_site=True, read_at=None)
        .order_by()
        .values("account")
        .annotate(number=Count("pk"))
    )
    number = Coalesce(Subquery(unread.values("number")), 0)
    User.objects.filter(pk__in_array=list(accounts)).update(unread_notices=number)


def save_preferences(account: int, wishes: dict[tuple[str, str], bool]) -> None:
    """Save an account's preferences, by kind and channel."""
    NoticeSetting.objects.bulk_create(
        [
            NoticeSetting(account_id=account, kind=kind, channel=channel, is_on=is_on)
            for (kind, channel), is_on in wishes.items()
        ],
        update_conflicts=True,
        unique_fields=["account", "kind", "channel"],
        update_fields=["is_on"],
    )
