"""The office's pages of files that move in."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from players.importers.sheets import write_sheet
from players.importers.tables import ask_for_columns, file_of
from players.intake import queries
from players.intake.forms import FileForm, ManyForm, RecordColumnsForm
from players.intake.jobs import ENTER_INTAKE, READ_INTAKE, UNDO_INTAKE
from players.intake.kinds import (
    PERMISSION,
    NotTaken,
    kind_of,
    kinds,
    require_for,
)
from players.intake.rows import changed_of, new_of, refused_of, totals_of
from players.intake.saying import column_name, said
from players.intake.services.performing import ASKS_FOR_COLUMNS
from players.intake.services.receiving import (
    can_be_undone,
    changes_too_many,
    columns_of,
    enter_intake,
    name_columns,
    path_of,
    read_again,
    receive_file,
    set_aside,
    too_many,
    undo_intake,
)
from players.models import Intake, IntakeRow
from ratings_site.common.accounts.permissions import for_staff
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.acts.pages import act_page, posted
from ratings_site.common.jobs.pages import progress_of, progress_page
from ratings_site.common.looks.figures import listed
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE
from ratings_site.common.models import Job

State = Intake.State
JOBS = {
    State.READING: READ_INTAKE,
    State.ENTERING: ENTER_INTAKE,
    State.UNDOING: UNDO_INTAKE,
}
CSV = "text/csv; charset=utf-8"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
WRITERS: dict[str, tuple[Callable[[Sequence[Sequence[str]]], object], str]] = {
    "csv": (file_of, CSV),
    "xlsx": (write_sheet, XLSX),
}


def _intake_for(request: HttpRequest, pk: int) -> Intake:
    """Return a file that this account may see."""
    rows = Intake.objects.select_related("received_by", "decided_by", "undone_by")
    shown = get_object_or_404(rows, pk=pk)
    require_for(request.user, shown.kind)
    return shown


@for_staff(PERMISSION)
def intakes(request: HttpRequest) -> HttpResponse:
    """Show the files so far, and take another one."""
    form = FileForm(initial=queries.last_options())
    status = 200
    if request.method == "POST":
        form = FileForm(request.POST, request.FILES)
        status = 422
        if form.is_valid() and (received := _receive(request, form)):
            messages.success(request, _("The file is kept, and is being read."))
            return redirect(received)
    page = Paginator(queries.intakes(), ROWS_ON_A_PAGE)
    context = {
        "form": form,
        "page_obj": page.get_page(request.GET.get("page")),
        "templates": [
            (kind.name, Intake.Kind(kind.name).label)
            for kind in kinds()
            if kind.columns
        ],
    }
    return render(request, "players/office/intakes.html", context, status=status)


def _receive(request: HttpRequest, form: FileForm) -> Intake | None:
    file = form.cleaned_data["file"]
    try:
        return receive_file(
            actor=request.user,
            kind=form.cleaned_data["kind"],
            name=file.name,
            content=file.chunks(),
            options=form.options(),
        )
    except NotTaken as refusal:
        form.add_error(None, str(refusal))
        return None


@for_staff(PERMISSION)
@require_safe
def template(request: HttpRequest, kind: str, ending: str) -> HttpResponse:
    """Answer with the headings of one kind of file, and a row to go by."""
    found = next((one for one in kinds() if one.name == kind), None)
    if found is None or not found.columns or ending not in WRITERS:
        raise Http404(_("There is no file of this kind."))
    write, content_type = WRITERS[ending]
    content = write([found.columns, found.example])
    return HttpResponse(content, **_as_file(content_type, f"{kind}-template.{ending}"))


def _as_file(content_type: str, name: str) -> dict[str, Any]:
    disposition = f'attachment; filename="{name}"'
    return {
        "content_type": content_type,
        "headers": {"Content-Disposition": disposition},
    }


@for_staff(PERMISSION)
@require_safe
def intake(request: HttpRequest, pk: int) -> HttpResponse:
    shown = _intake_for(request, pk)
    kind = IntakeRow.Kind
    context = {
        "intake": shown,
        "problem": said(shown.problem),
        "asks_for_columns": shown.problem.get("code") in ASKS_FOR_COLUMNS,
        "too_many": too_many(shown) if changes_too_many(shown) else "",
        "can_be_undone": can_be_undone(shown),
        "stays": kind_of(shown).undo is None and shown.state == State.ENTERED,
        "totals": totals_of(shown),
        "becomes": shown.totals.get("history", {}),
        "ours_from": parse_date(shown.options.get("ours_from", "")),
        "refused": refused_of(queries.sample(shown, kind.REFUSED)),
        "changed": changed_of(queries.sample(shown, kind.CHANGED)),
        "new": new_of(queries.sample(shown, kind.NEW)),
        "suspects": new_of(queries.suspects(shown)),
        "job": _job_of(shown),
        **_progress(shown),
    }
    return render(request, "players/office/intake.html", context)


@for_staff(PERMISSION)
@require_safe
def progress(request: HttpRequest, pk: int) -> HttpResponse:
    shown = _intake_for(request, pk)
    is_done = shown.state not in Intake.AT_WORK
    return progress_page(request, shown, is_done=is_done, progress=_progress(shown))


def _job_of(shown: Intake) -> Job | None:
    kind = JOBS.get(State(shown.state))
    return Job.objects.filter(kind=kind, key=str(shown.pk)).first() if kind else None


def _progress(shown: Intake) -> dict[str, object]:
    return progress_of(
        _job_of(shown),
        poll_url=reverse("players_office:intake_progress", args=[shown.pk]),
        label=str(shown),
    )


@for_staff(PERMISSION)
@require_safe
def refused(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer with the refused rows as they stood, and why, to be mended and sent."""
    shown = _intake_for(request, pk)
    sent = _as_file(CSV, f"refused-{shown.pk}.csv")
    return StreamingHttpResponse(_refused_lines(shown), **sent)


def _refused_lines(shown: Intake) -> Iterator[str]:
    yield file_of([[*shown.headings, _("Line"), _("Reason")]])
    width = len(shown.headings)
    for row in queries.refused_rows(shown):
        cells = [*row.values.get("cells", ()), *[""] * width]
        yield file_of([[*cells[:width], str(row.line), said(row.reason)]])


@for_staff(PERMISSION)
def enter(request: HttpRequest, pk: int) -> HttpResponse:
    shown = _intake_for(request, pk)
    form = ManyForm if changes_too_many(shown) else ReasonForm
    return act_page(
        request,
        form(posted(request)),
        lambda told: enter_intake(intake_id=pk, actor=request.user, **told),
        done=_("The file is being entered."),
        to=shown.get_absolute_url(),
        template="players/office/intake_enter.html",
        intake=shown,
        can_be_undone=can_be_undone(shown),
        too_many=too_many(shown) if changes_too_many(shown) else "",
    )


@for_staff(PERMISSION)
def undo(request: HttpRequest, pk: int) -> HttpResponse:
    shown = _intake_for(request, pk)
    return act_page(
        request,
        ReasonForm(posted(request)),
        lambda told: undo_intake(intake_id=pk, actor=request.user, **told),
        done=_("The file is being undone."),
        to=shown.get_absolute_url(),
        template="players/office/intake_undo.html",
        intake=shown,
    )


@for_staff(PERMISSION)
def aside(request: HttpRequest, pk: int) -> HttpResponse:
    shown = _intake_for(request, pk)
    return act_page(
        request,
        ReasonForm(posted(request)),
        lambda told: set_aside(intake_id=pk, actor=request.user, **told),
        done=_("Set aside. Nothing of the file counts."),
        to=shown.get_absolute_url(),
        template="players/office/intake_aside.html",
        intake=shown,
    )


@for_staff(PERMISSION)
def columns(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask which column of a file is which, and have it read by that."""
    shown = _intake_for(request, pk)
    kind = kind_of(shown)
    if shown.by_feed or shown.state != State.READY or not kind.spellings:
        return redirect(shown)
    question = ask_for_columns(path_of(shown), kind.spellings)
    if before := columns_of(shown):
        question = replace(question, guesses=before.meanings, headed=before.headed)
    form = RecordColumnsForm(posted(request), question=question, kind=kind)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                name_columns(intake_id=pk, actor=request.user, columns=form.said())
            except NotTaken as refusal:
                form.add_error(None, str(refusal))
            else:
                messages.success(request, _("The file is being read."))
                return redirect(shown)
    context = {
        "intake": shown,
        "form": form,
        "rows": [question.headings, *question.samples],
        "needed": listed(column_name(name) for name in kind.needed),
    }
    return render(request, "players/office/intake_columns.html", context, status=status)


@for_staff(PERMISSION)
@require_POST
def again(request: HttpRequest, pk: int) -> HttpResponse:
    shown = _intake_for(request, pk)
    try:
        read_again(intake_id=shown.pk, actor=request.user)
    except NotTaken as refusal:
        messages.error(request, str(refusal))
    return redirect(shown)
