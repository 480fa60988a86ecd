"""Events registered before they are played: register, move, cancel, report."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from events.access import for_office, for_reporters, official_of, submission_for
from events.calendar.forms import CancelForm, ChangeForm, RegistrationForm, TieForm
from events.calendar.ics import calendar
from events.calendar.queries.calendar import appointment, place_of, rated_event_of
from events.calendar.queries.registrations import (
    expected,
    of_td,
    registrations,
    unreported,
    upcoming_of,
)
from events.calendar.services import (
    RegistrationRefused,
    cancel_registration,
    change_registration,
    may_change,
    register_event,
    tie_report,
    untie_report,
)
from events.calendar.views.calendar import ics_response
from events.models import EventRegistration
from ratings_site.common.acts.pages import act_page, posted


@require_safe
def registered(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a registered event; once it is in the books, lead there."""
    found = _registration(pk)
    if event := rated_event_of(found):
        return redirect(event)
    context = {
        "registration": found,
        "sections": found.sections.all(),
        "place": place_of(found),
        "may_change": may_change(request.user, found) and not found.is_canceled,
        "is_over": found.has_ended_on(timezone.localdate()),
    }
    return render(request, "events/registration/registered.html", context)


@require_safe
def registered_ics(request: HttpRequest, pk: int) -> HttpResponse:
    """Send one registered event as a calendar file."""
    found = _registration(pk)
    return ics_response(calendar(found.name, [appointment(found)]), f"event-{pk}.ics")


@for_reporters
def register(request: HttpRequest) -> HttpResponse:
    form = RegistrationForm(posted(request), initial=_initial(request))
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                made = register_event(actor=request.user, plan=form.plan())
            except RegistrationRefused as refusal:
                form.add_error(None, str(refusal))
            else:
                messages.success(request, _("The event is in the calendar."))
                return redirect(made)
    context = {"form": form}
    return render(request, "events/registration/register.html", context, status=status)


def _initial(request: HttpRequest) -> dict[str, str]:
    """Begin with what is known of the TD who registers."""
    official = official_of(request.user)
    if official is None:
        return {}
    affiliates = list(official.affiliates.all()[:2])
    only = affiliates[0].affiliate_id if len(affiliates) == 1 else ""
    player = official.player
    return {"chief": player.member_id, "affiliate": only, "state": player.state}


@for_reporters
def change(request: HttpRequest, pk: int) -> HttpResponse:
    found = _changeable(request, pk)
    form = ChangeForm(posted(request), initial=RegistrationForm.present(found))
    return act_page(
        request,
        form,
        lambda said: change_registration(
            registration_id=pk,
            actor=request.user,
            plan=form.plan(),
            reason=said["reason"],
        ),
        done=_("The calendar shows the change."),
        to=found.get_absolute_url(),
        template="events/registration/change.html",
        registration=found,
    )


@for_reporters
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    found = _changeable(request, pk)
    return act_page(
        request,
        CancelForm(posted(request)),
        lambda said: cancel_registration(
            registration_id=pk, actor=request.user, reason=said["reason"]
        ),
        done=_("The calendar shows the event as canceled."),
        to=found.get_absolute_url(),
        template="events/registration/cancel.html",
        registration=found,
    )


@for_reporters
def mine(request: HttpRequest) -> HttpResponse:
    """List the events a TD has registered: to come, and those without a report."""
    today = timezone.localdate()
    late = of_td(unreported(today), request.user)
    context = {
        "upcoming": upcoming_of(request.user, today)[:50],
        "expected": expected(late, today),
    }
    return render(request, "events/registration/mine.html", context)


@for_office
def all_expected(request: HttpRequest) -> HttpResponse:
    """List every registered event that is over and has no report, for the office."""
    today = timezone.localdate()
    rows = unreported(today)
    context = {"expected": expected(rows, today), "number": rows.count()}
    return render(request, "events/registration/expected.html", context)


@for_reporters
def tie(request: HttpRequest, pk: int) -> HttpResponse:
    """Tie a report to the registered event it is of, or take that back."""
    submission = submission_for(request.user, pk)
    form = TieForm(posted(request))
    if request.method != "POST":
        return redirect(submission)
    if not form.is_valid():
        messages.error(request, _("Choose one of the registered events."))
        return redirect(submission)
    _tie(request, submission, form.cleaned_data["registration"])
    return redirect(f"{submission.get_absolute_url()}#registered")


def _tie(request: HttpRequest, submission, number: int) -> None:
    if not number:
        untie_report(submission=submission, actor=request.user)
        messages.success(request, _("The report is tied to no registered event."))
        return
    try:
        tie_report(submission=submission, registration_id=number, actor=request.user)
    except EventRegistration.DoesNotExist:
        messages.error(request, _("There is no registered event of this number."))
    except RegistrationRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, _("The report is that of the registered event."))


def _registration(pk: int) -> EventRegistration:
    found = None
    if pk < 2**63:
        found = registrations().filter(pk=pk).first()
    if found is None:
        raise Http404(_("No registered event has this number. Look in the calendar."))
    return found


def _changeable(request: HttpRequest, pk: int) -> EventRegistration:
    found = _registration(pk)
    if not may_change(request.user, found):
        raise PermissionDenied(
            _("Who registered the event, its chief TD and the office can change it.")
        )
    return found
