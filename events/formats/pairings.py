"""Players with their results by round, while a file is read.

For files that list games instead of a row for each player.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from events.formats.report import Cell, ReportedEntry
from events.formats.result_codes import SINGLE


@dataclass(slots=True, eq=False)
class PairedPlayer:
    """A player with the cell of each round that has one."""

    number: int
    member_id: str = ""
    name: str = ""
    rating: str = ""
    fide_id: str = ""
    fide_rating: str = ""
    rounds: dict[int, Cell] = field(default_factory=dict)

    def entry(self, last_round: int) -> ReportedEntry:
        """Return the entry; in rounds without a cell the player was not paired.

        >>> player = PairedPlayer(2, name="Ann", rounds={2: Cell("B")})
        >>> [cell.code for cell in player.entry(3).cells]
        ['U', 'B', 'U']
        """
        unpaired = Cell("U")
        return ReportedEntry(
            self.number,
            self.member_id,
            self.name,
            rating=self.rating,
            cells=tuple(
                self.rounds.get(number, unpaired) for number in range(1, last_round + 1)
            ),
            fide_id=self.fide_id,
            fide_rating=self.fide_rating,
        )


def enter_game(
    round_number: int, white: PairedPlayer, black: PairedPlayer, codes: tuple[str, str]
) -> None:
    """Add a game to the rounds of both players; a forfeit has no colors.

    *codes* are White's and Black's result codes, blank where the result is missing.

    >>> ann, bob = PairedPlayer(1), PairedPlayer(2)
    >>> enter_game(3, ann, bob, ("W", "L"))
    >>> ann.rounds[3]
    Cell(code='W', opponent=2, color='W', raw='')
    """
    for player, other, code, color in (
        (white, black, codes[0], "W"),
        (black, white, codes[1], "B"),
    ):
        played = bool(code) and SINGLE[code].is_game
        player.rounds[round_number] = (
            Cell(code, other.number, color if played else "") if code else Cell()
        )


def last_round(players: list[PairedPlayer]) -> int:
    """Return the last round in which a player has a cell, 0 if there is none."""
    return max((max(player.rounds, default=0) for player in players), default=0)
