"""The thread between the TD and the office on a report."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.access import get_submission_or_404, office_required, require_reporter
from events.reports.forms.messages import MessageForm
from events.reports.queries.messages import reports_with_unread
from events.reports.services.messages import mark_read, write_message
from events.reports.views.reports import SubmissionView
from ratings_site.common.accounts.permissions import restrict
from ratings_site.common.ui.pagination import paginate
from ratings_site.common.web.requests import SignedInRequest

# For TDs and staff, also for TDs whose certification has ended.
thread_participant_required = restrict(lambda request: require_reporter(request.user))


@thread_participant_required
class Thread(SubmissionView):
    """Show the thread on its own page, and accept a message."""

    form_class = MessageForm
    template_name = "events/reports/messages.html"
    success_message = gettext_lazy("Message sent.")

    def do(self, data: dict[str, Any]) -> str:
        write_message(submission=self.object, actor=self.request.user, **data)
        return f"{self.object.get_absolute_url()}#messages"

    def context(self) -> dict[str, Any]:
        return {"message_form": self.form}


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
    context = {"page_obj": paginate(request, reports_with_unread())}
    return render(request, "events/review/unread.html", context)
