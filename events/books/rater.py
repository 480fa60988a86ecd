"""What ``events`` asks and tells those who rate what was played.

The one door upward: ``ratings`` binds who answers when it starts (``ratings.apps``).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from events.importers.findings import Finding
from events.importers.records import ReportedEvent
from events.models import Section, SectionVersion
from players.models import Player


@dataclass(frozen=True, slots=True)
class RatingNote:
    """What became of the ratings after a section was corrected."""

    sentence: str
    waits: bool = False
    url: str = ""


@dataclass(frozen=True, slots=True)
class RatedLine:
    """What a section did to one player's published rating in one system."""

    number: int
    player: Player
    system: str
    pre: float | None
    post: float
    why_url: str


@dataclass(frozen=True, slots=True)
class SectionEffect:
    """What rating a reported section would do.

    *systems* are the names of the systems it is rated in, *players* the members with a
    game in it. It *is_late* if somebody in it has been rated for something later.
    """

    number: int
    systems: tuple[str, ...]
    players: frozenset[str]
    ends: date | None
    is_late: bool


class Rater(Protocol):
    """Who rates the sections in the books."""

    def section_ready(self, section: Section) -> None:
        """Rate an accepted section soon. Called inside the accepting transaction."""

    def check_report(self, reported: ReportedEvent) -> Iterator[Finding]:
        """Find what only those who know ratings and their rules can find."""

    def effects_of(
        self, reports: Sequence[ReportedEvent]
    ) -> Sequence[Sequence[SectionEffect]]:
        """Say of each report what rating its sections would do, in two queries."""

    def next_rerate_from(self) -> date | None:
        """Return the day from which a rerate would replay history; none if no mark."""

    def deciding_control(self, controls: Sequence[str]) -> str:
        """Return which of a section's time controls decides what it is rated in."""

    def current_ratings(
        self, players: Sequence[int]
    ) -> Mapping[int, Mapping[str, float]]:
        """Return members' ratings by system in short, the main one first."""

    def rated_lines(
        self, sections: Sequence[Section]
    ) -> Mapping[int, Sequence[RatedLine]]:
        """Return by section what it did to ratings."""

    def rating_notes(
        self, versions: Sequence[SectionVersion]
    ) -> Mapping[int, RatingNote]:
        """Return by version of a section whether ratings have followed it."""


_bound: list[Rater] = []


def bind_rater(rater: Rater) -> None:
    """Let *rater* answer from now on, in place of the one before."""
    _bound[:] = [rater]


def rater() -> Rater:
    return _bound[0]
