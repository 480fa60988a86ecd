"""The states of players before a section, from which the engine starts."""

from bisect import insort
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from datetime import date
from typing import Any, Self

from django.db.models import Model, Q, QuerySet

from events.models import Section
from players.models import ExternalRating, Membership, Player
from players.models.player import birth_date_for_rating
from ratings.engine.inputs import Record, SourceRating
from ratings.engine.matches import MAX_WINDOW, MatchChange
from ratings.engine.systems import Body, System
from ratings.ledger.queries.grants import granted_levels, newest_lowering
from ratings.ledger.queries.published_ratings import published_number
from ratings.models import Ceiling, Floor, FloorLowering, PlayerRating, RatingChange
from ratings_site.common.db import in_array  # noqa: F401 (registers the lookup)

# CFC ratings are converted for residents of Canada only (2025 text, section 2.2).
CANADA = "CAN"


@dataclass(frozen=True, slots=True)
class RatingState:
    """A player's rating in one system, as the ledger left it.

    *last_line* is the number of the line.
    """

    rating: float
    games: int
    record: Record
    wins: int
    draws: int
    losses: int
    three_game_events: int
    peak: float | None
    age_start: float | None
    rated_on: date
    last_line: int | None = None

    @classmethod
    def after(cls, line: RatingChange, day: date) -> Self:
        """Return the state after a line of this day."""
        return cls(
            rating=line.post_rating,
            games=line.post_games,
            record=Record(line.record),
            wins=line.wins,
            draws=line.draws,
            losses=line.losses,
            three_game_events=line.three_game_events,
            peak=line.peak,
            age_start=line.age_start,
            rated_on=day,
            last_line=line.pk,
        )

    def in_force(self, lowering: FloorLowering | None) -> Self:
        """Restart the peak if the floor has been lowered since the last line."""
        if lowering is not None and self.rated_on < lowering.starts:
            return replace(self, peak=None)
        return self


UNRATED = RatingState(0.0, 0, Record.NONE, 0, 0, 0, 0, None, None, date.min)

# `PlayerRating` has fields of these names, all but the last.
_RATED = [one.name for one in fields(RatingState)][:-1]


@dataclass(slots=True)
class PlayerState:
    """Everything about one player that can affect a calculation."""

    birth_date: date | None = None
    is_adult: bool = False
    standings: dict[System, RatingState] = field(default_factory=dict)
    external: list[SourceRating] = field(default_factory=list)
    floors: dict[System, list[int]] = field(default_factory=lambda: defaultdict(list))
    ceilings: dict[System, int] = field(default_factory=dict)
    match_changes: dict[System, list[MatchChange]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def publish(self) -> None:
        """Replace all ratings by published numbers, for estimates open to anyone."""
        self.standings = {
            system: replace(one, rating=published_number(one.rating, one.age_start))
            for system, one in self.standings.items()
        }

    def age_starts(self, system: System) -> list[float]:
        """Return the ratings in other systems that still are an age-based start."""
        return [
            self.standings[other].rating
            for other in System
            if other is not system
            and other in self.standings
            and self.standings[other].age_start is not None
        ]

    def sources(self, system: System, *, day: date) -> tuple[SourceRating, ...]:
        """Return the ratings a start in *system* can be blended from.

        A rating from after a late section's end counts as of that end: it is the one
        that the office knows.
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
    """Return each player's current state, with grants and lists in force on *day*.

    Costs the same seven queries for any number of players, none for an empty list, and
    one more for a match, for the limits on earlier matches.
    """
    ids = list(player_ids)
    if not ids:
        return {}
    matches_from = day if is_match else None
    known = PlayerStateCache(ids, until=day, matches_from=matches_from)
    return known.states(ids, day=day, is_match=is_match)


class PlayerStateCache:
    """The states of some players, for sections of any day up to *until*.

    They are read once for many sections; ``advance`` applies the results of one section
    before the next. With *matches_from* the changes by matches are read too, for
    matches that ended on that day or later.
    """

    def __init__(
        self,
        player_ids: Iterable[int],
        *,
        until: date,
        matches_from: date | None = None,
    ) -> None:
        people = _people(player_ids)
        owners = {pk: owner for pk, owner, _birth, _residence in people}
        self.births = {pk: birth for pk, _owner, birth, _residence in people}
        self.adult_since = _adults(owners, until)
        self.standings = _standings(owners)
        abroad = {pk for pk, *_, residence in people if residence != CANADA}
        self.external = _external(owners, abroad, until)
        self.floors = _granted(Floor, owners, until)
        self.lowerings = _granted(FloorLowering, owners, until)
        self.ceilings = _granted(Ceiling, owners, until)
        self.match_changes = _match_changes(owners, until, matches_from)

    def states(
        self, player_ids: Iterable[int], *, day: date, is_match: bool = False
    ) -> dict[int, PlayerState]:
        """Return the states before a section that ends on *day* (no query)."""
        states = {pk: self._state(pk, day) for pk in player_ids}
        if is_match:
            for pk, state in states.items():
                self._add_match_changes(state, pk, day)
        return states

    def advance(
        self, lines: Iterable[RatingChange], *, system: System, day: date
    ) -> None:
        """Apply these new lines, which have their numbers, to the states."""
        for line in lines:
            self.standings[line.player_id][system] = RatingState.after(line, day)

    def add_match(
        self, lines: Iterable[RatingChange], *, system: System, day: date
    ) -> None:
        """Record the changes by a match, for the limits of the next."""
        for line in lines:
            if line.pre_rating is not None:
                change = MatchChange(day, line.post_rating - line.pre_rating)
                # After those of its day: it is the newest calculation.
                insort(
                    self.match_changes[line.player_id][system],
                    change,
                    key=lambda one: one.day,
                )

    def _state(self, pk: int, day: date) -> PlayerState:
        state = PlayerState(
            birth_date=self.births.get(pk),
            is_adult=self.adult_since.get(pk, date.max) <= day,
            standings=dict(self.standings[pk]),
            external=self._external_on(pk, day),
        )
        self._add_grants(state, pk, day)
        return state

    def _add_match_changes(self, state: PlayerState, pk: int, day: date) -> None:
        """Add the changes by matches within the windows of the limits."""
        for system, changes in self.match_changes[pk].items():
            state.match_changes[system] = [
                change for change in changes if day - MAX_WINDOW < change.day <= day
            ]

    def _external_on(self, pk: int, day: date) -> list[SourceRating]:
        """Return the newest list in force on *day* of each body."""
        newest = {one.source: one for one in self.external[pk] if one.day <= day}
        return list(newest.values())

    def _add_grants(self, state: PlayerState, pk: int, day: date) -> None:
        """Give floors, lowerings and ceilings; a lowering also restarts the peak."""
        floors, lowerings = self.floors[pk], self.lowerings[pk]
        if floors or lowerings:
            for system in System:
                levels = granted_levels(floors, lowerings, system=system, day=day)
                if levels:
                    state.floors[system] = levels
                if system in state.standings:
                    lowering = newest_lowering(lowerings, system=system, day=day)
                    standing = state.standings[system].in_force(lowering)
                    state.standings[system] = standing
        for ceiling in self.ceilings[pk]:
            if ceiling.is_in_force_on(day):
                system = System(ceiling.system)
                lowest = state.ceilings.get(system, ceiling.level)
                state.ceilings[system] = min(ceiling.level, lowest)


# The owner of a row, by its member number.
Owners = dict[int, int]


def _people(player_ids: Iterable[int]) -> list[tuple[int, int, date | None, str]]:
    """Return players and their duplicates: number, owner, birth date and residence."""
    ids = list(player_ids)
    rows = Player.objects.filter(
        Q(pk__in_array=ids) | Q(merged_into__in_array=ids)
    ).order_by()
    asked = set(ids)
    return [
        (
            pk,
            pk if owner is None or pk in asked else owner,
            birth_date_for_rating(birth, year),
            residence,
        )
        for pk, owner, birth, year, residence in rows.values_list(
            "pk", "merged_into", "birth_date", "birth_year", "residence"
        )
    ]


def _rows(model: type[Model], owners: Owners) -> QuerySet[Any]:
    return model._default_manager.filter(player__in_array=owners).order_by()


def _adults(owners: Owners, until: date) -> dict[int, date]:
    """Return since when each player has had an adult membership."""
    since: dict[int, date] = {}
    rows = _rows(Membership, owners).filter(type__is_adult=True, starts__lte=until)
    for pk, starts in rows.values_list("player", "starts"):
        owner = owners[pk]
        since[owner] = min(starts, since.get(owner, starts))
    return since


def _standings(owners: Owners) -> defaultdict[int, dict[System, RatingState]]:
    standings: defaultdict[int, dict[System, RatingState]] = defaultdict(dict)
    own = [pk for pk, owner in owners.items() if pk == owner]
    rows = PlayerRating.objects.filter(player__in_array=own).order_by("pk")
    for player, system, rating, games, record, *rest in rows.values_list(
        "player", "system", *_RATED, "last_change"
    ):
        standings[player][System(system)] = RatingState(
            rating, games, Record(record), *rest
        )
    return standings


def _external(
    owners: Owners, abroad: set[int], until: date
) -> defaultdict[int, list[SourceRating]]:
    """Return ratings of other bodies by list, a member's own last on each day.

    CFC ratings count for residents of Canada only.
    """
    rows = _rows(ExternalRating, owners).filter(list_date__lte=until)
    told = [
        row
        for row in rows.values_list("list_date", "player", "body", "rating", "games")
        if row[2] != Body.CFC or row[1] not in abroad
    ]
    told.sort(key=lambda row: (row[0], row[1] == owners[row[1]]))
    lists: defaultdict[int, list[SourceRating]] = defaultdict(list)
    for day, pk, body, rating, games in told:
        lists[owners[pk]].append(
            SourceRating(Body(body), float(rating), games or 0, day)
        )
    return lists


def _granted(
    model: type[Model], owners: Owners, until: date
) -> defaultdict[int, list[Any]]:
    """Return the office's grants by player."""
    granted: defaultdict[int, list[Any]] = defaultdict(list)
    for row in _rows(model, owners).filter(starts__lte=until):
        granted[owners[row.player_id]].append(row)
    return granted


Changes = dict[System, list[MatchChange]]


def _match_changes(
    owners: Owners, until: date, matches_from: date | None
) -> defaultdict[int, Changes]:
    """Return the changes by matches, the oldest first (2025 text, section 7).

    They go back as far as the limits of a match that ended on *matches_from* need.
    """
    changes: defaultdict[int, Changes] = defaultdict(lambda: defaultdict(list))
    if matches_from is None:
        return changes
    rows = RatingChange.objects.filter(
        player__in_array=[pk for pk, owner in owners.items() if pk == owner],
        calculation__is_current=True,
        calculation__section__kind=Section.Kind.MATCH,
        calculation__age_day__lte=until,
        calculation__age_day__gt=matches_from - MAX_WINDOW,
        pre_rating__isnull=False,
    ).order_by("calculation__age_day", "calculation_id")
    for pk, system, day, before, after in rows.values_list(
        "player",
        "calculation__system",
        "calculation__age_day",
        "pre_rating",
        "post_rating",
    ):
        if before is not None:
            changes[pk][System(system)].append(MatchChange(day, after - before))
    return changes
