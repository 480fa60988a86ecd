"""The way of a report: what it has passed, and how its sections are rated."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from events.books.jobs import RATE_SECTION, rating_job_key
from events.books.rater import RatedLine, rater
from events.checks.queries.newcomers import waiting_sections
from events.importers.records import ReportedSection
from events.models import Event, Section, Submission
from ratings_site.common.models import Job

# A quad in two systems, or a small Swiss.
FEW_LINES = 12
WAITS_FOR_NUMBER = "number"
TAKEN_OVER = "imported"


@dataclass(frozen=True, slots=True)
class SectionProgress:
    """How far the rating of one section has come."""

    section: Section | ReportedSection
    state: str
    word: str
    message: str = ""
    job_id: int | None = None
    at: datetime | None = None
    lines: Sequence[RatedLine] = ()

    @property
    def shows_lines(self) -> bool:
        """Tell whether the ratings are so few that they need not be folded away."""
        return len(self.lines) <= FEW_LINES


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the rating of an accepted event has come."""

    event: Event
    sections: list[SectionProgress]

    @property
    def rated(self) -> int:
        return sum(line.state == "rated" for line in self.sections)

    @property
    def failed(self) -> int:
        return sum(line.state == "failed" for line in self.sections)

    @property
    def waits(self) -> int:
        return sum(line.state == WAITS_FOR_NUMBER for line in self.sections)

    @property
    def is_taken_over(self) -> bool:
        """Tell whether the event was taken over, so that nothing of it is rated."""
        return any(line.state == TAKEN_OVER for line in self.sections)

    @property
    def is_done(self) -> bool:
        """Tell whether nothing more comes of itself."""
        done = self.rated + self.failed + self.waits
        return self.is_taken_over or done == len(self.sections)

    @property
    def percent(self) -> int:
        return 100 * self.rated // len(self.sections) if self.sections else 100

    @property
    def sentence(self) -> str:
        if self.is_taken_over:
            return _("Taken over from the books of before, and not rated here.")
        if self.failed:
            return _("{failed} of {sections} sections could not be rated.").format(
                failed=self.failed, sections=len(self.sections)
            )
        if self.is_done and self.waits:
            return _(
                "{waits} of {sections} sections wait for the number of a new member."
            ).format(waits=self.waits, sections=len(self.sections))
        if self.is_done:
            return _("Every section is rated.")
        return _("{rated} of {sections} sections rated so far.").format(
            rated=self.rated, sections=len(self.sections)
        )


def progress_of(submission: Submission) -> Progress | None:
    """Return the progress of an accepted report, None before it is one."""
    event = Event.objects.filter(submission=submission).first()
    if event is None:
        return None
    sections = list(event.sections.select_related("event").order_by("number"))
    keys = [rating_job_key(section) for section in sections]
    jobs = Job.objects.filter(kind=RATE_SECTION, key__in=keys).order_by("pk")
    newest = {job.key: job for job in jobs}
    rated = [each for each in sections if each.status == Section.Status.RATED]
    lines = rater().rated_lines(rated) if rated else {}
    entered = [
        _section_progress(
            section, newest.get(rating_job_key(section)), lines.get(section.pk, ())
        )
        for section in sections
    ]
    return Progress(event, sorted(entered + _waiting(submission), key=_number))


def _number(line: SectionProgress) -> int:
    return line.section.number


def _waiting(submission: Submission) -> list[SectionProgress]:
    """Return the sections that are not in the books yet: somebody has no number."""
    word = _("Waits for a new member’s number")
    return [
        SectionProgress(section, WAITS_FOR_NUMBER, word)
        for section in waiting_sections(submission)
    ]


def _section_progress(
    section: Section, job: Job | None, lines: Sequence[RatedLine]
) -> SectionProgress:
    if section.status == Section.Status.RATED:
        at = job.finished_at if job else None
        return SectionProgress(section, "rated", _("Rated"), at=at, lines=lines)
    if section.status == Section.Status.IMPORTED:
        return SectionProgress(section, TAKEN_OVER, _("Taken over"))
    if job is not None and job.state == Job.State.FAILED:
        return SectionProgress(section, "failed", _("Failed"), job.message, job.pk)
    if job is not None and job.state == Job.State.RUNNING:
        return SectionProgress(section, "running", _("Running"), job.message)
    return SectionProgress(section, "waiting", _("Waiting"), job.message if job else "")


# The way of the report as a whole


@dataclass(frozen=True, slots=True)
class Stage:
    """A step on the report's way; *state* is done, now, back or ahead."""

    label: str
    state: str
    at: datetime | None = None


def timeline_of(submission: Submission, progress: Progress | None) -> list[Stage]:
    """Return what the report has passed, where it is, and what is ahead."""
    state, states = submission.state, Submission.State
    received = Stage(_("Received"), "done", submission.received_at)
    submitted = Stage(_("Submitted"), "done", submission.submitted_at)
    ahead = [Stage(_("Accepted"), "ahead"), Stage(_("Rated"), "ahead")]
    if state == states.WITHDRAWN:
        return [received, Stage(_("Withdrawn"), "back")]
    if state == states.OPEN:
        now = Stage(_("With the TD"), "now")
        return [received, now, Stage(_("Submitted"), "ahead"), *ahead]
    if state == states.RETURNED:
        returned = Stage(_("Returned to the TD"), "back", submission.decided_at)
        return [received, submitted, returned, *ahead]
    if state == states.SUBMITTED:
        return [received, submitted, Stage(_("With the office"), "now"), *ahead]
    accepted = Stage(_("Accepted"), "done", submission.decided_at)
    return [received, submitted, accepted, _rated(progress)]


def _rated(progress: Progress | None) -> Stage:
    if progress is None or not progress.is_done:
        return Stage(_("Being rated"), "now")
    if progress.is_taken_over:
        return Stage(_("Taken over"), "done")
    if progress.failed:
        return Stage(_("Not all rated"), "back")
    if progress.waits:
        return Stage(_("Waits for numbers"), "now")
    times = [line.at for line in progress.sections if line.at]
    return Stage(_("Rated"), "done", max(times, default=None))
