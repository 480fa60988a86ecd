"""What was known of players at a place in rating order, read from the ledger."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from django.db.models import Q

from events.models import Section
from ratings.engine.cards import Record
from ratings.engine.matches import MatchChange
from ratings.engine.systems import System
from ratings.ledger.queries.grants import OWNER, newest_lowering
from ratings.ledger.services.order import Place
from ratings.ledger.services.states import (
    LONGEST_MATCH_WINDOW,
    LedgerStanding,
    PlayerState,
    load_states,
)
from ratings.models import FloorLowering, RatingChange


def states_at(
    player_ids: Iterable[int], place: Place, *, is_match: bool = False
) -> dict[int, PlayerState]:
    """Return each player's state before the source at *place*.

    It is right where current lines stand in rating order: before the first open mark.
    """
    ids, day = list(player_ids), place[0]
    states = load_states(ids, day=day)
    standings = _standings(ids, place)
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
    last: dict[tuple[int, str], RatingChange] = {}
    lines = (
        RatingChange.objects.filter(
            player__in=ids,
            calculation__is_current=True,
            calculation__order_date__lte=place[0],
        )
        .select_related("calculation")
        .order_by("calculation_id")
    )
    for line in lines.iterator(chunk_size=2000):
        key = (line.player_id, line.calculation.system)
        before = last.get(key)
        if line.calculation.order_key < place and (
            before is None or before.calculation.order_key < line.calculation.order_key
        ):
            last[key] = line
    standings: defaultdict[int, dict[System, LedgerStanding]] = defaultdict(dict)
    for (player, system), line in last.items():
        standings[player][System(system)] = _standing(line)
    return standings


def _standing(line: RatingChange) -> LedgerStanding:
    return LedgerStanding(
        rating=line.post_rating,
        games=line.post_games,
        record=Record(line.record),
        wins=line.wins,
        draws=line.draws,
        losses=line.losses,
        three_game_events=line.three_game_events,
        peak=line.peak,
        rated_on=line.calculation.age_day,
        last_line=line.pk,
    )


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
        calculation__age_day__gt=place[0] - LONGEST_MATCH_WINDOW,
        pre_rating__isnull=False,
    ).select_related("calculation")
    for line in lines:
        calculation = line.calculation
        if calculation.order_key < place:
            changes[line.player_id][System(calculation.system)].append(
                MatchChange(calculation.age_day, line.post_rating - line.pre_rating)
            )
    return changes
