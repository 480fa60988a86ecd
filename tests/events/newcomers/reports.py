"""Reports with somebody who has no number, as directors send them."""

from dataclasses import replace
from datetime import date

from events.checks.services import blocking_findings
from events.importers.records import ReportedEvent
from events.models import PendingMember, Submission
from events.newcomers.services import Details, tell_newcomer
from events.reports.services.submissions import override_findings, submit_report
from ratings_site.common.models import User
from tests.factories import event_report, make_player, section_report, upload

QUAD = ["W2W W3B W4W", "L1B D4W W3W", "D4B L1W L2B", "D3W D2B L1B"]
BORN = date(2016, 5, 17)
SAM = Details("Sam", "Newman", BORN, None, "IL", "parent@example.org")


def quad_with_stranger(td: User, *, number: int = 1, name: str = "NEWMAN, SAM"):
    """A quad of three rated members, and number 4 by the name alone."""
    players = [make_player(ratings={"OTBR": (1000.0 + 50 * n, 30)}) for n in range(4)]
    section = section_report(players, QUAD, number=number, kind_letter="S")
    last = replace(section.entries[3], member_id="", name=name)
    return replace(section, entries=(*section.entries[:3], last))


def report_with_stranger(td: User, *, name: str = "May Quads") -> ReportedEvent:
    """Two quads; in the second somebody has no number."""
    members = [make_player(ratings={"OTBR": (1200.0 + 50 * n, 30)}) for n in range(4)]
    whole = section_report(members, QUAD, number=1)
    return event_report(td, [whole, quad_with_stranger(td, number=2)], name=name)


def told(
    td: User,
    reported: ReportedEvent,
    details: Details = SAM,
    *,
    section: int = 2,
    reason: str = "",
) -> Submission:
    """Upload a report and enter number 4 as a new member."""
    submission = upload(td, reported)
    return tell(td, submission, details, section=section, reason=reason)


def tell(
    td: User,
    submission: Submission,
    details: Details = SAM,
    *,
    section: int = 2,
    number: int = 4,
    reason: str = "",
) -> Submission:
    return tell_newcomer(
        submission_id=submission.pk,
        actor=td,
        version=Submission.objects.get(pk=submission.pk).version,
        section_number=section,
        pairing_number=number,
        details=details,
        reason=reason,
    )


def submitted(td: User, submission: Submission) -> Submission:
    """Confirm what is odd about made-up games, and hand the report in."""
    if odd := [one.key for one in blocking_findings(submission)]:
        override_findings(
            submission_id=submission.pk,
            actor=td,
            finding_keys=odd,
            reason="So it was played.",
        )
    return submit_report(submission_id=submission.pk, actor=td)


def waiting_report(
    td: User, *, name: str = "May Quads", **fields
) -> tuple[Submission, PendingMember]:
    """A report with the office, and the newcomer who waits in it."""
    report = report_with_stranger(td, name=name)
    submission = submitted(td, told(td, report, **fields))
    return submission, submission.newcomers.get()
