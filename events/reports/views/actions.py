"""One-step actions on findings of a report."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.access import reporter_required
from events.checks.messages import translated_finding
from events.checks.services import cached_findings
from events.formats.results_entry import CellPosition
from events.models import Submission
from events.reports.forms.actions import (
    MemberForm,
    MemberRecordForm,
    OverrideForm,
    VersionForm,
)
from events.reports.services.member_records import (
    accept_exact_matches,
    apply_member_records,
    assign_member,
)
from events.reports.services.submissions import (
    apply_result_to_both,
    override_findings,
    remove_entry,
    restore_entries,
)
from events.reports.views.partial_updates import render_updates, shown_page
from events.reports.views.reports import SubmissionView, not_possible
from players.models.player import member_id_sentence
from ratings_site.common.web.partials import is_partial_request


@reporter_required
class ReportAction(SubmissionView):
    """Change a report with one button; show the report or its changed parts.

    *do* returns the changed report, if it changed. *refusal* is the answer to an
    invalid form.
    """

    form_class: Any = VersionForm
    refusal = gettext_lazy("Reload the report and try again.")

    def unavailable_response(self) -> HttpResponse | None:
        return None if self.request.method == "POST" else redirect(self.object)

    @property
    def entry(self) -> dict[str, Any]:
        """Return the entry that the URL names as arguments of the services."""
        number, pairing_number = self.kwargs["number"], self.kwargs["pairing_number"]
        entry = {"section_number": number, "pairing_number": pairing_number}
        return self.where | entry

    def form_invalid(self, form: Any) -> HttpResponse:
        return self.say(str(self.refusal))

    def refuse(self, refusal: Exception, **now: object) -> HttpResponse:
        return self.say(str(refusal))

    def say(self, sentence: str) -> HttpResponse:
        if not is_partial_request(self.request):
            return not_possible(self.request, self.object, sentence)
        # The whole page: an outdated one may be why the form was refused.
        return render_updates(
            self.request, self.object, None, said=sentence, problem=True
        )

    def form_valid(self, form: Any) -> HttpResponse:
        self.shown = shown_page(self.request, self.object)
        return super().form_valid(form)

    def get_success_message(self, result: Submission | None) -> str:
        if is_partial_request(self.request):
            return ""
        return self.said(result)

    def said(self, result: Submission | None) -> str:
        return str(self.success_message) if result else _("Nothing was changed.")

    def get_success_response(self, result: Submission | None) -> HttpResponse:
        if is_partial_request(self.request):
            changed, said = result or self.object, self.said(result)
            return render_updates(self.request, changed, self.shown, said=said)
        return redirect(f"{self.object.get_absolute_url()}#findings")


class Override(ReportAction):
    """Override findings with the TD's reason."""

    form_class = OverrideForm
    success_message = gettext_lazy("Your reason is saved with the issue.")

    def do(self, data: dict[str, Any]) -> Submission:
        keys, reason = data["finding"], data["reason"]
        override_findings(**self.where, finding_keys=keys, reason=reason)
        return self.object

    def refuse(self, refusal: Exception, **now: object) -> HttpResponse:
        self.form.add_error(None, str(refusal))
        return self.form_invalid(self.form)

    def form_invalid(self, form: Any) -> HttpResponse:
        request, submission = self.request, self.object
        if is_partial_request(request):
            found = form.errors.values()
            said = " ".join(str(error) for errors in found for error in errors)
            shown = shown_page(request, submission)
            return render_updates(request, submission, shown, said=said, problem=True)
        keys = {one.partition(":")[2] for one in request.POST.getlist("finding")}
        present = [one for one in cached_findings(submission) if one.key in keys]
        form.data = request.POST.copy()
        form.data.setlist("finding", [one.shown_key for one in present])
        findings = [translated_finding(finding) for finding in present]
        context = {"submission": submission, "form": form, "findings": findings}
        return render(request, "events/reports/override.html", context, status=422)


class UseRecord(ReportAction):
    """Apply member records to one or several entries."""

    form_class = MemberRecordForm
    refusal = gettext_lazy("Choose the entries to update.")
    success_message = gettext_lazy(
        "Names and states were updated from the member records."
    )

    def do(self, data: dict[str, Any]) -> Submission | None:
        entries, version = data["spot"], data["version"]
        return apply_member_records(**self.where, version=version, entry_keys=entries)


class AssignMember(ReportAction):
    """Set an entry to one of the likely members."""

    form_class = MemberForm
    refusal = member_id_sentence(gettext_lazy("A member ID has eight digits."))
    success_message = gettext_lazy("The entry now belongs to this member.")

    def do(self, data: dict[str, Any]) -> Submission | None:
        return assign_member(**self.entry, **data)


class RemoveEntry(ReportAction):
    """Remove an entry without results."""

    def do(self, data: dict[str, Any]) -> Submission | None:
        return remove_entry(**self.entry, **data)

    def said(self, result: Submission | None) -> str:
        if not result:
            return super().said(result)
        return _(
            "Number {number} was removed. The other pairing numbers didn’t change."
        ).format(number=self.kwargs["pairing_number"])


class SettleResult(ReportAction):
    """Apply one of two conflicting results of a game."""

    success_message = gettext_lazy("Both players’ results now match.")

    def do(self, data: dict[str, Any]) -> Submission | None:
        asked = self.kwargs
        place = CellPosition(asked["pairing_number"], asked["round_number"])
        section = {"section_number": asked["number"], "place": place}
        return apply_result_to_both(**self.where, **section, **data)


class Undo(ReportAction):
    """Restore one or several entries exactly as reported."""

    form_class = MemberRecordForm
    success_message = gettext_lazy("Restored as reported.")

    def do(self, data: dict[str, Any]) -> Submission:
        entries, version = data["spot"], data["version"]
        return restore_entries(**self.where, version=version, entry_keys=entries)


class AcceptMatches(ReportAction):
    """Set all entries without an ID to the members they match exactly."""

    success_message = gettext_lazy(
        "All exact matches were accepted. They are listed in the history."
    )

    def do(self, data: dict[str, Any]) -> Submission | None:
        return accept_exact_matches(**self.where, **data)
