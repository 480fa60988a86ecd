"""Taking a report to decide it, and giving it back."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from events.access import for_reporters, require_office, submission_for
from events.books.refusals import NotPossible
from events.office.forms import ClaimForm
from events.office.pages import Queue
from events.office.services.claims import claim_report, release_report
from events.reports.views.desk import not_possible


@for_reporters
def claim(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a report to decide it, or over from the one who has it."""
    require_office(request.user)
    submission = submission_for(request.user, pk)
    form = ClaimForm(request.POST)
    if request.method != "POST" or not form.is_valid():
        return redirect(submission)
    try:
        claim_report(
            submission_id=pk,
            actor=request.user,
            holder_id=form.cleaned_data["holder"],
        )
    except NotPossible as problem:
        return not_possible(request, submission, str(problem))
    messages.success(request, _("The report is yours to decide."))
    return redirect(submission.get_absolute_url() + Queue.handed_on(request).query)


@for_reporters
def release(request: HttpRequest, pk: int) -> HttpResponse:
    """Give a report back, so that anybody may take it."""
    require_office(request.user)
    submission = submission_for(request.user, pk)
    if request.method != "POST":
        return redirect(submission)
    try:
        had_it = release_report(submission_id=pk, actor=request.user)
    except NotPossible as problem:
        return not_possible(request, submission, str(problem))
    said = _("Anybody can take the report now.") if had_it else _("It was not yours.")
    messages.success(request, said)
    return redirect(submission.get_absolute_url() + Queue.handed_on(request).query)
