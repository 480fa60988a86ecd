"""Pending items and status lines of the office's dashboard.

The page is in ``events``; each app registers functions here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Min, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

# Items that have waited longer are overdue.
OVERDUE_AFTER = timedelta(days=7)


def age(since: datetime, now: datetime) -> str:
    """Return how long something has waited, in the largest fitting unit.

    >>> age(datetime(2024, 5, 4, 12), datetime(2024, 5, 6, 13))
    '2 days'
    """
    waited = max(now - since, timedelta(0))
    if days := waited // timedelta(days=1):
        return ngettext("{number} day", "{number} days", days).format(number=days)
    if hours := waited // timedelta(hours=1):
        return ngettext("{number} hour", "{number} hours", hours).format(number=hours)
    if minutes := waited // timedelta(minutes=1):
        words = ngettext("{number} minute", "{number} minutes", minutes)
        return words.format(number=minutes)
    return _("just now")


@dataclass(frozen=True, slots=True)
class PendingItem:
    """A kind of task that waits for the office, with its count."""

    what: str
    url: str
    number: int
    waits: str = ""
    overdue: int = 0


@dataclass(frozen=True, slots=True)
class StatusLine:
    """The status of one part of the system, with a link.

    *level* is "", "note", "good", "warning" or "error"; *percent* is the progress of a
    running job.
    """

    label: str
    text: str
    url: str = ""
    level: str = ""
    percent: int | None = None


PendingProvider = Callable[[datetime], Iterable[PendingItem]]
StatusProvider = Callable[[datetime], Iterable[StatusLine]]
_pending_providers: list[PendingProvider] = []
_status_providers: list[StatusProvider] = []


def register_pending(lines: PendingProvider) -> PendingProvider:
    """Register a function that returns pending items."""
    _pending_providers.append(lines)
    return lines


def register_status(lines: StatusProvider) -> StatusProvider:
    """Register a function that returns status lines."""
    _status_providers.append(lines)
    return lines


def pending_items(now: datetime) -> list[PendingItem]:
    """Return all pending items: overdue ones first, empty ones last."""
    found = [line for lines in _pending_providers for line in lines(now)]
    return sorted(found, key=lambda line: (not line.overdue, not line.number))


def status_lines(now: datetime) -> list[StatusLine]:
    return [line for lines in _status_providers for line in lines(now)]


def register_count(
    rows: Callable[[], QuerySet[Any]],
    *,
    what: _StrOrPromise,
    page: str,
    since: str = "",
) -> None:
    """Register a pending item that counts rows, with the name of its page's URL.

    *what* and *since* are those of :func:`count_pending`.
    """
    register_pending(
        lambda now: [
            count_pending(rows(), what=what, url=reverse(page), now=now, since=since)
        ]
    )


def count_pending(
    rows: QuerySet[Any],
    *,
    what: _StrOrPromise,
    url: str,
    now: datetime,
    since: str = "",
) -> PendingItem:
    """Count pending rows in one query.

    *what* is a lazy plural (``ngettext_lazy``); *since* is the field with the start of
    the wait, without which only the number is known.
    """
    if not since:
        number = rows.order_by().count()
        return PendingItem(what=what.format(number), url=url, number=number)
    found = rows.order_by().aggregate(
        number=Count("pk"),
        oldest=Min(since),
        overdue=Count("pk", filter=Q(**{f"{since}__lt": now - OVERDUE_AFTER})),
    )
    oldest = found["oldest"]
    return PendingItem(
        what=what.format(found["number"]),
        url=url,
        number=found["number"],
        waits=age(oldest, now) if oldest else "",
        overdue=found["overdue"],
    )
