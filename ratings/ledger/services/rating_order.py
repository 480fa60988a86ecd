"""The one order in which sources are rated, over all six systems."""

from collections.abc import Collection, Iterable
from datetime import date
from typing import Any

from events.models import ForeignResult, Section
from ratings.models import Adjustment, Calculation, OpeningEntry, RatingChange

OrderKey = tuple[Any, ...]


def section_order_key(section: Section) -> OrderKey:
    """Return a section's place: end date, start date, event ID, section number."""
    return (
        section.ends,
        Calculation.Rank.SECTION,
        section.starts,
        section.event.event_id,
        section.number,
    )


def in_rating_order(section_ids: Iterable[int]) -> list[int]:
    """Return these sections' keys in the order in which they are rated."""
    rows = Section.objects.filter(pk__in=list(section_ids)).values_list(
        "ends", "starts", "event__event_id", "number", "pk"
    )
    return [pk for *_place, pk in sorted(rows)]


def opening_order_key(entry: OpeningEntry) -> OrderKey:
    return (entry.as_of, Calculation.Rank.OPENING, entry.as_of, "", 0)


def adjustment_order_key(adjustment: Adjustment) -> OrderKey:
    return (adjustment.day, Calculation.Rank.ADJUSTMENT, adjustment.day, "", 0)


def foreign_order_key(result: ForeignResult) -> OrderKey:
    """Return a foreign result's place: after the sections of its event's last day."""
    event = result.event
    return (
        event.ends,
        Calculation.Rank.FOREIGN,
        event.starts,
        f"F{event.pk:011d}",
        0,
    )


def latest_order_keys(players: Collection[int], since: date) -> dict[int, OrderKey]:
    """Return the latest place of each player, among sources since a day."""
    order = (f"calculation__{column}" for column in Calculation.ORDER)
    rows = RatingChange.objects.filter(
        calculation__is_current=True,
        calculation__order_date__gte=since,
        player__in=set(players),
    ).values_list("player", *order)
    latest: dict[int, OrderKey] = {}
    for player, *place in rows.distinct().order_by():
        latest[player] = max(latest.get(player, ()), tuple(place))
    return latest


def players_rated_after(place: OrderKey, players: Iterable[int]) -> bool:
    """Return whether one of these players has ratings from a later source.

    Then the source at *place* is late: current ratings are not those of its day.
    """
    return any(
        latest > place for latest in latest_order_keys(set(players), place[0]).values()
    )
