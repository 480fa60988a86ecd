"""The one order in which sources are rated, over all six systems."""

from collections.abc import Iterable
from typing import Any

from events.models import ForeignResult, Section
from ratings.models import Adjustment, Calculation, OpeningEntry

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
