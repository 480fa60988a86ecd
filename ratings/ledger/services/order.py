"""The one order in which sources are rated, over all six systems."""

from collections.abc import Collection, Iterable
from datetime import date
from typing import Any

from events.models import ForeignResult, Section
from ratings.models import Adjustment, Calculation, OpeningEntry, RatingChange

Place = tuple[Any, ...]


def place_of_section(section: Section) -> Place:
    """Return a section's place: end date, start date, event ID, section number."""
    return (
        section.ends,
        Calculation.Rank.SECTION,
        section.starts,
        section.event.event_id,
        section.number,
    )


def place_of_opening(entry: OpeningEntry) -> Place:
    return (entry.as_of, Calculation.Rank.OPENING, entry.as_of, "", 0)


def place_of_adjustment(adjustment: Adjustment) -> Place:
    return (adjustment.day, Calculation.Rank.ADJUSTMENT, adjustment.day, "", 0)


def place_of_foreign(result: ForeignResult) -> Place:
    """Return a foreign result's place: after the sections of its event's last day."""
    event = result.event
    return (
        event.ends,
        Calculation.Rank.FOREIGN,
        event.starts,
        f"F{event.pk:011d}",
        0,
    )


def order_columns(place: Place) -> dict[str, Any]:
    """Return a place as the columns of a calculation."""
    return dict(zip(Calculation.ORDER, place, strict=True))


def players_rated_after(place: Place, players: Iterable[int]) -> bool:
    """Tell whether one of these players has been rated for something that comes later.

    Then the source at *place* is late: present ratings are not those of its day.
    """
    keys = (
        Calculation.objects.filter(
            is_current=True, order_date__gte=place[0], changes__player__in=players
        )
        .distinct()
        .values_list(*Calculation.ORDER)
    )
    return any(tuple(key) > place for key in keys)


def latest_places(players: Collection[int], since: date) -> dict[int, Place]:
    """Return where each player was last rated, of what ended on a day or later.

    What comes before that place is late, as ``players_rated_after`` has it.
    """
    order = (f"calculation__{column}" for column in Calculation.ORDER)
    rows = RatingChange.objects.filter(
        calculation__is_current=True,
        calculation__order_date__gte=since,
        player__in=set(players),
    ).values_list("player", *order)
    latest: dict[int, Place] = {}
    for player, *place in rows.distinct().order_by():
        latest[player] = max(latest.get(player, ()), tuple(place))
    return latest
