"""The current ratings at the end of a replay, compared with today's."""

from collections.abc import Iterator, MutableSequence, Sequence
from datetime import date
from typing import NamedTuple

from ratings.engine.replay.arrays import RECORDS, SYSTEMS
from ratings.engine.replay.kernel import (
    absolute_floor,
    granted_floor,
    newest_lowering,
    peak_floor,
)
from ratings.engine.replay.rule_rows import WIDTH, RuleTable
from ratings.models import PlayerRating
from ratings.rerates.services.players import (
    CURRENT,
    SYSTEM_NAMES,
    SYSTEM_NUMBER,
    PlayerRows,
    ProjectedRating,
)
from ratings.rerates.services.replay import History


class RatingDifference(NamedTuple):
    """A current rating that a replay changes; None means unrated."""

    state: int
    player: int
    system: str
    before: ProjectedRating | None
    after: ProjectedRating | None


def rating_differences(
    history: History, lines: Sequence[int]
) -> Iterator[RatingDifference]:
    """Yield the current ratings that differ from the end of the replay.

    *lines* are the primary keys of the lines behind the rows of the whole run. All
    players of the replay are compared, in all systems.
    """
    player_index = history.player_index
    standings = replayed_ratings(history, lines)
    current = PlayerRating.objects.order_by("player_id", "system")
    for player, system, *columns in PlayerRows(player_index.number).rows(
        current, *CURRENT
    ):
        state = player_index.number[player] * SYSTEMS + SYSTEM_NUMBER[system]
        before, after = ProjectedRating(*columns), standings[state]
        # The remaining ones have no current rating.
        standings[state] = None
        if after != before:
            yield RatingDifference(state, player, system, before, after)
    for state, after in enumerate(standings):
        if after is not None:
            player, system = (
                player_index.ids[state // SYSTEMS],
                SYSTEM_NAMES[state % SYSTEMS],
            )
            yield RatingDifference(state, player, system, None, after)


def replayed_ratings(
    history: History, lines: Sequence[int] | None = None
) -> list[ProjectedRating | None]:
    """Return the replay's rating in each state, None for unrated.

    Without *lines* the number of each last line is 0.
    """
    states = history.world.states
    names = [record.value for record in RECORDS]
    days = {day: date.fromordinal(day) for day in set(states.rated_on) if day}
    return [
        None
        if rating != rating
        else ProjectedRating(
            rating,
            games,
            names[record],
            wins,
            draws,
            losses,
            three_game_events,
            None if peak != peak else peak,
            None if age_start != age_start else age_start,
            floor,
            days[rated_on],
            0 if lines is None else lines[last_row],
        )
        for (
            rating,
            games,
            record,
            wins,
            draws,
            losses,
            three_game_events,
            peak,
            age_start,
            rated_on,
            last_row,
        ), floor in zip(
            zip(*states, strict=True), replayed_floors(history), strict=True
        )
    ]


def replayed_floors(history: History) -> Iterator[float]:
    """Yield the floor that applies after each state's last line, 0 for unrated."""
    people, states = history.world.people, history.world.states
    rows = rows_of(history.table)
    for state, (rating, last_row, peak) in enumerate(
        zip(states.rating, states.last_row, states.peak, strict=True)
    ):
        if rating != rating:
            yield 0.0
            continue
        player, system = divmod(state, SYSTEMS)
        row = rows[history.rules_of_row[last_row]]
        floor = max(
            absolute_floor(
                states.wins[state],
                states.draws[state],
                states.three_game_events[state],
                row,
                system,
            ),
            peak_floor(peak, row),
        )
        if people.first_grant[player] < people.first_grant[player + 1]:
            day = states.rated_on[state]
            lowering = newest_lowering(people, player, system, day)
            floor = max(floor, granted_floor(people, player, system, day, lowering))
        yield floor


def rows_of(table: RuleTable) -> list[MutableSequence[float]]:
    """Return the rules at each place of the table."""
    ends = range(WIDTH, len(table.rows) + 1, WIDTH)
    return [table.rows[end - WIDTH : end] for end in ends]
