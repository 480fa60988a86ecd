"""Games as read from a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final, NamedTuple

from ratings.laboratory.protocol import OnlineFacts
from ratings.laboratory.words import _

from .findings import Findings

MAX_GAMES: Final = 5_000_000
"""Games of one file that are read; of what follows a finding tells the first line."""


class GameRecord(NamedTuple):
    """One game that was played, from *line* of a file.

    *day* is an ordinal, *points* are White's. Players are known by an ID, else by the
    name. Missing facts are empty, None or 0; ratings are in the points of whatever
    system the file uses, *minutes* are those for 60 moves. Where colors are unknown
    (*is_colored*) White is the first side. *online* are facts for FIDE Online Arena.
    """

    line: int
    day: int
    white: str
    black: str
    points: float
    white_id: str = ""
    black_id: str = ""
    event: str = ""
    white_rating: float | None = None
    black_rating: float | None = None
    white_birth_year: int | None = None
    black_birth_year: int | None = None
    minutes: int = 0
    is_colored: bool = True
    online: OnlineFacts | None = None


@dataclass
class Reading:
    """The records of one file, read lazily, once.

    *findings* grows while they are read, and is complete after the last one.
    """

    records: Iterator[GameRecord]
    findings: Findings

    def __iter__(self) -> Iterator[GameRecord]:
        return self.records


def limit_games(
    records: Iterator[GameRecord], most: int, findings: Findings
) -> Iterator[GameRecord]:
    """Yield at most so many games; add a finding about the lines not read."""
    for count, record in enumerate(records):
        if count == most:
            findings.remark(
                "limit",
                record.line,
                _(
                    "The file has more than {most:,} games. Games after this line "
                    "were not read."
                ),
                _("Send the rest in another file."),
                most=most,
            )
            return
        yield record


def read_records(
    records: Callable[[BinaryIO, Findings], Iterator[GameRecord]],
    stream: BinaryIO,
    max_games: int,
) -> Reading:
    """Return the reading of a file, with the games that *records* yields."""
    findings = Findings()
    return Reading(
        limit_games(records(stream, findings), max_games, findings), findings
    )
