"""What is done with findings in one step, and who of the office has a report."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from events.access import for_reporters, submission_for
from events.books.refusals import NotPossible, Outdated
from events.checks.saying import finding_said
from events.checks.services import shown_findings
from events.importers.key_in import Place
from events.models import Submission
from events.reports.forms.acts import (
    MemberForm,
    OverrideForm,
    RecordForm,
    VersionForm,
)
from events.reports.services.records import take_exact_matches, use_records
from events.reports.services.records import use_member as take_member
from events.reports.services.submissions import override_findings, take_word
from events.reports.views.desk import not_possible
from events.reports.views.live import page_shown, refreshed
from ratings_site.common.web.parts import wants_part


@for_reporters
def override(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the TD's word, with a reason, that findings are in order."""
    submission = submission_for(request.user, pk)
    if request.method != "POST":
        return redirect(submission)
    form = OverrideForm(request.POST)
    if not form.is_valid():
        return _override_refused(request, submission, form)
    shown = page_shown(request, submission)
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
    said = _("Your reason is noted beside the finding.")
    if wants_part(request):
        return refreshed(request, submission, shown, said=said)
    messages.success(request, said)
    return redirect(f"{submission.get_absolute_url()}#findings")


def _override_refused(
    request: HttpRequest, submission: Submission, form: OverrideForm
) -> HttpResponse:
    if wants_part(request):
        problem = " ".join(error for errors in form.errors.values() for error in errors)
        shown = page_shown(request, submission)
        return refreshed(request, submission, shown, said=problem, problem=True)
    keys = form.data.getlist("finding")
    findings = [
        finding_said(finding)
        for finding in shown_findings(submission)
        if finding.key in keys
    ]
    context = {"submission": submission, "form": form, "findings": findings}
    return render(request, "events/desk/override.html", context, status=422)


@for_reporters
def use_record(request: HttpRequest, pk: int) -> HttpResponse:
    """Set entries to what the office knows of their members, one or several."""
    return _act(
        request,
        pk,
        RecordForm,
        lambda said: use_records(
            submission_id=pk,
            actor=request.user,
            version=said["version"],
            spots=said["spot"],
        ),
        refusal=_("Choose the entries to set."),
        done=_("The names and states are those of the members’ records now."),
    )


@for_reporters
def use_member(
    request: HttpRequest, pk: int, number: int, pairing_number: int
) -> HttpResponse:
    """Take one of the likely members for an entry."""
    return _act(
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
        done=_("The entry is that member’s now."),
    )


@for_reporters
def settle_result(
    request: HttpRequest, pk: int, number: int, pairing_number: int, round_number: int
) -> HttpResponse:
    """Take one of two players' words on their game."""
    return _act(
        request,
        pk,
        VersionForm,
        lambda said: take_word(
            submission_id=pk,
            actor=request.user,
            version=said["version"],
            section_number=number,
            place=Place(pairing_number, round_number),
        ),
        refusal=_("Look at the report again."),
        done=_("Both players report the same now."),
    )


@for_reporters
def take_matches(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the members whom entries without an ID exactly are, all at once."""
    return _act(
        request,
        pk,
        VersionForm,
        lambda said: take_exact_matches(
            submission_id=pk, actor=request.user, version=said["version"]
        ),
        refusal=_("Look at the report again."),
        done=_("The exact matches are taken over; the history lists them."),
    )


def _act(
    request: HttpRequest,
    pk: int,
    form_class: type[forms.Form],
    change: Callable[[dict[str, Any]], Submission | None],
    *,
    refusal: str,
    done: str,
) -> HttpResponse:
    """Change a report as a posted form says; show it again, as a whole or in place.

    *refusal* answers a form that is none, *done* says what was changed.
    """
    submission = submission_for(request.user, pk)
    if request.method != "POST":
        return redirect(submission)
    form = form_class(request.POST)
    if not form.is_valid():
        return _refused(request, submission, refusal)
    shown = page_shown(request, submission)
    try:
        changed = change(form.cleaned_data)
    except (NotPossible, Outdated) as problem:
        return _refused(request, submission, str(problem))
    said = done if changed else _("Nothing was changed.")
    if wants_part(request):
        return refreshed(request, changed or submission, shown, said=said)
    messages.success(request, said)
    return redirect(f"{submission.get_absolute_url()}#findings")


def _refused(
    request: HttpRequest, submission: Submission, sentence: str
) -> HttpResponse:
    if not wants_part(request):
        return not_possible(request, submission, sentence)
    # All of it again: what the browser shows may be why it was refused.
    return refreshed(request, submission, None, said=sentence, problem=True)
