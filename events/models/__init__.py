from events.models.correction import CorrectionRequest
from events.models.event import (
    Entry,
    Event,
    EventOfficial,
    Game,
    Section,
    UnplayedRound,
)
from events.models.fee import FeeCharge, RatingFee
from events.models.foreign import (
    ForeignEvent,
    ForeignFile,
    ForeignGame,
    ForeignResult,
    ForeignVersion,
    ForeignWork,
)
from events.models.message import MessageMark, ReportMessage
from events.models.newcomer import PendingMember
from events.models.office_task import OfficeTask
from events.models.people import Affiliate, Official
from events.models.registration import EventRegistration, RegisteredSection
from events.models.schedule import Schedule
from events.models.submission import FindingOverride, Submission, SubmissionFile
from events.models.version import PackedSection, SectionVersion

__all__ = [
    "Affiliate",
    "CorrectionRequest",
    "Entry",
    "Event",
    "EventOfficial",
    "EventRegistration",
    "FeeCharge",
    "FindingOverride",
    "ForeignEvent",
    "ForeignFile",
    "ForeignGame",
    "ForeignResult",
    "ForeignVersion",
    "ForeignWork",
    "Game",
    "MessageMark",
    "OfficeTask",
    "Official",
    "PackedSection",
    "PendingMember",
    "RatingFee",
    "RegisteredSection",
    "ReportMessage",
    "Schedule",
    "Section",
    "SectionVersion",
    "Submission",
    "SubmissionFile",
    "UnplayedRound",
]
