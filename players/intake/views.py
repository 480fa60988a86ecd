"""The office's pages of files that move in."""

from collections.abc import Iterator

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from players.importers.tables import file_of
from players.intake import queries
from players.intake.forms import FileForm, ManyForm
from players.intake.jobs import ENTER_INTAKE, READ_INTAKE, UNDO_INTAKE
from players.intake.kinds import PERMISSION, NotTaken, kinds
from players.intake.rows import changed_of, new_of, refused_of, totals_of
from players.intake.saying import said
from players.intake.services.receiving import (
    can_be_undone,
    changes_too_many,
    enter_intake,
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
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE
from ratings_site.common.models import Job

State = Intake.State
JOBS = {
    State.READING: READ_INTAKE,
    State.ENTERING: ENTER_INTAKE,
    State.UNDOING: UNDO_INTAKE,
}


@for_staff(PERMISSION)
def intakes(request: HttpRequest) -> HttpResponse:
    """Show the files so far, and take another one."""
    form = FileForm()
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
        "templates": [(kind.name, Intake.Kind(kind.name).label) for kind in kinds()],
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
        )
    except NotTaken as refusal:
        form.add_error(None, str(refusal))
        return None


@for_staff(PERMISSION)
@require_safe
def template(request: HttpRequest, kind: str) -> HttpResponse:
    """Answer with the headings of one kind of file, and a row to go by."""
    found = next((one for one in kinds() if one.name == kind), None)
    if found is None:
        raise Http404(_("There is no file of this kind."))
    return _csv(file_of([found.columns, found.example]), f"{kind}-template.csv")


def _csv(content: object, name: str) -> HttpResponse:
    kind = HttpResponse if isinstance(content, str) else StreamingHttpResponse
    return kind(
        content,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@for_staff(PERMISSION)
@require_safe
def intake(request: HttpRequest, pk: int) -> HttpResponse:
    rows = Intake.objects.select_related("received_by", "decided_by", "undone_by")
    shown = get_object_or_404(rows, pk=pk)
    kind = IntakeRow.Kind
    context = {
        "intake": shown,
        "problem": said(shown.problem),
        "too_many": too_many(shown) if changes_too_many(shown) else "",
        "can_be_undone": can_be_undone(shown),
        "totals": totals_of(shown),
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
    """Answer with the bar of progress; once all is done, with the whole page."""
    shown = get_object_or_404(Intake, pk=pk)
    if shown.state not in Intake.AT_WORK:
        response = HttpResponse()
        response["HX-Redirect"] = shown.get_absolute_url()
        return response
    return render(request, "partials/progress.html", _progress(shown))


def _job_of(shown: Intake) -> Job | None:
    kind = JOBS.get(State(shown.state))
    return Job.objects.filter(kind=kind, key=str(shown.pk)).first() if kind else None


def _progress(shown: Intake) -> dict[str, object]:
    job = _job_of(shown)
    if job is None or job.state not in Job.OPEN_STATES:
        return {"sentence": ""}
    return {
        "id": "progress",
        "sentence": job.message or _("Waiting for a worker"),
        "percent": job.percent,
        "poll_url": reverse("players_office:intake_progress", args=[shown.pk]),
        "every": "2s",
        "label": str(shown),
    }


@for_staff(PERMISSION)
@require_safe
def refused(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer with the refused rows as they stood, and why, to be mended and sent."""
    shown = get_object_or_404(Intake, pk=pk)
    return _csv(_refused_lines(shown), f"refused-{shown.pk}.csv")


def _refused_lines(shown: Intake) -> Iterator[str]:
    yield file_of([[*shown.headings, _("Line"), _("Reason")]])
    width = len(shown.headings)
    for row in queries.refused_rows(shown):
        cells = [*row.values.get("cells", ()), *[""] * width]
        yield file_of([[*cells[:width], str(row.line), said(row.reason)]])


@for_staff(PERMISSION)
def enter(request: HttpRequest, pk: int) -> HttpResponse:
    shown = get_object_or_404(Intake, pk=pk)
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
    shown = get_object_or_404(Intake, pk=pk)
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
    shown = get_object_or_404(Intake, pk=pk)
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
@require_POST
def again(request: HttpRequest, pk: int) -> HttpResponse:
    shown = get_object_or_404(Intake, pk=pk)
    try:
        read_again(intake_id=shown.pk, actor=request.user)
    except NotTaken as refusal:
        messages.error(request, str(refusal))
    return redirect(shown)
