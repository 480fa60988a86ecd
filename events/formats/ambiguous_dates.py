"""Read the dates of one event in the order of day and month that fits them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import chain, product
from typing import TypeVar

from events.formats.archive import printable
from events.formats.dates import DateFormat, date_format_of, possible_dates
from events.formats.findings import Collector, Place
from events.formats.translatable_text import translatable_date

# The checks ask about longer events anyway.
_LONGEST_EVENT = timedelta(days=42)
_LATEST_REPORT = timedelta(days=3 * 365)
_A_DAY, _A_WEEK = timedelta(days=1), timedelta(days=7)
# More dates than this add no information.
_MAX_COMPARED = 1_000

_UNAMBIGUOUS: DateFormat = ("", 0)

_Orders = Mapping[DateFormat, str]
_Span = Sequence[date | None]
_Text = TypeVar("_Text", str, tuple[str, ...])


@dataclass(frozen=True, slots=True)
class ResolvedDates:
    """An event's dates in the best order, and in other orders that fit equally well.

    All dates in the event's files share the chosen order.
    """

    days: tuple[date | None, ...]
    others: tuple[date | None, ...] | None = None
    # The orders that fit equally well, likeliest first.
    candidate_orders: Sequence[_Orders] = field(
        default=({},), compare=False, repr=False
    )
    official: _Orders = field(default_factory=dict, compare=False, repr=False)
    _asked: set[DateFormat | None] = field(
        default_factory=set, init=False, compare=False, repr=False
    )

    def day(self, text: str) -> date | None:
        """Return the date of *text* in these files, None if it is not a date."""
        return _date_in_order(text, possible_dates(text), self.candidate_orders[0])

    def other(self, text: str) -> date | None:
        """Return another date that *text* may mean, None if there is none."""
        readings, day = possible_dates(text), self.day(text)
        others = [
            _date_in_order(text, readings, orders)
            for orders in self.candidate_orders[1:]
        ]
        if order := self.official.get(date_format_of(text) or _UNAMBIGUOUS):
            others = [readings.get(order, day)]
        return next((other for other in others if other != day), None)

    def report_if_ambiguous(self, findings: Collector, place: Place, text: str) -> None:
        """Ask which date is meant if that is unclear, once for each spelling."""
        day, other, spelling = self.day(text), self.other(text), date_format_of(text)
        if day and other and spelling not in self._asked:
            self._asked.add(spelling)
            findings.add(
                "value.date_spelling/unclear_text",
                place,
                written=printable(text),
                day=translatable_date(day),
                other=translatable_date(other),
            )


def resolve_dates(
    texts: Sequence[str],
    rounds: Iterable[str] = (),
    *,
    parts: Iterable[Sequence[str]] = (),
    same: Iterable[Sequence[str]] = (),
    today: date | None = None,
    year_first: bool = False,
    month_first: bool = False,
    official: _Orders | None = None,
) -> ResolvedDates:
    """Read the first and the last day of an event in the order that fits best.

    Days with the same spelling have the same order. Each order is compared with the
    days of the rounds and of the event's *parts* (first and last each), with days that
    are the *same* in two time zones, with the length of an event and the day of the
    upload. With *month_first*, as Americans write, an event within a week is clear
    where another order makes it a longer one. The *official* order of a spelling is
    asked about only if another one fits better.

    >>> resolve_dates(["25.05.03", "25.05.04"]).days
    (datetime.date(2025, 5, 3), datetime.date(2025, 5, 4))
    >>> resolve_dates(["05/03/2025", "13/03/2025"]).days[0]
    datetime.date(2025, 3, 5)
    """
    days = _DateTexts(
        texts,
        _distinct(map(tuple, parts)),
        _distinct(rounds),
        _distinct(map(tuple, same)),
        today,
    )
    ranked = [(days.faults(orders), orders) for orders in days.orders(year_first)]
    best = min(faults for faults, _ in ranked)
    candidate_orders = [orders for faults, orders in ranked if faults == best]
    if month_first and days.length(candidate_orders[0]) <= _A_WEEK:
        candidate_orders = [
            orders for orders in candidate_orders if days.length(orders) <= _A_WEEK
        ]
    chosen = ResolvedDates(
        (), candidate_orders=candidate_orders, official=official or {}
    )
    first, others = tuple(map(chosen.day, texts)), tuple(map(chosen.other, texts))
    if any(others):
        either = zip(first, others, strict=True)
        chosen = replace(chosen, others=tuple(other or day for day, other in either))
    return replace(chosen, days=first)


def _distinct(items: Iterable[_Text]) -> list[_Text]:
    return list(dict.fromkeys(items))[:_MAX_COMPARED]


def _date_in_order(
    text: str, readings: Mapping[str, date], orders: _Orders
) -> date | None:
    """Return the date in the order of its spelling, else the likeliest one."""
    spelling = date_format_of(text)
    order = orders.get(spelling, "") if spelling else ""
    return readings.get(order, next(iter(readings.values()), None))


@dataclass(frozen=True, slots=True)
class _DateTexts:
    """The days in an event's files, to be read in several orders."""

    texts: Sequence[str]
    parts: Sequence[Sequence[str]]
    rounds: Sequence[str]
    same: Sequence[Sequence[str]]
    today: date | None
    readings: dict[str, dict[str, date]] = field(default_factory=dict)

    def orders(self, year_first: bool) -> Iterator[_Orders]:
        """Yield each combination of an order for each spelling, the likeliest first."""
        possible: dict[DateFormat, dict[str, None]] = {}
        for texts, is_year_first in (
            (chain(self.texts, *self.parts), year_first),
            (chain(self.rounds, *self.same), True),
        ):
            for text in texts:
                readings = possible_dates(text, year_first=is_year_first)
                self.readings.setdefault(text, readings)
                if readings and (spelling := date_format_of(text)):
                    possible.setdefault(spelling, {}).update(dict.fromkeys(readings))
        for names in product(*possible.values()):
            yield dict(zip(possible, names, strict=True))

    def _read(self, texts: Iterable[str], orders: _Orders) -> list[date | None]:
        return [_date_in_order(text, self.readings[text], orders) for text in texts]

    def length(self, orders: _Orders) -> timedelta:
        """Return how long the event lasts with all its parts."""
        return _length(self._read(chain(self.texts, *self.parts), orders))

    def faults(self, orders: _Orders) -> int:
        """Count the faults of an event on these dates."""
        event = self._read(self.texts, orders)
        parts = [self._read(part, orders) for part in self.parts]
        rounds = self._read(self.rounds, orders)
        faults = 2 * self._impossible_count(orders)
        faults += sum(_length(self._read(two, orders)) > _A_DAY for two in self.same)
        faults += 2 * sum(map(_is_reversed, (event, *parts)))
        whole = event if any(event) else list(chain(rounds, *parts))
        faults += any(_length(span) > _LONGEST_EVENT for span in (whole, *parts))
        played = [*rounds, *chain(*parts)]
        faults += _played_faults(event, played)
        return faults + self._upload_faults([*event, *played])

    def _impossible_count(self, orders: _Orders) -> int:
        """Count the texts that are a day in another order only."""
        return sum(
            bool(readings and spelling and orders[spelling] not in readings)
            for text, readings in self.readings.items()
            for spelling in [date_format_of(text)]
        )

    def _upload_faults(self, days: _Span) -> int:
        last = max(filter(None, days), default=None)
        if not (last and self.today):
            return 0
        is_early = last < self.today - _LATEST_REPORT
        return is_early + (last > self.today + _A_DAY)


def _length(span: _Span) -> timedelta:
    days = [day for day in span if day]
    return max(days) - min(days) if days else timedelta()


def _is_reversed(span: _Span) -> bool:
    days = [day for day in span if day]
    return days != sorted(days)


def _played_faults(event: _Span, played: _Span) -> int:
    """Count the faults of the dates on which rounds and sections were *played*.

    An event begins with the first of them and ends with the last.
    """
    starts, ends = (*event, None, None)[:2]
    days = [day for day in played if day]
    if not days:
        return 0
    is_outside = (starts and starts > min(days)) or (ends and ends < max(days))
    faults = int(bool(is_outside)) + (starts not in (None, min(days)))
    faults += ends not in (None, max(days))
    known = starts or ends
    if bool(starts) != bool(ends):
        faults += all(_length([known, day]) > _LONGEST_EVENT for day in days)
    return faults
