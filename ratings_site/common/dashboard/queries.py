"""Pending items and status lines of the office's dashboard.

The page is in ``events``; each app registers functions here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db.models import Aggregate, Count, Min, Q, QuerySet
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
_pending_providers: dict[int, PendingProvider] = {}
_status_providers: list[StatusProvider] = []
# A number to watch: its meaning and the function that reads it.
Gauge = tuple[str, Callable[[datetime], float]]
_gauges: dict[str, Gauge] = {}


def register_pending(order: int) -> Callable[[PendingProvider], PendingProvider]:
    """Register a function that returns pending items, at a place of the list.

    Each *order* is given once. Gaps between the numbers leave room for others.
    """
    if order in _pending_providers:
        raise ValueError(f"Two pending items have the order {order}.")

    def register(lines: PendingProvider) -> PendingProvider:
        _pending_providers[order] = lines
        return lines

    return register


def register_status(lines: StatusProvider) -> StatusProvider:
    """Register a function that returns status lines."""
    _status_providers.append(lines)
    return lines


def register_gauge(name: str, meaning: str) -> Callable[[Any], Any]:
    """Register a function that reads a number for the metrics, such as a count."""

    def register(read: Callable[[datetime], float]) -> Callable[[datetime], float]:
        _gauges[name] = (meaning, read)
        return read

    return register


def gauges() -> Mapping[str, Gauge]:
    return _gauges


def pending_items(now: datetime) -> list[PendingItem]:
    """Return all pending items: overdue ones first, empty ones last, then by order."""
    providers = sorted(_pending_providers.items())
    found = [line for _order, lines in providers for line in lines(now)]
    return sorted(found, key=lambda line: (not line.overdue, not line.number))


def status_lines(now: datetime) -> list[StatusLine]:
    return [line for lines in _status_providers for line in lines(now)]


def register_count(
    rows: Callable[[], QuerySet[Any]],
    *,
    order: int,
    what: _StrOrPromise,
    page: str,
    at: str = "",
    since: str = "",
) -> None:
    """Register a pending item that counts rows, with the name of its page's URL.

    The page lists exactly these rows *at* a query or an anchor. *order* is that of
    :func:`register_pending`, *what* and *since* those of :func:`count_pending`.
    """
    register_pending(order)(
        lambda now: [
            count_pending(
                rows(), what=what, url=f"{reverse(page)}{at}", now=now, since=since
            )
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
    found = rows.order_by().aggregate(**waiting_figures(since, now))
    return pending_item(found, what=what, url=url, now=now)


def waiting_figures(since: str, now: datetime) -> dict[str, Aggregate]:
    return {
        "number": Count("pk"),
        "oldest": Min(since),
        "overdue": Count("pk", filter=Q(**{f"{since}__lt": now - OVERDUE_AFTER})),
    }


def pending_item(
    found: Mapping[str, Any], *, what: _StrOrPromise, url: str, now: datetime
) -> PendingItem:
    """Return the item with these ``waiting_figures``."""
    oldest = found["oldest"]
    return PendingItem(
        what=what.format(found["number"]),
        url=url,
        number=found["number"],
        waits=age(oldest, now) if oldest else "",
        overdue=found["overdue"],
    )
