"""The interface of ``events`` to the app that rates sections.

``ratings`` binds the implementation when it starts (``ratings.apps``).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from events.formats.findings import Finding
from events.formats.report import ReportedEvent
from events.models import Section, SectionVersion
from players.models import Player


@dataclass(frozen=True, slots=True)
class RatingNote:
    """The state of the ratings after a correction of a section."""

    sentence: str
    waits: bool = False
    url: str = ""


@dataclass(frozen=True, slots=True)
class RatedLine:
    """The effect of a section on a player's published rating in one system."""

    number: int
    player: Player
    system: str
    pre: float | None
    post: float
    why_url: str


@dataclass(frozen=True, slots=True)
class SectionImpact:
    """The effect of rating a reported section.

    *systems* are the names of its rating systems, *main_system* is the code of the
    first, *players* are the members with a game in it. It *is_late* if one of them has
    been rated for a later event.
    """

    number: int
    systems: tuple[str, ...]
    main_system: str
    players: frozenset[str]
    ends: date | None
    is_late: bool


class SectionRater(Protocol):
    """The interface that ``ratings`` implements."""

    def section_ready(self, section: Section) -> None:
        """Queue the rating of an accepted section, in the accepting transaction."""

    def check_report(self, reported: ReportedEvent) -> Iterator[Finding]:
        """Return the findings that need ratings and their rules."""

    def effects_of(
        self, reports: Sequence[ReportedEvent]
    ) -> Sequence[Sequence[SectionImpact]]:
        """Return the effects of rating each report's sections, in two queries."""

    def next_rerate_from(self) -> date | None:
        """Return the day from which a rerate would replay, None if none is pending."""

    def deciding_control(self, controls: Sequence[str]) -> str:
        """Return the section's time control that decides its rating systems."""

    def systems_of_control(self, text: str, online: bool, day: date) -> Collection[str]:
        """Return the systems of a time control on a day, none if it is not rated."""

    def current_ratings(
        self, players: Sequence[int]
    ) -> Mapping[int, Mapping[str, float]]:
        """Return members' ratings by short system name, the main one first."""

    def rated_lines(
        self, sections: Sequence[Section]
    ) -> Mapping[int, Sequence[RatedLine]]:
        """Return the effects of each section on ratings."""

    def rating_notes(
        self, versions: Sequence[SectionVersion]
    ) -> Mapping[int, RatingNote]:
        """Return by section version whether ratings have been updated for it."""


_bound: list[SectionRater] = []


def bind_section_rater(section_rater: SectionRater) -> None:
    """Set the implementation, replacing any other."""
    _bound[:] = [section_rater]


def section_rater() -> SectionRater:
    return _bound[0]
