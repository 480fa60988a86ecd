"""The office's pages for imports."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from players.formats.table_reader import read_column_question, to_csv
from players.formats.xlsx_writer import write_xlsx
from players.imports import queries
from players.imports.forms import (
    DayOrdersForm,
    FaultsForm,
    FileForm,
    RecordColumnsForm,
)
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
from players.imports.rows import changed_of, faults_of, new_of, refused_of, totals_of
from players.imports.services.actions import (
    apply_intake,
    can_be_undone,
    chosen_columns,
    has_waited,
    proposal_for,
    receive_file,
    recheck,
    reject_intake,
    set_answers,
    set_columns,
    set_date_orders,
    undo_intake,
)
from players.imports.services.answers import fixes_and_words, questions_of
from players.imports.services.limits import (
    approval_requirement,
    exceeded_limits,
    last_stopped_feed,
)
from players.imports.services.runner import COLUMN_QUESTIONS, DATE_ORDER_QUESTION
from players.models import Intake, IntakeRow
from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.approvals.pages import ActionView, EditView, post_data
from ratings_site.common.jobs.progress import progress_context, progress_page
from ratings_site.common.models import Job, PendingAct
from ratings_site.common.ui.formatting import join_names
from ratings_site.common.ui.pagination import paginate
from ratings_site.common.uploads.services import local_upload
from ratings_site.common.web.files import CSV_TEXT, attachment, attachment_header
from ratings_site.common.web.requests import SignedInRequest

State = Intake.State
JOBS = {
    State.READING: READ_INTAKE,
    State.ENTERING: ENTER_INTAKE,
    State.UNDOING: UNDO_INTAKE,
}
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
WRITERS: dict[str, tuple[Callable[[Sequence[Sequence[str]]], object], str]] = {
    "csv": (to_csv, CSV_TEXT),
    "xlsx": (write_xlsx, XLSX),
}


def _intake_for(request: SignedInRequest, pk: int) -> Intake:
    """Return an import that this account may see."""
    rows = Intake.objects.select_related("received_by", "decided_by", "undone_by")
    shown = get_object_or_404(rows, pk=pk)
    require_for(request.user, shown.kind)
    return shown


@staff_permission_required(PERMISSION)
class Intakes(EditView[None]):
    """List the imports, and accept a new file."""

    form_class = FileForm
    template_name = "players/office/intakes.html"
    success_message = gettext_lazy("File uploaded. The import has started.")

    def get_initial(self) -> dict[str, Any]:
        return {} if self.request.method == "POST" else queries.last_options()

    def do(self, data: dict[str, Any]) -> Intake:
        return receive_file(
            actor=self.request.user,
            kind=data["kind"],
            name=data["file"].name,
            content=data["file"].chunks(),
            options=self.form.options(),
        )

    def context(self) -> dict[str, Any]:
        return {
            "page_obj": paginate(self.request, queries.intakes()),
            "stopped": last_stopped_feed(),
            "templates": [
                (kind.name, Intake.Kind(kind.name).label)
                for kind in kinds()
                if kind.columns
            ],
        }


@staff_permission_required(PERMISSION)
@require_safe
def template(request: SignedInRequest, kind: str, ending: str) -> HttpResponse:
    """Download the headings of one kind of file, with an example row."""
    found = next((one for one in kinds() if one.name == kind), None)
    if found is None or not found.columns or ending not in WRITERS:
        raise Http404(_("There’s no template for this type of file."))
    write, content_type = WRITERS[ending]
    content = write([found.columns, found.example])
    return attachment(content, f"{kind}-template.{ending}", content_type)


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
        "faults": faults_of(shown),
        "notes": [said(note) for note in shown.notes],
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
    header = attachment_header(f"refused-{shown.pk}.csv")
    return StreamingHttpResponse(_refused_lines(shown), CSV_TEXT, headers=header)


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
class IntakeAction(ActionView[Intake]):
    """An action on an import."""

    context_object_name = "intake"

    def get_object(self) -> Intake:
        return _intake_for(self.request, self.kwargs["pk"])


class Apply(IntakeAction):
    template_name = "players/office/intake_enter.html"

    def do(self, data: dict[str, str]) -> str:
        done = apply_intake(intake_id=self.object.pk, actor=self.request.user, **data)
        if isinstance(done, PendingAct):
            return _("The import is waiting for a second approval.")
        return _("We’re importing the file.")

    def context(self) -> dict[str, Any]:
        return {"can_be_undone": can_be_undone(self.object), **_limits(self.object)}


class Undo(IntakeAction):
    template_name = "players/office/intake_undo.html"
    success_message = gettext_lazy("We’re undoing the import.")

    def do(self, data: dict[str, str]) -> object:
        return undo_intake(intake_id=self.object.pk, actor=self.request.user, **data)


class Reject(IntakeAction):
    template_name = "players/office/intake_aside.html"
    success_message = gettext_lazy("File rejected. None of it is imported.")

    def do(self, data: dict[str, str]) -> object:
        return reject_intake(intake_id=self.object.pk, actor=self.request.user, **data)


class Days(IntakeAction):
    """Ask whether the month or the day comes first, and check the file again."""

    template_name = "players/office/intake_days.html"
    success_message = gettext_lazy("We’re checking the file.")

    def unavailable_response(self) -> HttpResponse | None:
        return None if _days_form(self.object) else redirect(self.object)

    def get_form(self, form_class: Any = None) -> Any:
        self.form = _days_form(self.object, post_data(self.request))
        return self.form

    def do(self, data: dict[str, str]) -> object:
        orders = self.form.orders()
        actor = self.request.user
        return set_date_orders(intake_id=self.object.pk, actor=actor, orders=orders)


class Faults(IntakeAction):
    """Ask what to do about each kind of fault, and check the file again."""

    template_name = "players/office/intake_faults.html"
    success_message = gettext_lazy("We’re checking the file.")

    def unavailable_response(self) -> HttpResponse | None:
        can_answer = self.object.state == State.READY and not self.object.by_feed
        has_questions = can_answer and questions_of(self.object)
        return None if has_questions else redirect(self.object)

    def get_form(self, form_class: Any = None) -> Any:
        sent = post_data(self.request)
        self.form = FaultsForm(sent, intake=self.object)
        return self.form

    def do(self, data: dict[str, str]) -> object:
        actor = self.request.user
        fixes, words = fixes_and_words(self.form.cleaned_data)
        return set_answers(
            intake_id=self.object.pk, actor=actor, fixes=fixes, words=words
        )


@staff_permission_required(PERMISSION)
class Columns(EditView[Intake]):
    """Ask for the meaning of each column, and check the file again."""

    form_class = RecordColumnsForm
    template_name = "players/office/intake_columns.html"
    context_object_name = "intake"
    success_message = gettext_lazy("We’re checking the file.")

    def get_object(self) -> Intake:
        return _intake_for(self.request, self.kwargs["pk"])

    def unavailable_response(self) -> HttpResponse | None:
        shown, self.kind = self.object, kind_of(self.object)
        if shown.by_feed or shown.state != State.READY or not self.kind.spellings:
            return redirect(shown)
        with local_upload(shown.stored_as) as path:
            self.question = read_column_question(path, self.kind.spellings)
        if before := chosen_columns(shown):
            self.question = replace(
                self.question, guesses=before.meanings, headed=before.headed
            )
        return None

    def get_form_kwargs(self) -> dict[str, Any]:
        more = {"question": self.question, "kind": self.kind}
        return super().get_form_kwargs() | more

    def do(self, data: dict[str, Any]) -> Intake:
        actor, columns = self.request.user, self.form.said()
        set_columns(intake_id=self.object.pk, actor=actor, columns=columns)
        return self.object

    def context(self) -> dict[str, Any]:
        return {
            "rows": [self.question.headings, *self.question.samples],
            "needed": join_names(column_name(name) for name in self.kind.needed),
        }


@staff_permission_required(PERMISSION)
@require_POST
def check_again(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = _intake_for(request, pk)
    try:
        recheck(intake_id=shown.pk, actor=request.user)
    except ImportRefused as refusal:
        messages.error(request, str(refusal))
    return redirect(shown)
