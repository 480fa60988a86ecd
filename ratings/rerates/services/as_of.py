"""What was known of players at a place in rating order, read from the ledger."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import NamedTuple

from django.db.models import Q

from events.models import Section
from ratings.engine.cards import Record
from ratings.engine.matches import LONGEST_WINDOW, MatchChange
from ratings.engine.systems import System
from ratings.ledger.queries.grants import OWNER, newest_lowering
from ratings.ledger.services.order import Place
from ratings.ledger.services.states import (
    LedgerStanding,
    PlayerState,
    load_states,
)
from ratings.models import Calculation, FloorLowering, RatingChange


def states_before(
    calculation: Calculation,
    player_ids: Iterable[int],
    *,
    is_match: bool = False,
    only_own: bool = False,
) -> dict[int, PlayerState]:
    """Return each player's state before a calculation.

    In its own system that is the line each line of it goes on from. For the rest it is
    right where current lines stand in rating order: before the first open mark. With
    *only_own* the other systems are left out of those whom they cannot matter to,
    because they had a rating in this one.
    """
    ids, place = list(player_ids), calculation.order_key
    day = place[0]
    states = load_states(ids, day=day)
    before = dict(calculation.changes.values_list("player_id", "previous_id"))
    begin = [pk for pk in ids if before.get(pk) is None]
    standings = _standings(begin if only_own else ids, place)
    _go_on_from(System(calculation.system), before, standings)
    lowerings = _lowerings(ids, day)
    matches = _match_changes(ids, place) if is_match else {}
    for player, state in states.items():
        state.standings = {
            system: _in_force(
                standing, newest_lowering(lowerings[player], system=system, day=day)
            )
            for system, standing in standings[player].items()
        }
        state.match_changes = defaultdict(list, matches.get(player, {}))
    return states


def _in_force(
    standing: LedgerStanding, lowering: FloorLowering | None
) -> LedgerStanding:
    """Begin the peak again if the floor has been lowered since the last line."""
    if lowering is not None and standing.rated_on < lowering.starts:
        return replace(standing, peak=None)
    return standing


def _standings(
    ids: list[int], place: Place
) -> defaultdict[int, dict[System, LedgerStanding]]:
    """Return what each player's last line before *place* left, in each system."""
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
    left = standings_after(ends.values())
    standings: defaultdict[int, dict[System, LedgerStanding]] = defaultdict(dict)
    for (player, system), pk in ends.items():
        standings[player][System(system)] = left[pk].standing
    return standings


class _LinePlace(NamedTuple):
    """A line of the ledger, as much of it as says which comes last."""

    pk: int
    previous_id: int | None
    place: Place


def _end_of(lines: list[_LinePlace]) -> _LinePlace:
    """Return the last of some lines at one place, as merged members have them.

    Each goes on from the other; nothing else says which of them came first.
    """
    gone_on_from = {line.previous_id for line in lines}
    ends = [line for line in lines if line.pk not in gone_on_from]
    return (ends or lines)[-1]


def _go_on_from(
    system: System,
    before: Mapping[int, int | None],
    standings: defaultdict[int, dict[System, LedgerStanding]],
) -> None:
    """Put what the lines of a calculation say they go on from in place of the rest."""
    left = standings_after({pk for pk in before.values() if pk is not None})
    for player, previous in before.items():
        if previous in left:
            standings[player][system] = left[previous].standing
        else:
            standings[player].pop(system, None)


class Left(NamedTuple):
    """Whose a line is, in which system, and where it leaves its player."""

    player_id: int
    system: str
    standing: LedgerStanding


def standings_after(lines: Collection[int]) -> dict[int, Left]:
    """Return where lines of the ledger leave their players, by number (one query)."""
    rows = RatingChange.objects.filter(pk__among=lines).order_by()
    return {
        pk: Left(
            player, system, LedgerStanding(rating, games, Record(record), *rest, pk)
        )
        for pk, player, system, rating, games, record, *rest in rows.values_list(
            "pk",
            "player_id",
            "calculation__system",
            "post_rating",
            "post_games",
            "record",
            "wins",
            "draws",
            "losses",
            "three_game_events",
            "peak",
            "age_start",
            "calculation__age_day",
        )
    }


def _lowerings(ids: list[int], day: date) -> defaultdict[int, list[FloorLowering]]:
    lowerings: defaultdict[int, list[FloorLowering]] = defaultdict(list)
    mine = Q(player__in=ids) | Q(player__merged_into__in=ids)
    for lowering in FloorLowering.objects.filter(mine, starts__lte=day).annotate(
        owner=OWNER
    ):
        lowerings[lowering.owner].append(lowering)
    return lowerings


def _match_changes(
    ids: list[int], place: Place
) -> dict[int, dict[System, list[MatchChange]]]:
    changes: dict[int, dict[System, list[MatchChange]]] = defaultdict(
        lambda: defaultdict(list)
    )
    lines = RatingChange.objects.filter(
        player__in=ids,
        calculation__is_current=True,
        calculation__section__kind=Section.Kind.MATCH,
        calculation__age_day__lte=place[0],
        calculation__age_day__gt=place[0] - LONGEST_WINDOW,
        pre_rating__isnull=False,
    ).select_related("calculation")
    for line in lines:
        calculation = line.calculation
        if calculation.order_key < place:
            changes[line.player_id][System(calculation.system)].append(
                MatchChange(calculation.age_day, line.post_rating - line.pre_rating)
            )
    return changes
