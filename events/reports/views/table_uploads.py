"""Reports that arrive as tables: templates, and the meaning of columns."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from events.access import get_submission_or_404, reporter_required
from events.checks.messages import translated
from events.formats.tables.reader import ColumnQuestion
from events.formats.tables.writer import TEMPLATES, template_csv, template_xlsx
from events.models import Submission
from events.records.exceptions import NotPossible, VersionConflict
from events.reports.forms.uploads import ReportColumnsForm
from events.reports.pages.upload_steps import asks_for_columns, step_to_facts
from events.reports.services.submissions import reread_files, set_columns
from events.reports.views.reports import NOT_NOW, not_possible
from ratings_site.common.ui.formatting import join_names
from ratings_site.common.web.requests import SignedInRequest

_WRITERS = {"csv": template_csv, "xlsx": template_xlsx}
_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@require_safe
@reporter_required
def template(request: SignedInRequest, name: str, ending: str) -> HttpResponse:
    """Send an empty table: a crosstable or a list of games."""
    if name not in TEMPLATES:
        raise Http404(_("This template doesn’t exist. Choose one on the upload page."))
    return HttpResponse(
        _WRITERS[ending](name),
        content_type=_TYPES[ending],
        headers={"Content-Disposition": f'attachment; filename="{name}.{ending}"'},
    )


@reporter_required
def columns(request: SignedInRequest, pk: int) -> HttpResponse:
    """Assign the columns of a stored table."""
    submission = get_submission_or_404(request.user, pk)
    if not submission.is_editable:
        return not_possible(request, submission, NOT_NOW)
    question = (
        reread_files(submission).question if asks_for_columns(submission) else None
    )
    if question is None:
        return redirect(submission)
    form = ReportColumnsForm(
        request.POST if request.method == "POST" else None,
        question=question,
        initial={"version": submission.version},
    )
    if request.method != "POST":
        return _columns_page(request, submission, question, form)
    if not form.is_valid():
        return _columns_page(request, submission, question, form, status=422)
    try:
        told = set_columns(
            submission_id=pk,
            actor=request.user,
            version=form.cleaned_data["version"],
            answer=form.answer(),
        )
    except (VersionConflict, NotPossible) as problem:
        form.add_error(None, str(problem))
        return _columns_page(request, submission, question, form, status=409)
    messages.success(request, _("The table was read."))
    return redirect(step_to_facts(told))


def _columns_page(
    request: SignedInRequest,
    submission: Submission,
    question: ColumnQuestion,
    form: ReportColumnsForm,
    *,
    status: int = 200,
) -> HttpResponse:
    context: dict[str, Any] = {
        "submission": submission,
        "place": translated(question.place),
        "missing": join_names(translated(name) for name in question.missing),
        "form": form,
        "rows": [question.headings, *question.samples],
    }
    return render(request, "events/reports/columns.html", context, status=status)
