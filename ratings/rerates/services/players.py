"""The players of a replay, the facts about them, and their initial states."""

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import chain
from operator import attrgetter
from typing import Any, Self

from django.conf import settings
from django.db.models import F, Q, QuerySet

from players.models import ExternalRating, Membership, Player
from players.models.player import mid_year
from ratings.engine.replay.arrays import (
    CEILING,
    FLOOR,
    LOWERING,
    NEVER,
    SOURCE_NUMBER,
    External,
    Grant,
    People,
)
from ratings.engine.systems import Body, System
from ratings.ledger.services.player_states import CANADA
from ratings.rerates.services.sources import NO_HYPOTHESIS, OBJECTS, Hypothesis
from ratings_site.common.db.binary_copy import day_ordinal, read_columns
from ratings_site.common.db.in_array import InArray
from ratings_site.common.web.files import groups

SYSTEM_NUMBER = {system.value: number for number, system in enumerate(System)}
SYSTEM_NAMES = [system.value for system in System]
# If one in so many members takes part, it is quicker to read whole tables and filter.
SMALL_SUBSET_DIVISOR = 4
ID_BATCH_SIZE = 5000


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


def rows_of_players(
    rows: QuerySet[Any], players: Collection[int], by: str = "player_id"
) -> QuerySet[Any]:
    """Return the rows whose column *by* is one of the players, if these are few.

    If they are many, all rows are returned: the caller picks them.
    """
    if not is_small_subset(players):
        return rows
    # As an expression: a filter by field name validates each of the numbers first.
    return rows.filter(InArray(F(by), players))


def read_rows_of(
    rows: QuerySet[Any],
    players: Collection[int],
    *fields: str,
    by: str = "player_id",
) -> Iterator[tuple[Any, ...]]:
    """Yield these *fields* of the rows whose column *by* is one of the players.

    *by* is the first field of each row.
    """
    found = rows_of_players(rows, players, by).values_list(by, *fields)
    for row in found.iterator(chunk_size=ID_BATCH_SIZE):
        if row[0] in players:
            yield row


def read_columns_of(
    rows: QuerySet[Any],
    players: Collection[int],
    codes: str,
    *fields: Any,
    by: str = "player_id",
) -> "list[array[Any]]":
    """Return columns of the rows of players (see `rows_of_players`), *by* first."""
    found = rows_of_players(rows, players, by).values_list(by, *fields)
    return read_columns(*found.query.sql_with_params(), codes)


def batches(things: Iterable[Any], size: int = ID_BATCH_SIZE) -> Iterator[list[Any]]:
    return groups(things, size)


def read_people(
    player_index: PlayerIndex, supposed: Hypothesis = NO_HYPOTHESIS
) -> People:
    """Read the facts about each player of the index apart from ratings."""
    duplicates = [
        dup for dup, kept in player_index.owner.items() if kept in player_index.number
    ]
    players = {*player_index.ids, *duplicates}
    births = _birth_days(player_index, players)
    adults = _adults(player_index, players)
    externals = _externals(player_index, players)
    grants = _grants(player_index, players, supposed)
    return People.of(births, adults, externals, grants)


def _birth_days(player_index: PlayerIndex, players: set[int]) -> "array[int]":
    days = array("i", [0]) * len(player_index.ids)
    born = Player.objects.filter(birth_date__isnull=False).order_by()
    known = read_columns_of(born, players, "qi", day_ordinal("birth_date"), by="pk")
    for player, day in zip(*known, strict=True):
        if player in player_index.number:
            days[player_index.number[player]] = day
    if settings.BIRTH_YEAR_AS_MID_YEAR:
        born = Player.objects.filter(birth_date=None, birth_year__isnull=False)
        years = read_columns_of(born.order_by(), players, "qi", "birth_year", by="pk")
        for player, year in zip(*years, strict=True):
            if player in player_index.number:
                days[player_index.number[player]] = mid_year(year).toordinal()
    return days


def _adults(player_index: PlayerIndex, players: set[int]) -> "array[int]":
    """Return the day from which each has had an adult membership."""
    first_days = array("i", [NEVER]) * len(player_index.ids)
    memberships = Membership.objects.filter(type__is_adult=True).order_by()
    for player, starts in zip(
        *read_columns_of(memberships, players, "qi", day_ordinal("starts")),
        strict=True,
    ):
        for number in _numbers(player_index, player):
            first_days[number] = min(first_days[number], starts)
    return first_days


def _numbers(player_index: PlayerIndex, player: int) -> tuple[int, ...]:
    """Return the number of the owner of *player*, if in the index."""
    number = player_index.number.get(player_index.owner.get(player, player))
    return () if number is None else (number,)


def _externals(
    player_index: PlayerIndex, players: set[int]
) -> dict[int, list[External]]:
    """Of two ratings of a day the last counts: the member's own, not a duplicate's."""
    rows = read_rows_of(
        ExternalRating.objects.filter(
            ~Q(body="CFC") | Q(player__residence=CANADA)
        ).order_by(F("player__merged_into").desc(nulls_last=True), "pk"),
        players,
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
    player_index: PlayerIndex, players: set[int], supposed: Hypothesis
) -> dict[int, list[Grant]]:
    grants: defaultdict[int, list[Grant]] = defaultdict(list)
    for kind, name in (
        (FLOOR, "floors"),
        (CEILING, "ceilings"),
        (LOWERING, "lowerings"),
    ):
        model, columns = OBJECTS[name]
        rows = model._default_manager.order_by("pk")
        saved = read_rows_of(rows, players, *columns[1:])
        assumed = map(attrgetter(*columns), getattr(supposed, name))
        for player, *values in chain(saved, assumed):
            for number in _numbers(player_index, player):
                grants[number].append(_grant(kind, *values))
    return grants


def _grant(
    kind: int, system: str, level: float, starts: date, ends: date | None = None
) -> Grant:
    until = NEVER if ends is None else ends.toordinal()
    number = SYSTEM_NUMBER[system]
    return Grant(kind, number, float(level), starts.toordinal(), until)
