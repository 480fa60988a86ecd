from collections.abc import Callable
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from events.access import for_reporters, require_office, submission_for
from events.books.refusals import NotPossible, Outdated
from events.checks.saying import finding_said
from events.checks.services import shown_findings
from events.models import Submission
from events.office.forms import ClaimForm
from events.office.services.claims import claim_report, release_report
from events.reports.forms.acts import MemberForm, OverrideForm, RecordForm
from events.reports.services.records import use_member as take_member
from events.reports.services.records import use_records
from events.reports.services.submissions import override_findings
from events.reports.views.desk import not_possible
from events.reports.views.live import page_shown, refreshed
from ratings_site.common.web.parts import wants_part



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
    return redirect(submission)


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
    return redirect(submission)
