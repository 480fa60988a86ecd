"""Who takes part in a replay, what is known of them, and where they start from."""

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
from ratings.engine.matches import LONGEST_WINDOW
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
from ratings.ledger.services.states import CANADA
from ratings.models import (
    Calculation,
    Ceiling,
    Floor,
    FloorLowering,
    PlayerRating,
    RatingChange,
)
from ratings.rerates.services.hypothesis import NOTHING_SUPPOSED, Hypothesis
from ratings_site.common.database import binary_copy
from ratings_site.common.database.among import Among, as_array
from ratings_site.common.database.binary_copy import (
    BIGINT,
    INTEGER,
    ORDINAL,
    numpy,
    read_arrays,
)

SYSTEM_NUMBER = {system.value: number for number, system in enumerate(System)}
SYSTEM_NAMES = [system.value for system in System]
RECORD_NUMBERS = {record.value: number for record, number in RECORD_NUMBER.items()}
# Where one in so many members takes part, it is quicker to read whole tables and pick.
ONE_IN = 4
LINES_AT_A_TIME = 100_000
IDS_AT_A_TIME = 5000

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
class Cast:
    """The players of a replay: *ids* are their primary keys, *number* counts from 0.

    A merged duplicate takes part as its *owner*; it has a number of its own only
    where the ledger still has lines of it.
    """

    ids: array
    number: dict[int, int]
    owner: dict[int, int]

    @classmethod
    def of(cls, players: Iterable[int], owner: dict[int, int]) -> Self:
        """Let these players take part, as they are, in the order of their keys."""
        ids = array("q", sorted(players))
        return cls(ids, dict(zip(ids, range(len(ids)), strict=True)), owner)

    def number_of(self, player: int) -> int:
        """Return the number of the member who owns what *player* did."""
        return self.number[self.owner.get(player, player)]


def read_owners(supposed: Hypothesis = NOTHING_SUPPOSED) -> dict[int, int]:
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


def are_few(players: Collection[int]) -> bool:
    """Tell whether it pays to name players to the database, which takes it a while.

    Members are numbered one after the other, so the highest number says how many they
    are.
    """
    return ONE_IN * len(players) < max(players, default=1)


def naming(column: str, players: Collection[int]) -> tuple[str, list[str]]:
    """Return the condition that *column* is one of the players, and its parameters.

    Where they are not few, all rows meet it.
    """
    if not are_few(players):
        return "true", []
    return f"{column} = ANY(%s::bigint[])", [as_array(players)]


class Picked:
    """Rows of some players, read in a way that suits their number."""

    def __init__(self, players: Collection[int]) -> None:
        self.players = players
        self.are_few = are_few(players)

    def rows(
        self, rows: QuerySet, *fields: str, by: str = "player_id"
    ) -> Iterator[tuple]:
        """Yield these *fields* of the rows whose column *by* is one of the players.

        *by* is the first field of what is yielded.
        """
        wanted = rows.values_list(by, *fields)
        if not self.are_few:
            for row in wanted.iterator(chunk_size=IDS_AT_A_TIME):
                if row[0] in self.players:
                    yield row
            return
        # As an expression: a filter by name looks at each of the numbers first.
        yield from wanted.filter(Among(F(by), self.players))


def batches(things: Iterable[Any], size: int) -> Iterator[list[Any]]:
    remaining = iter(things)
    while batch := list(islice(remaining, size)):
        yield batch


def read_people(cast: Cast, supposed: Hypothesis = NOTHING_SUPPOSED) -> People:
    """Read what is known of each player of the cast apart from ratings."""
    duplicates = [dup for dup, kept in cast.owner.items() if kept in cast.number]
    picked = Picked({*cast.ids, *duplicates})
    births = _birth_days(cast, picked)
    adults = _adults(cast, picked)
    externals = _externals(cast, picked)
    grants = _grants(cast, picked, supposed)
    return People.of(births, adults, externals, grants)


def _birth_days(cast: Cast, picked: Picked) -> array:
    days = array("i", [0]) * len(cast.ids)
    if binary_copy.is_possible():
        condition, named = naming("id", cast.ids)
        players, born = read_arrays(
            f"SELECT id, {ORDINAL.format('birth_date')} FROM {Player._meta.db_table} "  # noqa: S608 (our own names)
            f"WHERE birth_date IS NOT NULL AND {condition}",
            named,
            (BIGINT, INTEGER),
        )
        number, in_cast = numbers_in(cast, players)
        numpy.asarray(days)[number[in_cast]] = born[in_cast]
        return days
    for pk, born in picked.rows(Player.objects.order_by(), "birth_date", by="pk"):
        if born is not None and pk in cast.number:
            days[cast.number[pk]] = born.toordinal()
    return days


def numbers_in(cast: Cast, players: Any) -> tuple[Any, Any]:
    """Return the numbers of players in the cast, and which of them take part."""
    ids = numpy.asarray(cast.ids)
    if not len(ids):
        return players, numpy.zeros(len(players), bool)
    number = numpy.searchsorted(ids, players).clip(max=len(ids) - 1)
    return number, ids[number] == players


def owners_of(cast: Cast, players: Any) -> Any:
    """Return who owns what these players did: mostly they do (needs numpy)."""
    if not cast.owner:
        return players
    merged = numpy.array(sorted(cast.owner), numpy.int64)
    kept = numpy.array([cast.owner[one] for one in merged.tolist()], numpy.int64)
    place = numpy.searchsorted(merged, players).clip(max=len(merged) - 1)
    return numpy.where(merged[place] == players, kept[place], players)


def _adults(cast: Cast, picked: Picked) -> array:
    """Return the day from which each has been a member of a kind for adults."""
    first_days = array("i", [NEVER]) * len(cast.ids)
    if binary_copy.is_possible():
        condition, named = naming("player_id", picked.players)
        players, starts = read_arrays(
            f"SELECT player_id, {ORDINAL.format('min(starts)')} "  # noqa: S608 (our own names)
            f"FROM {Membership._meta.db_table} membership "
            f"JOIN {MembershipType._meta.db_table} type ON type.id = type_id "
            f"WHERE is_adult AND {condition} GROUP BY 1",
            named,
            (BIGINT, INTEGER),
        )
        number, in_cast = numbers_in(cast, owners_of(cast, players))
        numpy.minimum.at(numpy.asarray(first_days), number[in_cast], starts[in_cast])
        return first_days
    memberships = Membership.objects.filter(type__is_adult=True).order_by()
    for player, starts in picked.rows(memberships, "starts"):
        for number in _numbers(cast, player):
            first_days[number] = min(first_days[number], starts.toordinal())
    return first_days


def _numbers(cast: Cast, player: int) -> tuple[int, ...]:
    """Return who in the cast a row of *player* belongs to: the owner, if they play."""
    number = cast.number.get(cast.owner.get(player, player))
    return () if number is None else (number,)


def _externals(cast: Cast, picked: Picked) -> dict[int, list[External]]:
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
        for number in _numbers(cast, player):
            known = External(SOURCE_NUMBER[Body(body)], day.toordinal(), float(rating))
            (externals if player in cast.owner else own)[number].append(known)
    for number, ratings in own.items():
        externals[number].extend(ratings)
    return externals


def _grants(cast: Cast, picked: Picked, supposed: Hypothesis) -> dict[int, list[Grant]]:
    grants: defaultdict[int, list[Grant]] = defaultdict(list)

    def add(player: int, grant: Grant) -> None:
        for number in _numbers(cast, player):
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
class Beginning:
    """Where a replay begins: states, earlier matches, and the lines they stand on.

    The rows of a replay are numbered over the whole run; the first numbers stand for
    the ledger lines before it: *lines* are their primary keys, *rules_days* the days
    (ordinals) of the rules they were computed by.
    """

    states: States
    matches: Matches
    lines: array = field(default_factory=lambda: array("q"))
    rules_days: array = field(default_factory=lambda: array("i"))

    def copied(self) -> Self:
        """Return the same beginning for another replay, which moves it on."""
        return replace(
            self,
            states=States(*(column[:] for column in self.states)),
            matches=Matches(*(column[:] for column in self.matches)),
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
    """What the current lines of sources from a day on say of whom they are.

    *states* are player and system; *before* are the numbers of the lines from which the
    lines go on and which are not among them. From nothing both are empty.
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
        before: set[int | None] = {None}
        states: set[tuple[int, str]] = set()
        rows = lines.filter(calculation__order_date__gte=from_day).values_list(
            "pk", "previous_id", "player_id", "calculation__system"
        )
        for pk, previous, player, system in rows.iterator(chunk_size=IDS_AT_A_TIME):
            inside.add(pk)
            # Most lines go on from one that was read already.
            if previous not in inside:
                before.add(previous)
            states.add((player, system))
        players_inside = {player for player, _ in states}
        return cls(players_inside, states, before - inside - {None})


def beginning_of(cast: Cast, from_day: date | None, window: Window) -> Beginning:
    """Return the states before the first source of *from_day* (None: unrated).

    The current lines of a player in a system are a chain; the line before the first
    one of the window is the state. Without a line in the window it is the current
    rating.
    """
    players = len(cast.ids)
    begin = Beginning(States.unrated(players), Matches.none(players))
    if from_day is not None:
        last = _last_lines(cast, from_day, window.states)
        for line in [*last, *_lines_before(from_day, window.before)]:
            if line.player in cast.number:
                _enter(begin, cast.number[line.player], line)
        log_matches(begin.matches, cast, from_day)
    return begin


def _last_lines(
    cast: Cast, from_day: date, inside: set[tuple[int, str]]
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
    for row in Picked(cast.number).rows(ratings.order_by(), *fields):
        line = _StartingLine(*row)
        if (line.player, line.system) not in inside:
            yield line


def _lines_before(from_day: date, pks: set[int]) -> Iterator[_StartingLine]:
    """Yield the lines before the window that the first lines in it go on from.

    After an undone rerate a line may go on from one of the undone run, which stands
    in the window and is not current; then those before that one are looked at.
    """
    fields = ("calculation__order_date", "previous_id", *_LINE_FIELDS)
    while pks:
        further: set[int] = set()
        for batch in batches(pks, LINES_AT_A_TIME):
            lines = RatingChange.objects.filter(Among(F("pk"), batch)).order_by()
            for day, previous, *columns in lines.values_list(*fields):
                if day < from_day:
                    yield _StartingLine(*columns)
                elif previous is not None:
                    further.add(previous)
        pks = further


def _enter(begin: Beginning, number: int, line: _StartingLine) -> None:
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


def log_matches(matches: Matches, cast: Cast, from_day: date) -> None:
    """Log what matches of the last years before the window did to each rating."""
    rows = RatingChange.objects.filter(
        calculation__is_current=True,
        calculation__section__kind=Section.Kind.MATCH,
        calculation__order_date__lt=from_day,
        calculation__order_date__gt=from_day - LONGEST_WINDOW,
        pre_rating__isnull=False,
    ).order_by(*(f"calculation__{name}" for name in Calculation.ORDER))
    for player, system, day, pre, post in rows.values_list(
        "player_id",
        "calculation__system",
        "calculation__age_day",
        "pre_rating",
        "post_rating",
    ):
        if player in cast.number:
            state = cast.number[player] * SYSTEMS + SYSTEM_NUMBER[system]
            matches.add(state, day.toordinal(), post - pre)
