"""The desk's page for a new member: the form, and beside it who may be meant."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from events.access import for_reporters, submission_for
from events.books.refusals import NotPossible, Outdated
from events.importers.records import ReportedEntry
from events.models import Submission
from events.newcomers.forms import NewMemberForm
from events.newcomers.queries import likely_for, names_in, namesakes
from events.newcomers.services import tell_newcomer
from events.reports.services.submissions import reported_in
from events.reports.views.desk import NOT_NOW, not_possible, section_or_404


@for_reporters
def new_member(
    request: HttpRequest, pk: int, number: int, pairing_number: int
) -> HttpResponse:
    """Say of an entry without a number that it is a new member."""
    submission = submission_for(request.user, pk)
    if not submission.is_editable:
        return not_possible(request, submission, NOT_NOW)
    reported = reported_in(submission)
    section = section_or_404(reported, number)
    entry = section.entry(pairing_number)
    if entry is None:
        raise Http404(
            _("Section {number} has no number {pairing_number}.").format(
                number=number, pairing_number=pairing_number
            )
        )
    form = NewMemberForm(
        request.POST if request.method == "POST" else None,
        initial={"version": submission.version, **_known(submission, entry)},
        event_day=reported.starts or timezone.localdate(),
    )
    anchor = f"{submission.get_absolute_url()}#s{number}p{pairing_number}"
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid() and _saved(request, submission, number, entry, form):
            messages.success(
                request,
                _("Entered as a new member. The office gives the number."),
            )
            return redirect(anchor)
    context = {
        "submission": submission,
        "form": form,
        "entry": entry,
        "section": section,
        "cancel_url": anchor,
        "likely": likely_for(reported, number, entry),
        "namesakes": _namesakes(form),
    }
    return render(request, "events/desk/new_member.html", context, status=status)


def _known(submission: Submission, entry: ReportedEntry) -> dict[str, Any]:
    """Return what was told before, or what the report says of the entry."""
    told = submission.newcomers.filter(number=entry.member_id).first()
    if told is None:
        given, family = names_in(entry.name)
        return {"given_name": given, "family_name": family, "state": entry.state}
    values = {name: getattr(told, name) for name in NewMemberForm.base_fields
              if hasattr(told, name)}  # fmt: skip
    return {**values, "reason": told.duplicate_reason}


def _namesakes(form: NewMemberForm) -> list[Any]:
    """Return the members of the name in the form, as typed or as filled in."""
    return namesakes(
        form["given_name"].value() or "", form["family_name"].value() or ""
    )


def _saved(
    request: HttpRequest,
    submission: Submission,
    number: int,
    entry: ReportedEntry,
    form: NewMemberForm,
) -> bool:
    try:
        tell_newcomer(
            submission_id=submission.pk,
            actor=request.user,
            version=form.cleaned_data["version"],
            section_number=number,
            pairing_number=entry.pairing_number,
            details=form.details(),
            reason=form.cleaned_data["reason"],
        )
    except (NotPossible, Outdated) as problem:
        form.add_error(None, str(problem))
        return False
    return True
