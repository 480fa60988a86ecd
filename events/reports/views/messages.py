"""The thread between the TD and the office on a report."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from events.access import for_office, require_reporter, submission_for
from events.models import Submission
from events.reports.forms.messages import MessageForm
from events.reports.queries.messages import reports_with_unread
from events.reports.services.messages import MessageRefused, mark_read, write_message

MOST_LISTED = 200

View = Callable[..., HttpResponse]


def for_both_sides(view: View) -> View:
    """Let TDs and staff through. A TD whose certification ended may still write."""

    @never_cache
    @login_required
    def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        require_reporter(request.user)
        return view(request, **kwargs)

    return guarded


@for_both_sides
def thread(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the thread by itself, and take a message."""
    submission = submission_for(request.user, pk)
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
    messages.success(request, _("Your message is with the report."))
    return redirect(f"{submission.get_absolute_url()}#messages")


@for_both_sides
def read(request: HttpRequest, pk: int) -> HttpResponse:
    """Take word that the messages are read and need no answer."""
    submission = submission_for(request.user, pk)
    if request.method == "POST":
        mark_read(submission=submission, actor=request.user)
        messages.success(request, _("The messages are marked as read."))
    return redirect(f"{submission.get_absolute_url()}#messages")


@for_office
def unread(request: HttpRequest) -> HttpResponse:
    """List the reports on which a TD waits for the office."""
    context = {"reports": reports_with_unread()[:MOST_LISTED]}
    return render(request, "events/office/unread.html", context)


def _page(
    request: HttpRequest, submission: Submission, form: MessageForm, status: int = 200
) -> HttpResponse:
    context = {"submission": submission, "message_form": form, "form": form}
    return render(request, "events/desk/messages.html", context, status=status)
