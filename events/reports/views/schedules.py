"""The page for the schedules of a section."""

from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_lazy

from events.access import reporter_required
from events.records.exceptions import VersionConflict
from events.records.schedules import deciding_control
from events.reports.forms.actions import VersionForm
from events.reports.forms.schedules import SchedulesForm, present_of
from events.reports.services.schedules import set_schedules
from events.reports.services.submissions import reported_in
from events.reports.views.reports import ReportView, not_possible, section_or_404


@reporter_required
class Schedules(ReportView):
    """Edit the rounds that were played in schedules before they merged."""

    form_class = SchedulesForm
    template_name = "events/reports/schedules.html"
    success_message = gettext_lazy("Schedules saved.")

    def unavailable_response(self) -> HttpResponseBase | None:
        self.section = section_or_404(reported_in(self.object), self.kwargs["number"])
        return super().unavailable_response()

    def get_form_kwargs(self) -> dict[str, Any]:
        # Without the present values, all schedules that are sent count as new.
        if self.request.method == "POST":
            return {"data": self.request.POST}
        return {"initial": present_of(self.section.schedules)}

    def form_valid(self, form: Any) -> HttpResponse:
        self.shown = VersionForm(self.request.POST)
        return super().form_valid(form) if self.shown.is_valid() else self.show(422)

    def do(self, data: object) -> str:
        set_schedules(
            **self.where,
            **self.shown.cleaned_data,
            section_number=self.section.number,
            schedules=self.form.schedules(),
        )
        return f"{self.object.get_absolute_url()}#s{self.section.number}"

    def refuse(self, refusal: Exception, **now: object) -> HttpResponse:
        if not isinstance(refusal, VersionConflict):
            return not_possible(self.request, self.object, str(refusal))
        self.object.refresh_from_db()
        return self.show(409, problem=str(refusal))

    def context(self) -> dict[str, Any]:
        return {"section": self.section, "decides": deciding_control(self.section)}
