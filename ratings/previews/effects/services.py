"""Dry runs: perform an action, compute its effect, and roll it back.

The action's own code creates the pending rerates and their days, and the replay reads
the records as the action changes them. All of it is rolled back.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date

from django.conf import settings
from django.db import OperationalError, transaction

from ratings.engine.systems import System
from ratings.models import PlayerRating, RatingChange, RerateMark
from ratings.rerates.services.replay import NotReplayable, read_history
from ratings.rerates.services.what_if import Differences, differences_between
from ratings_site.common.db.locks import RatingsBusy, acquire_lock, lock_timeout

# Up to this many ratings are recomputed in the request, in about a second.
MAX_LINES = 10_000
# The longest wait of a page for the lock of the ratings.
LOCK_TIMEOUT = 2


@dataclass(frozen=True, slots=True)
class Move:
    """A member's rating in points before and after; None is unrated."""

    player: int
    system: System
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class RatingPreview:
    """The effect of an action.

    *added* and *removed* are the days of pending rerates, *begins* the first day of the
    next rerate. *immediate* are the ratings that the action itself changes,
    *after_rerate* those of any member that the next rerate changes because of it, in
    whole points; None if that takes too long. *replayed* counts the ratings since
    *begins*, up to one more than the limit.
    """

    added: tuple[date, ...]
    removed: tuple[date, ...]
    begins: date | None
    immediate: tuple[Move, ...]
    after_rerate: tuple[Move, ...] | None
    replayed: int = 0


def preview_rating_changes(
    do: Callable[[], object], members: Collection[int]
) -> RatingPreview:
    """Perform an action, compute its effect on ratings, and roll it back.

    *members* are the keys of the members concerned. Raises the errors of the action,
    and RatingsBusy while another transaction writes ratings or the records.
    """
    with _rolled_back():
        marks, ratings = _marks(), _ratings(members)
        do()
        new_marks, immediate = _marks(), _moved(ratings, _ratings(members))
    added = tuple(sorted(day for pk, day in new_marks.items() if pk not in marks))
    taken = tuple(sorted(day for pk, day in marks.items() if pk not in new_marks))
    begins = min(new_marks.values(), default=None)
    if not added and not taken:
        return RatingPreview((), (), begins, immediate, ())
    from_day = min([*marks.values(), *new_marks.values()])
    replayed = _rated_since(from_day)
    after_rerate = _replayed(do, members, from_day) if replayed <= MAX_LINES else None
    return RatingPreview(added, taken, begins, immediate, after_rerate, replayed)


@contextmanager
def _rolled_back() -> Iterator[None]:
    try:
        with transaction.atomic():
            with lock_timeout(LOCK_TIMEOUT):
                acquire_lock("ratings", seconds=LOCK_TIMEOUT)
                yield
            transaction.set_rollback(True)
    except OperationalError as error:  # a record is locked for too long
        raise RatingsBusy(str(error)) from error


def _marks() -> dict[int, date]:
    return dict(RerateMark.objects.pending().order_by().values_list("pk", "from_day"))


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
    return lines.order_by()[: MAX_LINES + 1].count()


def _replayed(
    do: Callable[[], object], members: Collection[int], from_day: date
) -> tuple[Move, ...] | None:
    """Replay history before and after the action; return the different ratings."""
    edition = settings.RATING_EDITION
    # The same players on both sides: who plays on one side only has a rating on both.
    current_history = read_history(from_day, edition, also=members)
    with _rolled_back():
        do()
        changed_history = read_history(
            from_day, edition, also=current_history.player_index.ids
        )
    try:
        differences = differences_between(
            current_history, changed_history, Differences(from_day)
        )
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
