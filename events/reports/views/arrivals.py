"""Reports that arrive as tables: templates to fill in, and which column is which."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from events.access import for_reporters, submission_for
from events.books.refusals import NotPossible, Outdated
from events.checks.saying import said
from events.importers.tables.read import ColumnQuestion
from events.importers.tables.write import TEMPLATES, template_csv, template_xlsx
from events.models import Submission
from events.reports.forms.uploads import ReportColumnsForm
from events.reports.pages.arrivals import asks_for_columns, step_to_facts
from events.reports.services.submissions import read_again, tell_columns
from events.reports.views.desk import NOT_NOW, not_possible
from ratings_site.common.looks.figures import listed

_WRITERS = {"csv": template_csv, "xlsx": template_xlsx}
_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@require_safe
@for_reporters
def template(request: HttpRequest, name: str, ending: str) -> HttpResponse:
    """Send a table to fill in: a crosstable or a list of games."""
    if name not in TEMPLATES:
        raise Http404(_("There is no such template. Choose one on the upload page."))
    return HttpResponse(
        _WRITERS[ending](name),
        content_type=_TYPES[ending],
        headers={"Content-Disposition": f'attachment; filename="{name}.{ending}"'},
    )


@for_reporters
def columns(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask which column of a kept table is which."""
    submission = submission_for(request.user, pk)
    if not submission.is_editable:
        return not_possible(request, submission, NOT_NOW)
    question = read_again(submission).question if asks_for_columns(submission) else None
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
        told = tell_columns(
            submission_id=pk,
            actor=request.user,
            version=form.cleaned_data["version"],
            answer=form.answer(),
        )
    except (Outdated, NotPossible) as problem:
        form.add_error(None, str(problem))
        return _columns_page(request, submission, question, form, status=409)
    messages.success(request, _("The table was read."))
    return redirect(step_to_facts(told))


def _columns_page(
    request: HttpRequest,
    submission: Submission,
    question: ColumnQuestion,
    form: ReportColumnsForm,
    *,
    status: int = 200,
) -> HttpResponse:
    context: dict[str, Any] = {
        "submission": submission,
        "place": said(question.place),
        "missing": listed(said(name) for name in question.missing),
        "form": form,
        "rows": [question.headings, *question.samples],
    }
    return render(request, "events/desk/columns.html", context, status=status)
