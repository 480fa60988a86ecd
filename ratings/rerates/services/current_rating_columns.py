"""Current ratings as columns (PostgreSQL, needs numpy)."""

from collections.abc import Collection, Iterator
from datetime import date
from typing import Any, NamedTuple, Self

from ratings.engine.replay.arrays import RECORDS, SYSTEMS
from ratings.models import PlayerRating
from ratings.rerates.services.players import (
    CURRENT,
    SYSTEM_NAMES,
    PlayerIndex,
    ProjectedRating,
    numbers_in,
    player_condition,
)
from ratings_site.common.db.binary_copy import (
    BIGINT,
    DOUBLE,
    INTEGER,
    ORDINAL,
    numpy,
    read_arrays,
)

NO_LINE = 0
RECORD_WORDS = [record.value for record in RECORDS]
# As the engine's numbers.
SYSTEM = f"array_position(ARRAY{SYSTEM_NAMES}::varchar[], {{}}) - 1"
RECORD = f"array_position(ARRAY{RECORD_WORDS}::varchar[], {{}}) - 1"
OR_NAN = "coalesce({}, 'NaN')"


class RatingColumns(NamedTuple):
    """Current ratings, a place each. NaN is no rating, peak, age start or floor.

    *record* is a place in `RECORDS`, *rated_on* an ordinal, *last_change* the number
    of a line.
    """

    rating: Any
    games: Any
    record: Any
    wins: Any
    draws: Any
    losses: Any
    three_game_events: Any
    peak: Any
    age_start: Any
    floor: Any
    rated_on: Any
    last_change: Any

    def at(self, places: Any) -> Self:
        return type(self)(*(column[places] for column in self))

    def differs_from(self, other: Self) -> Any:
        """Return for each place whether anything is different."""
        differs = numpy.zeros(len(self.rating), bool)
        for one, another in zip(self, other, strict=True):
            both_missing = (one != one) & (another != another)
            differs |= (one != another) & ~both_missing
        return differs

    def projected(self) -> Iterator[ProjectedRating | None]:
        """Yield the ratings as rows, None for unrated."""
        for numbers in zip(*(column.tolist() for column in self), strict=True):
            rating, _, record, *_, peak, age_start, _, rated_on, _ = numbers
            if rating != rating:
                yield None
                continue
            yield ProjectedRating._make(numbers)._replace(
                record=RECORD_WORDS[record],
                peak=None if peak != peak else peak,
                age_start=None if age_start != age_start else age_start,
                rated_on=date.fromordinal(rated_on),
            )


class RatingRows(NamedTuple):
    """Current ratings as stored in their table: players are primary keys."""

    player: Any
    system: Any
    standing: RatingColumns

    @classmethod
    def read(cls, players: Collection[int]) -> Self:
        """Read those of these players, or of all members if they are many."""
        shown = ", ".join(_SHOWN.get(name, name) for name in CURRENT)
        condition, named = player_condition("player_id", players)
        player, system, *standing = read_arrays(
            f"SELECT player_id, {shown} FROM {PlayerRating._meta.db_table} "  # noqa: S608 (our own names)
            f"WHERE {condition}",
            named,
            [BIGINT, *(_KINDS.get(name, INTEGER) for name in CURRENT)],
        )
        return cls(player, system, RatingColumns._make(standing))


class CurrentColumns(NamedTuple):
    """The current ratings of those who take part, by player and name of the system."""

    state: Any
    standing: RatingColumns

    @classmethod
    def of(cls, player_index: PlayerIndex, rows: RatingRows) -> Self:
        number, in_cast = numbers_in(player_index, rows.player)
        places = numpy.flatnonzero(in_cast)
        # Sorted here, because the database would use an index for it.
        place_of_name = numpy.argsort(numpy.argsort(SYSTEM_NAMES))
        by_name = number * SYSTEMS + place_of_name[rows.system]
        places = places[numpy.argsort(by_name[places])]
        state = number[places] * SYSTEMS + rows.system[places]
        return cls(state, rows.standing.at(places))


_SHOWN = {
    "system": SYSTEM.format("system"),
    "record": RECORD.format("record"),
    "peak": OR_NAN.format("peak"),
    "age_start": OR_NAN.format("age_start"),
    "rated_on": ORDINAL.format("rated_on"),
}
_KINDS = {
    **dict.fromkeys(("rating", "peak", "age_start", "floor"), DOUBLE),
    "last_change_id": BIGINT,
}
