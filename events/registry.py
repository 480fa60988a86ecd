"""What other apps know that ``events`` does not: checks and notes that need ratings."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from events.importers.findings import Finding
from events.importers.records import EventReport
from events.models import Section, SectionVersion
from players.models import Player

ReportCheck = Callable[[EventReport], Iterable[Finding]]
report_checks: list[ReportCheck] = []


def report_check(check: ReportCheck) -> ReportCheck:
    """Have *check* run on every report, beside those of ``events``."""
    report_checks.append(check)
    return check


@dataclass(frozen=True, slots=True)
class RatingNote:
    """What became of the ratings after a section was corrected."""

    sentence: str
    waits: bool = False
    url: str = ""


RatingNotes = Callable[[Sequence[SectionVersion]], Mapping[int, RatingNote]]
_rating_notes: list[RatingNotes] = []


def rating_notes(notes: RatingNotes) -> RatingNotes:
    """Have *notes* say of versions of sections whether ratings have followed."""
    _rating_notes.append(notes)
    return notes


def rating_notes_of(versions: Sequence[SectionVersion]) -> dict[int, RatingNote]:
    """Return by version what the raters say of it."""
    said: dict[int, RatingNote] = {}
    for notes in _rating_notes:
        said.update(notes(versions))
    return said


@dataclass(frozen=True, slots=True)
class RatedLine:
    """What a section did to one player's rating in one system."""

    number: int
    player: Player
    system: str
    pre: float | None
    post: float
    why_url: str


RatedLines = Callable[[Sequence[Section]], Mapping[int, Sequence[RatedLine]]]
_rated_lines: list[RatedLines] = []


def rated_lines(lines: RatedLines) -> RatedLines:
    """Have *lines* say of sections what they did to ratings."""
    _rated_lines.append(lines)
    return lines


def rated_lines_of(sections: Sequence[Section]) -> dict[int, Sequence[RatedLine]]:
    """Return by section what the raters say of it."""
    said: dict[int, Sequence[RatedLine]] = {}
    for lines in _rated_lines:
        said.update(lines(sections))
    return said


# The members' current ratings by their primary key: system in short, then the rating.
CurrentRatings = Callable[[Sequence[int]], Mapping[int, dict[str, float]]]
_current_ratings: list[CurrentRatings] = []


def current_ratings(ratings: CurrentRatings) -> CurrentRatings:
    """Have *ratings* say what members are rated now, the main system first."""
    _current_ratings.append(ratings)
    return ratings


def current_ratings_of(players: Sequence[int]) -> dict[int, dict[str, float]]:
    """Return what the raters say of these members; of the unrated nothing."""
    said: dict[int, dict[str, float]] = {}
    for ratings in _current_ratings:
        said.update(ratings(players))
    return said


# Which of several time controls, all of one section, decides what it is rated in.
DecidingControl = Callable[[Sequence[str]], str]
_deciding_controls: list[DecidingControl] = []


def deciding_control(decides: DecidingControl) -> DecidingControl:
    """Have *decides* choose among the time controls of a section's schedules."""
    _deciding_controls.append(decides)
    return decides


def deciding_control_of(controls: Sequence[str]) -> str:
    """Return the control that decides; the first where nobody knows better."""
    for decides in _deciding_controls:
        return decides(controls)
    return controls[0] if controls else ""
