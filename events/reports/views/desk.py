"""The TD's desk: send a report, put it right, hand it to the office."""

import re

from django.contrib import messages
from django.core.exceptions import BadRequest, SuspiciousOperation, TooManyFilesSent
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from events.access import (
    for_reporters,
    is_office,
    require_certified,
    submission_for,
    why_not_send,
)
from events.books.refusals import NotPossible, SentBefore, UploadRefused
from events.checks.saying import finding_said
from events.importers.findings import Finding
from events.importers.read_report import MAX_UPLOAD_BYTES
from events.importers.records import ReportedEvent, ReportedSection
from events.models import OfficeTask, Submission, SubmissionFile
from events.reports.filters import DeskFilter
from events.reports.forms.uploads import MAX_REPORTS_PER_DAY, UploadForm
from events.reports.pages.arrivals import asks_for_columns, step_after_arrival
from events.reports.pages.findings import count_chips
from events.reports.pages.history import history_of, named
from events.reports.pages.progress import progress_of, timeline_of
from events.reports.pages.report import report_page
from events.reports.queries.reports import files_of, sent_in_a_day, why_not_decide
from events.reports.services.submissions import (
    receive_submission,
    submit_report,
    withdraw_report,
)
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.web.parts import wants_part

REPORTS_ON_A_PAGE = 50
# The files, and the form around them.
MAX_REQUEST_BYTES = MAX_UPLOAD_BYTES + 100_000
NOT_NOW = gettext_lazy(
    "This report is not with the TD now, so nothing in it can be changed. "
    "Ask the office to return it."
)


def not_possible(
    request: HttpRequest, submission: Submission, sentence: str, *, typed: str = ""
) -> HttpResponse:
    """Say that the report's state does not allow this, in place or on its own page.

    What was *typed* is shown, to be copied.
    """
    context = {"submission": submission, "sentence": sentence, "typed": typed}
    template = "_not_possible.html" if wants_part(request) else "not_possible.html"
    return render(request, f"events/desk/{template}", context, status=409)


def section_or_404(reported: ReportedEvent, number: int) -> ReportedSection:
    section = reported.section(number)
    if section is None:
        raise Http404(_("The report has no section {number}.").format(number=number))
    return section


# The list and the upload


@for_reporters
def desk(request: HttpRequest) -> HttpResponse:
    """List the TD's reports; the office sees everybody's."""
    office = is_office(request.user)
    form = DeskFilter(request.GET, user=None if office else request.user)
    status = 200 if form.is_valid() else 422
    page = Paginator(form.reports(), REPORTS_ON_A_PAGE).get_page(
        request.GET.get("page")
    )
    rows = [(report, count_chips(report.finding_counts)) for report in page]
    context = {
        "form": form,
        "is_filtered": form.is_filtered,
        "rows": rows,
        "page_obj": page,
        "shows_everybody": office,
        "why_not_send": why_not_send(request.user),
    }
    return render(request, "events/desk/desk.html", context, status=status)


@csrf_exempt  # the token stands in the body, which must not be read yet
@for_reporters
def upload(request: HttpRequest) -> HttpResponseBase:
    """Take the files of a report, unless there is far too much to read at all."""
    if request.method != "POST":  # no form for files that would be refused
        require_certified(request.user)
    length = request.META.get("CONTENT_LENGTH") or "0"
    if re.fullmatch(r"[0-9]+", length) and int(length[:20]) > MAX_REQUEST_BYTES:
        sentence = _(
            "The files are larger than {max_upload_bytes} MB "
            "together, so they were not read. Send the three files of one report only."
        ).format(max_upload_bytes=MAX_UPLOAD_BYTES // 1000000)
        return _unread(request, sentence, status=413)
    try:
        return _read_upload(request)
    except TooManyFilesSent:
        sentence = _(
            "There are too many files, so none was read. Send the three files of one "
            "report only, or one ZIP archive with the three."
        )
        return _unread(request, sentence, status=413)
    except (BadRequest, MultiPartParserError, SuspiciousOperation):
        sentence = _(
            "What was sent cannot be read as files; a file’s name may be too long. "
            "Rename the files to THEXPORT.DBF, TSEXPORT.DBF and TDEXPORT.DBF and "
            "choose them again."
        )
        return _unread(request, sentence, status=422)


def _unread(request: HttpRequest, sentence: str, *, status: int) -> HttpResponse:
    """Offer the form again, with nothing of the request read."""
    form = UploadForm(data={}, files={})
    form.errors["files"] = form.error_class([sentence])
    return _upload_page(request, form, status=status)


@csrf_protect
def _read_upload(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _upload_page(request, UploadForm())
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _upload_page(request, form, status=422)
    if sent_in_a_day(request.user) >= MAX_REPORTS_PER_DAY:
        form.add_error(
            None,
            _(
                "{max_reports_per_day} reports came from this account within a day. "
                "Send the rest tomorrow, or ask the office."
            ).format(max_reports_per_day=MAX_REPORTS_PER_DAY),
        )
        return _upload_page(request, form, status=422)
    try:
        submission = receive_submission(actor=request.user, files=form.sent())
    except UploadRefused as refusal:
        return _upload_page(
            request, form, findings=[*map(finding_said, refusal.findings)], status=422
        )
    except SentBefore as sent:
        return _upload_page(request, form, earlier=sent.earlier, status=422)
    messages.success(request, _("The files were read and are kept as they came."))
    return redirect(step_after_arrival(submission))


def _upload_page(
    request: HttpRequest,
    form: UploadForm,
    *,
    findings: list[Finding] | None = None,
    earlier: Submission | None = None,
    status: int = 200,
) -> HttpResponse:
    theirs = earlier is not None and (
        earlier.uploaded_by_id == request.user.pk or is_office(request.user)
    )
    context = {
        "form": form,
        "findings": findings,
        "sent_before": earlier is not None,
        "earlier": earlier if theirs else None,
    }
    return render(request, "events/desk/upload.html", context, status=status)


# One report


@for_reporters
def report(request: HttpRequest, pk: int) -> HttpResponse:
    return show_report(request, submission_for(request.user, pk), table_base="")


def desk_keys(*, for_office: bool) -> list[tuple[str, str]]:
    """Return the keys of the report's page, besides those of every page."""
    keys = [
        ("Enter", _("Open the form at the finding’s cell, in place")),
        ("o", _("Confirm the finding, with a reason")),
        ("r", _("Use the member’s record")),
        ("Esc", _("Close the form without saving")),
    ]
    if for_office:
        keys += [
            ("a", _("Accept the report")),
            ("b", _("Send the report back to the TD")),
            ("t", _("Take the report")),
            ("f", _("Open the next report of the queue")),
        ]
    return keys


def show_report(
    request: HttpRequest,
    submission: Submission,
    *,
    table_base: str,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    office = is_office(request.user)
    progress = progress_of(submission)
    tasks = OfficeTask.objects.filter(
        submission=submission, state=OfficeTask.State.OPEN
    ).select_related("player")
    context = {
        "submission": submission,
        "page": report_page(submission, table_base=table_base),
        "problem": problem,
        "files": files_of(submission),
        "history": history_of(submission),
        "tasks": tasks if office else [],
        "is_office": office,
        "sender": named(submission.uploaded_by),
        "is_mine": submission.uploaded_by_id == request.user.pk,
        "not_mine": why_not_decide(submission, request.user) if office else "",
        "asks_columns": submission.is_editable and asks_for_columns(submission),
        "progress": progress,
        "timeline": timeline_of(submission, progress),
        "extra_keys": desk_keys(for_office=office),
    }
    return render(request, "events/desk/report.html", context, status=status)


@for_reporters
def submit(request: HttpRequest, pk: int) -> HttpResponse:
    submission = submission_for(request.user, pk)
    if request.method != "POST":
        return redirect(submission)
    try:
        submit_report(submission_id=pk, actor=request.user)
    except NotPossible as problem:
        submission.found = problem.findings
        return show_report(
            request, submission, table_base="../", problem=str(problem), status=422
        )
    messages.success(
        request, _("The report is with the office. You will see its decision here.")
    )
    return redirect(submission)


@for_reporters
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    submission = submission_for(request.user, pk)
    if submission.state in (Submission.State.ACCEPTED, Submission.State.WITHDRAWN):
        return not_possible(
            request,
            submission,
            _("The event is accepted. Ask the office for a correction instead.")
            if submission.state == Submission.State.ACCEPTED
            else _("This report has been withdrawn already."),
        )
    form = ReasonForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        mine = submission.uploaded_by_id == request.user.pk
        context = {"submission": submission, "form": form, "is_mine": mine}
        status = 422 if request.method == "POST" else 200
        return render(request, "events/desk/withdraw.html", context, status=status)
    try:
        withdraw_report(
            submission_id=pk, actor=request.user, reason=form.cleaned_data["reason"]
        )
    except NotPossible as problem:
        return not_possible(request, submission, str(problem))
    messages.success(request, _("The report is withdrawn. Its files are kept."))
    return redirect("events:desk")


@for_reporters
def download(request: HttpRequest, pk: int, file_pk: int) -> HttpResponse:
    """Hand out an uploaded file, byte for byte, as something to save only."""
    submission = submission_for(request.user, pk)
    file = get_object_or_404(SubmissionFile, pk=file_pk, submission=submission)
    name = re.sub(r"[^A-Za-z0-9._-]", "_", file.name).lstrip(".") or "file"
    return HttpResponse(
        bytes(file.content),
        content_type="application/octet-stream",
        headers={
            "Content-Disposition": content_disposition_header(True, name) or "",
            "X-Content-Type-Options": "nosniff",
        },
    )


@for_reporters
def progress(request: HttpRequest, pk: int) -> HttpResponse:
    """Show how far the rating has come; htmx asks for the fragment again and again."""
    submission = submission_for(request.user, pk)
    progress = progress_of(submission)
    context = {
        "submission": submission,
        "progress": progress,
        "timeline": timeline_of(submission, progress),
        "is_office": is_office(request.user),
    }
    is_part = wants_part(request)
    template = "progress_fragment.html" if is_part else "progress.html"
    context["is_part"] = is_part
    return render(request, f"events/desk/{template}", context)
