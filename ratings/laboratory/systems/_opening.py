"""First ratings on a list without rated players."""

from __future__ import annotations

from ratings.laboratory.protocol import Games, Moment, Standing, Table


class Opening:
    """Gives a list its first ratings: to all who play in the second period without any.

    A single event among unrated players therefore stays unrated, as it would be. The
    rules do not cover this: real lists began with ratings from other sources. *rating*
    is in the table's units; 0 leaves all players unrated.
    """

    def __init__(self, rating: float) -> None:
        self._rating = rating
        self._first_period: int | None = None
        self._opened_in: int | None = None
        self._is_needed = rating > 0

    def close(self) -> None:
        """Note that there is a rated player, so no first ratings are needed."""
        self._is_needed = False

    def open(self, table: Table, games: Games, moment: Moment) -> None:
        """Seed the unrated players of *games* if it is time."""
        if self._first_period is None:
            self._first_period = moment.period
        if self._is_needed and moment.period > self._first_period:
            self._opened_in = moment.period
        if self._opened_in == moment.period:
            for player in sorted({*games.white, *games.black}):
                if table.standing(player) is None:
                    table.seed(player, Standing(self._rating))
