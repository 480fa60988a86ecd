"""Reports that arrive as tables: templates, and the meaning of columns."""

from typing import Any, cast

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from events.access import reporter_required
from events.checks.messages import translated
from events.formats.tables.reader import ColumnQuestion
from events.formats.tables.writer import TEMPLATES, template_csv, template_xlsx
from events.reports.forms.uploads import ReportColumnsForm
from events.reports.pages.upload_steps import asks_for_columns, step_to_facts
from events.reports.services.submissions import reread_files, set_columns
from events.reports.views.reports import ReportView
from ratings_site.common.approvals.pages import refused
from ratings_site.common.ui.formatting import join_names
from ratings_site.common.web.files import CSV_TEXT, attachment
from ratings_site.common.web.requests import SignedInRequest

_WRITERS = {"csv": template_csv, "xlsx": template_xlsx}
_TYPES = {
    "csv": CSV_TEXT,
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@require_safe
@reporter_required
def template(request: SignedInRequest, name: str, ending: str) -> HttpResponse:
    """Send an empty table: a crosstable or a list of games."""
    if name not in TEMPLATES:
        raise Http404(_("This template doesn’t exist. Choose one on the upload page."))
    return attachment(_WRITERS[ending](name), f"{name}.{ending}", _TYPES[ending])


@reporter_required
class Columns(ReportView):
    """Assign the columns of a stored table."""

    form_class = ReportColumnsForm
    template_name = "events/reports/columns.html"
    success_message = gettext_lazy("The table was read.")

    def unavailable_response(self) -> HttpResponseBase | None:
        if response := super().unavailable_response():
            return response
        asks = asks_for_columns(self.object)
        self.question = reread_files(self.object).question if asks else None
        return redirect(self.object) if self.question is None else None

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"question": self.question}

    def get_initial(self) -> dict[str, Any]:
        return {"version": self.object.version}

    def do(self, data: dict[str, Any]) -> str:
        version, answer = data["version"], self.form.answer()
        return step_to_facts(set_columns(**self.where, version=version, answer=answer))

    def refuse(self, refusal: Exception, **now: object) -> HttpResponse:
        refused(self.form, refusal)
        return self.show(409)

    def context(self) -> dict[str, Any]:
        question = cast(ColumnQuestion, self.question)
        return {
            "place": translated(question.place),
            "missing": join_names(translated(name) for name in question.missing),
            "rows": [question.headings, *question.samples],
        }
