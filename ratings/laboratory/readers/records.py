"""Games as a file tells them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from ratings.laboratory.words import _

from .findings import Effect, Findings

MOST_GAMES: Final = 5_000_000
"""Games of one file that are read; of what follows a finding tells the first line."""


class GameRecord(NamedTuple):
    """One game that was played, as *line* of a file tells it.

    *day* is an ordinal, *points* are White's. Players are known by an ID, else by the
    name. What the file does not say is empty, None or 0; ratings are in the points of
    whatever system the file uses, *minutes* are those for 60
    moves. Where colors are not told (*is_colored*) White is who stands first.
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
    white_born: int | None = None
    black_born: int | None = None
    minutes: int = 0
    is_colored: bool = True


@dataclass
class Reading:
    """The records of one file, read as they are asked for, once.

    *findings* grows while they are read, and is complete after the last one.
    """

    records: Iterator[GameRecord]
    findings: Findings

    def __iter__(self) -> Iterator[GameRecord]:
        return self.records


def first_games(
    records: Iterator[GameRecord], most: int, findings: Findings
) -> Iterator[GameRecord]:
    """Yield at most so many games; say from which line on nothing was read."""
    for count, record in enumerate(records):
        if count == most:
            findings.add(
                "limit",
                Effect.REMARK,
                record.line,
                _("These are more than {most:,} games; from here on nothing is read."),
                _("Send the rest as a file of its own."),
                most=most,
            )
            return
        yield record
