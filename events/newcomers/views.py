"""The pages for a new member, and for the members of many players."""

from typing import Any

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from events.access import is_office, reporter_required
from events.formats.report import ReportedEntry
from events.models import Submission
from events.newcomers.forms import NewMemberForm, PlayersForm
from events.newcomers.queries import (
    likely_members_for,
    names_in,
    namesakes,
    unmatched_players,
)
from events.newcomers.services import enter_newcomer, match_players
from events.records.exceptions import VersionConflict
from events.reports.pages.upload_steps import step_to_submit
from events.reports.services.submissions import can_fix, reported_in
from events.reports.views.reports import ReportView, section_or_404
from ratings_site.common.approvals.pages import refused


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
        """Return the report's row, or the next step if the grid led here."""
        if self.request.method == "POST" and "grid" in self.request.GET:
            return step_to_submit(self.get_object())
        place = f"s{self.section.number}p{self.entry.pairing_number}"
        return f"{self.object.get_absolute_url()}#{place}"

    def do(self, data: dict[str, Any]) -> object:
        return enter_newcomer(
            **self.where,
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


@reporter_required
class MatchPlayers(ReportView):
    """Choose the members of many players in one table, with one save."""

    form_class = PlayersForm
    template_name = "events/reports/match_players.html"

    def is_unavailable(self) -> bool:
        return not can_fix(self.object, self.request.user)

    def get_form_kwargs(self) -> dict[str, Any]:
        rows = unmatched_players(self.object)
        day = reported_in(self.object).starts or timezone.localdate()
        return super().get_form_kwargs() | {"rows": rows, "event_day": day}

    def get_initial(self) -> dict[str, Any]:
        return {"version": self.object.version}

    def do(self, data: dict[str, Any]) -> Submission | None:
        return match_players(
            **self.where,
            version=data["version"],
            members=self.form.members,
            newcomers=self.form.newcomers,
        )

    def refuse(self, refusal: Exception, **now: object) -> HttpResponse:
        """Show what was chosen with the report as it is now."""
        status = refused(self.form, refusal, version=str(self.object.version))
        is_outdated = isinstance(refusal, VersionConflict)
        return self.show(409 if is_outdated else status)

    def get_success_message(self, result: Submission | None) -> str:
        number = len(self.form.members) + len(self.form.newcomers)
        if not result:
            return _("Nothing was changed.")
        return ngettext(
            "{number} player was updated.", "{number} players were updated.", number
        ).format(number=number)

    def get_success_url(self) -> str:
        return self.object.get_absolute_url()

    def context(self) -> dict[str, Any]:
        return {
            "rows": self.form.rows,
            "can_add": self.object.is_editable,
            "is_office": is_office(self.request.user),
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
