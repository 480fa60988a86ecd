"""Ratings from the stored FIDE lists."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from players.models import FideList, FideRating, Player


@dataclass(frozen=True, slots=True)
class FideValue:
    """A FIDE ID's standing on a list: whole points, standard rating.

    *games* are those of the list's period, *since* is the first list that says all
    this. A rating of None means unrated or no longer on the list.
    """

    fide_id: int
    rating: int | None
    games: int
    k: int | None
    federation: str
    title: str
    inactive: bool
    since: date


_COLUMNS = ("fide_id", "rating", "games", "k", "federation", "title", "inactive")


def fide_ratings_on(fide_ids: Iterable[int], day: date) -> dict[int, FideValue]:
    """Return what the list in force on *day* says of each FIDE ID, in one query.

    A player on no stored list up to that day is left out.
    """
    rows = (
        FideRating.objects.filter(
            fide_id__in=set(fide_ids),
            list__list_date__lte=day,
            list__state__in=FideList.IN_USE,
        )
        .order_by("list__list_date")
        .values_list(*_COLUMNS, "list__list_date")
    )
    # Of several lists the newest comes last, and stays.
    return {row[0]: FideValue(*row) for row in rows}


def fide_rating_on(fide_id: int, day: date) -> FideValue | None:
    return fide_ratings_on([fide_id], day).get(fide_id)


def fide_history(fide_id: int) -> list[FideValue]:
    """Return what changed for a FIDE ID, the newest list first."""
    rows = (
        FideRating.objects.filter(fide_id=fide_id, list__state__in=FideList.IN_USE)
        .order_by("-list__list_date")
        .values_list(*_COLUMNS, "list__list_date")
    )
    return [FideValue(*row) for row in rows]


def newest_list() -> FideList | None:
    """Return the list in force."""
    return FideList.objects.filter(state=FideList.State.CURRENT).first()


def members_who_played(
    fide_list: FideList, *, federation: str = ""
) -> list[tuple[Player, FideValue]]:
    """Return the linked members with games in the period of a list, in two queries.

    *federation* leaves only those who had this flag on the list (``"USA"``).
    """
    rows = FideRating.objects.filter(list=fide_list, games__gt=0)
    if federation:
        rows = rows.filter(federation=federation)
    values = {
        str(row[0]): FideValue(*row, fide_list.list_date)
        for row in rows.values_list(*_COLUMNS)
    }
    linked = Player.objects.exclude(fide_id=None).order_by("search_name", "member_id")
    return [
        (player, values[player.fide_id])
        for player in linked.iterator(chunk_size=2000)
        if player.fide_id in values
    ]
