"""The page for a new member: the form, and members of the same name."""

from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.access import reporter_required
from events.formats.report import ReportedEntry
from events.models import Submission
from events.newcomers.forms import NewMemberForm
from events.newcomers.queries import likely_members_for, names_in, namesakes
from events.newcomers.services import enter_newcomer
from events.reports.services.submissions import reported_in
from events.reports.views.reports import ReportView, section_or_404


@reporter_required
class NewMember(ReportView):
    """Enter an entry without a member ID as a new member."""

    form_class = NewMemberForm
    template_name = "events/reports/new_member.html"
    success_message = gettext_lazy(
        "New member added. The office will assign the member ID."
    )

    def unavailable_response(self) -> HttpResponseBase | None:
        if response := super().unavailable_response():
            return response
        number, pairing_number = self.kwargs["number"], self.kwargs["pairing_number"]
        self.reported = reported_in(self.object)
        self.section = section_or_404(self.reported, number)
        entry = self.section.entry(pairing_number)
        if entry is None:
            raise Http404(
                _("Section {number} has no number {pairing_number}.").format(
                    number=number, pairing_number=pairing_number
                )
            )
        self.entry = entry
        return None

    def get_form_kwargs(self) -> dict[str, Any]:
        day = self.reported.starts or timezone.localdate()
        return super().get_form_kwargs() | {"event_day": day}

    def get_initial(self) -> dict[str, Any]:
        initial = _initial(self.object, self.entry)
        return {"version": self.object.version, **initial}

    def get_success_url(self) -> str:
        place = f"s{self.section.number}p{self.entry.pairing_number}"
        return f"{self.object.get_absolute_url()}#{place}"

    def do(self, data: dict[str, Any]) -> object:
        return enter_newcomer(
            submission_id=self.object.pk,
            actor=self.request.user,
            version=data["version"],
            section_number=self.section.number,
            pairing_number=self.entry.pairing_number,
            details=self.form.details(),
            reason=data["reason"],
        )

    def context(self) -> dict[str, Any]:
        reported, entry = self.reported, self.entry
        names = (self.form[one].value() or "" for one in ("given_name", "family_name"))
        return {
            "entry": entry,
            "section": self.section,
            "cancel_url": self.get_success_url(),
            "likely": likely_members_for(reported, self.section.number, entry),
            # Members with the name as typed, or as reported.
            "namesakes": namesakes(*names),
        }


def _initial(submission: Submission, entry: ReportedEntry) -> dict[str, Any]:
    """Return the saved details, or those in the report's entry."""
    told = submission.newcomers.filter(number=entry.member_id).first()
    if told is None:
        given, family = names_in(entry.name)
        return {"given_name": given, "family_name": family, "state": entry.state}
    values = {name: getattr(told, name) for name in NewMemberForm.base_fields
              if hasattr(told, name)}  # fmt: skip
    return {**values, "reason": told.duplicate_reason}
