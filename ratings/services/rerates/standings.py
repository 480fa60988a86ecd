"""The current ratings that a replay ends with, beside those of today."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from ratings.engine.replay.arrays import RECORDS, SYSTEMS
from ratings.engine.replay.kernel import (
    absolute_floor,
    granted_floor,
    newest_lowering,
    peak_floor,
)
from ratings.engine.replay.rule_rows import WIDTH
from ratings.models import PlayerRating
from ratings.services.rerates.people import (
    STANDING,
    SYSTEM_NAMES,
    SYSTEM_NUMBER,
    Picked,
)
from ratings.services.rerates.replay import History


class Standing(NamedTuple):
    """A current rating, column by column; *rating* is in points."""

    rating: float
    games: int
    record: str
    wins: int
    draws: int
    losses: int
    three_game_events: int
    peak: float | None
    floor: float
    rated_on: date
    last_change: int


@dataclass(frozen=True, slots=True)
class Moved:
    """A current rating that a replay gives otherwise; None is unrated."""

    state: int
    player: int
    system: str
    before: Standing | None
    after: Standing | None


def moved_standings(history: History, lines: Sequence[int]) -> Iterator[Moved]:
    """Yield the current ratings that differ from what the replay ends with.

    *lines* are the primary keys of the lines behind the rows of the whole run. All
    players of the replay are compared, in all systems.
    """
    cast = history.cast
    left = {
        state
        for state, rating in enumerate(history.world.states.rating)
        if rating == rating
    }
    fields = ("system", *STANDING, "floor", "rated_on", "last_change_id")
    current = PlayerRating.objects.order_by("player_id", "system")
    for player, system, *columns in Picked(cast.number).rows(current, *fields):
        state = cast.number[player] * SYSTEMS + SYSTEM_NUMBER[system]
        before = Standing(*columns)
        after = standing_of(history, state, lines)
        left.discard(state)
        if after != before:
            yield Moved(state, player, system, before, after)
    for state in sorted(left):
        player, system = cast.ids[state // SYSTEMS], SYSTEM_NAMES[state % SYSTEMS]
        after = standing_of(history, state, lines)
        yield Moved(state, player, system, None, after)


def standing_of(
    history: History, state: int, lines: Sequence[int] | None
) -> Standing | None:
    """Return what the replay has come to for a player in a system.

    Without *lines* the number of the last line is 0.
    """
    states = history.world.states
    rating = states.rating[state]
    if rating != rating:
        return None
    peak = states.peak[state]
    return Standing(
        rating=rating,
        games=states.games[state],
        record=RECORDS[states.record[state]].value,
        wins=states.wins[state],
        draws=states.draws[state],
        losses=states.losses[state],
        three_game_events=states.three_game_events[state],
        peak=None if peak != peak else peak,
        floor=floor_after(history, state),
        rated_on=date.fromordinal(states.rated_on[state]),
        last_change=0 if lines is None else lines[states.last_row[state]],
    )


def floor_after(history: History, state: int) -> float:
    """Return the floor that holds after the player's last line."""
    people, states = history.world.people, history.world.states
    player, system = divmod(state, SYSTEMS)
    place = history.rules_of_row[states.last_row[state]]
    row = history.table.rows[place * WIDTH : (place + 1) * WIDTH]
    day = states.rated_on[state]
    lowering = newest_lowering(people, player, system, day)
    return max(
        absolute_floor(
            states.wins[state],
            states.draws[state],
            states.three_game_events[state],
            row,
            system,
        ),
        peak_floor(states.peak[state], row),
        granted_floor(people, player, system, day, lowering),
    )
