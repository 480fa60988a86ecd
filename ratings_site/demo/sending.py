"""How an event of the demo reaches the ratings: sent, confirmed, accepted, rated."""

from collections.abc import Sequence
from datetime import date

from events.checks.services import blocking_findings, shown_findings
from events.importers.dbf.write import write_report
from events.importers.findings import Severity
from events.importers.records import ReportedEvent, ReportedSection
from events.models import Event, Submission
from events.office.services.acceptance import accept_report
from events.reports.services.submissions import (
    override_findings,
    receive_submission,
    submit_report,
)
from ratings_site.common.jobs.services import work_off
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
    """Send one event in, accept it and have it rated, as a TD and the office do.

    *reason* is what the director says to each finding that asks to be confirmed.
    """
    report = report_event(
        name, sections, starts=starts, ends=ends, director=director, club=club
    )
    submission = upload(report, director)
    hand_in(submission, director, reason)
    event = accept_report(submission_id=submission.pk, actor=staff)
    work_off()
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


def hand_in(submission: Submission, director: User, reason: str) -> None:
    """Hand a report to the office; *reason* settles what asks to be confirmed."""
    odd = [
        finding.key
        for finding in blocking_findings(submission, shown_findings(submission))
        if finding.severity == Severity.CONFIRM
    ]
    if odd:
        override_findings(
            submission_id=submission.pk,
            actor=director,
            finding_keys=odd,
            reason=reason,
        )
    submit_report(submission_id=submission.pk, actor=director)
