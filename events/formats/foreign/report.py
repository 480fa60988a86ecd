"""The result of the readers of foreign events. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

MAX_ROUNDS = 99


@dataclass(frozen=True, slots=True)
class Remark:
    """A problem in the file: where it is, what is wrong, and how to fix it.

    With a fatal remark nothing was read; with others, only the named item is skipped.

    >>> print(Remark("Row 7", "The result is 'x'.", "Write 1, 0 or ½."))
    Row 7: The result is 'x'. Write 1, 0 or ½.
    """

    place: str
    sentence: str
    hint: str = ""
    fatal: bool = False

    def __str__(self) -> str:
        start = f"{self.place}: " if self.place else ""
        return f"{start}{self.sentence} {self.hint}".rstrip()


@dataclass(frozen=True, slots=True)
class ReportedForeignGame:
    """One game that was played. *half_points* are the member's.

    *stated_rating* is the opponent's as stated in the file, None if it is not.
    """

    round_number: int
    opponent_name: str
    opponent_fide_id: str
    opponent_federation: str
    stated_rating: int | None
    color: str
    half_points: int


@dataclass(frozen=True, slots=True)
class ReportedUnplayedRound:
    """A round without a game that counts, and why: a bye, a forfeit."""

    round_number: int
    what: str


@dataclass(frozen=True, slots=True)
class ReportedForeignPlayer:
    """One player of the file with their rounds; either ID may be blank.

    *remarks* are about this player's games only.
    """

    place: str
    member_id: str = ""
    fide_id: str = ""
    name: str = ""
    games: tuple[ReportedForeignGame, ...] = ()
    rounds_off: tuple[ReportedUnplayedRound, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class ForeignEventHeader:
    """The data of the event itself."""

    name: str = ""
    city: str = ""
    federation: str = ""
    starts: date | None = None
    ends: date | None = None


@dataclass(frozen=True, slots=True)
class ReportedForeignEvent:
    """The players that could be read, and remarks about the rest."""

    layout: str
    event: ForeignEventHeader | None = None
    players: tuple[ReportedForeignPlayer, ...] = ()
    remarks: tuple[Remark, ...] = field(default=())


def rejected_report(
    layout: str, sentence: str, hint: str, place: str = ""
) -> ReportedForeignEvent:
    """Return an empty report with the reason why nothing was read."""
    return ReportedForeignEvent(
        layout, remarks=(Remark(place, sentence, hint, fatal=True),)
    )
