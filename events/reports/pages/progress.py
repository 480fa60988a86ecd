"""The progress of a report, and of the ratings of its sections."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from events.checks.queries.newcomers import sections_awaiting_newcomers
from events.formats.report import ReportedSection
from events.models import Event, Section, Submission
from events.records.jobs import RATE_SECTION, rating_job_key
from events.records.section_rater import RatedLine, section_rater
from ratings_site.common.models import Job

# The ratings of a quad in two systems, or of a small Swiss, fit on the page.
FEW_LINES = 12
WAITS_FOR_NUMBER = "number"
STATE_IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class SectionProgress:
    """The progress of a section's rating."""

    section: Section | ReportedSection
    state: str
    word: str
    message: str = ""
    job_id: int | None = None
    at: datetime | None = None
    lines: Sequence[RatedLine] = ()

    @property
    def shows_lines(self) -> bool:
        """Return whether the ratings are few enough to be shown unfolded."""
        return len(self.lines) <= FEW_LINES


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of an accepted event's rating."""

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
    def is_imported(self) -> bool:
        """Return whether the event was imported, so that none of it is rated."""
        return any(line.state == STATE_IMPORTED for line in self.sections)

    @property
    def is_done(self) -> bool:
        """Return whether there is nothing left to wait for."""
        done = self.rated + self.failed + self.waits
        return self.is_imported or done == len(self.sections)

    @property
    def percent(self) -> int:
        return 100 * self.rated // len(self.sections) if self.sections else 100

    @property
    def sentence(self) -> str:
        if self.is_imported:
            return _("Imported from earlier records, not rated here.")
        if self.failed:
            return _("{failed} of {sections} sections could not be rated.").format(
                failed=self.failed, sections=len(self.sections)
            )
        if self.is_done and self.waits:
            return _(
                "{waits} of {sections} sections are waiting for a new member’s ID."
            ).format(waits=self.waits, sections=len(self.sections))
        if self.is_done:
            return _("All sections are rated.")
        return _("{rated} of {sections} sections are rated.").format(
            rated=self.rated, sections=len(self.sections)
        )


def progress_of(submission: Submission) -> Progress | None:
    """Return the progress of an accepted report, or None before acceptance."""
    event = Event.objects.filter(submission=submission).first()
    if event is None:
        return None
    sections = list(event.sections.select_related("event").order_by("number"))
    keys = [rating_job_key(section) for section in sections]
    jobs = Job.objects.filter(kind=RATE_SECTION, key__in=keys).order_by("pk")
    newest = {job.key: job for job in jobs}
    rated = [each for each in sections if each.status == Section.Status.RATED]
    lines = section_rater().rated_lines(rated) if rated else {}
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
    """Return the sections that are not accepted yet because of new members."""
    word = _("Waiting for a new member’s ID")
    return [
        SectionProgress(section, WAITS_FOR_NUMBER, word)
        for section in sections_awaiting_newcomers(submission)
    ]


def _section_progress(
    section: Section, job: Job | None, lines: Sequence[RatedLine]
) -> SectionProgress:
    if section.status == Section.Status.RATED:
        at = job.finished_at if job else None
        return SectionProgress(section, "rated", _("Rated"), at=at, lines=lines)
    if section.status == Section.Status.IMPORTED:
        return SectionProgress(section, STATE_IMPORTED, _("Imported"))
    if job is not None and job.state == Job.State.FAILED:
        return SectionProgress(section, "failed", _("Failed"), job.message, job.pk)
    if job is not None and job.state == Job.State.RUNNING:
        return SectionProgress(section, "running", _("Running"), job.message)
    return SectionProgress(section, "waiting", _("Waiting"), job.message if job else "")


# The timeline of the report


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a report; *state* is done, now, back or ahead."""

    label: str
    state: str
    at: datetime | None = None


def timeline_of(submission: Submission, progress: Progress | None) -> list[Stage]:
    """Return the stages of the report: past, current and next."""
    State, decided_at = Submission.State, submission.decided_at
    received = Stage(_("Received"), "done", submission.received_at)
    submitted = Stage(_("Submitted"), "done", submission.submitted_at)
    ahead = [Stage(_("Accepted"), "ahead"), Stage(_("Rated"), "ahead")]
    returned = Stage(_("Returned for changes"), "back", decided_at)
    accepted = Stage(_("Accepted"), "done", decided_at)
    following: dict[str, list[Stage]] = {
        State.WITHDRAWN: [Stage(_("Withdrawn"), "back")],
        State.OPEN: [Stage(_("Draft"), "now"), Stage(_("Submitted"), "ahead"), *ahead],
        State.RETURNED: [submitted, returned, *ahead],
        State.SUBMITTED: [submitted, Stage(_("In review"), "now"), *ahead],
        State.ACCEPTED: [submitted, accepted, _rated(progress)],
    }
    return [received, *following[submission.state]]


def _rated(progress: Progress | None) -> Stage:
    if progress is None or not progress.is_done:
        return Stage(_("Being rated"), "now")
    if progress.is_imported:
        return Stage(_("Imported"), "done")
    if progress.failed:
        return Stage(_("Not all sections rated"), "back")
    if progress.waits:
        return Stage(_("Waiting for member IDs"), "now")
    times = [line.at for line in progress.sections if line.at]
    return Stage(_("Rated"), "done", max(times, default=None))
