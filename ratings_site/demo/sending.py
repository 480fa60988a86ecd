"""How an event of the demo reaches the ratings: sent, confirmed, accepted, rated."""

from collections.abc import Sequence
from datetime import date

from events.checks.services import blocking_findings, shown_findings
from events.importers.dbf.write import write_report
from events.importers.findings import Severity
from events.importers.records import ReportedEvent, ReportedSection
from events.models import Event
from events.office.services.acceptance import accept_report
from events.reports.services.submissions import (
    override_findings,
    receive_submission,
    submit_report,
)
from ratings_site.common.jobs.services import work_off
from ratings_site.common.models import User
from ratings_site.demo.people import AFFILIATE_ID, TD_MEMBER_ID


def send_and_accept(
    name: str,
    sections: Sequence[ReportedSection],
    *,
    starts: date,
    ends: date,
    director: User,
    staff: User,
    reason: str,
) -> Event:
    """Send one event in, accept it and have it rated, as a TD and the office do.

    *reason* is what the director says to each finding that asks to be confirmed.
    """
    report = ReportedEvent(
        program="demo",
        name=name,
        starts=starts,
        ends=ends,
        affiliate_id=AFFILIATE_ID,
        city="Springfield",
        state="IL",
        zip_code="62701",
        country="USA",
        send_crosstable="N",
        chief_td_id=TD_MEMBER_ID,
        sections=tuple(sections),
        total_sections=len(sections),
    )
    files = list(write_report(report).items())
    submission = receive_submission(actor=director, files=files)
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
    event = accept_report(submission_id=submission.pk, actor=staff)
    work_off()
    return event
