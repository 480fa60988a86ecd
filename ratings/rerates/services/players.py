"""The players of a replay, the facts about them, and their initial states."""

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice
from typing import Any, NamedTuple, Self

from django.db.models import F, Q, QuerySet

from events.models import Section
from players.models import ExternalRating, Membership, MembershipType, Player
from ratings.engine.matches import MAX_WINDOW
from ratings.engine.replay.arrays import (
    CEILING,
    FLOOR,
    LOWERING,
    NAN,
    NEVER,
    SOURCE_NUMBER,
    SYSTEMS,
    External,
    Grant,
    Matches,
    People,
    States,
)
from ratings.engine.systems import Body, System
from ratings.ledger.services.digests import RECORD_NUMBER
from ratings.ledger.services.player_states import CANADA
from ratings.models import (
    Calculation,
    Ceiling,
    Floor,
    FloorLowering,
    PlayerRating,
    RatingChange,
)
from ratings.rerates.services.hypothesis import NO_HYPOTHESIS, Hypothesis
from ratings_site.common.db import binary_copy
from ratings_site.common.db.binary_copy import (
    BIGINT,
    INTEGER,
    ORDINAL,
    numpy,
    read_arrays,
)
from ratings_site.common.db.in_array import InArray, as_array

SYSTEM_NUMBER = {system.value: number for number, system in enumerate(System)}
SYSTEM_NAMES = [system.value for system in System]
RECORD_NUMBERS = {record.value: number for record, number in RECORD_NUMBER.items()}
# If one in so many members takes part, it is quicker to read whole tables and filter.
SMALL_SUBSET_DIVISOR = 4
LINE_BATCH_SIZE = 100_000
ID_BATCH_SIZE = 5000

# What a replay's state and a current rating have in common, in the same order.
STANDING = (
    "rating",
    "games",
    "record",
    "wins",
    "draws",
    "losses",
    "three_game_events",
    "peak",
    "age_start",
)
# The columns of a current rating, after its player.
CURRENT = ("system", *STANDING, "floor", "rated_on", "last_change_id")


class ProjectedRating(NamedTuple):
    """A current rating, column by column; *rating* is in points."""

    rating: float
    games: int
    record: str
    wins: int
    draws: int
    losses: int
    three_game_events: int
    peak: float | None
    age_start: float | None
    floor: float
    rated_on: date
    last_change: int


@dataclass(slots=True)
class PlayerIndex:
    """The players of a replay: *ids* are their primary keys, *number* counts from 0.

    A merged duplicate takes part as its *owner*; it has a number of its own only if the
    ledger still has lines of it.
    """

    ids: "array[int]"
    number: dict[int, int]
    owner: dict[int, int]

    @classmethod
    def of(cls, players: Iterable[int], owner: dict[int, int]) -> Self:
        """Index these players in the order of their primary keys."""
        ids = array("q", sorted(players))
        return cls(ids, dict(zip(ids, range(len(ids)), strict=True)), owner)

    def number_of(self, player: int) -> int:
        """Return the number of the owner of *player*."""
        return self.number[self.owner.get(player, player)]


def read_owners(supposed: Hypothesis = NO_HYPOTHESIS) -> dict[int, int]:
    """Return the kept member of each merged duplicate."""
    owner = dict(
        Player.objects.filter(merged_into__isnull=False).values_list(
            "pk", "merged_into_id"
        )
    )
    for duplicate in supposed.unmerges:
        owner.pop(duplicate, None)
    for kept, merged in supposed.merges:
        owner[merged] = kept
        for duplicate, into in list(owner.items()):
            if into == merged:
                owner[duplicate] = kept
    return owner


def is_small_subset(players: Collection[int]) -> bool:
    """Return whether to name players in queries, which has a cost for each.

    Primary keys are consecutive, so the highest one estimates the number of members.
    """
    return SMALL_SUBSET_DIVISOR * len(players) < max(players, default=1)


def player_condition(column: str, players: Collection[int]) -> tuple[str, list[str]]:
    """Return the condition that *column* is one of the players, and its parameters.

    If they are many, the condition is true for all rows.
    """
    if not is_small_subset(players):
        return "true", []
    return f"{column} = ANY(%s::bigint[])", [as_array(players)]


class PlayerRows:
    """Rows of some players, read in a way that suits how many they are."""

    def __init__(self, players: Collection[int]) -> None:
        self.players = players
        self.is_small_subset = is_small_subset(players)

    def rows(
        self, rows: QuerySet[Any], *fields: str, by: str = "player_id"
    ) -> Iterator[tuple[Any, ...]]:
        """Yield these *fields* of the rows whose column *by* is one of the players.

        *by* is the first field of each row.
        """
        wanted = rows.values_list(by, *fields)
        if not self.is_small_subset:
            for row in wanted.iterator(chunk_size=ID_BATCH_SIZE):
                if row[0] in self.players:
                    yield row
            return
        # As an expression: a filter by field name validates each of the numbers first.
        yield from wanted.filter(InArray(F(by), self.players))


def batches(things: Iterable[Any], size: int) -> Iterator[list[Any]]:
    remaining = iter(things)
    while batch := list(islice(remaining, size)):
        yield batch


def read_people(
    player_index: PlayerIndex, supposed: Hypothesis = NO_HYPOTHESIS
) -> People:
    """Read the facts about each player of the index apart from ratings."""
    duplicates = [
        dup for dup, kept in player_index.owner.items() if kept in player_index.number
    ]
    picked = PlayerRows({*player_index.ids, *duplicates})
    births = _birth_days(player_index, picked)
    adults = _adults(player_index, picked)
    externals = _externals(player_index, picked)
    grants = _grants(player_index, picked, supposed)
    return People.of(births, adults, externals, grants)


def _birth_days(player_index: PlayerIndex, picked: PlayerRows) -> "array[int]":
    days = array("i", [0]) * len(player_index.ids)
    if binary_copy.is_possible():
        condition, named = player_condition("id", player_index.ids)
        players, born = read_arrays(
            f"SELECT id, {ORDINAL.format('birth_date')} FROM {Player._meta.db_table} "  # noqa: S608 (our own names)
            f"WHERE birth_date IS NOT NULL AND {condition}",
            named,
            (BIGINT, INTEGER),
        )
        number, in_cast = numbers_in(player_index, players)
        numpy.asarray(days)[number[in_cast]] = born[in_cast]
        return days
    for pk, born in picked.rows(Player.objects.order_by(), "birth_date", by="pk"):
        if born is not None and pk in player_index.number:
            days[player_index.number[pk]] = born.toordinal()
    return days


def numbers_in(player_index: PlayerIndex, players: Any) -> tuple[Any, Any]:
    """Return the numbers of players in the index, and which of them take part."""
    ids = numpy.asarray(player_index.ids)
    if not len(ids):
        return players, numpy.zeros(len(players), bool)
    number = numpy.searchsorted(ids, players).clip(max=len(ids) - 1)
    return number, ids[number] == players


def owners_of(player_index: PlayerIndex, players: Any) -> Any:
    """Return the owners of these players, usually themselves (needs numpy)."""
    if not player_index.owner:
        return players
    merged = numpy.array(sorted(player_index.owner), numpy.int64)
    kept = numpy.array(
        [player_index.owner[one] for one in merged.tolist()], numpy.int64
    )
    place = numpy.searchsorted(merged, players).clip(max=len(merged) - 1)
    return numpy.where(merged[place] == players, kept[place], players)


def _adults(player_index: PlayerIndex, picked: PlayerRows) -> "array[int]":
    """Return the day from which each has had an adult membership."""
    first_days = array("i", [NEVER]) * len(player_index.ids)
    if binary_copy.is_possible():
        condition, named = player_condition("player_id", picked.players)
        players, starts = read_arrays(
            f"SELECT player_id, {ORDINAL.format('min(starts)')} "  # noqa: S608 (our own names)
            f"FROM {Membership._meta.db_table} membership "
            f"JOIN {MembershipType._meta.db_table} type ON type.id = type_id "
            f"WHERE is_adult AND {condition} GROUP BY 1",
            named,
            (BIGINT, INTEGER),
        )
        number, in_cast = numbers_in(player_index, owners_of(player_index, players))
        numpy.minimum.at(numpy.asarray(first_days), number[in_cast], starts[in_cast])
        return first_days
    memberships = Membership.objects.filter(type__is_adult=True).order_by()
    for player, starts in picked.rows(memberships, "starts"):
        for number in _numbers(player_index, player):
            first_days[number] = min(first_days[number], starts.toordinal())
    return first_days


def _numbers(player_index: PlayerIndex, player: int) -> tuple[int, ...]:
    """Return the number of the owner of *player*, if in the index."""
    number = player_index.number.get(player_index.owner.get(player, player))
    return () if number is None else (number,)


def _externals(
    player_index: PlayerIndex, picked: PlayerRows
) -> dict[int, list[External]]:
    """Of two ratings of a day the last counts: the member's own, not a duplicate's."""
    rows = picked.rows(
        ExternalRating.objects.filter(
            ~Q(body="CFC") | Q(player__residence=CANADA)
        ).order_by(F("player__merged_into").desc(nulls_last=True), "pk"),
        "body",
        "list_date",
        "rating",
    )
    externals: defaultdict[int, list[External]] = defaultdict(list)
    own: defaultdict[int, list[External]] = defaultdict(list)
    for player, body, day, rating in rows:
        for number in _numbers(player_index, player):
            known = External(SOURCE_NUMBER[Body(body)], day.toordinal(), float(rating))
            (externals if player in player_index.owner else own)[number].append(known)
    for number, ratings in own.items():
        externals[number].extend(ratings)
    return externals


def _grants(
    player_index: PlayerIndex, picked: PlayerRows, supposed: Hypothesis
) -> dict[int, list[Grant]]:
    grants: defaultdict[int, list[Grant]] = defaultdict(list)

    def add(player: int, grant: Grant) -> None:
        for number in _numbers(player_index, player):
            grants[number].append(grant)

    fields = ("system", "level", "starts", "ends")
    for kind, model, unsaved in (
        (FLOOR, Floor, supposed.floors),
        (CEILING, Ceiling, supposed.ceilings),
    ):
        more = [(g.player_id, g.system, g.level, g.starts, g.ends) for g in unsaved]
        for player, system, level, starts, ends in [
            *picked.rows(model.objects.order_by("pk"), *fields),
            *more,
        ]:
            add(player, _grant(kind, system, level, starts, ends))
    lowerings = [
        *picked.rows(FloorLowering.objects.order_by("pk"), "system", "level", "starts"),
        *((g.player_id, g.system, g.level, g.starts) for g in supposed.lowerings),
    ]
    for player, system, level, starts in lowerings:
        add(player, _grant(LOWERING, system, level, starts, None))
    return grants


def _grant(
    kind: int, system: str, level: float, starts: date, ends: date | None
) -> Grant:
    until = NEVER if ends is None else ends.toordinal()
    number = SYSTEM_NUMBER[system]
    return Grant(kind, number, float(level), starts.toordinal(), until)


@dataclass(slots=True)
class InitialState:
    """The start of a replay: states, earlier matches, and the lines behind them.

    The rows of a replay are numbered over the whole run; the first numbers are for the
    ledger lines before it: *lines* are their primary keys, *rules_days* the days
    (ordinals) of the rules they were computed by.
    """

    states: States
    matches: Matches
    lines: "array[int]" = field(default_factory=lambda: array("q"))
    rules_days: "array[int]" = field(default_factory=lambda: array("i"))

    def copied(self) -> Self:
        """Return a copy for another replay, which changes it."""
        return replace(
            self,
            states=States._make(column[:] for column in self.states),
            matches=Matches._make(column[:] for column in self.matches),
        )


class _StartingLine(NamedTuple):
    """A ledger line to begin from; *rated_on* and *rules_day* are dates."""

    player: int
    system: str
    pk: int
    rating: float
    games: int
    record: str
    wins: int
    draws: int
    losses: int
    three_game_events: int
    peak: float | None
    age_start: float | None
    rated_on: date
    rules_day: date


_LINE_FIELDS = (
    "player_id",
    "calculation__system",
    "pk",
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
    "calculation__rules_day",
)


class Window(NamedTuple):
    """The current lines of sources from a day on.

    *states* are player and system; *before* are the primary keys of the lines that
    these lines continue and which are not among them. For a replay of all history both
    are empty.
    """

    players: set[int]
    states: set[tuple[int, str]]
    before: set[int]

    @classmethod
    def read(cls, from_day: date | None) -> Self:
        lines = RatingChange.objects.filter(calculation__is_current=True).order_by()
        if from_day is None:
            players = lines.values_list("player_id", flat=True).distinct()
            return cls(set(players), set(), set())
        inside: set[int] = set()
        before: set[int] = set()
        states: set[tuple[int, str]] = set()
        rows = lines.filter(calculation__order_date__gte=from_day).values_list(
            "pk", "previous_id", "player_id", "calculation__system"
        )
        for pk, previous, player, system in rows.iterator(chunk_size=ID_BATCH_SIZE):
            inside.add(pk)
            # Most lines continue one that was read already.
            if previous is not None and previous not in inside:
                before.add(previous)
            states.add((player, system))
        players_inside = {player for player, _ in states}
        return cls(players_inside, states, before - inside)


def read_initial_state(
    player_index: PlayerIndex, from_day: date | None, window: Window
) -> InitialState:
    """Return the states before the first source of *from_day* (None: unrated).

    The current lines of a player in a system are a chain; the line before the first one
    of the window is the state. Without a line in the window it is the current rating.
    """
    players = len(player_index.ids)
    begin = InitialState(States.unrated(players), Matches.none(players))
    if from_day is not None:
        last = _last_lines(player_index, from_day, window.states)
        for line in [*last, *_lines_before(from_day, window.before)]:
            if line.player in player_index.number:
                _enter(begin, player_index.number[line.player], line)
        log_matches(begin.matches, player_index, from_day)
    return begin


def _last_lines(
    player_index: PlayerIndex, from_day: date, inside: set[tuple[int, str]]
) -> Iterator[_StartingLine]:
    """Yield the current ratings of those who have no line in the window."""
    ratings = PlayerRating.objects.filter(rated_on__lt=from_day)
    fields = (
        "system",
        "last_change_id",
        *STANDING,
        "rated_on",
        "last_change__calculation__rules_day",
    )
    for row in PlayerRows(player_index.number).rows(ratings.order_by(), *fields):
        line = _StartingLine(*row)
        if (line.player, line.system) not in inside:
            yield line


def _lines_before(from_day: date, pks: set[int]) -> Iterator[_StartingLine]:
    """Yield the lines before the window that the first lines in it continue.

    After an undone rerate a line may continue one of the undone run, which is in the
    window and not current; then the lines before that one are read.
    """
    fields = ("calculation__order_date", "previous_id", *_LINE_FIELDS)
    while pks:
        further: set[int] = set()
        for batch in batches(pks, LINE_BATCH_SIZE):
            lines = RatingChange.objects.filter(InArray(F("pk"), batch)).order_by()
            for day, previous, *columns in lines.values_list(*fields):
                if day < from_day:
                    yield _StartingLine(*columns)
                elif previous is not None:
                    further.add(previous)
        pks = further


def _enter(begin: InitialState, number: int, line: _StartingLine) -> None:
    states = begin.states
    state = number * SYSTEMS + SYSTEM_NUMBER[line.system]
    states.rating[state] = line.rating
    states.games[state] = line.games
    states.record[state] = RECORD_NUMBERS[line.record]
    states.wins[state] = line.wins
    states.draws[state] = line.draws
    states.losses[state] = line.losses
    states.three_game_events[state] = line.three_game_events
    states.peak[state] = NAN if line.peak is None else line.peak
    states.age_start[state] = NAN if line.age_start is None else line.age_start
    states.rated_on[state] = line.rated_on.toordinal()
    states.last_row[state] = len(begin.lines)
    begin.lines.append(line.pk)
    begin.rules_days.append(line.rules_day.toordinal())


def log_matches(matches: Matches, player_index: PlayerIndex, from_day: date) -> None:
    """Log the changes by matches of the last years before the window."""
    rows = RatingChange.objects.filter(
        calculation__is_current=True,
        calculation__section__kind=Section.Kind.MATCH,
        calculation__order_date__lt=from_day,
        calculation__order_date__gt=from_day - MAX_WINDOW,
        pre_rating__isnull=False,
    ).order_by(*(f"calculation__{name}" for name in Calculation.ORDER))
    for player, system, day, pre, post in rows.values_list(
        "player_id",
        "calculation__system",
        "calculation__age_day",
        "pre_rating",
        "post_rating",
    ):
        if pre is not None and player in player_index.number:
            state = player_index.number[player] * SYSTEMS + SYSTEM_NUMBER[system]
            matches.add(state, day.toordinal(), post - pre)
