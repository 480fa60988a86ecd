"""The schedules of a section of a report, entered on a page of their own."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from events.access import for_reporters, submission_for
from events.books.refusals import NotPossible, Outdated
from events.books.schedules import deciding_control
from events.importers.records import ReportedSection
from events.models import Submission
from events.reports.forms.schedules import SchedulesForm, VersionForm, present_of
from events.reports.services.schedules import set_schedules
from events.reports.services.submissions import reported_in
from events.reports.views.desk import NOT_NOW, not_possible, section_or_404


@for_reporters
def schedules(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Say which rounds were played on schedules of their own, before they merged."""
    submission = submission_for(request.user, pk)
    section = section_or_404(reported_in(submission), number)
    if not submission.is_editable:
        return not_possible(request, submission, NOT_NOW)
    if request.method != "POST":
        form = SchedulesForm(initial=present_of(section.schedules))
        return _page(request, submission, section, form)
    return _save(request, submission, section)


def _save(
    request: HttpRequest, submission: Submission, section: ReportedSection
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
    except Outdated as outdated:
        submission.refresh_from_db()
        problem = str(outdated)
        return _page(request, submission, section, form, problem=problem, status=409)
    except NotPossible as problem:
        return not_possible(request, submission, str(problem))
    messages.success(request, _("The schedules are saved."))
    return redirect(f"{submission.get_absolute_url()}#s{section.number}")


def _page(
    request: HttpRequest,
    submission: Submission,
    section: ReportedSection,
    form: SchedulesForm,
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
    return render(request, "events/desk/schedules.html", context, status=status)
