from events.models.event import (
    Entry,
    Event,
    EventOfficial,
    Game,
    Section,
    UnplayedRound,
)
from events.models.office_task import OfficeTask
from events.models.people import Affiliate, Official
from events.models.submission import FindingOverride, Submission, SubmissionFile

__all__ = [
    "Affiliate",
    "Entry",
    "Event",
    "EventOfficial",
    "FindingOverride",
    "Game",
    "OfficeTask",
    "Official",
    "Section",
    "Submission",
    "SubmissionFile",
    "UnplayedRound",
]
