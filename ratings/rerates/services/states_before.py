"""The states of players at a place in rating order, read from the ledger."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from events.models import Section
from ratings.engine.inputs import Record
from ratings.engine.matches import MAX_WINDOW, MatchChange
from ratings.engine.systems import System
from ratings.ledger.queries.grants import grants_by_owner, newest_lowering
from ratings.ledger.services.player_states import (
    PlayerState,
    RatingState,
    load_states,
)
from ratings.ledger.services.projection import LAST_LINE
from ratings.ledger.services.rating_order import OrderKey
from ratings.models import Calculation, FloorLowering, RatingChange


def states_before(
    calculation: Calculation,
    player_ids: Iterable[int],
    *,
    is_match: bool = False,
    only_own: bool = False,
) -> dict[int, PlayerState]:
    """Return each player's state before a calculation.

    In its own system that is the line that its line continues. For the other systems it
    is correct if current lines are in rating order: before the first pending rerate.
    With *only_own* the other systems are left out for players who had a rating in this
    one, because they cannot affect them.
    """
    ids, place = list(player_ids), calculation.order_key
    day = place[0]
    states = load_states(ids, day=day)
    before = dict(calculation.changes.values_list("player_id", "previous_id"))
    begin = [pk for pk in ids if before.get(pk) is None]
    standings = _standings(begin if only_own else ids, place)
    _apply_previous_lines(System(calculation.system), before, standings)
    lowerings = grants_by_owner(FloorLowering, ids, starts__lte=day)
    matches = _match_changes(ids, place) if is_match else {}
    for player, state in states.items():
        state.standings = {
            system: standing.in_force(
                newest_lowering(lowerings[player], system=system, day=day)
            )
            for system, standing in standings[player].items()
        }
        state.match_changes = defaultdict(list, matches.get(player, {}))
    return states


def _standings(
    ids: list[int], place: OrderKey
) -> defaultdict[int, dict[System, RatingState]]:
    """Return each player's state after the last line before *place*, in each system."""
    last: dict[tuple[int, str], list[_LinePlace]] = {}
    lines = RatingChange.objects.filter(
        player__in=ids,
        calculation__is_current=True,
        calculation__order_date__lte=place[0],
    ).order_by("calculation_id")
    columns = (f"calculation__{column}" for column in Calculation.ORDER)
    for player, system, pk, previous, *its_place in lines.values_list(
        "player_id", "calculation__system", "pk", "previous_id", *columns
    ):
        line = _LinePlace(pk, previous, tuple(its_place))
        if line.place >= place:
            continue
        equals = last.setdefault((player, system), [])
        if equals and equals[0].place < line.place:
            equals.clear()
        if not equals or equals[0].place == line.place:
            equals.append(line)
    ends = {key: _end_of(equals).pk for key, equals in last.items()}
    left = states_after_lines(ends.values())
    standings: defaultdict[int, dict[System, RatingState]] = defaultdict(dict)
    for (player, system), pk in ends.items():
        standings[player][System(system)] = left[pk].standing
    return standings


class _LinePlace(NamedTuple):
    """The columns of a ledger line that decide which comes last."""

    pk: int
    previous_id: int | None
    place: OrderKey


def _end_of(lines: list[_LinePlace]) -> _LinePlace:
    """Return the last of some lines at one place, as merged members have them.

    Each continues the other; nothing else says which of them came first.
    """
    gone_on_from = {line.previous_id for line in lines}
    ends = [line for line in lines if line.pk not in gone_on_from]
    return (ends or lines)[-1]


def _apply_previous_lines(
    system: System,
    before: Mapping[int, int | None],
    standings: defaultdict[int, dict[System, RatingState]],
) -> None:
    """Replace states with those of the lines that a calculation's lines continue."""
    left = states_after_lines({pk for pk in before.values() if pk is not None})
    for player, previous in before.items():
        if previous in left:
            standings[player][system] = left[previous].standing
        else:
            standings[player].pop(system, None)


class LineResult(NamedTuple):
    """The player and system of a line, and the state after it."""

    player_id: int
    system: str
    standing: RatingState


def states_after_lines(lines: Collection[int]) -> dict[int, LineResult]:
    """Return the states after lines of the ledger, by primary key (one query)."""
    rows = RatingChange.objects.filter(pk__in_array=lines).order_by()
    return {
        rest[-1]: LineResult(
            player, system, RatingState(rating, games, Record(record), *rest)
        )
        for player, system, rating, games, record, *rest in rows.values_list(
            *LAST_LINE[:-1]  # all but the day of the rules
        )
    }


def _match_changes(
    ids: list[int], place: OrderKey
) -> dict[int, dict[System, list[MatchChange]]]:
    changes: dict[int, dict[System, list[MatchChange]]] = defaultdict(
        lambda: defaultdict(list)
    )
    lines = RatingChange.objects.filter(
        player__in=ids,
        calculation__is_current=True,
        calculation__section__kind=Section.Kind.MATCH,
        calculation__age_day__lte=place[0],
        calculation__age_day__gt=place[0] - MAX_WINDOW,
        pre_rating__isnull=False,
    ).select_related("calculation")
    for line in lines:
        calculation = line.calculation
        if line.pre_rating is not None and calculation.order_key < place:
            changes[line.player_id][System(calculation.system)].append(
                MatchChange(calculation.age_day, line.post_rating - line.pre_rating)
            )
    return changes
