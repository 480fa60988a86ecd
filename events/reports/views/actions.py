"""One-step actions on findings of a report."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from events.access import get_submission_or_404, reporter_required
from events.checks.messages import translated_finding
from events.checks.services import cached_findings
from events.formats.results_entry import CellPosition
from events.models import Submission
from events.records.exceptions import NotPossible, VersionConflict
from events.reports.forms.actions import (
    MemberForm,
    MemberRecordForm,
    OverrideForm,
    VersionForm,
)
from events.reports.services.member_records import (
    accept_exact_matches,
    apply_member_records,
)
from events.reports.services.member_records import assign_member as take_member
from events.reports.services.submissions import (
    apply_result_to_both,
    override_findings,
    remove_entry,
)
from events.reports.views.partial_updates import render_updates, shown_page
from events.reports.views.reports import not_possible
from ratings_site.common.web.partials import is_partial_request
from ratings_site.common.web.requests import SignedInRequest


@reporter_required
def override(request: SignedInRequest, pk: int) -> HttpResponse:
    """Override findings with the TD's reason."""
    submission = get_submission_or_404(request.user, pk)
    if request.method != "POST":
        return redirect(submission)
    form = OverrideForm(request.POST)
    if not form.is_valid():
        return _override_refused(request, submission, form)
    shown = shown_page(request, submission)
    try:
        override_findings(
            submission_id=pk,
            actor=request.user,
            finding_keys=form.cleaned_data["finding"],
            reason=form.cleaned_data["reason"],
        )
    except NotPossible as problem:
        form.add_error(None, str(problem))
        return _override_refused(request, submission, form)
    said = _("Your reason is saved with the issue.")
    if is_partial_request(request):
        return render_updates(request, submission, shown, said=said)
    messages.success(request, said)
    return redirect(f"{submission.get_absolute_url()}#findings")


def _override_refused(
    request: SignedInRequest, submission: Submission, form: OverrideForm
) -> HttpResponse:
    if is_partial_request(request):
        found = form.errors.values()
        problem = " ".join(str(error) for errors in found for error in errors)
        shown = shown_page(request, submission)
        return render_updates(request, submission, shown, said=problem, problem=True)
    keys = request.POST.getlist("finding")
    findings = [
        translated_finding(finding)
        for finding in cached_findings(submission)
        if finding.key in keys
    ]
    context = {"submission": submission, "form": form, "findings": findings}
    return render(request, "events/reports/override.html", context, status=422)


@reporter_required
def use_record(request: SignedInRequest, pk: int) -> HttpResponse:
    """Apply member records to one or several entries."""
    return _change_report(
        request,
        pk,
        MemberRecordForm,
        lambda said: apply_member_records(
            submission_id=pk,
            actor=request.user,
            version=said["version"],
            entry_keys=said["spot"],
        ),
        refusal=_("Choose the entries to update."),
        done=_("Names and states were updated from the member records."),
    )


@reporter_required
def assign_member(
    request: SignedInRequest, pk: int, number: int, pairing_number: int
) -> HttpResponse:
    """Set an entry to one of the likely members."""
    return _change_report(
        request,
        pk,
        MemberForm,
        lambda said: take_member(
            submission_id=pk,
            actor=request.user,
            version=said["version"],
            section_number=number,
            pairing_number=pairing_number,
            member_id=said["member_id"],
        ),
        refusal=_("A member ID has eight digits."),
        done=_("The entry now belongs to this member."),
    )


@reporter_required
def remove(
    request: SignedInRequest, pk: int, number: int, pairing_number: int
) -> HttpResponse:
    """Remove an entry without results."""
    return _change_report(
        request,
        pk,
        VersionForm,
        lambda said: remove_entry(
            submission_id=pk,
            actor=request.user,
            version=said["version"],
            section_number=number,
            pairing_number=pairing_number,
        ),
        refusal=_("Reload the report and try again."),
        done=_(
            "Number {number} was removed. The other pairing numbers didn’t change."
        ).format(number=pairing_number),
    )


@reporter_required
def settle_result(
    request: SignedInRequest,
    pk: int,
    number: int,
    pairing_number: int,
    round_number: int,
) -> HttpResponse:
    """Apply one of two conflicting results of a game."""
    return _change_report(
        request,
        pk,
        VersionForm,
        lambda said: apply_result_to_both(
            submission_id=pk,
            actor=request.user,
            version=said["version"],
            section_number=number,
            place=CellPosition(pairing_number, round_number),
        ),
        refusal=_("Reload the report and try again."),
        done=_("Both players’ results now match."),
    )


@reporter_required
def accept_matches(request: SignedInRequest, pk: int) -> HttpResponse:
    """Set all entries without an ID to the members they match exactly."""
    return _change_report(
        request,
        pk,
        VersionForm,
        lambda said: accept_exact_matches(
            submission_id=pk, actor=request.user, version=said["version"]
        ),
        refusal=_("Reload the report and try again."),
        done=_("All exact matches were accepted. They are listed in the history."),
    )


def _change_report(
    request: SignedInRequest,
    pk: int,
    form_class: type[forms.Form],
    change: Callable[[dict[str, Any]], Submission | None],
    *,
    refusal: str,
    done: str,
) -> HttpResponse:
    """Run *change* with a valid posted form; show the report or its changed parts.

    *refusal* is the answer to an invalid form, *done* describes the change.
    """
    submission = get_submission_or_404(request.user, pk)
    if request.method != "POST":
        return redirect(submission)
    form = form_class(request.POST)
    if not form.is_valid():
        return _refused(request, submission, refusal)
    shown = shown_page(request, submission)
    try:
        changed = change(form.cleaned_data)
    except (NotPossible, VersionConflict) as problem:
        return _refused(request, submission, str(problem))
    said = done if changed else _("Nothing was changed.")
    if is_partial_request(request):
        return render_updates(request, changed or submission, shown, said=said)
    messages.success(request, said)
    return redirect(f"{submission.get_absolute_url()}#findings")


def _refused(
    request: SignedInRequest, submission: Submission, sentence: str
) -> HttpResponse:
    if not is_partial_request(request):
        return not_possible(request, submission, sentence)
    # The whole page: an outdated one may be why the form was refused.
    return render_updates(request, submission, None, said=sentence, problem=True)
