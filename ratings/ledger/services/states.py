"""What is known of each player before a section: the states the engine starts from."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from django.db.models import F, Model, Q, QuerySet

from events.models import Section
from players.models import ExternalRating, Membership, Player
from ratings.engine.cards import Record, SourceRating
from ratings.engine.matches import MatchChange
from ratings.engine.systems import Body, System
from ratings.ledger.queries.grants import OWNER, granted_levels, newest_lowering
from ratings.models import Ceiling, Floor, FloorLowering, PlayerRating, RatingChange

# CFC ratings are converted for residents of Canada only (2025 text, section 2.2).
CANADA = "CAN"
# Three years and a day; the engine cuts to the day.
LONGEST_MATCH_WINDOW = timedelta(days=3 * 366)


@dataclass(frozen=True, slots=True)
class LedgerStanding:
    """A player's line in one system, as the ledger left it.

    *last_line* is its number there.
    """

    rating: float
    games: int
    record: Record
    wins: int
    draws: int
    losses: int
    three_game_events: int
    peak: float | None
    rated_on: date
    last_line: int | None = None


@dataclass(slots=True)
class PlayerState:
    """Everything about one player that can enter a calculation."""

    birth_date: date | None = None
    is_adult: bool = False
    standings: dict[System, LedgerStanding] = field(default_factory=dict)
    external: list[SourceRating] = field(default_factory=list)
    floors: dict[System, list[int]] = field(default_factory=lambda: defaultdict(list))
    ceilings: dict[System, int] = field(default_factory=dict)
    match_changes: dict[System, list[MatchChange]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def sources(self, system: System, *, day: date) -> tuple[SourceRating, ...]:
        """Return the ratings a start in *system* can be blended from.

        A rating that a late section finds from after its own end counts as of that
        end: it is what the office knows of the player.
        """
        own = [
            SourceRating(
                other, standing.rating, standing.games, min(standing.rated_on, day)
            )
            for other, standing in self.standings.items()
            if other is not system
        ]
        order = [*System, *Body]
        return tuple(
            sorted(
                [*own, *self.external], key=lambda source: order.index(source.source)
            )
        )


def load_states(
    player_ids: Iterable[int], *, day: date, is_match: bool = False
) -> dict[int, PlayerState]:
    """Return each player's present state, with grants and lists in force on *day*.

    Costs the same seven queries for any number of players, and one more for a match,
    whose limits look back on earlier matches.
    """
    ids = list(player_ids)
    states = {player_id: PlayerState() for player_id in ids}
    _load_people(states, ids, day)
    _load_standings(states, ids)
    _load_external(states, ids, day)
    _load_grants(states, ids, day)
    if is_match:
        _load_match_changes(states, ids, day)
    return states


def _load_people(states: dict[int, PlayerState], ids: list[int], day: date) -> None:
    adults = set(
        _of(Membership, ids)
        .filter(type__is_adult=True, starts__lte=day)
        .values_list("owner", flat=True)
    )
    for pk, birth_date in Player.objects.filter(pk__in=ids).values_list(
        "pk", "birth_date"
    ):
        states[pk].birth_date = birth_date
        states[pk].is_adult = pk in adults


def _load_standings(states: dict[int, PlayerState], ids: list[int]) -> None:
    for row in PlayerRating.objects.filter(player__in=ids):
        states[row.player_id].standings[System(row.system)] = LedgerStanding(
            rating=row.rating,
            games=row.games,
            record=Record(row.record),
            wins=row.wins,
            draws=row.draws,
            losses=row.losses,
            three_game_events=row.three_game_events,
            peak=row.peak,
            rated_on=row.rated_on,
            last_line=row.last_change_id,
        )


def _load_external(states: dict[int, PlayerState], ids: list[int], day: date) -> None:
    """Take the newest list in force on *day* of each body."""
    rows = (
        _of(ExternalRating, ids)
        .filter(list_date__lte=day)
        .filter(~Q(body="CFC") | Q(player__residence=CANADA))
        .order_by("list_date", F("player__merged_into").desc(nulls_last=True))
    )
    newest = {(row.owner, row.body): row for row in rows}
    for (player_id, body), row in newest.items():
        states[player_id].external.append(
            SourceRating(Body(body), float(row.rating), row.games or 0, row.list_date)
        )


def _load_match_changes(
    states: dict[int, PlayerState], ids: list[int], day: date
) -> None:
    """Take what matches of the last years did to each rating (2025 text, section 7)."""
    rows = RatingChange.objects.filter(
        player__in=ids,
        calculation__is_current=True,
        calculation__section__kind=Section.Kind.MATCH,
        calculation__age_day__lte=day,
        calculation__age_day__gt=day - LONGEST_MATCH_WINDOW,
        pre_rating__isnull=False,
    ).order_by("calculation__age_day", "calculation_id")
    for player_id, system, age_day, pre, post in rows.values_list(
        "player_id",
        "calculation__system",
        "calculation__age_day",
        "pre_rating",
        "post_rating",
    ):
        changes = states[player_id].match_changes[System(system)]
        changes.append(MatchChange(age_day, post - pre))


def _load_grants(states: dict[int, PlayerState], ids: list[int], day: date) -> None:
    """Take floors, lowerings and ceilings; a lowering also restarts the peak."""
    floors, lowerings = defaultdict(list), defaultdict(list)
    for floor in _of(Floor, ids).filter(starts__lte=day):
        floors[floor.owner].append(floor)
    for lowering in _of(FloorLowering, ids).filter(starts__lte=day):
        lowerings[lowering.owner].append(lowering)
    for player_id in {*floors, *lowerings}:
        state = states[player_id]
        for system in System:
            mine = lowerings[player_id]
            levels = granted_levels(floors[player_id], mine, system=system, day=day)
            if levels:
                state.floors[system] = levels
            _restart_peak(state, system, newest_lowering(mine, system=system, day=day))
    in_force = Q(starts__lte=day) & (Q(ends=None) | Q(ends__gte=day))
    for ceiling in _of(Ceiling, ids).filter(in_force):
        ceilings, system = states[ceiling.owner].ceilings, System(ceiling.system)
        ceilings[system] = min(ceiling.level, ceilings.get(system, ceiling.level))


def _restart_peak(
    state: PlayerState, system: System, lowering: FloorLowering | None
) -> None:
    standing = state.standings.get(system)
    if lowering and standing and standing.rated_on < lowering.starts:
        state.standings[system] = replace(standing, peak=None)


def _of(model: type[Model], ids: list[int]) -> QuerySet:
    """Return the rows of these members and of their duplicates, with their owner."""
    mine = Q(player__in=ids) | Q(player__merged_into__in=ids)
    return model.objects.filter(mine).annotate(owner=OWNER)
