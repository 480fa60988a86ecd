"""The office's pages for imports."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from players.formats.table_reader import read_column_question, to_csv
from players.formats.xlsx_writer import write_xlsx
from players.imports import queries
from players.imports.forms import DayOrdersForm, FileForm, RecordColumnsForm
from players.imports.kinds import (
    ENTER_INTAKE,
    PERMISSION,
    READ_INTAKE,
    UNDO_INTAKE,
    ImportRefused,
    kind_of,
    kinds,
    require_for,
)
from players.imports.messages import column_name, said
from players.imports.rows import changed_of, new_of, refused_of, totals_of
from players.imports.services.actions import (
    apply_intake,
    can_be_undone,
    chosen_columns,
    has_waited,
    proposal_for,
    receive_file,
    recheck,
    reject_intake,
    set_columns,
    set_date_orders,
    undo_intake,
)
from players.imports.services.limits import (
    approval_requirement,
    exceeded_limits,
    last_stopped_feed,
)
from players.imports.services.runner import COLUMN_QUESTIONS, DATE_ORDER_QUESTION
from players.models import Intake, IntakeRow
from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.approvals.pages import action_page, post_data
from ratings_site.common.jobs.progress import progress_context, progress_page
from ratings_site.common.models import Job, PendingAct
from ratings_site.common.ui.formatting import join_names
from ratings_site.common.ui.pagination import ROWS_PER_PAGE
from ratings_site.common.uploads.services import local_upload
from ratings_site.common.web.requests import SignedInRequest

State = Intake.State
JOBS = {
    State.READING: READ_INTAKE,
    State.ENTERING: ENTER_INTAKE,
    State.UNDOING: UNDO_INTAKE,
}
CSV = "text/csv; charset=utf-8"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
WRITERS: dict[str, tuple[Callable[[Sequence[Sequence[str]]], object], str]] = {
    "csv": (to_csv, CSV),
    "xlsx": (write_xlsx, XLSX),
}


def _intake_for(request: SignedInRequest, pk: int) -> Intake:
    """Return an import that this account may see."""
    rows = Intake.objects.select_related("received_by", "decided_by", "undone_by")
    shown = get_object_or_404(rows, pk=pk)
    require_for(request.user, shown.kind)
    return shown


@staff_permission_required(PERMISSION)
def intakes(request: SignedInRequest) -> HttpResponse:
    """List the imports, and accept a new file."""
    form = FileForm(initial=queries.last_options())
    status = 200
    if request.method == "POST":
        form = FileForm(request.POST, request.FILES)
        status = 422
        if form.is_valid() and (received := _receive(request, form)):
            messages.success(request, _("File uploaded. The import has started."))
            return redirect(received)
    page = Paginator(queries.intakes(), ROWS_PER_PAGE)
    context = {
        "form": form,
        "page_obj": page.get_page(request.GET.get("page")),
        "stopped": last_stopped_feed(),
        "templates": [
            (kind.name, Intake.Kind(kind.name).label)
            for kind in kinds()
            if kind.columns
        ],
    }
    return render(request, "players/office/intakes.html", context, status=status)


def _receive(request: SignedInRequest, form: FileForm) -> Intake | None:
    file = form.cleaned_data["file"]
    try:
        return receive_file(
            actor=request.user,
            kind=form.cleaned_data["kind"],
            name=file.name,
            content=file.chunks(),
            options=form.options(),
        )
    except ImportRefused as refusal:
        form.add_error(None, str(refusal))
        return None


@staff_permission_required(PERMISSION)
@require_safe
def template(request: SignedInRequest, kind: str, ending: str) -> HttpResponse:
    """Download the headings of one kind of file, with an example row."""
    found = next((one for one in kinds() if one.name == kind), None)
    if found is None or not found.columns or ending not in WRITERS:
        raise Http404(_("There’s no template for this type of file."))
    write, content_type = WRITERS[ending]
    content = write([found.columns, found.example])
    return HttpResponse(content, **_as_file(content_type, f"{kind}-template.{ending}"))


def _as_file(content_type: str, name: str) -> dict[str, Any]:
    disposition = f'attachment; filename="{name}"'
    return {
        "content_type": content_type,
        "headers": {"Content-Disposition": disposition},
    }


@staff_permission_required(PERMISSION)
@require_safe
def intake(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = _intake_for(request, pk)
    kind = IntakeRow.Kind
    context = {
        "intake": shown,
        "problem": said(shown.problem),
        "asks_for_columns": shown.problem.get("code") in COLUMN_QUESTIONS,
        "days_form": _days_form(shown),
        **_limits(shown),
        "can_be_undone": can_be_undone(shown),
        "stays": kind_of(shown).undo is None and shown.state == State.ENTERED,
        "totals": totals_of(shown),
        "becomes": shown.totals.get("history", {}),
        "ours_from": parse_date(shown.options.get("ours_from", "")),
        "refused": refused_of(queries.sample(shown, kind.REFUSED)),
        "changed": changed_of(queries.sample(shown, kind.CHANGED)),
        "new": new_of(queries.sample(shown, kind.NEW)),
        "suspects": new_of(queries.possible_duplicates(shown)),
        "job": _job_of(shown),
        **_progress(shown),
    }
    return render(request, "players/office/intake.html", context)


def _days_form(shown: Intake, sent: Any = None) -> DayOrdersForm | None:
    if shown.state != State.READY or shown.problem.get("code") != DATE_ORDER_QUESTION:
        return None
    return DayOrdersForm(sent, problem=shown.problem)


@staff_permission_required(PERMISSION)
def days(request: SignedInRequest, pk: int) -> HttpResponse:
    """Ask whether the month or the day comes first, and check the file again."""
    shown = _intake_for(request, pk)
    form = _days_form(shown, post_data(request))
    if form is None:
        return redirect(shown)
    return action_page(
        request,
        form,
        lambda _said: set_date_orders(
            intake_id=pk, actor=request.user, orders=form.orders()
        ),
        done=_("We’re checking the file."),
        to=shown.get_absolute_url(),
        template="players/office/intake_days.html",
        intake=shown,
    )


@staff_permission_required(PERMISSION)
@require_safe
def progress(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = _intake_for(request, pk)
    is_done = shown.state not in Intake.AT_WORK
    return progress_page(request, shown, is_done=is_done, progress=_progress(shown))


def _job_of(shown: Intake) -> Job | None:
    kind = JOBS.get(State(shown.state))
    return Job.objects.filter(kind=kind, key=str(shown.pk)).first() if kind else None


def _progress(shown: Intake) -> dict[str, object]:
    return progress_context(
        _job_of(shown),
        poll_url=reverse("players_office:intake_progress", args=[shown.pk]),
        label=str(shown),
    )


@staff_permission_required(PERMISSION)
@require_safe
def refused(request: SignedInRequest, pk: int) -> StreamingHttpResponse:
    """Download the refused rows with the reasons, to fix and send again."""
    shown = _intake_for(request, pk)
    sent = _as_file(CSV, f"refused-{shown.pk}.csv")
    return StreamingHttpResponse(_refused_lines(shown), **sent)


def _refused_lines(shown: Intake) -> Iterator[str]:
    yield to_csv([[*shown.headings, _("Line"), _("Reason")]])
    width = len(shown.headings)
    for row in queries.refused_rows(shown):
        cells = [*row.values.get("cells", ()), *[""] * width]
        yield to_csv([[*cells[:width], str(row.line), said(row.reason)]])


def _limits(shown: Intake) -> dict[str, Any]:
    """Return the exceeded limits of an import, and its pending approval."""
    if shown.state != State.READY or not (above := exceeded_limits(shown)):
        return {}
    proposal = proposal_for(shown.pk)
    return {
        "above_limits": above,
        "needed": approval_requirement(),
        "proposal": proposal,
        "has_waited": proposal is not None and has_waited(proposal),
    }


@staff_permission_required(PERMISSION)
def apply(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = _intake_for(request, pk)
    return action_page(
        request,
        ReasonForm(post_data(request)),
        lambda data: apply_intake(intake_id=pk, actor=request.user, **data),
        done=_apply_message,
        to=shown.get_absolute_url(),
        template="players/office/intake_enter.html",
        intake=shown,
        can_be_undone=can_be_undone(shown),
        **_limits(shown),
    )


def _apply_message(done: Intake | PendingAct) -> str:
    if isinstance(done, PendingAct):
        return _("The import is waiting for a second approval.")
    return _("We’re importing the file.")


@staff_permission_required(PERMISSION)
def undo(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = _intake_for(request, pk)
    return action_page(
        request,
        ReasonForm(post_data(request)),
        lambda data: undo_intake(intake_id=pk, actor=request.user, **data),
        done=_("We’re undoing the import."),
        to=shown.get_absolute_url(),
        template="players/office/intake_undo.html",
        intake=shown,
    )


@staff_permission_required(PERMISSION)
def reject(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = _intake_for(request, pk)
    return action_page(
        request,
        ReasonForm(post_data(request)),
        lambda data: reject_intake(intake_id=pk, actor=request.user, **data),
        done=_("File rejected. None of it is imported."),
        to=shown.get_absolute_url(),
        template="players/office/intake_aside.html",
        intake=shown,
    )


@staff_permission_required(PERMISSION)
def columns(request: SignedInRequest, pk: int) -> HttpResponse:
    """Ask for the meaning of each column, and check the file again."""
    shown = _intake_for(request, pk)
    kind = kind_of(shown)
    if shown.by_feed or shown.state != State.READY or not kind.spellings:
        return redirect(shown)
    with local_upload(shown.stored_as) as path:
        question = read_column_question(path, kind.spellings)
    if before := chosen_columns(shown):
        question = replace(question, guesses=before.meanings, headed=before.headed)
    form = RecordColumnsForm(post_data(request), question=question, kind=kind)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                set_columns(intake_id=pk, actor=request.user, columns=form.said())
            except ImportRefused as refusal:
                form.add_error(None, str(refusal))
            else:
                messages.success(request, _("We’re checking the file."))
                return redirect(shown)
    context = {
        "intake": shown,
        "form": form,
        "rows": [question.headings, *question.samples],
        "needed": join_names(column_name(name) for name in kind.needed),
    }
    return render(request, "players/office/intake_columns.html", context, status=status)


@staff_permission_required(PERMISSION)
@require_POST
def check_again(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = _intake_for(request, pk)
    try:
        recheck(intake_id=shown.pk, actor=request.user)
    except ImportRefused as refusal:
        messages.error(request, str(refusal))
    return redirect(shown)
