"""Reports with a new member, as TDs send them."""

from dataclasses import replace
from datetime import date

from events.checks.services import blocking_findings
from events.formats.report import ReportedEvent
from events.models import PendingMember, Submission
from events.newcomers.services import NewcomerDetails, enter_newcomer
from events.reports.services.submissions import override_findings, submit_report
from ratings_site.common.models import User
from tests.factories import event_report, make_player, section_report, upload

QUAD = ["W2W W3B W4W", "L1B D4W W3W", "D4B L1W L2B", "D3W D2B L1B"]
BORN = date(2016, 5, 17)
SAM = NewcomerDetails("Sam", "Newman", BORN, None, "IL", "parent@example.org")


def quad_with_newcomer(td: User, *, number: int = 1, name: str = "NEWMAN, SAM"):
    """Return a quad of three rated members, and number 4 by name only."""
    players = [make_player(ratings={"OTBR": (1000.0 + 50 * n, 30)}) for n in range(4)]
    section = section_report(players, QUAD, number=number, kind_letter="S")
    last = replace(section.entries[3], member_id="", name=name)
    return replace(section, entries=(*section.entries[:3], last))


def report_with_newcomer(td: User, *, name: str = "May Quads") -> ReportedEvent:
    """Return a report of two quads; one entry of the second has no member ID."""
    members = [make_player(ratings={"OTBR": (1200.0 + 50 * n, 30)}) for n in range(4)]
    whole = section_report(members, QUAD, number=1)
    return event_report(td, [whole, quad_with_newcomer(td, number=2)], name=name)


def report_newcomer(
    td: User,
    reported: ReportedEvent,
    details: NewcomerDetails = SAM,
    *,
    section: int = 2,
    reason: str = "",
) -> Submission:
    """Upload a report and enter number 4 as a new member."""
    submission = upload(td, reported)
    return report_newcomer_details(
        td, submission, details, section=section, reason=reason
    )


def report_newcomer_details(
    td: User,
    submission: Submission,
    details: NewcomerDetails = SAM,
    *,
    section: int = 2,
    number: int = 4,
    reason: str = "",
) -> Submission:
    return enter_newcomer(
        submission_id=submission.pk,
        actor=td,
        version=Submission.objects.get(pk=submission.pk).version,
        section_number=section,
        pairing_number=number,
        details=details,
        reason=reason,
    )


def submit(td: User, submission: Submission) -> Submission:
    """Confirm the issues of made-up games, and submit the report."""
    if odd := [one.key for one in blocking_findings(submission)]:
        override_findings(
            submission_id=submission.pk,
            actor=td,
            finding_keys=odd,
            reason="So it was played.",
        )
    return submit_report(submission_id=submission.pk, actor=td)


def pending_report(
    td: User, *, name: str = "May Quads", **fields
) -> tuple[Submission, PendingMember]:
    """Return a submitted report and its pending new member."""
    report = report_with_newcomer(td, name=name)
    submission = submit(td, report_newcomer(td, report, **fields))
    return submission, submission.newcomers.get()
