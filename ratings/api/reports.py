"""Rating reports from TDs: check, send, track, and submit them.

Reports sent here appear under the TD's reports like reports in any other format.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Router, Schema, Status
from ninja.security import HttpBearer
from pydantic import Field

from events.access import get_submission_or_404, require_certified, require_reporter
from events.checks.services import (
    BLOCKING_SEVERITIES,
    cached_findings,
    can_be_overridden,
)
from events.formats.findings import Finding, Severity
from events.formats.json.writer import pointer_to
from events.formats.report import ReportedEvent
from events.models import Submission
from events.records.exceptions import DuplicateUpload, NotPossible, UploadRefused
from events.reports.forms.uploads import MAX_REPORTS_PER_DAY
from events.reports.queries.reports import daily_report_count
from events.reports.services.dry_runs import check_files
from events.reports.services.file_reader import UploadsInProgress, upload_slot
from events.reports.services.submissions import (
    receive_submission,
    reported_in,
    submit_report,
)
from ratings.api.report_schema import REPORT_BODY
from ratings.api.responses import Problem, is_body_larger_than, responses
from ratings_site.common.models import ApiKey, User
from ratings_site.common.web.problems import problem

# Twice the size of the largest event so far.
MAX_BODY_BYTES: Final = 4_000_000
FILE_NAME: Final = "report.json"


class ReportRequest(HttpRequest):
    auth: User


class SubmitKey(HttpBearer):
    """API key of a TD with the permission to send reports."""

    openapi_description = "Create a key on your API keys page."

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        key: ApiKey | None = getattr(request, "api_key", None)
        if key is None:
            return None
        if not key.may_submit:
            raise PermissionDenied(
                "This key can only read data. Create one that can send reports."
            )
        require_reporter(key.owner)
        return key.owner


router = Router(tags=["Reports"], auth=SubmitKey())


class PlaceOfFinding(Schema):
    """Location of an issue in the report and in the document."""

    pointer: str = Field(
        description="A JSON pointer (RFC 6901); blank for the whole document.",
        examples=["/sections/0/entries/3/cells/1"],
    )
    section: int | None = Field(examples=[1])
    pairing_number: int | None = Field(examples=[4])
    round: int | None = Field(examples=[2])


class FindingLine(Schema):
    """An issue: an error, a warning, or a note."""

    severity: Severity
    code: str = Field(examples=["result.not_mirrored"])
    key: str = Field(
        description="A stable code for the issue.",
        examples=["result.not_mirrored|s1|p4|r2|"],
    )
    sentence: str = Field(examples=["Won against 9, but 9 reports a draw."])
    hint: str = Field(examples=["Check the wall chart."])
    place: PlaceOfFinding
    is_overridden: bool
    blocks: bool = Field(description="Whether it must be fixed before you can submit.")


class Checked(Schema):
    """Issues found. The report has not been stored."""

    can_be_submitted: bool
    findings: list[FindingLine]


class SentReport(Schema):
    """A rating report and its status."""

    id: int = Field(examples=[17])
    state: Submission.State
    event_name: str = Field(examples=["May Open"])
    received_at: datetime
    submitted_at: datetime | None
    office_note: str = Field(description="Reason the office returned it.")
    event_id: str | None = Field(description="The event, after the report is accepted.")
    can_be_submitted: bool
    findings: list[FindingLine]
    page: str = Field(examples=["/desk/reports/17/"])


class Unreadable(Problem):
    """The report could not be read. See the findings."""

    findings: list[FindingLine] = []


@router.post(
    "/check",
    response=responses(Checked, 403, 413) | {422: Unreadable},
    openapi_extra=REPORT_BODY,
    summary="Check a report without sending it",
)
def check(request: ReportRequest) -> Any:
    """Check a report and return its issues. Nothing is stored."""
    require_certified(request.auth)
    if is_body_larger_than(request, MAX_BODY_BYTES):
        return _too_large()
    try:
        with upload_slot(request.auth):
            report, findings = check_files(
                actor=request.auth, files=[(FILE_NAME, request.body)]
            )
    except UploadsInProgress as refusal:
        return _still_reading(refusal)
    except UploadRefused as refusal:
        return _unreadable(refusal)
    lines = _lines(report, findings, overridden=frozenset())
    return {"can_be_submitted": _can_submit(lines), "findings": lines}


@router.post(
    "",
    response=responses(SentReport, 403, 409, 413) | {201: SentReport, 422: Unreadable},
    openapi_extra=REPORT_BODY,
    summary="Send a report",
)
def send(request: ReportRequest, response: HttpResponse) -> Any:
    """Store the document as sent and return its issues (201).

    It stays in your reports until you submit it. If you send the same file again, you
    get the existing report (200). If another person has sent it: 409.
    """
    require_certified(request.auth)
    if is_body_larger_than(request, MAX_BODY_BYTES):
        return _too_large()
    if daily_report_count(request.auth) >= MAX_REPORTS_PER_DAY:  # as for uploads
        detail = (
            f"You have sent {MAX_REPORTS_PER_DAY} reports within a day. "
            "Try again tomorrow."
        )
        return problem(429, "Too many reports.", detail=detail)
    try:
        with upload_slot(request.auth):
            submission = receive_submission(
                actor=request.auth, files=[(FILE_NAME, request.body)]
            )
    except UploadsInProgress as refusal:
        return _still_reading(refusal)
    except UploadRefused as refusal:
        return _unreadable(refusal)
    except DuplicateUpload as before:
        if before.earlier.uploaded_by_id != request.auth.pk:
            return problem(409, detail="Another person has already sent this report.")
        return Status(200, _report_data(before.earlier))
    response["Location"] = f"/api/v1/reports/{submission.pk}"
    return Status(201, _report_data(submission))


@router.get(
    "/{int:report_id}",
    response=responses(SentReport, 403, 404),
    summary="Get one of my reports",
)
def report(request: ReportRequest, report_id: int) -> dict[str, Any]:
    """Return the status of one of your reports, with its current issues."""
    return _report_data(_own_report(request.auth, report_id))


@router.post(
    "/{int:report_id}/submit",
    response=responses(SentReport, 403, 404, 409),
    summary="Submit a report to the office",
)
def submit(request: ReportRequest, report_id: int) -> Any:
    """Submit a report to the office. Doing this again changes nothing.

    Fix all errors first: correct the report under My reports, or withdraw it and send
    a new one.
    """
    require_certified(request.auth)
    submission = _own_report(request.auth, report_id)
    try:
        submitted = submit_report(submission_id=submission.pk, actor=request.auth)
    except NotPossible as refusal:
        return problem(409, detail=str(refusal))
    return _report_data(submitted)


def _own_report(user: User, report_id: int) -> Submission:
    """Return a report that the key's owner has sent; others are not accessible."""
    submission = get_submission_or_404(user, report_id)
    if submission.uploaded_by_id != user.pk:
        raise Http404("You have no report with this number.")
    return submission


def _report_data(submission: Submission) -> dict[str, Any]:
    overridden = frozenset(submission.overrides.values_list("finding_key", flat=True))
    lines = _lines(reported_in(submission), cached_findings(submission), overridden)
    event = getattr(submission, "event", None)
    return {
        "id": submission.pk,
        "state": submission.state,
        "event_name": submission.event_name,
        "received_at": submission.received_at,
        "submitted_at": submission.submitted_at,
        "office_note": submission.office_note,
        "event_id": event.event_id if event else None,
        "can_be_submitted": submission.is_editable and _can_submit(lines),
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
    settled = finding.key in overridden and can_be_overridden(finding)
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
        "blocks": finding.severity in BLOCKING_SEVERITIES and not settled,
    }


def _can_submit(lines: Iterable[dict[str, Any]]) -> bool:
    return not any(line["blocks"] for line in lines)


def _still_reading(refusal: UploadsInProgress) -> HttpResponse:
    title = "Other reports of yours are still being read."
    return problem(429, title, detail=str(refusal), headers={"Retry-After": "5"})


def _unreadable(refusal: UploadRefused) -> HttpResponse:
    lines = _lines(ReportedEvent(), refusal.findings, overridden=frozenset())
    return problem(
        422,
        "The report can't be read.",
        errors=[str(finding) for finding in refusal.findings],
        findings=lines,
    )


def _too_large() -> HttpResponse:
    return problem(
        413,
        "The report is too large.",
        detail=f"Send at most {MAX_BODY_BYTES:,} bytes. "
        "Split the event into several reports.",
    )
