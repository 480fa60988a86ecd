"""What the office's first page says: what waits for people, and the state of the books.

The page lies in ``events``; each app adds what it knows by registering a function here.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

# What waits longer than this is overdue.
PATIENCE = timedelta(days=7)


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
class Waiting:
    """One kind of thing that waits for somebody of the office."""

    what: str
    url: str
    number: int
    waits: str = ""
    overdue: int = 0


@dataclass(frozen=True, slots=True)
class HowItStands:
    """How one part of the books stands: a sentence, and where to read more.

    *level* is "", "note", "good", "warning" or "error"; *percent* is how far work on it
    has come.
    """

    label: str
    text: str
    url: str = ""
    level: str = ""
    percent: int | None = None


WaitingLines = Callable[[datetime], Iterable[Waiting]]
StandingLines = Callable[[datetime], Iterable[HowItStands]]
_waiting: list[WaitingLines] = []
_standing: list[StandingLines] = []


def says_what_waits(lines: WaitingLines) -> WaitingLines:
    """Have *lines*, given the present moment, add to what waits."""
    _waiting.append(lines)
    return lines


def says_how_it_stands(lines: StandingLines) -> StandingLines:
    """Have *lines*, given the present moment, add to how the books stand."""
    _standing.append(lines)
    return lines


def what_waits(now: datetime) -> list[Waiting]:
    """Return what waits: what is overdue first, then what waits at all."""
    found = [line for lines in _waiting for line in lines(now)]
    return sorted(found, key=lambda line: (not line.overdue, not line.number))


def how_it_stands(now: datetime) -> list[HowItStands]:
    return [line for lines in _standing for line in lines(now)]


def waiting_in(
    rows: QuerySet, *, what: str, url: str, now: datetime, since: str = ""
) -> Waiting:
    """Count what waits in *rows*, in one query.

    *what* names one and several of them (``ngettext_lazy``); *since* names when the
    wait of a row began, without which only the number is known.
    """
    if not since:
        number = rows.order_by().count()
        return Waiting(what=what.format(number), url=url, number=number)
    found = rows.order_by().aggregate(
        number=Count("pk"),
        oldest=Min(since),
        overdue=Count("pk", filter=Q(**{f"{since}__lt": now - PATIENCE})),
    )
    oldest = found["oldest"]
    return Waiting(
        what=what.format(found["number"]),
        url=url,
        number=found["number"],
        waits=age(oldest, now) if oldest else "",
        overdue=found["overdue"],
    )
