"""The page for a new member: the form, and members of the same name."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from events.access import get_submission_or_404, reporter_required
from events.formats.report import ReportedEntry
from events.models import Submission
from events.newcomers.forms import NewMemberForm
from events.newcomers.queries import likely_members_for, names_in, namesakes
from events.newcomers.services import enter_newcomer
from events.records.exceptions import NotPossible, VersionConflict
from events.reports.services.submissions import reported_in
from events.reports.views.reports import NOT_NOW, not_possible, section_or_404
from ratings_site.common.web.requests import SignedInRequest


@reporter_required
def new_member(
    request: SignedInRequest, pk: int, number: int, pairing_number: int
) -> HttpResponse:
    """Enter an entry without a member ID as a new member."""
    submission = get_submission_or_404(request.user, pk)
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
        initial={"version": submission.version, **_initial(submission, entry)},
        event_day=reported.starts or timezone.localdate(),
    )
    anchor = f"{submission.get_absolute_url()}#s{number}p{pairing_number}"
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid() and _save(request, submission, number, entry, form):
            messages.success(
                request, _("New member added. The office will assign the member ID.")
            )
            return redirect(anchor)
    context = {
        "submission": submission,
        "form": form,
        "entry": entry,
        "section": section,
        "cancel_url": anchor,
        "likely": likely_members_for(reported, number, entry),
        "namesakes": _namesakes(form),
    }
    return render(request, "events/reports/new_member.html", context, status=status)


def _initial(submission: Submission, entry: ReportedEntry) -> dict[str, Any]:
    """Return the saved details, or those in the report's entry."""
    told = submission.newcomers.filter(number=entry.member_id).first()
    if told is None:
        given, family = names_in(entry.name)
        return {"given_name": given, "family_name": family, "state": entry.state}
    values = {name: getattr(told, name) for name in NewMemberForm.base_fields
              if hasattr(told, name)}  # fmt: skip
    return {**values, "reason": told.duplicate_reason}


def _namesakes(form: NewMemberForm) -> list[Any]:
    """Return the members with the name in the form, as typed or as initial value."""
    return namesakes(
        form["given_name"].value() or "", form["family_name"].value() or ""
    )


def _save(
    request: SignedInRequest,
    submission: Submission,
    number: int,
    entry: ReportedEntry,
    form: NewMemberForm,
) -> bool:
    try:
        enter_newcomer(
            submission_id=submission.pk,
            actor=request.user,
            version=form.cleaned_data["version"],
            section_number=number,
            pairing_number=entry.pairing_number,
            details=form.details(),
            reason=form.cleaned_data["reason"],
        )
    except (NotPossible, VersionConflict) as problem:
        form.add_error(None, str(problem))
        return False
    return True
