"""The page for the schedules of a section."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from events.access import get_submission_or_404, reporter_required
from events.formats.report import ReportedSection
from events.models import Submission
from events.records.exceptions import NotPossible, VersionConflict
from events.records.schedules import deciding_control
from events.reports.forms.actions import VersionForm
from events.reports.forms.schedules import (
    BaseSchedulesFormSet,
    SchedulesForm,
    present_of,
)
from events.reports.services.schedules import set_schedules
from events.reports.services.submissions import reported_in
from events.reports.views.reports import NOT_NOW, not_possible, section_or_404
from ratings_site.common.web.requests import SignedInRequest


@reporter_required
def schedules(request: SignedInRequest, pk: int, number: int) -> HttpResponse:
    """Edit the rounds that were played in schedules before they merged."""
    submission = get_submission_or_404(request.user, pk)
    section = section_or_404(reported_in(submission), number)
    if not submission.is_editable:
        return not_possible(request, submission, NOT_NOW)
    if request.method != "POST":
        form = SchedulesForm(initial=present_of(section.schedules))
        return _page(request, submission, section, form)
    return _save(request, submission, section)


def _save(
    request: SignedInRequest, submission: Submission, section: ReportedSection
) -> HttpResponse:
    form = SchedulesForm(request.POST)
    shown = VersionForm(request.POST)
    if not form.is_valid() or not shown.is_valid():
        return _page(request, submission, section, form, status=422)
    try:
        set_schedules(
            submission_id=submission.pk,
            actor=request.user,
            version=shown.cleaned_data["version"],
            section_number=section.number,
            schedules=form.schedules(),
        )
    except VersionConflict as outdated:
        submission.refresh_from_db()
        problem = str(outdated)
        return _page(request, submission, section, form, problem=problem, status=409)
    except NotPossible as problem:
        return not_possible(request, submission, str(problem))
    messages.success(request, _("Schedules saved."))
    return redirect(f"{submission.get_absolute_url()}#s{section.number}")


def _page(
    request: SignedInRequest,
    submission: Submission,
    section: ReportedSection,
    form: BaseSchedulesFormSet,
    *,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {
        "submission": submission,
        "section": section,
        "form": form,
        "decides": deciding_control(section),
        "problem": problem,
    }
    return render(request, "events/reports/schedules.html", context, status=status)
