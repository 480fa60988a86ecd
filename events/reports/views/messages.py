"""The thread between the TD and the office on a report."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from events.access import get_submission_or_404, office_required, require_reporter
from events.models import Submission
from events.reports.forms.messages import MessageForm
from events.reports.queries.messages import reports_with_unread
from events.reports.services.messages import MessageRefused, mark_read, write_message
from ratings_site.common.web.requests import SignedInRequest

MAX_LISTED = 200

View = Callable[..., HttpResponse]


def thread_participant_required(view: View) -> View:
    """Allow TDs and staff, also TDs whose certification has ended."""

    @never_cache
    @login_required
    def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        require_reporter(request.user)
        return view(request, **kwargs)

    return guarded


@thread_participant_required
def thread(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show the thread on its own page, and accept a message."""
    submission = get_submission_or_404(request.user, pk)
    if request.method != "POST":
        return _page(request, submission, MessageForm())
    form = MessageForm(request.POST)
    if not form.is_valid():
        return _page(request, submission, form, status=422)
    try:
        write_message(submission=submission, actor=request.user, **form.cleaned_data)
    except MessageRefused as refusal:
        form.add_error(None, str(refusal))
        return _page(request, submission, form, status=422)
    messages.success(request, _("Message sent."))
    return redirect(f"{submission.get_absolute_url()}#messages")


@thread_participant_required
def read(request: SignedInRequest, pk: int) -> HttpResponse:
    """Mark the messages as read without an answer."""
    submission = get_submission_or_404(request.user, pk)
    if request.method == "POST":
        mark_read(submission=submission, actor=request.user)
        messages.success(request, _("Messages marked as read."))
    return redirect(f"{submission.get_absolute_url()}#messages")


@office_required
def unread(request: SignedInRequest) -> HttpResponse:
    """List the reports with unread messages for the office."""
    context = {"reports": reports_with_unread()[:MAX_LISTED]}
    return render(request, "events/review/unread.html", context)


def _page(
    request: SignedInRequest,
    submission: Submission,
    form: MessageForm,
    status: int = 200,
) -> HttpResponse:
    context = {"submission": submission, "message_form": form, "form": form}
    return render(request, "events/reports/messages.html", context, status=status)
