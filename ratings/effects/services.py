"""Rehearsals: an act is done, looked at, and taken back.

So the very code that leaves a mark says on which day, and the replay reads the books
as the act leaves them. Nothing of it stays.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date

from django.conf import settings
from django.db import OperationalError, transaction

from ratings.engine.systems import System
from ratings.models import PlayerRating, RatingChange
from ratings.rerates.services.arrivals import open_marks
from ratings.rerates.services.replay import NotReplayable, read_history
from ratings.rerates.services.what_if import Differences, differences_between
from ratings_site.common.database.locks import RatingsBusy, hold, waiting_at_most

# So many ratings are computed again while one waits for the page: about a second.
MOST_LINES = 10_000
# A page does not wait longer for those who write ratings.
PATIENCE = 2


@dataclass(frozen=True, slots=True)
class Move:
    """A member's rating in points as it is and as it would be; None is unrated."""

    player: int
    system: System
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What an act does.

    *left* and *taken_back* are the days of marks, *begins* the day from which the next
    rerate would replay history. *at_once* are ratings that the act itself changes,
    *after_rerate* those of the next rerate that the act makes different, in whole
    points and not only of members who take part; None where it takes too long to say.
    *replayed* counts the ratings since that day, at most one more than are replayed.
    """

    left: tuple[date, ...]
    taken_back: tuple[date, ...]
    begins: date | None
    at_once: tuple[Move, ...]
    after_rerate: tuple[Move, ...] | None
    replayed: int = 0

    @property
    def changes_history(self) -> bool:
        return bool(self.left or self.taken_back)


def rehearse(do: Callable[[], object], members: Collection[int]) -> Rehearsal:
    """Do an act, look what it does to ratings, and take it back.

    *members* are the keys of those whom it is about. What the act refuses is raised,
    and RatingsBusy while somebody else writes ratings or one of the records.
    """
    with _taken_back():
        marks, ratings = _marks(), _ratings(members)
        do()
        new_marks, at_once = _marks(), _moved(ratings, _ratings(members))
    left = tuple(sorted(day for pk, day in new_marks.items() if pk not in marks))
    taken = tuple(sorted(day for pk, day in marks.items() if pk not in new_marks))
    begins = min(new_marks.values(), default=None)
    if not left and not taken:
        return Rehearsal((), (), begins, at_once, ())
    from_day = min([*marks.values(), *new_marks.values()])
    replayed = _rated_since(from_day)
    after_rerate = _replayed(do, members, from_day) if replayed <= MOST_LINES else None
    return Rehearsal(left, taken, begins, at_once, after_rerate, replayed)


@contextmanager
def _taken_back() -> Iterator[None]:
    try:
        with transaction.atomic():
            with waiting_at_most(PATIENCE):
                hold("ratings", seconds=PATIENCE)
                yield
            transaction.set_rollback(True)
    except OperationalError as error:  # somebody holds a record for too long
        raise RatingsBusy(str(error)) from error


def _marks() -> dict[int, date]:
    return dict(open_marks().order_by().values_list("pk", "from_day"))


def _ratings(members: Collection[int]) -> dict[tuple[int, System], float]:
    rows = PlayerRating.objects.filter(player__in=members).order_by()
    return {
        (player, System(system)): rating
        for player, system, rating in rows.values_list("player", "system", "rating")
    }


def _moved(
    before: dict[tuple[int, System], float], after: dict[tuple[int, System], float]
) -> tuple[Move, ...]:
    return tuple(
        Move(*key, before.get(key), after.get(key))
        for key in dict.fromkeys([*before, *after])
        if before.get(key) != after.get(key)
    )


def _rated_since(day: date) -> int:
    lines = RatingChange.objects.filter(
        calculation__is_current=True, calculation__order_date__gte=day
    )
    return lines.order_by()[: MOST_LINES + 1].count()


def _replayed(
    do: Callable[[], object], members: Collection[int], from_day: date
) -> tuple[Move, ...] | None:
    """Replay history as it is and as the act leaves it; say what differs in the end."""
    edition = settings.RATING_EDITION
    # The same people on both sides: who plays on one only has a rating on both.
    as_it_is = read_history(from_day, edition, also=members)
    with _taken_back():
        do()
        supposed = read_history(from_day, edition, also=as_it_is.cast.ids)
    try:
        differences = differences_between(as_it_is, supposed, Differences(from_day))
    except NotReplayable:
        return None
    return tuple(
        Move(
            move.player,
            System(move.system),
            move.before.rating if move.before else None,
            move.after.rating if move.after else None,
        )
        for move in differences.ratings
    )
