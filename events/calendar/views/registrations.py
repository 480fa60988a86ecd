"""Pages for registered events: register, change, cancel, link a report."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from events.access import (
    get_submission_or_404,
    office_required,
    official_of,
    reporter_required,
)
from events.calendar.forms import (
    CancelForm,
    ChangeForm,
    LinkReportForm,
    RegistrationForm,
)
from events.calendar.ics import calendar
from events.calendar.queries.calendar import rated_event_of
from events.calendar.queries.registrations import (
    registered_by,
    registrations,
    unreported,
)
from events.calendar.services import (
    RegistrationRefused,
    can_change_registration,
    cancel_registration,
    change_registration,
    link_report,
    register_event,
    unlink_report,
)
from events.calendar.tables import ExpectedTable, RegisteredTable
from events.calendar.views.calendar import StateForm, ics_response
from events.models import EventRegistration, Submission
from ratings_site.common.approvals.pages import ActionView, EditView, post_data
from ratings_site.common.ui.pagination import sort_and_paginate
from ratings_site.common.web.files import csv_download
from ratings_site.common.web.requests import SignedInRequest


@require_safe
def registered(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a registered event, or redirect to the accepted event."""
    found = _registration(pk)
    if event := rated_event_of(found):
        return redirect(event)
    context = {
        "registration": found,
        "sections": found.sections.all(),
        "place": found.place,
        "may_change": can_change_registration(request.user, found)
        and not found.is_canceled,
        "is_over": found.has_ended_on(timezone.localdate()),
    }
    return render(request, "events/registration/registered.html", context)


@require_safe
def registered_ics(request: HttpRequest, pk: int) -> HttpResponse:
    """Send one registered event as a calendar file."""
    found = _registration(pk)
    return ics_response(calendar(found.name, [found]), f"event-{pk}.ics")


@reporter_required
class Register(EditView[None]):
    form_class = RegistrationForm
    template_name = "events/registration/register.html"
    success_message = gettext_lazy("The event is now in the calendar.")

    def get_initial(self) -> dict[str, Any]:
        """Return initial values from the TD's record."""
        official = official_of(self.request.user)
        if official is None:
            return {}
        affiliates = list(official.affiliates.all()[:2])
        only = affiliates[0].affiliate_id if len(affiliates) == 1 else ""
        player = official.player
        return {"chief": player.member_id, "affiliate": only, "state": player.state}

    def do(self, data: dict[str, Any]) -> EventRegistration:
        return register_event(actor=self.request.user, plan=self.form.plan())


@reporter_required
class RegistrationAction(ActionView[EventRegistration]):
    """An action on a registered event."""

    context_object_name = "registration"

    def get_object(self) -> EventRegistration:
        found = _registration(self.kwargs["pk"])
        if not can_change_registration(self.request.user, found):
            raise PermissionDenied(
                _(
                    "Only the TD who registered this event, its chief TD, and clerks "
                    "can change it."
                )
            )
        return found


class Change(RegistrationAction):
    form_class = ChangeForm
    template_name = "events/registration/change.html"
    success_message = gettext_lazy("Event updated. The calendar shows the change.")

    def get_initial(self) -> dict[str, Any]:
        return ChangeForm.present(self.object)

    def do(self, data: dict[str, Any]) -> object:
        return change_registration(
            registration_id=self.object.pk,
            actor=self.request.user,
            plan=self.form.plan(),
            reason=data["reason"],
            changes=data["changes"],
        )


class Cancel(RegistrationAction):
    form_class = CancelForm
    template_name = "events/registration/cancel.html"
    success_message = gettext_lazy("Event canceled. The calendar shows it as canceled.")

    def do(self, data: dict[str, Any]) -> object:
        pk, actor, reason = self.object.pk, self.request.user, data["reason"]
        return cancel_registration(registration_id=pk, actor=actor, reason=reason)


@reporter_required
def mine(request: SignedInRequest) -> HttpResponseBase:
    """List the TD's registered events: those without a report, then upcoming ones."""
    table = RegisteredTable(registered_by(request.user, timezone.localdate()))
    if file := csv_download(request, table, "registered-events"):
        return file
    sort_and_paginate(request, table)
    return render(request, "events/registration/mine.html", {"table": table})


@office_required
def all_expected(request: SignedInRequest) -> HttpResponseBase:
    """List every registered event that has ended without a report."""
    form = StateForm(request.GET)
    rows = unreported(timezone.localdate())
    status = 200 if form.is_valid() else 422
    if state := form.cleaned_data.get("state"):
        rows = rows.filter(state=state)
    table = ExpectedTable(rows)
    if file := csv_download(request, table, "expected-reports"):
        return file
    sort_and_paginate(request, table)
    context = {"table": table, "form": form, "is_filtered": bool(state)}
    return render(request, "events/registration/expected.html", context, status=status)


@reporter_required
def tie(request: SignedInRequest, pk: int) -> HttpResponse:
    """Link a report to its registered event, or remove the link."""
    submission = get_submission_or_404(request.user, pk)
    form = LinkReportForm(post_data(request))
    if request.method != "POST":
        return redirect(submission)
    if not form.is_valid():
        messages.error(request, _("Choose one of the registered events."))
        return redirect(submission)
    _link_or_unlink(request, submission, form.cleaned_data["registration"])
    return redirect(f"{submission.get_absolute_url()}#registered")


def _link_or_unlink(
    request: SignedInRequest, submission: Submission, number: int
) -> None:
    if not number:
        unlink_report(submission=submission, actor=request.user)
        messages.success(
            request, _("The report is no longer linked to a registered event.")
        )
        return
    try:
        link_report(submission=submission, registration_id=number, actor=request.user)
    except EventRegistration.DoesNotExist:
        messages.error(request, _("There is no registered event with this number."))
    except RegistrationRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(
            request, _("The report is now linked to the registered event.")
        )


def _registration(pk: int) -> EventRegistration:
    found = None
    if pk < 2**63:
        found = registrations().filter(pk=pk).first()
    if found is None:
        raise Http404(
            _("No registered event has this number. Look for it in the calendar.")
        )
    return found
