"""What other apps know that ``events`` does not: checks and notes that need ratings."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from events.importers.findings import Finding
from events.importers.records import EventReport
from events.models import SectionVersion

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
    """Return by version what whoever rates says of it."""
    said: dict[int, RatingNote] = {}
    for notes in _rating_notes:
        said.update(notes(versions))
    return said


# Errors that only the office may let pass, by the code of the finding.
office_overrides: set[str] = set()


def office_may_override(code: str) -> str:
    """Let the office, not the TD, override findings of this code; return the code."""
    office_overrides.add(code)
    return code
