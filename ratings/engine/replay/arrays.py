"""The columns that a replay reads and writes.

A column is an `array.array`: compact, quick to fill in bulk (`extend`, `frombytes`),
and compiled loops work on the very same memory, without a copy.

How things are written in numbers:

- a day is `date.toordinal()`; 0 is "not known", `NEVER` is "never" or "without end";
- a system is its place in `list(System)`, 0 to 5; FIDE is 6 and CFC is 7;
- players are numbered from 0, and a *state* is player * 6 + system;
- a missing rating or other float is NaN, a missing number -1;
- scores are in half points: 0, 1 or 2;
- a column named `first_…` is one longer than there are things: what belongs to thing
  i is at `first_…[i]` up to, but not including, `first_…[i + 1]`.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

from ratings.engine.inputs import Record
from ratings.engine.systems import Body, Source, System

SYSTEMS: Final = 6
FIDE: Final = 6
CFC: Final = 7
SOURCE_NUMBER: Final[dict[Source, int]] = {
    source: number for number, source in enumerate([*System, *Body])
}

NAN: Final = math.nan
NEVER: Final = 4_000_000
"""A day after every date."""

# The records of states, and the words for them in the same order.
MIXED: Final = 0
ALL_WINS: Final = 1
ALL_LOSSES: Final = 2
NO_RECORD: Final = 3
RECORDS: Final = (Record.MIXED, Record.ALL_WINS, Record.ALL_LOSSES, Record.NONE)

# The formulas of rows; 0 is a row without a formula.
SPECIAL: Final = 1
STANDARD: Final = 2
OPENED: Final = 3
ADJUSTED: Final = 4
# Kinds of items, in the order they have within a day.
OPENING: Final = 0
ADJUSTMENT: Final = 1
SECTION: Final = 2
FOREIGN: Final = 3

# Kinds of grants.
FLOOR: Final = 0
CEILING: Final = 1
LOWERING: Final = 2


class External(NamedTuple):
    """A FIDE or CFC rating of a player, as of a day (the first of a FIDE list)."""

    body: int
    day: int
    rating: float


class Grant(NamedTuple):
    """A floor, a ceiling or a lowering of floors that counts from a day.

    A lowering ends the granted floors of earlier days and the peak before its day,
    and its level counts as a floor; *system* is one of the six.
    """

    kind: int
    system: int
    level: float
    from_day: int
    until: int = NEVER


class People(NamedTuple):
    """The facts about each player apart from US Chess ratings.

    `birth_day` is 0 if not known, `adult_from` the first day of an adult's membership.
    Of the external ratings (sorted by day) the newest of each body with a day up to a
    section's end counts, of the grants those in force on that end day.
    """

    birth_day: array[int]
    adult_from: array[int]
    first_external: array[int]
    external_body: array[int]
    external_day: array[int]
    external_rating: array[float]
    first_grant: array[int]
    grant_kind: array[int]
    grant_system: array[int]
    grant_level: array[float]
    grant_from: array[int]
    grant_until: array[int]

    @classmethod
    def empty(cls) -> Self:
        people = cls._make(array(code) for code in "iiibidibbdii")
        people.first_external.append(0)
        people.first_grant.append(0)
        return people

    @classmethod
    def of(
        cls,
        birth_days: array[int],
        adult_from: array[int],
        externals: Mapping[int, Iterable[External]],
        grants: Mapping[int, Iterable[Grant]],
    ) -> Self:
        """Return many players at once; few of them have ratings elsewhere or grants."""
        people = cls.empty()
        people.birth_day.extend(birth_days)
        people.adult_from.extend(adult_from)
        for number in sorted(externals):
            _extend_first_column(number, people.first_external)
            people._add_externals(externals[number])
        _extend_first_column(len(birth_days), people.first_external)
        for number in sorted(grants):
            _extend_first_column(number, people.first_grant)
            people._add_grants(grants[number])
        _extend_first_column(len(birth_days), people.first_grant)
        return people

    def add(
        self,
        *,
        birth_day: int = 0,
        adult_from: int = NEVER,
        externals: Iterable[External] = (),
        grants: Iterable[Grant] = (),
    ) -> int:
        """Add a player and return the player's number."""
        self.birth_day.append(birth_day)
        self.adult_from.append(adult_from)
        self._add_externals(externals)
        self._add_grants(grants)
        return len(self.birth_day) - 1

    def _add_externals(self, externals: Iterable[External]) -> None:
        for external in sorted(externals, key=lambda known: known.day):
            self.external_body.append(external.body)
            self.external_day.append(external.day)
            self.external_rating.append(external.rating)
        self.first_external.append(len(self.external_body))

    def _add_grants(self, grants: Iterable[Grant]) -> None:
        for grant in grants:
            self.grant_kind.append(grant.kind)
            self.grant_system.append(grant.system)
            self.grant_level.append(grant.level)
            self.grant_from.append(grant.from_day)
            self.grant_until.append(grant.until)
        self.first_grant.append(len(self.grant_kind))


def _extend_first_column(number: int, first: array[int]) -> None:
    """Extend a ``first_…`` column: the things up to this one have nothing."""
    first.extend([first[-1]] * (number + 1 - len(first)))


class States(NamedTuple):
    """The standing of each player in each system; the replay updates it.

    `rating` is NaN for an unrated player; `age_start` is the age-based start that the
    rating still is, else NaN (see `ratings.engine.age_based_start`); `rated_on` is the
    end day of the last item with a row, `last_row` the number of that row (see
    `Results`).
    """

    rating: array[float]
    games: array[int]
    record: array[int]
    wins: array[int]
    draws: array[int]
    losses: array[int]
    three_game_events: array[int]
    peak: array[float]
    age_start: array[float]
    rated_on: array[int]
    last_row: array[int]

    @classmethod
    def unrated(cls, players: int) -> Self:
        """Return the states of players who have no rating in any system."""
        begin = (NAN, 0, NO_RECORD, 0, 0, 0, 0, NAN, NAN, 0, -1)
        return cls._make(
            array(code, [value]) * (players * SYSTEMS)
            for code, value in zip("dibiiiiddiq", begin, strict=True)
        )


class Matches(NamedTuple):
    """The changes of rated players by matches: a list per state, the newest first.

    `newest` has one place per state: the number of the newest match, -1 if none.
    `previous` is the number of the match before. `used` holds one number: how many of
    the places are taken.
    """

    newest: array[int]
    day: array[int]
    change: array[float]
    previous: array[int]
    used: array[int]

    @classmethod
    def none(cls, players: int, room: int = 0) -> Self:
        """Return an empty log with *room* for so many changes."""
        return cls(
            newest=array("i", [-1]) * (players * SYSTEMS),
            day=array("i", [0]) * room,
            change=array("d", [0.0]) * room,
            previous=array("i", [-1]) * room,
            used=array("q", [0]),
        )

    def reserve(self, room: int) -> None:
        """Make room for *room* more changes: two per match and system."""
        missing = self.used[0] + room - len(self.day)
        if missing > 0:
            self.day.extend([0] * missing)
            self.change.extend([0.0] * missing)
            self.previous.extend([-1] * missing)

    def add(self, state: int, day: int, change: float) -> None:
        """Log a match that was rated before the replay begins, oldest first."""
        self.reserve(1)
        place = self.used[0]
        self.day[place] = day
        self.change[place] = change
        self.previous[place] = self.newest[state]
        self.newest[state] = place
        self.used[0] = place + 1


class Items(NamedTuple):
    """The items to rate, in rating order.

    `rules` is a place in the table of rules (see `rule_rows`), `system_b` -1 unless the
    section is rated in two systems, `lower_k` 1 if K is lower above 2200 in system a
    (Regular in a dual-rated section), `given` a place in
    `AssignedStates`.
    """

    kind: array[int]
    starts: array[int]
    ends: array[int]
    rules: array[int]
    system_a: array[int]
    system_b: array[int]
    is_match: array[int]
    lower_k: array[int]
    given: array[int]
    first_entry: array[int]

    @classmethod
    def empty(cls) -> Self:
        items = cls._make(array(code) for code in "biiibbbbiq")
        items.first_entry.append(0)
        return items

    def add(
        self,
        kind: int,
        *,
        starts: int,
        ends: int,
        rules: int,
        system_a: int,
        system_b: int = -1,
        is_match: bool = False,
        lower_k: bool = False,
        given: int = -1,
    ) -> None:
        """Add an item without its entries; `World` has the methods that add both."""
        values = (kind, starts, ends, rules, system_a, system_b, is_match, lower_k)
        for column, value in zip(self[:-1], (*values, given), strict=True):
            column.append(value)


class Entries(NamedTuple):
    """The persons of each item; a re-entered member is one person.

    `meetings` is the most games against one and the same person.
    """

    player: array[int]
    meetings: array[int]
    first_game: array[int]

    @classmethod
    def empty(cls) -> Self:
        return cls(array("i"), array("i"), array("q", [0]))


class Sides(NamedTuple):
    """Each game as each of its players saw it.

    `opponent` is the opponent's entry in the section, counted from 0; in a foreign
    event it is a place in `foreign_rating`, the opponents' ratings on the US Chess
    scale. `half_points` is the score.
    """

    opponent: array[int]
    half_points: array[int]
    foreign_rating: array[float]

    @classmethod
    def empty(cls) -> Self:
        return cls(array("i"), array("b"), array("d"))


class AssignedStates(NamedTuple):
    """The standings that openings and adjustments set.

    A `peak` of NaN means, in an opening, the rating itself if it is established, and
    in an adjustment the peak as it was.
    """

    rating: array[float]
    games: array[int]
    record: array[int]
    wins: array[int]
    draws: array[int]
    losses: array[int]
    three_game_events: array[int]
    peak: array[float]

    @classmethod
    def empty(cls) -> Self:
        return cls._make(array(code) for code in "dibiiiid")

    def add(
        self,
        rating: float,
        games: int,
        *,
        record: int = MIXED,
        wins: int = 0,
        draws: int = 0,
        losses: int = 0,
        three_game_events: int = 0,
        peak: float = NAN,
    ) -> int:
        """Add a standing and return its place."""
        values = (rating, games, record, wins, draws, losses, three_game_events, peak)
        columns: tuple[array[Any], ...] = self
        for column, value in zip(columns, values, strict=True):
            column.append(value)
        return len(self.rating) - 1


Side = tuple[int, int]
"""An opponent's entry in the section, and the score against it in half points."""


class Program(NamedTuple):
    """Items with their entries and games: all of a history, or a chunk of it."""

    items: Items
    entries: Entries
    sides: Sides
    given: AssignedStates

    @classmethod
    def empty(cls) -> Self:
        return cls(
            Items.empty(), Entries.empty(), Sides.empty(), AssignedStates.empty()
        )

    def __len__(self) -> int:
        """Return how many items there are."""
        return len(self.items.kind)

    def add_section(
        self,
        players: Sequence[int],
        sides: Sequence[Sequence[Side]],
        **item: Any,
    ) -> int:
        """Add a section and return its item; *sides* are the games of each player.

        *item* is what `Items.add` takes.
        """
        self.items.add(SECTION, **item)
        for player, own in zip(players, sides, strict=True):
            opponents = [opponent for opponent, _ in own]
            self.sides.opponent.extend(opponents)
            self.sides.half_points.extend(half_points for _, half_points in own)
            self._close_entry(player, most_meetings(opponents))
        return self._close_item()

    def add_foreign_event(
        self,
        player: int,
        results: Sequence[tuple[float, int]],
        *,
        starts: int,
        ends: int,
        rules: int,
        system: int,
        meetings: int = 1,
    ) -> int:
        """Add a player's result in a foreign event and return its item.

        *results* are opponents' converted ratings with the half points scored.
        """
        self.items.add(FOREIGN, starts=starts, ends=ends, rules=rules, system_a=system)
        for rating, half_points in results:
            self.sides.opponent.append(len(self.sides.foreign_rating))
            self.sides.foreign_rating.append(rating)
            self.sides.half_points.append(half_points)
        self._close_entry(player, meetings)
        return self._close_item()

    def add_assigned(
        self, kind: int, player: int, given: int, *, day: int, rules: int, system: int
    ) -> int:
        """Add an opening or adjustment (*kind*) and return its item."""
        self.items.add(
            kind, starts=day, ends=day, rules=rules, system_a=system, given=given
        )
        self._close_entry(player, 0)
        return self._close_item()

    def _close_entry(self, player: int, meetings: int) -> None:
        self.entries.player.append(player)
        self.entries.meetings.append(meetings)
        self.entries.first_game.append(len(self.sides.opponent))

    def _close_item(self) -> int:
        self.items.first_entry.append(len(self.entries.player))
        return len(self.items.kind) - 1


def most_meetings(opponents: Sequence[int]) -> int:
    """Return the most games against the same one of *opponents*.

    >>> most_meetings([4, 7, 4]), most_meetings([])
    (2, 0)
    """
    if len(set(opponents)) == len(opponents):
        return min(1, len(opponents))
    return max(opponents.count(opponent) for opponent in set(opponents))


class World(NamedTuple):
    """Everything a replay needs; `people`, `states` and `matches` go on from chunk
    to chunk, and `program` may be another for each chunk.

    `rules` is the table of rules (see `rule_rows`).
    """

    people: People
    states: States
    matches: Matches
    program: Program
    rules: array[float]


class Rows(NamedTuple):
    """One row per item, system and player who had games or an assigned standing.

    The order is: items, system a before b, entries. `item` counts in the program,
    `entry` in the item. Ratings are in rating points, never rounded; a float that the
    formula does not have is NaN, where `RatingResult` has None. `match_net_180` and
    `match_net_3y` are the net changes by earlier matches in the two windows (NaN unless
    a rated player played a match). `previous_row` is the number of the player's row
    before in this system, `States.last_row` at first.
    """

    item: array[int]
    system: array[int]
    player: array[int]
    entry: array[int]
    pre_rating: array[float]
    pre_games: array[int]
    pre_record: array[int]
    pre_age_start: array[float]
    initial_rating: array[float]
    initial_games: array[int]
    effective_games: array[float]
    formula: array[int]
    half_points: array[int]
    games: array[int]
    expected: array[float]
    k: array[float]
    bonus: array[float]
    intermediate: array[float]
    floor_given: array[float]
    floor_used: array[float]
    ceiling_given: array[float]
    ceiling_used: array[float]
    floor_request: array[int]
    match_net_180: array[float]
    match_net_3y: array[float]
    post_rating: array[float]
    post_games: array[int]
    record: array[int]
    wins: array[int]
    draws: array[int]
    losses: array[int]
    three_game_events: array[int]
    peak: array[float]
    age_start: array[float]
    previous_row: array[int]

    @classmethod
    def empty(cls, room: int) -> Self:
        codes = "ibiidibddidbiiddddddddbdddibiiiiddq"
        return cls._make(array(code, [0]) * room for code in codes)


class Calculations(NamedTuple):
    """One per item and system with rows; `first_row` counts in these results."""

    item: array[int]
    system: array[int]
    first_row: array[int]

    @classmethod
    def empty(cls, room: int) -> Self:
        return cls(
            array("i", [0]) * room, array("b", [0]) * room, array("i", [0]) * (room + 1)
        )


class Results(NamedTuple):
    """Storage for rows and calculations, filled from the front.

    `counts` holds three numbers: the rows of this run that were drained before (row 0
    here has this number in the run), the rows and the calculations here.
    """

    rows: Rows
    calculations: Calculations
    counts: array[int]

    @classmethod
    def empty(cls, rows: int, *, calculations: int | None = None) -> Self:
        """Return storage for so many rows (and calculations: as many, unless given)."""
        return cls(
            Rows.empty(rows),
            Calculations.empty(rows if calculations is None else calculations),
            array("q", [0, 0, 0]),
        )

    @property
    def rows_used(self) -> int:
        return self.counts[1]

    @property
    def calculations_used(self) -> int:
        return self.counts[2]

    def drain(self) -> None:
        """Free all storage; the numbering of rows continues."""
        self.counts[0] += self.counts[1]
        self.counts[1] = self.counts[2] = 0


# Why a replay stopped. The last is for the kernel and its driver.
DONE: Final = 0
FULL: Final = 1
NO_RULE: Final = 2
WORKSPACE_TOO_SMALL: Final = 3


class Stop(NamedTuple):
    """Where a replay stopped, and why; *item* is the first that is not rated.

    DONE: all items asked for are rated. FULL: the next one needs more room, in the
    results or in the log of matches. NO_RULE: it needs a rule that is not known for
    its day; to rate its section with `rate_section` tells which.
    """

    item: int
    reason: int
