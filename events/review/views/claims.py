"""Assign a report to oneself, and unassign it."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from events.access import get_submission_or_404, reporter_required, require_office
from events.records.exceptions import NotPossible
from events.reports.views.reports import not_possible
from events.review.forms import ClaimForm
from events.review.pages import Queue
from events.review.services.claims import claim_report, release_report
from ratings_site.common.web.requests import SignedInRequest


@reporter_required
def claim(request: SignedInRequest, pk: int) -> HttpResponse:
    """Assign a report to the user, possibly from another clerk."""
    require_office(request.user)
    submission = get_submission_or_404(request.user, pk)
    form = ClaimForm(request.POST)
    if request.method != "POST" or not form.is_valid():
        return redirect(submission)
    try:
        claim_report(
            submission_id=pk, actor=request.user, holder_id=form.cleaned_data["holder"]
        )
    except NotPossible as problem:
        return not_possible(request, submission, str(problem))
    messages.success(request, _("The report is assigned to you."))
    return redirect(submission.get_absolute_url() + Queue.from_request(request).query)


@reporter_required
def release(request: SignedInRequest, pk: int) -> HttpResponse:
    """Unassign a report."""
    require_office(request.user)
    submission = get_submission_or_404(request.user, pk)
    if request.method != "POST":
        return redirect(submission)
    try:
        had_it = release_report(submission_id=pk, actor=request.user)
    except NotPossible as problem:
        return not_possible(request, submission, str(problem))
    said = (
        _("The report is unassigned.")
        if had_it
        else _("The report wasn’t assigned to you.")
    )
    messages.success(request, said)
    return redirect(submission.get_absolute_url() + Queue.from_request(request).query)
