"""The same game twice: found by players, day and moves, whatever else differs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from functools import cached_property

from events.importers.pgn.moves import main_line
from events.importers.pgn.people import SIDES, ids_of, words_of
from events.importers.pgn.tags import PgnGame

# Two games of the same players may share an opening, but hardly this many half-moves.
_LONG = 12
# Two players do not meet more often on one day.
_MOST_COMPARED = 40


class Noted:
    """A game, and what its tags say of it; the round is 0 where it is unknown."""

    def __init__(
        self,
        game: PgnGame,
        *,
        section: tuple[str, str],
        day: date | None,
        round_number: int,
        codes: tuple[str, str],
    ) -> None:
        self.game = game
        self.section = section
        self.day = day
        self.round_number = round_number
        self.codes = codes
        self.time = game.tag("UTCTime")
        site = game.tag("Site")
        self.address = game.tag("Link") or (site if "://" in site else "")

    @cached_property
    def moves(self) -> tuple[str, ...]:
        return main_line(self.game.movetext)

    def repeats(self, other: Noted) -> bool:
        """Tell whether this is the same game as *other*, which has the same players."""
        if (self.section, self.codes) != (other.section, other.codes):
            return False
        if _differ(self.time, other.time) or _differ(self.address, other.address):
            return False
        if _differ(self.round_number, other.round_number):
            return False
        if self.moves and other.moves:
            return self.moves == other.moves
        return bool(self.round_number and other.round_number) or bool(
            self.address and other.address
        )

    def may_repeat(self, other: Noted) -> bool:
        """Tell whether this is likely the same game, though the tags differ."""
        if self.moves and other.moves:
            return len(self.moves) >= _LONG and self.moves == other.moves
        return (
            bool(self.moves) != bool(other.moves)
            and self.codes == other.codes
            and not _differ(self.round_number, other.round_number)
        )

    def learn_moves(self, other: Noted) -> None:
        """Take the game of a copy if it has moves and this one has none."""
        if other.moves and not self.moves:
            self.game, self.moves = other.game, other.moves

    def keys(self) -> Iterator[tuple[object, ...]]:
        """Yield what two copies have in common: the day, and names or IDs."""
        sides = [
            (words_of(self.game.tag(side)), *ids_of(self.game, side)) for side in SIDES
        ]
        for white, black in zip(*sides, strict=True):
            if white and black:
                yield self.day, white, black


class Copies:
    """Finds the games that repeat one of those before."""

    def __init__(self) -> None:
        self._seen: dict[tuple[object, ...], list[Noted]] = defaultdict(list)

    def add(self, game: Noted) -> tuple[Noted | None, bool]:
        """Return the game that *game* repeats, None if there is none; is it certain?"""
        keys = list(game.keys())
        others = [one for key in keys for one in self._seen[key][-_MOST_COMPARED:]]
        if sure := next(filter(game.repeats, others), None):
            return sure, True
        for key in keys:
            self._seen[key].append(game)
        return next(filter(game.may_repeat, others), None), False


def _differ(ours: object, theirs: object) -> bool:
    """Tell whether both are known and not the same."""
    return bool(ours and theirs and ours != theirs)
