"""The TD's report pages: upload, view, submit, withdraw."""

import re
from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest, SuspiciousOperation, TooManyFilesSent
from django.http import Http404, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.datastructures import MultiValueDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from events.access import (
    get_submission_or_404,
    is_office,
    reporter_required,
    require_certified,
    submission_denial_reason,
)
from events.checks.messages import translated_finding
from events.checks.services import blocking_findings
from events.formats.findings import Finding
from events.formats.report import ReportedEvent, ReportedSection
from events.formats.report_reader import MAX_UPLOAD_BYTES
from events.models import OfficeTask, Submission, SubmissionFile
from events.records.exceptions import DuplicateUpload, UploadRefused
from events.reports.filters import ReportListFilter
from events.reports.forms.uploads import MAX_REPORTS_PER_DAY, UploadForm
from events.reports.pages.history import account_name, history_of
from events.reports.pages.progress import progress_of, timeline_of
from events.reports.pages.report import report_page
from events.reports.pages.report_table import ReportTable
from events.reports.pages.submission_summary import summary_of
from events.reports.pages.upload_steps import asks_for_columns, next_upload_step
from events.reports.queries.reports import (
    charged_affiliates,
    daily_report_count,
    denial_reason,
)
from events.reports.services.file_reader import UploadsInProgress, upload_slot
from events.reports.services.submissions import (
    receive_submission,
    submit_report,
    withdraw_report,
)
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.approvals.pages import EditView
from ratings_site.common.ui.pagination import sort_and_paginate
from ratings_site.common.uploads.views import send_upload
from ratings_site.common.web.files import csv_download
from ratings_site.common.web.partials import is_partial_request
from ratings_site.common.web.requests import SignedInRequest

# The files, and the other form data.
MAX_REQUEST_BYTES = MAX_UPLOAD_BYTES + 100_000
NOT_NOW = gettext_lazy(
    "This report can’t be changed in its current status. Ask the office to return it."
)


def not_possible(
    request: SignedInRequest,
    submission: Submission,
    sentence: str | Promise,
    *,
    typed: str = "",
) -> HttpResponse:
    """Explain that the report's state does not allow this, in place or as a page.

    The *typed* text is shown, so that it can be copied.
    """
    context = {"submission": submission, "sentence": sentence, "typed": typed}
    template = (
        "_not_possible.html" if is_partial_request(request) else "not_possible.html"
    )
    return render(request, f"events/reports/{template}", context, status=409)


def section_or_404(reported: ReportedEvent, number: int) -> ReportedSection:
    section = reported.section(number)
    if section is None:
        raise Http404(_("This report has no section {number}.").format(number=number))
    return section


class SubmissionView(EditView[Submission]):
    """A form on a report that the account may see."""

    context_object_name = "submission"

    def get_object(self) -> Submission:
        return get_submission_or_404(self.request.user, self.kwargs["pk"])

    @property
    def where(self) -> dict[str, Any]:
        """Return the report as arguments of the services."""
        return {"submission_id": self.object.pk, "actor": self.request.user}


class ReportView(SubmissionView):
    """A form on a report, shown only while the report can be changed."""

    def is_unavailable(self) -> bool:
        return not self.object.is_editable

    def unavailable_response(self) -> HttpResponseBase | None:
        if self.is_unavailable():
            return not_possible(self.request, self.object, NOT_NOW)
        return None


# List and upload


@reporter_required
def desk(request: SignedInRequest) -> HttpResponseBase:
    """List the TD's reports, or all reports for the office."""
    office = is_office(request.user)
    form = ReportListFilter(request.GET, user=None if office else request.user)
    status = 200 if form.is_valid() else 422
    table = ReportTable(form.reports(), with_senders=office)
    if file := csv_download(request, table, "reports"):
        return file
    sort_and_paginate(request, table)
    context = {
        "form": form,
        "is_filtered": form.is_filtered,
        "table": table,
        "shows_everybody": office,
        "why_not_send": submission_denial_reason(request.user),
        "charged": charged_affiliates(request.user),
        "today": timezone.localdate(),
    }
    return render(request, "events/reports/desk.html", context, status=status)


@csrf_exempt  # the token is in the body, which must not be read yet
@reporter_required
def upload(request: SignedInRequest) -> HttpResponseBase:
    """Receive the files of a report, unless the request is too large to read."""
    if request.method != "POST":  # no form if uploads would be refused
        require_certified(request.user)
    length = request.META.get("CONTENT_LENGTH") or "0"
    if re.fullmatch(r"[0-9]+", length) and int(length[:20]) > MAX_REQUEST_BYTES:
        sentence = _(
            "The files are larger than {max_upload_bytes} MB in total, so they "
            "were not read. Upload the files of one report only."
        ).format(max_upload_bytes=MAX_UPLOAD_BYTES // 1000000)
        return _unread(request, sentence, status=413)
    try:
        return _read_upload(request)
    except TooManyFilesSent:
        sentence = _(
            "There are too many files, so none were read. Upload the files of one "
            "report only, or one ZIP file of them."
        )
        return _unread(request, sentence, status=413)
    except (BadRequest, MultiPartParserError, SuspiciousOperation):
        sentence = _(
            "The files could not be read. A file name may be too long. "
            "Shorten the file names and choose the files again."
        )
        return _unread(request, sentence, status=422)


def _unread(request: SignedInRequest, sentence: str, *, status: int) -> HttpResponse:
    """Show the form again without reading the request."""
    form = UploadForm(data={}, files=MultiValueDict())
    form.errors["files"] = form.error_class([sentence])
    return _upload_page(request, form, status=status)


@csrf_protect
def _read_upload(request: SignedInRequest) -> HttpResponse:
    if request.method != "POST":
        return _upload_page(request, UploadForm())
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _upload_page(request, form, status=422)
    if daily_report_count(request.user) >= MAX_REPORTS_PER_DAY:
        form.add_error(
            None,
            _(
                "You have sent {max_reports_per_day} reports within a day. "
                "Send the rest tomorrow, or contact the office."
            ).format(max_reports_per_day=MAX_REPORTS_PER_DAY),
        )
        return _upload_page(request, form, status=422)
    try:
        with upload_slot(request.user):
            submission = receive_submission(actor=request.user, files=form.sent())
    except UploadsInProgress as refusal:
        form.add_error(None, str(refusal))
        return _upload_page(request, form, status=429)
    except UploadRefused as refusal:
        return _upload_page(
            request,
            form,
            findings=[*map(translated_finding, refusal.findings)],
            status=422,
        )
    except DuplicateUpload as sent:
        return _upload_page(request, form, earlier=sent.earlier, status=422)
    messages.success(request, _("Your files were uploaded and read."))
    return redirect(next_upload_step(submission))


def _upload_page(
    request: SignedInRequest,
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
    return render(request, "events/reports/upload.html", context, status=status)


# One report


@reporter_required
def report(request: SignedInRequest, pk: int) -> HttpResponse:
    return show_report(request, get_submission_or_404(request.user, pk), table_base="")


def report_keys(*, for_office: bool) -> list[tuple[str, str]]:
    """Return the keyboard shortcuts of the report page."""
    keys = [
        ("Enter", _("Open the edit form at the issue’s cell")),
        ("o", _("Keep as reported, with a reason")),
        ("r", _("Use the member’s record")),
        ("Esc", _("Close the form without saving")),
    ]
    if for_office:
        keys += [
            ("a", _("Accept the report")),
            ("b", _("Return the report to the TD")),
            ("t", _("Assign the report to me")),
            ("f", _("Open the next report in the queue")),
        ]
    return keys


def show_report(
    request: SignedInRequest,
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
        "page": report_page(submission, user=request.user, table_base=table_base),
        "problem": problem,
        "files": submission.files.all(),
        "history": history_of(submission),
        "tasks": tasks if office else [],
        "is_office": office,
        "sender": account_name(submission.uploaded_by),
        "is_mine": submission.uploaded_by_id == request.user.pk,
        "not_mine": denial_reason(submission, request.user) if office else "",
        "asks_columns": submission.is_editable and asks_for_columns(submission),
        "progress": progress,
        "timeline": timeline_of(submission, progress),
        "extra_keys": report_keys(for_office=office),
    }
    return render(request, "events/reports/report.html", context, status=status)


@reporter_required
def submit(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show a summary of a report without open issues, and submit it."""
    submission = get_submission_or_404(request.user, pk)
    if request.method != "POST":
        if not submission.is_editable or blocking_findings(submission):
            return redirect(submission)
        context = {"submission": submission, "summary": summary_of(submission)}
        return render(request, "events/reports/submit.html", context)
    version = request.POST.get("version", "")[:9]
    shown = int(version) if version.isdecimal() else None
    try:
        submit_report(submission_id=pk, actor=request.user, version=shown)
    except Refusal as problem:
        submission.found = getattr(problem, "findings", None)
        if submission.found is None:
            return not_possible(request, submission, str(problem))
        return show_report(
            request, submission, table_base="../", problem=str(problem), status=422
        )
    messages.success(
        request, _("Report submitted. You’ll see the office’s decision here.")
    )
    return redirect(submission)


@reporter_required
class Withdraw(ReportView):
    form_class = ReasonForm
    template_name = "events/reports/withdraw.html"
    success_message = gettext_lazy("The report was withdrawn. We keep its files.")
    success_url = reverse_lazy("events:desk")

    def unavailable_response(self) -> HttpResponseBase | None:
        if self.object.state == Submission.State.ACCEPTED:
            sentence = _(
                "This report was accepted. Ask the office for a correction instead."
            )
        elif self.object.state == Submission.State.WITHDRAWN:
            sentence = _("This report was already withdrawn.")
        else:
            return None
        return not_possible(self.request, self.object, sentence)

    def do(self, data: dict[str, Any]) -> object:
        return withdraw_report(**self.where, **data)

    def refuse(self, refusal: Exception, **now: object) -> HttpResponse:
        return not_possible(self.request, self.object, str(refusal))

    def context(self) -> dict[str, Any]:
        return {"is_mine": self.object.uploaded_by_id == self.request.user.pk}


@reporter_required
def download(request: SignedInRequest, pk: int, file_pk: int) -> HttpResponse:
    """Send an uploaded file unchanged, as an attachment."""
    submission = get_submission_or_404(request.user, pk)
    file = get_object_or_404(SubmissionFile, pk=file_pk, submission=submission)
    name = re.sub(r"[^A-Za-z0-9._-]", "_", file.name).lstrip(".") or "file"
    return send_upload(file.stored_as, name)


@reporter_required
def progress(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show the progress of the rating; htmx polls the fragment."""
    submission = get_submission_or_404(request.user, pk)
    progress = progress_of(submission)
    context = {
        "submission": submission,
        "progress": progress,
        "timeline": timeline_of(submission, progress),
        "is_office": is_office(request.user),
    }
    is_part = is_partial_request(request)
    template = "progress_fragment.html" if is_part else "progress.html"
    context["is_part"] = is_part
    return render(request, f"events/reports/{template}", context)
