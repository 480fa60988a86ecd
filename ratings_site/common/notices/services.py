"""Notices: what the office tells people, on the site and by e-mail.

An app registers the kinds of things it tells (:func:`register`) and hands over news
inside the transaction of the act, or in a job of its own where they are many
(:func:`notify`). Here is decided who gets what: each account switches each kind on
and off for the site and for e-mail. ``ratings_site.common.notices.mail`` sends the
e-mails.

Nobody is told the same thing twice, whatever runs twice: a notice has a key.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby, islice
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Count, OuterRef, QuerySet, Subquery, When
from django.db.models.functions import Coalesce
from django.utils import timezone, translation

from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import Notice, NoticeSetting, User

# So many at a time are told, and mailed by one job.
AT_A_TIME = 500
MAIL_NOTICES = "common.mail_notices"

SITE, MAIL = NoticeSetting.Channel.SITE, NoticeSetting.Channel.MAIL


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of notice, as people switch it: its label and how it begins.

    An e-mail says *about_link* above the link; on the site the title is the link.
    """

    name: str
    label: str
    help: str
    by_mail: bool = True
    about_link: str = ""

    def is_on(self, channel: str) -> bool:
        """Tell whether it goes this way to those who have not said otherwise."""
        return self.by_mail if channel == MAIL else True


@dataclass(frozen=True, slots=True)
class News:
    """One thing to tell one account.

    *write* gives title and text in whatever language is active; *key* names the thing.
    What is not *by_mail* stands on the site only, whatever the account wishes.
    """

    kind: Kind
    account: int
    key: str
    url: str
    write: Callable[[], tuple[str, str]]
    by_mail: bool = True


_kinds: dict[str, Kind] = {}

# Says for accounts where their e-mails go instead of to themselves: the number of the
# account to the address, blank for nowhere.
AddressesInstead = Callable[[Collection[int]], dict[int, str]]
_bound: list[AddressesInstead] = []


def register(kind: Kind) -> Kind:
    _kinds[kind.name] = kind
    return kind


def kinds() -> list[Kind]:
    """Return all kinds as people see them: those of the foundation last."""
    return sorted(_kinds.values(), key=lambda kind: kind.name.startswith("common."))


def about_link(kind_name: str) -> str:
    """Return what e-mails say of the link of a notice of this kind."""
    kind = _kinds.get(kind_name)
    return str(kind.about_link) if kind else ""


def bind_addresses(addresses: AddressesInstead) -> None:
    """Let *addresses* say from now on whose e-mails somebody else gets."""
    _bound[:] = [addresses]


def addresses_instead(accounts: Collection[int]) -> dict[int, str]:
    """Return the addresses of those whose e-mails somebody else gets."""
    return _bound[0](accounts)


def notify(news: Iterable[News], *, wave: int = 0) -> int:
    """Leave these notices and queue their e-mails; return how many are new.

    The number of queries grows with the hundreds of notices, not with each. Where one
    act tells very many, each lot is a later *wave*, so that the mail server is not
    flooded.
    """
    told = 0
    everything = iter(news)
    while some := list(islice(everything, AT_A_TIME)):
        told += _tell(some, wave)
        wave += 1
    return told


def _tell(news: list[News], wave: int) -> int:
    with transaction.atomic(savepoint=False):
        batch = uuid4().hex
        rows = _rows(news, batch)
        if not rows:
            return 0
        # Another told the same at this very moment and was first.
        Notice.objects.bulk_create(rows, ignore_conflicts=True)
        count_unread({row.account_id for row in rows if row.on_site})
        if any(row.batch for row in rows):
            delay = timedelta(minutes=wave * AT_A_TIME / settings.NOTICE_MAILS_A_MINUTE)
            enqueue(MAIL_NOTICES, key=batch, args={"batch": batch}, wait=delay)
    return len(rows)


def _rows(news: list[News], batch: str) -> list[Notice]:
    """Return the notices to write: what is new to somebody who wants to hear of it."""
    accounts = _readers({one.account for one in news})
    known = _known(news)
    wishes = Wishes(accounts)
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


def _row(one: News, on_site: bool, batch: str) -> Notice:
    title, text = one.write()
    return Notice(
        account_id=one.account,
        kind=one.kind.name,
        key=one.key,
        title=fitting(title),
        text=text.strip(),
        url=one.url,
        on_site=on_site,
        batch=batch,
    )


def fitting(title: str) -> str:
    """Return a title as one line that fits its column."""
    line = " ".join(title.split())
    longest = Notice._meta.get_field("title").max_length
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _readers(accounts: Collection[int]) -> dict[int, User]:
    open_accounts = User.objects.filter(pk__among=accounts, is_active=True)
    return {user.pk: user for user in open_accounts.only("pk", "language", "email")}


def _known(news: list[News]) -> set[tuple[int, str]]:
    """Return what these accounts have been told already, of these things."""
    told = Notice.objects.filter(
        account__among={one.account for one in news},
        key__in={one.key for one in news},
    )
    return set(told.values_list("account_id", "key"))


def _reachable(accounts: dict[int, User]) -> set[int]:
    instead = addresses_instead(accounts)
    return {pk for pk, user in accounts.items() if instead.get(pk, user.email)}


def _by_language(
    news: list[News], accounts: dict[int, User]
) -> Iterator[tuple[str, list[News]]]:
    """Sort the news by the readers' languages; accounts that are closed drop out."""

    def language(one: News) -> str:
        return accounts[one.account].reads

    told = sorted((one for one in news if one.account in accounts), key=language)
    for code, some in groupby(told, key=language):
        yield code, list(some)


class Wishes:
    """What some accounts want to hear of, and how (one query)."""

    def __init__(self, accounts: Collection[int]) -> None:
        rows = NoticeSetting.objects.filter(account__among=accounts)
        self._said = {
            (account, kind, channel): is_on
            for account, kind, channel, is_on in rows.values_list(
                "account_id", "kind", "channel", "is_on"
            )
        }

    def wants(self, account: int, kind: Kind, channel: str) -> bool:
        return self._said.get((account, kind.name, channel), kind.is_on(channel))

    def is_off(self, account: int, kind_name: str, channel: str) -> bool:
        """Tell whether it was switched off, whatever the kind's own beginning."""
        return self._said.get((account, kind_name, channel)) is False


# What readers do


def notices_of(user: User) -> QuerySet[Notice]:
    """Return what is on an account's page: unread first, then the newest."""
    unread_first = Case(When(read_at=None, then=0), default=1)
    mine = Notice.objects.filter(account=user, on_site=True)
    return mine.order_by(unread_first, "-pk")


def mark_read(user: User, *, notice_id: int | None = None) -> int:
    """Mark one notice of the account as read, or all; return how many were not."""
    unread = Notice.objects.filter(account=user, on_site=True, read_at=None)
    if notice_id is not None:
        unread = unread.filter(pk=notice_id)
    with transaction.atomic():
        marked = unread.update(read_at=timezone.now())
        count_unread([user.pk])
    return marked


def count_unread(accounts: Collection[int]) -> None:
    """Note with each account how many notices it has not read."""
    unread = (
        Notice.objects.filter(account=OuterRef("pk"), on_site=True, read_at=None)
        .order_by()
        .values("account")
        .annotate(number=Count("pk"))
    )
    number = Coalesce(Subquery(unread.values("number")), 0)
    User.objects.filter(pk__among=list(accounts)).update(unread_notices=number)


def switch(account: int, wishes: dict[tuple[str, str], bool]) -> None:
    """Keep what an account wants: (kind, channel) to on or off."""
    NoticeSetting.objects.bulk_create(
        [
            NoticeSetting(account_id=account, kind=kind, channel=channel, is_on=is_on)
            for (kind, channel), is_on in wishes.items()
        ],
        update_conflicts=True,
        unique_fields=["account", "kind", "channel"],
        update_fields=["is_on"],
    )
