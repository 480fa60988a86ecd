"""Report events of the demo: upload, confirm, accept, rate."""

from collections.abc import Sequence
from datetime import date

from events.checks.services import blocking_findings
from events.formats.dbf.writer import write_report
from events.formats.findings import Severity
from events.formats.report import ReportedEvent, ReportedSection
from events.models import Event, Submission
from events.reports.services.submissions import (
    override_findings,
    receive_submission,
    submit_report,
)
from events.review.services.acceptance import accept_report
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import User
from ratings_site.demo.clubs import CASTLE, Club


def send_and_accept(
    name: str,
    sections: Sequence[ReportedSection],
    *,
    starts: date,
    ends: date,
    director: User,
    staff: User,
    reason: str,
    club: Club = CASTLE,
) -> Event:
    """Report, accept and rate one event.

    *reason* is the TD's reason for each issue that has to be confirmed.
    """
    report = report_event(
        name, sections, starts=starts, ends=ends, director=director, club=club
    )
    submission = upload(report, director)
    confirm_and_submit(submission, director, reason)
    event = accept_report(submission_id=submission.pk, actor=staff)
    run_due_jobs()
    return event


def report_event(
    name: str,
    sections: Sequence[ReportedSection],
    *,
    starts: date,
    ends: date,
    director: User,
    club: Club = CASTLE,
) -> ReportedEvent:
    return ReportedEvent(
        program="demo",
        name=name,
        starts=starts,
        ends=ends,
        affiliate_id=club.affiliate_id,
        **club.address,
        country="USA",
        send_crosstable="N",
        chief_td_id=director.player.member_id,
        sections=tuple(sections),
        total_sections=len(sections),
    )


def upload(report: ReportedEvent, director: User) -> Submission:
    files = list(write_report(report).items())
    return receive_submission(actor=director, files=files)


def confirm_and_submit(submission: Submission, director: User, reason: str) -> None:
    """Submit a report; confirm its issues with *reason*."""
    odd = [
        finding.key
        for finding in blocking_findings(submission, submission.found)
        if finding.severity == Severity.CONFIRM
    ]
    if odd:
        override_findings(
            submission_id=submission.pk, actor=director, finding_keys=odd, reason=reason
        )
    submit_report(submission_id=submission.pk, actor=director)
