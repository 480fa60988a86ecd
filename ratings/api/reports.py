"""Rating reports of tournament directors: check, send, follow and submit them.

What is sent here stands on the TD's desk like a report of any other format.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Router, Schema, Status
from ninja.security import HttpBearer
from pydantic import Field

from events.access import require_certified, require_reporter, submission_for
from events.books.refusals import NotPossible, SentBefore, UploadRefused
from events.checks.services import MUST_BE_SETTLED, may_be_overridden, shown_findings
from events.importers.findings import Finding, Severity
from events.importers.json.write import pointer_to
from events.importers.records import ReportedEvent
from events.models import Submission
from events.reports.forms.uploads import MAX_REPORTS_PER_DAY
from events.reports.queries.reports import sent_in_a_day
from events.reports.services.dry_runs import check_files
from events.reports.services.submissions import (
    receive_submission,
    reported_in,
    submit_report,
)
from ratings.api.answers import Problem, answers, is_longer_than
from ratings.api.document import REPORT_BODY
from ratings_site.common.models import User
from ratings_site.common.web.problems import problem

# Half of it is what the largest event so far would need.
LARGEST_BODY: Final = 4_000_000
FILE_NAME: Final = "report.json"


class SubmitKey(HttpBearer):
    """The key of a tournament director that may send reports."""

    openapi_description = "A key made on the page of your API keys."

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        key = request.api_key
        if key is None:
            return None
        if not key.may_submit:
            raise PermissionDenied(
                "This key only reads. Make one that may send reports."
            )
        require_reporter(key.owner)
        return key.owner


router = Router(tags=["Reports"], auth=SubmitKey())


class PlaceOfFinding(Schema):
    """Where a finding belongs, and where that stands in the document."""

    pointer: str = Field(
        description="A JSON pointer (RFC 6901); blank for the whole document.",
        examples=["/sections/0/entries/3/cells/1"],
    )
    section: int | None = Field(examples=[1])
    pairing_number: int | None = Field(examples=[4])
    round: int | None = Field(examples=[2])


class FindingLine(Schema):
    """One fault or remark."""

    severity: Severity
    code: str = Field(examples=["result.not_mirrored"])
    key: str = Field(
        description="A stable name of the finding.",
        examples=["result.not_mirrored|s1|p4|r2|"],
    )
    sentence: str = Field(examples=["Won against 9, but 9 reports a draw."])
    hint: str = Field(examples=["Check the wall chart."])
    place: PlaceOfFinding
    is_overridden: bool
    blocks: bool = Field(description="Whether it keeps the report from the office.")


class Checked(Schema):
    """What the office would find. Nothing of the report has been kept."""

    can_be_submitted: bool
    findings: list[FindingLine]


class SentReport(Schema):
    """A report on its way to the ratings."""

    id: int = Field(examples=[17])
    state: Submission.State
    event_name: str = Field(examples=["May Open"])
    received_at: datetime
    submitted_at: datetime | None
    office_note: str = Field(description="Why the office returned it.")
    event_id: str | None = Field(description="The event, once it is accepted.")
    can_be_submitted: bool
    findings: list[FindingLine]
    page: str = Field(examples=["/desk/reports/17/"])


class Unreadable(Problem):
    """Nothing of a report could be read; the findings say why."""

    findings: list[FindingLine] = []


@router.post(
    "/check",
    response=answers(Checked, 403, 413) | {422: Unreadable},
    openapi_extra=REPORT_BODY,
    summary="Check a report without sending it",
)
def check(request: HttpRequest) -> Any:
    """Answer with what the office would find in the report; nothing is kept."""
    require_certified(request.auth)
    if is_longer_than(request, LARGEST_BODY):
        return _too_large()
    try:
        report, findings = check_files(
            actor=request.auth, files=[(FILE_NAME, request.body)]
        )
    except UploadRefused as refusal:
        return _unreadable(refusal)
    lines = _lines(report, findings, overridden=frozenset())
    return {"can_be_submitted": _can_go(lines), "findings": lines}


@router.post(
    "",
    response=answers(SentReport, 403, 409, 413) | {201: SentReport, 422: Unreadable},
    openapi_extra=REPORT_BODY,
    summary="Send a report",
)
def send(request: HttpRequest, response: HttpResponse) -> Any:
    """Keep the document byte for byte, and answer with the findings (201).

    It waits on your desk until you submit it. The very same bytes a second time answer
    with the report that they became (200); if somebody else has sent them, 409.
    """
    require_certified(request.auth)
    if is_longer_than(request, LARGEST_BODY):
        return _too_large()
    if sent_in_a_day(request.auth) >= MAX_REPORTS_PER_DAY:  # as on the desk
        said = f"{MAX_REPORTS_PER_DAY} reports came from this account within a day."
        return problem(429, "These are too many reports.", detail=said)
    try:
        submission = receive_submission(
            actor=request.auth, files=[(FILE_NAME, request.body)]
        )
    except UploadRefused as refusal:
        return _unreadable(refusal)
    except SentBefore as before:
        if before.earlier.uploaded_by_id != request.auth.pk:
            return problem(409, detail="Somebody else has sent this very report.")
        return Status(200, _told(before.earlier))
    response["Location"] = f"/api/v1/reports/{submission.pk}"
    return Status(201, _told(submission))


@router.get(
    "/{int:report_id}",
    response=answers(SentReport, 403, 404),
    summary="One of my reports",
)
def report(request: HttpRequest, report_id: int) -> dict:
    """Return how a report of yours stands, with its findings as of now."""
    return _told(_own(request.auth, report_id))


@router.post(
    "/{int:report_id}/submit",
    response=answers(SentReport, 403, 404, 409),
    summary="Submit a report to the office",
)
def submit(request: HttpRequest, report_id: int) -> Any:
    """Hand a report to the office. A second time changes nothing.

    Errors have to be corrected first: withdraw the report on your desk and send a
    better one, or correct it there.
    """
    require_certified(request.auth)
    submission = _own(request.auth, report_id)
    try:
        submitted = submit_report(submission_id=submission.pk, actor=request.auth)
    except NotPossible as refusal:
        return problem(409, detail=str(refusal))
    return _told(submitted)


def _own(user: User, report_id: int) -> Submission:
    """Return a report the key's owner has sent; a key reaches no further."""
    submission = submission_for(user, report_id)
    if submission.uploaded_by_id != user.pk:
        raise Http404("There is no report of this number among yours.")
    return submission


def _told(submission: Submission) -> dict[str, Any]:
    overridden = frozenset(submission.overrides.values_list("finding_key", flat=True))
    lines = _lines(reported_in(submission), shown_findings(submission), overridden)
    event = getattr(submission, "event", None)
    return {
        "id": submission.pk,
        "state": submission.state,
        "event_name": submission.event_name,
        "received_at": submission.received_at,
        "submitted_at": submission.submitted_at,
        "office_note": submission.office_note,
        "event_id": event.event_id if event else None,
        "can_be_submitted": submission.is_editable and _can_go(lines),
        "findings": lines,
        "page": submission.get_absolute_url(),
    }


def _lines(
    reported: ReportedEvent, findings: Iterable[Finding], overridden: frozenset[str]
) -> list[dict[str, Any]]:
    return [_line(reported, finding, overridden) for finding in findings]


def _line(
    reported: ReportedEvent, finding: Finding, overridden: frozenset[str]
) -> dict[str, Any]:
    place = finding.place
    settled = finding.key in overridden and may_be_overridden(finding)
    return {
        "severity": finding.severity,
        "code": finding.code,
        "key": finding.key,
        "sentence": finding.message,
        "hint": finding.hint,
        "place": {
            "pointer": pointer_to(reported, place),
            "section": place.section,
            "pairing_number": place.pairing_number,
            "round": place.round_number,
        },
        "is_overridden": settled,
        "blocks": finding.severity in MUST_BE_SETTLED and not settled,
    }


def _can_go(lines: Iterable[dict[str, Any]]) -> bool:
    return not any(line["blocks"] for line in lines)


def _unreadable(refusal: UploadRefused) -> HttpResponse:
    lines = _lines(ReportedEvent(), refusal.findings, overridden=frozenset())
    return problem(
        422,
        "The report cannot be read.",
        errors=[str(finding) for finding in refusal.findings],
        findings=lines,
    )


def _too_large() -> HttpResponse:
    return problem(
        413,
        "The report is too large.",
        detail=f"Send at most {LARGEST_BODY:,} bytes; report the event in parts.",
    )
