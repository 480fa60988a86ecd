"""The TD's desk: send a report, put it right, hand it to the office."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest, SuspiciousOperation, TooManyFilesSent
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from events.access import (
    is_office,
    require_certified,
    require_reporter,
    submission_for,
    why_not_send,
)
from events.arrivals import (
    FACTS,
    asks_for_columns,
    step_after_arrival,
    step_to_facts,
)
from events.desk_pages import (
    columns_of,
    count_chips,
    findings_at,
    history_of,
    progress_of,
    report_page,
)
from events.forms import (
    MAX_REPORTS_PER_DAY,
    CellForm,
    EditForm,
    EntryForm,
    EventForm,
    OverrideForm,
    ReasonForm,
    SectionForm,
    UploadForm,
)
from events.importers.findings import Finding, Place
from events.importers.read_report import MAX_UPLOAD_BYTES
from events.importers.records import (
    EntryReport,
    EventReport,
    SectionReport,
    format_cell,
)
from events.models import OfficeTask, Submission, SubmissionFile
from events.queries import all_reports, candidates_for, files_of, reports_of
from events.services.findings import findings_of
from events.services.submissions import (
    NotPossible,
    Outdated,
    SentBefore,
    UploadRefused,
    override_finding,
    receive_submission,
    report_of,
    set_cell,
    set_entry,
    set_event,
    set_section,
    submit_report,
    withdraw_report,
)
from players.models import Player
from ratings_site.common.figures import day as in_words

REPORTS_ON_A_PAGE = 50
# The files, and the form around them.
MAX_REQUEST_BYTES = MAX_UPLOAD_BYTES + 100_000
NOT_NOW = (
    "This report is not with the TD now, so nothing in it can be changed. "
    "Ask the office to return it."
)

View = Callable[..., HttpResponseBase]


def for_reporters(view: View) -> View:
    """Let signed-in TDs and staff through; nothing here is for caches.

    A TD whose certification has ended can look, and change nothing.
    """

    @never_cache
    @login_required
    def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        require_reporter(request.user)
        if request.method not in ("GET", "HEAD"):
            require_certified(request.user)
        return view(request, **kwargs)

    return guarded


def not_possible(
    request: HttpRequest, submission: Submission, sentence: str
) -> HttpResponse:
    """Say that the report's state does not allow this, on a page of its own."""
    context = {"submission": submission, "sentence": sentence}
    return render(request, "events/desk/not_possible.html", context, status=409)


# The list and the upload


@for_reporters
def desk(request: HttpRequest) -> HttpResponse:
    """List the TD's reports; the office sees everybody's."""
    office = is_office(request.user)
    reports = all_reports() if office else reports_of(request.user)
    page = Paginator(reports, REPORTS_ON_A_PAGE).get_page(request.GET.get("page"))
    rows = [(report, count_chips(report.finding_counts)) for report in page]
    context = {
        "rows": rows,
        "page_obj": page,
        "shows_everybody": office,
        "why_not_send": why_not_send(request.user),
    }
    return render(request, "events/desk/desk.html", context)


@csrf_exempt  # the token stands in the body, which must not be read yet
@for_reporters
def upload(request: HttpRequest) -> HttpResponseBase:
    """Take the files of a report, unless there is far too much to read at all."""
    if request.method != "POST":  # no form for files that would be refused
        require_certified(request.user)
    length = request.META.get("CONTENT_LENGTH") or "0"
    if re.fullmatch(r"[0-9]+", length) and int(length[:20]) > MAX_REQUEST_BYTES:
        sentence = (
            f"The files are larger than {MAX_UPLOAD_BYTES // 1_000_000} MB "
            "together, so they were not read. Send the three files of one report only."
        )
        return _unread(request, sentence, status=413)
    try:
        return _read_upload(request)
    except TooManyFilesSent:
        sentence = (
            "There are too many files, so none was read. Send the three files of one "
            "report only, or one ZIP archive with the three."
        )
        return _unread(request, sentence, status=413)
    except (BadRequest, MultiPartParserError, SuspiciousOperation):
        sentence = (
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
    if _sent_in_a_day(request.user) >= MAX_REPORTS_PER_DAY:
        form.add_error(
            None,
            f"{MAX_REPORTS_PER_DAY} reports came from this account within a day. "
            "Send the rest tomorrow, or ask the office.",
        )
        return _upload_page(request, form, status=422)
    try:
        submission = receive_submission(actor=request.user, files=form.sent())
    except UploadRefused as refusal:
        return _upload_page(request, form, findings=refusal.findings, status=422)
    except SentBefore as sent:
        return _upload_page(request, form, earlier=sent.earlier, status=422)
    messages.success(request, "The files were read and are kept as they came.")
    return redirect(step_after_arrival(submission))


def _sent_in_a_day(user: Any) -> int:
    since = timezone.now() - timedelta(days=1)
    return Submission.objects.filter(uploaded_by=user, received_at__gt=since).count()


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


def show_report(
    request: HttpRequest,
    submission: Submission,
    *,
    table_base: str,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    office = is_office(request.user)
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
        "asks_columns": submission.is_editable and asks_for_columns(submission),
        "progress": progress_of(submission)
        if submission.state == Submission.State.ACCEPTED
        else None,
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
        return show_report(
            request, submission, table_base="../", problem=str(problem), status=422
        )
    messages.success(
        request, "The report is with the office. You will see its decision here."
    )
    return redirect(submission)


@for_reporters
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    submission = submission_for(request.user, pk)
    if submission.state in (Submission.State.ACCEPTED, Submission.State.WITHDRAWN):
        return not_possible(
            request,
            submission,
            "The event is accepted. Ask the office for a correction instead."
            if submission.state == Submission.State.ACCEPTED
            else "This report has been withdrawn already.",
        )
    form = ReasonForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        context = {"submission": submission, "form": form}
        status = 422 if request.method == "POST" else 200
        return render(request, "events/desk/withdraw.html", context, status=status)
    try:
        withdraw_report(
            submission_id=pk, actor=request.user, reason=form.cleaned_data["reason"]
        )
    except NotPossible as problem:
        return not_possible(request, submission, str(problem))
    messages.success(request, "The report is withdrawn. Its files are kept.")
    return redirect("events:desk")


@for_reporters
def override(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the TD's word, with a reason, that a finding is in order."""
    submission = submission_for(request.user, pk)
    if request.method != "POST":
        return redirect(submission)
    form = OverrideForm(request.POST)
    if not form.is_valid():
        return _override_page(request, submission, form)
    try:
        override_finding(
            submission_id=pk,
            actor=request.user,
            finding_key=form.cleaned_data["finding"],
            reason=form.cleaned_data["reason"],
        )
    except NotPossible as problem:
        form.add_error(None, str(problem))
        return _override_page(request, submission, form)
    messages.success(request, "Your reason is noted beside the finding.")
    return redirect(f"{submission.get_absolute_url()}#findings")


def _override_page(
    request: HttpRequest, submission: Submission, form: OverrideForm
) -> HttpResponse:
    key = form.data.get("finding", "")
    finding = next((f for f in findings_of(submission) if f.key == key), None)
    context = {"submission": submission, "form": form, "finding": finding}
    return render(request, "events/desk/override.html", context, status=422)


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
    context = {
        "submission": submission,
        "progress": progress_of(submission),
        "is_office": is_office(request.user),
    }
    fragment = request.htmx and not request.htmx.history_restore_request
    template = "progress_fragment.html" if fragment else "progress.html"
    return render(request, f"events/desk/{template}", context)


# Edits: four forms, one way


@dataclass(frozen=True, slots=True)
class Edit:
    """One form over one part of a report."""

    heading: str
    lead: str
    present: Mapping[str, Any]
    form_class: type[EditForm]
    save: Callable[[int, EditForm], Submission | None]
    form_options: Mapping[str, Any] = field(default_factory=dict)
    place: Place = field(default_factory=Place)
    anchor: str = ""
    reported_name: str = ""

    def form(self, version: int, data: Any = None) -> EditForm:
        return self.form_class(
            data, initial={**self.present, "version": version}, **self.form_options
        )


MakeEdit = Callable[[HttpRequest, Submission, EventReport], Edit]


def _edit_page(request: HttpRequest, pk: int, make_edit: MakeEdit) -> HttpResponse:
    submission = submission_for(request.user, pk)
    if not submission.is_editable:
        return not_possible(request, submission, NOT_NOW)
    edit = make_edit(request, submission, report_of(submission))
    if request.method != "POST":
        return _show_edit(request, submission, edit, edit.form(submission.version))
    form = edit.form(submission.version, _typed(request))
    if _asks_for_members(request):
        return _show_edit(request, submission, edit, form)
    if not form.is_valid():
        return _show_edit(request, submission, edit, form, status=422)
    try:
        saved = edit.save(form.cleaned_data["version"], form)
    except Outdated as outdated:
        return _show_outdated(request, pk, make_edit, str(outdated))
    except NotPossible as problem:
        return not_possible(request, submission, str(problem))
    messages.success(request, "Saved." if saved else "Nothing was changed.")
    if FACTS in request.GET:
        return redirect(step_to_facts(saved or submission))
    return redirect(f"{submission.get_absolute_url()}{edit.anchor}")


def _asks_for_members(request: HttpRequest) -> bool:
    """Tell whether the look-up was meant: its button, or Enter in its field."""
    said = request.POST
    other_name = said.get("find", "") != said.get("found", said.get("find", ""))
    return "use" not in said and ("lookup" in said or other_name)


def _typed(request: HttpRequest) -> Any:
    """Return what was typed; the button of a candidate puts its ID in."""
    if "use" not in request.POST:
        return request.POST
    data = request.POST.copy()
    data["member_id"] = data["use"]
    return data


def _show_outdated(
    request: HttpRequest, pk: int, make_edit: MakeEdit, sentence: str
) -> HttpResponse:
    """Show what stands there now beside what was typed, to decide anew."""
    submission = submission_for(request.user, pk)
    edit = make_edit(request, submission, report_of(submission))
    data = _typed(request).copy()
    data["version"] = str(submission.version)
    form = edit.form(submission.version, data)
    present = [
        (form.fields[name].label, value)
        for name, value in edit.present.items()
        if name in form.changed_data
    ]
    return _show_edit(
        request, submission, edit, form, status=409, problem=sentence, present=present
    )


def _show_edit(
    request: HttpRequest,
    submission: Submission,
    edit: Edit,
    form: EditForm,
    *,
    status: int = 200,
    problem: str = "",
    present: list[tuple[str, Any]] | None = None,
) -> HttpResponse:
    findings = findings_at(submission, edit.place)
    context = {
        "submission": submission,
        "edit": edit,
        "findings": findings,
        "form": form,
        "problem": problem,
        "present": present,
        "cancel_url": f"{submission.get_absolute_url()}{edit.anchor}",
        "asks_only": _asks_for_members(request),
        "asks_facts": FACTS in request.GET,
    }
    if isinstance(form, EntryForm):
        context |= _lookup(request, edit.reported_name)
        # Where the member ID is in doubt, finding the member is the task.
        context["lookup_first"] = any(
            line.finding.place.field == "member_id" for line in findings
        )
    return render(request, "events/desk/edit.html", context, status=status)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A member whom a reported name may mean."""

    player: Player
    membership: str
    other_status: str


def _lookup(request: HttpRequest, reported_name: str) -> dict[str, Any]:
    text = request.POST.get("find", reported_name)[:100]
    today = timezone.localdate()
    candidates = [_candidate(player, today) for player in candidates_for(text)]
    return {"find": text, "candidates": candidates, "has_lookup": True}


def _candidate(player: Player, today: Any) -> Candidate:
    expires = max((m.expires for m in player.memberships.all()), default=None)
    if expires is None:
        membership = "no membership"
    else:
        word = "until" if expires >= today else "ended"
        membership = f"{word} {in_words(expires)}"
    active = player.status == Player.Status.ACTIVE
    return Candidate(player, membership, "" if active else player.get_status_display())


@for_reporters
def edit_event(request: HttpRequest, pk: int) -> HttpResponse:
    def make_edit(
        request: HttpRequest, submission: Submission, report: EventReport
    ) -> Edit:
        def save(version: int, form: EditForm) -> Submission | None:
            if not (changes := form.changes()):
                return None
            return set_event(
                submission_id=pk, actor=request.user, version=version, changes=changes
            )

        return Edit(
            heading="The event",
            lead="As it will stand in the books.",
            present=EventForm.present(report),
            form_class=EventForm,
            save=save,
            anchor="#event",
        )

    return _edit_page(request, pk, make_edit)


@for_reporters
def edit_section(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    def make_edit(
        request: HttpRequest, submission: Submission, report: EventReport
    ) -> Edit:
        def save(version: int, form: EditForm) -> Submission | None:
            if not (changes := form.changes()):
                return None
            return set_section(
                submission_id=pk,
                actor=request.user,
                version=version,
                section_number=number,
                changes=changes,
            )

        section = _section(report, number)
        return Edit(
            heading=f"Section {number}",
            lead=f"{section.name or 'Without a name'}, {len(section.entries)} entries.",
            present=SectionForm.present(section),
            form_class=SectionForm,
            save=save,
            place=Place(section=number),
            anchor=f"#s{number}",
        )

    return _edit_page(request, pk, make_edit)


@for_reporters
def edit_entry(
    request: HttpRequest, pk: int, number: int, pairing_number: int
) -> HttpResponse:
    occurrence = _occurrence(request)

    def make_edit(
        request: HttpRequest, submission: Submission, report: EventReport
    ) -> Edit:
        def save(version: int, form: EditForm) -> Submission | None:
            if not (changes := form.changes()):
                return None
            if occurrence:
                changes["occurrence"] = occurrence
            return set_entry(
                submission_id=pk,
                actor=request.user,
                version=version,
                section_number=number,
                pairing_number=pairing_number,
                changes=changes,
            )

        section = _section(report, number)
        entry = _entry(section, pairing_number, occurrence)
        return Edit(
            heading=f"Number {pairing_number}, section {number}",
            lead=f"Reported as “{entry.name}”" if entry.name else "Reported unnamed",
            present=EntryForm.present(entry),
            form_class=EntryForm,
            form_options={"taken": [each.pairing_number for each in section.entries]},
            save=save,
            place=Place(section=number, pairing_number=pairing_number),
            anchor=f"#s{number}p{pairing_number}",
            reported_name=entry.name,
        )

    return _edit_page(request, pk, make_edit)


@for_reporters
def edit_cell(
    request: HttpRequest, pk: int, number: int, pairing_number: int, round_number: int
) -> HttpResponse:
    def make_edit(
        request: HttpRequest, submission: Submission, report: EventReport
    ) -> Edit:
        def save(version: int, form: EditForm) -> Submission:
            return set_cell(
                submission_id=pk,
                actor=request.user,
                version=version,
                section_number=number,
                pairing_number=pairing_number,
                round_number=round_number,
                cell=form.cell(),
                both_sides=form.cleaned_data["both_sides"],
            )

        section = _section(report, number)
        entry = _entry(section, pairing_number, 0)
        if not 1 <= round_number <= columns_of(section):
            raise Http404(f"Section {number} has no round {round_number}.")
        return Edit(
            heading=f"Number {pairing_number}, round {round_number}",
            lead=f"{entry.name or 'Unnamed'}, section {number}. "
            + _what_stands_there(section, entry, round_number),
            present=CellForm.present(entry.cell(round_number)),
            form_class=CellForm,
            form_options={"section": section, "pairing_number": pairing_number},
            save=save,
            place=Place("", number, pairing_number, round_number),
            anchor=f"#s{number}p{pairing_number}",
        )

    return _edit_page(request, pk, make_edit)


def _what_stands_there(
    section: SectionReport, entry: EntryReport, round_number: int
) -> str:
    """Say what the cell holds as the files spell it, and what the opponent's does."""
    cell = entry.cell(round_number)
    said = f"The report says “{format_cell(cell)}”." if not cell.blank else "Blank."
    other = section.entry(cell.opponent) if cell.opponent else None
    if other is None:
        return said
    by_opponents = section.columns_are_opponents
    their = other.cell(entry.pairing_number if by_opponents else round_number)
    reports = f"“{format_cell(their)}”" if not their.blank else "nothing"
    return f"{said} Number {cell.opponent} reports {reports}."


def _section(report: EventReport, number: int) -> SectionReport:
    section = report.section(number)
    if section is None:
        raise Http404(f"The report has no section {number}.")
    return section


def _entry(section: SectionReport, pairing_number: int, occurrence: int) -> EntryReport:
    """Return an entry; *occurrence* tells apart those with one number by mistake."""
    same = [e for e in section.entries if e.pairing_number == pairing_number]
    if occurrence >= len(same):
        raise Http404(f"Section {section.number} has no number {pairing_number}.")
    return same[occurrence]


def _occurrence(request: HttpRequest) -> int:
    text = request.GET.get("occurrence", "")
    return int(text) if re.fullmatch(r"[0-9]{1,4}", text, re.ASCII) else 0
