"""Rating reports from TDs: check, send, track, and submit them.

Reports sent here appear under the TD's reports like reports in any other format.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Annotated, Any, Final

from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from ninja import Header, Query, Router, Schema, Status
from ninja.security import HttpBearer
from pydantic import Field

from events.access import get_submission_or_404, require_certified, require_reporter
from events.checks.messages import translated
from events.checks.queries.members import members_of
from events.checks.services import (
    BLOCKING_SEVERITIES,
    cached_findings,
    can_be_overridden,
)
from events.formats.findings import Finding, Severity
from events.formats.json.writer import pointer_to
from events.formats.played_games import played_games
from events.formats.report import ReportedEvent, ReportedSection
from events.formats.report_reader import MAX_UPLOAD_BYTES
from events.models import Submission
from events.records.exceptions import (
    DuplicateUpload,
    NotPossible,
    UploadRefused,
    VersionConflict,
)
from events.reports.forms.uploads import MAX_REPORTS_PER_DAY
from events.reports.queries.reports import daily_report_count
from events.reports.services.dry_runs import check_files
from events.reports.services.file_reader import UploadsInProgress, upload_slot
from events.reports.services.submissions import (
    receive_submission,
    replace_files,
    reported_in,
    submit_report,
)
from ratings.api.report_schema import REPORT_BODY
from ratings.api.responses import (
    IsAbout,
    Problem,
    WholeOrNone,
    is_about,
    is_body_larger_than,
    responses,
)
from ratings.engine.systems import System
from ratings.ledger.services.previews import (
    EntryPreview,
    SectionPreview,
    preview_report,
)
from ratings.previews.reports.queries.titles import previewed_norms
from ratings_site.common.models import ApiKey, ProgramAccess, User
from ratings_site.common.programs.kinds import (
    REPORT_DRAFT,
    REPORT_SUBMIT,
    require_scope,
)
from ratings_site.common.web.problems import problem

# Twice the size of the largest event so far.
MAX_BODY_BYTES: Final = 4_000_000
FILE_NAME: Final = "report.json"
ZIP_NAME: Final = "report.zip"
ZIP_TYPES: Final = ("application/zip", "application/x-zip-compressed")
FORM: Final = "multipart/form-data"


def _name(longest: int, description: str) -> Any:
    pattern = r"^[^\x00-\x1f\x7f-\x9f]*$"
    return Query(max_length=longest, pattern=pattern, description=description)  # type: ignore[type-arg]


Program = Annotated[str, _name(60, "Name of your program, such as SwissSys.")]
ProgramVersion = Annotated[str, _name(30, "Version of your program, such as 11.3.")]
ReportVersion = Annotated[
    int, Query(ge=1, le=2**31 - 1, description="The report's `version` you know.")
]
IdempotencyKey = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        max_length=100,
        pattern="^[ -~]*$",
        description="A text of your choice, new for each report.",
    ),
]


class ReportRequest(HttpRequest):
    auth: User
    api_key: ApiKey | ProgramAccess


class SubmitKey(HttpBearer):
    """API key of a TD with the permission to send reports, or an access token."""

    openapi_description = (
        "Create a key on your API keys page, or sign in with a device code and the "
        "scopes `report:draft` and `report:submit`."
    )

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        key: ApiKey | ProgramAccess | None = getattr(request, "api_key", None)
        if key is None:
            return None
        require_scope(key, REPORT_DRAFT)
        if not key.allows(REPORT_DRAFT):
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


class PreviewedRating(Schema):
    """A player's published rating in one system, before and after the section."""

    pairing_number: int
    system: System
    before: WholeOrNone = Field(alias="pre", description="Null if unrated.")
    after: WholeOrNone = Field(alias="post", description="Null without a rated game.")
    is_about: IsAbout
    floor: WholeOrNone = Field(description="The floor that stopped a loss.")
    norm: int | None = Field(
        description="Level of the norm earned toward a title.", examples=[2000]
    )

    @staticmethod
    def resolve_is_about(line: EntryPreview) -> bool:
        return is_about(line.pre, line.post)

    @staticmethod
    def resolve_norm(line: EntryPreview) -> int | None:
        return line.norm.level if line.norm else None


class PreviewedSection(Schema):
    """The expected ratings of a section, or why there are none."""

    section: int = Field(examples=[1])
    players: int = Field(description="Entries that were read.")
    games: int = Field(description="Games to rate.")
    problem: str = Field(examples=["The dates are missing."])
    ratings: list[PreviewedRating]


class PreviewedNorm(Schema):
    section: int
    level: int = Field(examples=[2000])


class PreviewedTitles(Schema):
    """A player who makes norms or completes titles, as today’s ratings have it."""

    member_id: str = Field(description="Empty for a newcomer.")
    name: str
    norms: list[PreviewedNorm]
    completed: list[str] = Field(
        description="Titles completed by this event.", examples=[["2nd Category"]]
    )
    one_short: list[str] = Field(
        description="Titles that take one more norm after this event."
    )


class Checked(Schema):
    """Issues found, and the expected ratings. The report has not been stored."""

    can_be_submitted: bool
    findings: list[FindingLine]
    sections: list[PreviewedSection]
    titles: list[PreviewedTitles]


class SentReport(Schema):
    """A rating report and its status."""

    id: int = Field(examples=[17])
    state: Submission.State
    event_name: str = Field(examples=["May Open"])
    received_at: datetime
    submitted_at: datetime | None
    office_note: str = Field(description="Reason the office returned it.")
    event_id: str | None = Field(description="The event, after the report is accepted.")
    version: int = Field(
        description="Increases with every change, on the site too.", examples=[1]
    )
    program: str = Field(examples=["SwissSys 11.3"])
    can_be_submitted: bool
    findings: list[FindingLine]
    page: str = Field(examples=["/desk/reports/17/"])


class Unreadable(Problem):
    """The report could not be read. See the findings."""

    findings: list[FindingLine] = []


@router.post(
    "/check",
    response=responses(Checked, 400, 403, 413) | {422: Unreadable},
    openapi_extra=REPORT_BODY,
    summary="Check a report without sending it",
)
def check(request: ReportRequest) -> Any:
    """Return a report's issues, and the ratings it would lead to. Nothing is stored.

    The body is that of “Send a report”.
    """
    return _refused_or(request, lambda: _check(request))


def _check(request: ReportRequest) -> dict[str, Any]:
    require_certified(request.auth)
    files = sent_files(request)
    with upload_slot(request.auth):
        report, findings = check_files(actor=request.auth, files=files)
    lines = _lines(report, findings, overridden=frozenset())
    members = members_of(report)
    previews = preview_report(report, members)
    return {
        "can_be_submitted": _can_submit(lines),
        "findings": lines,
        "sections": [
            _preview(section, preview)
            for section, preview in zip(report.sections, previews, strict=True)
        ],
        "titles": previewed_norms(report, previews, members),
    }


def _preview(section: ReportedSection, preview: SectionPreview) -> dict[str, Any]:
    return {
        "section": section.number,
        "players": len(section.entries),
        "games": len(list(played_games(section))),
        "problem": translated(preview.problem),
        "ratings": preview.lines,
    }


@router.post(
    "",
    response=responses(SentReport | Checked, 400, 403, 409, 413)
    | {201: SentReport, 422: Unreadable},
    openapi_extra=REPORT_BODY,
    summary="Send a report",
)
def send(
    request: ReportRequest,
    response: HttpResponse,
    program: Program = "",
    version: ProgramVersion = "",
    idempotency_key: IdempotencyKey = "",
    dry_run: bool = False,
) -> Any:
    """Store the files as sent and return their issues (201).

    The body is a JSON report, a ZIP file (`application/zip`), or the files themselves
    (`multipart/form-data`): any that can be uploaded on the site. The report stays in
    your reports until you submit it. If you send the same files again, or repeat an
    `Idempotency-Key` with them, you get the existing report (200). If another person
    has sent them: 409. With `dry_run=true`, the answer is that of “Check a report”
    (200), and nothing is stored.
    """
    if dry_run:
        return _refused_or(request, lambda: Status(200, _check(request)))

    def receive() -> Any:
        require_certified(request.auth)
        files = sent_files(request)
        if daily_report_count(request.auth) >= MAX_REPORTS_PER_DAY:  # as for uploads
            detail = (
                f"You have sent {MAX_REPORTS_PER_DAY} reports within a day. "
                "Try again tomorrow."
            )
            return problem(429, "Too many reports.", detail=detail)
        try:
            with upload_slot(request.auth):
                submission = receive_submission(
                    actor=request.auth,
                    files=files,
                    program=f"{program} {version}".strip(),
                    idempotency_key=idempotency_key,
                )
        except DuplicateUpload as before:
            if before.earlier.uploaded_by_id == request.auth.pk:
                return Status(200, _report_data(before.earlier))
            raise
        response["Location"] = f"/api/v1/reports/{submission.pk}"
        return Status(201, _report_data(submission))

    return _refused_or(request, receive)


@router.post(
    "/{int:report_id}/files",
    response=responses(SentReport, 400, 403, 404, 409, 413) | {422: Unreadable},
    openapi_extra=REPORT_BODY,
    summary="Replace the files of a draft",
)
def replace(
    request: ReportRequest,
    report_id: int,
    report_version: ReportVersion,
    program: Program = "",
    version: ProgramVersion = "",
) -> Any:
    """Replace the files of a report that is not submitted. It keeps its number.

    The body is that of “Send a report”. `report_version` is the version that you read
    last: if the report has been edited on the site since, nothing changes (409). The
    office keeps the earlier files. Sending the same files again changes nothing.
    """

    def receive() -> Any:
        require_certified(request.auth)
        submission = _own_report(request.auth, report_id)
        files = sent_files(request)
        with upload_slot(request.auth):
            replaced = replace_files(
                submission_id=submission.pk,
                actor=request.auth,
                version=report_version,
                files=files,
                program=f"{program} {version}".strip(),
            )
        return _report_data(replaced)

    return _refused_or(request, receive)


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
    require_scope(request.api_key, REPORT_SUBMIT)
    require_certified(request.auth)
    submission = _own_report(request.auth, report_id)
    if submission.state == Submission.State.ACCEPTED:
        return _report_data(submission)
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
        "version": submission.version,
        "program": submission.program,
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


class BadBody(Exception):
    """The body has no files, too many, or is cut off."""


class TooLarge(Exception):
    """The body has more bytes than a report may have."""


def sent_files(request: HttpRequest) -> list[tuple[str, bytes]]:
    """Return the name and the bytes of each file in a request."""
    is_form = request.content_type == FORM
    if is_body_larger_than(request, MAX_UPLOAD_BYTES if is_form else MAX_BODY_BYTES):
        raise TooLarge
    if not is_form:
        name = ZIP_NAME if request.content_type in ZIP_TYPES else FILE_NAME
        return [(name, request.body)]
    try:
        sent = [file for _, files in request.FILES.lists() for file in files]
    except (BadRequest, MultiPartParserError, SuspiciousOperation) as fault:
        raise BadBody("The form is cut off, or has too many parts.") from fault
    if not sent:
        raise BadBody("The form has no file. Send each file as a part with a name.")
    return [(str(file.name), file.read()) for file in sent]


def _already_sent(earlier: Submission, user: User) -> str:
    if earlier.uploaded_by_id == user.pk:
        return f"You have already sent these files, as report {earlier.pk}."
    return "Another person has already sent this report."


def _refused_or(request: ReportRequest, answer: Callable[[], Any]) -> Any:
    """Return the answer, or the problem of what was refused."""
    try:
        return answer()
    except BadBody as refusal:
        return problem(400, detail=str(refusal))
    except TooLarge:
        return problem(
            413,
            "The report is too large.",
            detail=f"Send at most {MAX_BODY_BYTES:,} bytes, or {MAX_UPLOAD_BYTES:,} "
            "as a form. Split the event into several reports.",
        )
    except UploadsInProgress as refusal:
        title = "Other reports of yours are still being read."
        return problem(429, title, detail=str(refusal), headers={"Retry-After": "5"})
    except DuplicateUpload as before:
        return problem(409, detail=_already_sent(before.earlier, request.auth))
    except (NotPossible, VersionConflict) as refusal:
        return problem(409, detail=str(refusal))
    except UploadRefused as refusal:
        return problem(
            422,
            "The report can't be read.",
            errors=[str(finding) for finding in refusal.findings],
            findings=_lines(ReportedEvent(), refusal.findings, overridden=frozenset()),
        )
