"""The forms to edit a report: four parts of it, in one way.

Each form has its own page. The report page loads the forms of cells and entries in
place; then the answer to a change has the parts of the page that differ.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from events.access import is_office, reporter_required
from events.checks.messages import translated_place
from events.checks.queries.member_records import player_places
from events.checks.services import cached_findings
from events.formats.findings import Place
from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    format_cell,
)
from events.formats.results_entry import column_count
from events.models import Submission
from events.records.exceptions import NotPossible, VersionConflict
from events.reports.forms.edits import (
    CellForm,
    EntryForm,
    EventForm,
    SectionForm,
)
from events.reports.pages.findings import reported_text
from events.reports.pages.report import findings_at
from events.reports.pages.upload_steps import FACTS, step_to_facts
from events.reports.queries.reports import candidates_for
from events.reports.services.submissions import (
    OFFICE_FIELDS,
    can_fix,
    is_removable,
    reported_in,
    set_cell,
    set_entry,
    set_event,
    set_section,
)
from events.reports.views.partial_updates import render_updates, shown_page
from events.reports.views.reports import ReportView, not_possible, section_or_404
from players.formats.member_ids import MEMBER_ID
from players.models import Player
from players.models.membership import is_life_membership
from ratings_site.common.ui.formatting import format_day
from ratings_site.common.web.partials import is_partial_request
from ratings_site.common.web.requests import SignedInRequest


@reporter_required
class EditPart(ReportView):
    """The form for one part of a report, on its own page or in place."""

    form_class: Any
    heading: Any
    lead: Any
    present: Mapping[str, Any]
    place = Place()
    anchor = ""
    # Other places with the same issue, and their names in the form.
    also: tuple[Any, ...] = ()
    also_in_words = ""
    was = reported_name = new_member_url = remove_url = ""

    def unavailable_response(self) -> HttpResponseBase | None:
        if response := super().unavailable_response():
            return response
        self.find(reported_in(self.object))
        return None

    def find(self, reported: ReportedEvent) -> None:
        """Set the part, its texts and its present values; raise Http404."""
        raise NotImplementedError

    def get_initial(self) -> dict[str, Any]:
        return {**self.present, "version": self.object.version}

    def get_form_kwargs(self) -> dict[str, Any]:
        """Return the posted data; the button of a candidate sets its ID."""
        kwargs = super().get_form_kwargs() | {"also": self.also_in_words}
        if "use" in self.request.POST:
            kwargs["data"] = data = self.request.POST.copy()
            data["member_id"] = str(data["use"])
        return kwargs

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        if self.is_member_lookup():
            self.get_form()
            return self.show(200)
        return super().post(*args, **kwargs)

    def is_member_lookup(self) -> bool:
        """Return whether a lookup was meant: its button, or Enter in its field."""
        said = self.request.POST
        other_name = said.get("find", "") != said.get("found", said.get("find", ""))
        return "use" not in said and ("lookup" in said or other_name)

    def save(self, form: Any, **where: Any) -> Submission | None:
        """Change the part; *where* are the arguments that all services take."""
        raise NotImplementedError

    def find_same_issues(self) -> None:
        """Set the other places of the issues here: one TD or one date everywhere."""
        mine = {
            (one.code, one.message)
            for one in cached_findings(self.object)
            if one.place.section == self.place.section and one.place.field
            if one.place.pairing_number is None
        }
        self.also = tuple(
            one.place
            for one in cached_findings(self.object)
            if (one.code, one.message) in mine and one.place.field
            if one.place.section != self.place.section
        )
        self.also_in_words = ", ".join(
            translated_place(place) or _("Event") for place in self.also
        )

    def chosen_also(self, form: Any) -> tuple[Any, ...]:
        """Return the other places to change, if the box is checked."""
        return self.also if form.cleaned_data.get("everywhere") else ()

    def form_valid(self, form: Any) -> HttpResponse:
        request, submission = self.request, self.object
        shown = shown_page(request, submission)
        try:
            saved = self.save(form, **self.where, version=form.cleaned_data["version"])
        except VersionConflict as outdated:
            return self.show_outdated(str(outdated))
        except NotPossible as problem:
            return not_possible(request, submission, str(problem))
        said = _("Saved.") if saved else _("Nothing was changed.")
        if is_partial_request(request):
            return render_updates(request, saved or submission, shown, said=said)
        messages.success(request, said)
        if FACTS in request.GET:
            return redirect(step_to_facts(saved or submission))
        return redirect(f"{submission.get_absolute_url()}{self.anchor}")

    def show_outdated(self, sentence: str) -> HttpResponse:
        """Show the current values with the submitted ones, to decide again."""
        self.object = self.get_object()
        self.find(reported_in(self.object))
        form = self.get_form()
        form.data = form.data.copy()
        form.data["version"] = str(self.object.version)
        present = [
            (form.fields[name].label, value)
            for name, value in self.present.items()
            if name in form.changed_data
        ]
        return self.show(409, problem=sentence, present=present)

    def context(self) -> dict[str, Any]:
        findings = findings_at(self.object, self.place, self.request.user)
        context: dict[str, Any] = {
            "edit": self,
            "findings": findings,
            "cancel_url": f"{self.object.get_absolute_url()}{self.anchor}",
            "asks_only": self.is_member_lookup(),
            "asks_facts": FACTS in self.request.GET,
            "is_part": is_partial_request(self.request),
            "is_office": is_office(self.request.user),
        }
        if isinstance(self.form, EntryForm):
            context |= _lookup(self.request, self.reported_name)
            context["new_member_url"] = self.new_member_url
            # If the member ID is in doubt, the lookup comes first.
            context["lookup_first"] = any(
                line.finding.place.field == "member_id" for line in findings
            )
        return context

    def get_template_names(self) -> list[str]:
        name = "_edit.html" if is_partial_request(self.request) else "edit.html"
        return [f"events/reports/{name}"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A member whom a reported name may mean."""

    player: Player
    membership: str
    other_status: str


def _lookup(request: SignedInRequest, reported_name: str) -> dict[str, Any]:
    text = request.POST.get("find", reported_name)[:100]
    today = timezone.localdate()
    candidates = [_candidate(player, today) for player in candidates_for(text)]
    return {"find": text, "candidates": candidates, "has_lookup": True}


def _candidate(player: Player, today: Any) -> Candidate:
    expires = max((m.expires for m in player.memberships.all()), default=None)
    if expires is None:
        membership = _("no membership")
    elif is_life_membership(expires):
        membership = _("life member")
    else:
        words = _("until {day}") if expires >= today else _("ended {day}")
        membership = words.format(day=format_day(expires))
    active = player.status == Player.Status.ACTIVE
    return Candidate(player, membership, "" if active else player.get_status_display())


class EditEvent(EditPart):
    form_class = EventForm
    heading = gettext_lazy("Edit event")
    lead = gettext_lazy("As it will appear in the rated event.")
    anchor = "#event"

    def find(self, reported: ReportedEvent) -> None:
        self.present = EventForm.present(reported)
        self.find_same_issues()

    def save(self, form: Any, **where: Any) -> Submission | None:
        if not (changes := form.changes()):
            return None
        return set_event(**where, changes=changes, also=self.chosen_also(form))


class EditSection(EditPart):
    form_class = SectionForm

    def find(self, reported: ReportedEvent) -> None:
        number = self.kwargs["number"]
        self.section = section_or_404(reported, number)
        self.heading = _("Section {number}").format(number=number)
        count = len(self.section.entries)
        self.lead = ngettext(
            "{name}, {number} entry.", "{name}, {number} entries.", count
        ).format(name=self.section.name or _("No name"), number=count)
        self.present = SectionForm.present(self.section)
        self.place = Place(section=number)
        self.anchor = f"#s{number}"
        self.find_same_issues()

    def save(self, form: Any, **where: Any) -> Submission | None:
        number, changes = self.section.number, form.changes()
        if not changes:
            return None
        also = self.chosen_also(form)
        return set_section(**where, section_number=number, changes=changes, also=also)


class EditEntry(EditPart):
    form_class = EntryForm

    def is_unavailable(self) -> bool:
        return not can_fix(self.object, self.request.user)

    def find(self, reported: ReportedEvent) -> None:
        number, pairing_number = self.kwargs["number"], self.kwargs["pairing_number"]
        text = self.request.GET.get("occurrence", "")
        is_number = re.fullmatch(r"[0-9]{1,4}", text, re.ASCII)
        self.occurrence = int(text) if is_number else 0
        self.section = section_or_404(reported, number)
        entry = self.entry = _entry(self.section, pairing_number, self.occurrence)
        self.heading = _("Number {pairing_number}, section {number}").format(
            pairing_number=pairing_number, number=number
        )
        self.lead = (
            _("Reported as “{name}”").format(name=entry.name)
            if entry.name
            else _("No name reported")
        )
        self.present = EntryForm.present(entry)
        self.place = Place(section=number, pairing_number=pairing_number)
        self.anchor = f"#s{number}p{pairing_number}"
        self.reported_name = entry.name
        own = (number, pairing_number)
        if not self.occurrence:
            self.was = reported_text(entry)
            self.entry_key = f"{number}-{pairing_number}"
        same = player_places(reported).get(own, (own,)) if not self.occurrence else ()
        self.also = tuple(place for place in same if place != own)
        self.also_in_words = ", ".join(
            translated_place(Place("", *place)) for place in self.also
        )
        where = [self.object.pk, number, pairing_number]
        # A new member, if no other ID prevents it.
        can_be_new = self.object.is_editable and not self.occurrence
        if can_be_new and not MEMBER_ID.whole.fullmatch(entry.member_id):
            self.new_member_url = reverse("events:new_member", args=where)
        if self.object.is_editable and is_removable(self.section, entry):
            self.remove_url = reverse("events:remove_entry", args=where)

    def get_form_kwargs(self) -> dict[str, Any]:
        taken = [each.pairing_number for each in self.section.entries]
        return super().get_form_kwargs() | {"taken": taken}

    def get_form(self, form_class: Any = None) -> Any:
        form = super().get_form(form_class)
        if not self.object.is_editable:  # the office's part of a report in review
            for name in form.base_fields.keys() - OFFICE_FIELDS - {"version"}:
                del form.fields[name]
        return form

    def save(self, form: Any, **where: Any) -> Submission | None:
        if not (changes := form.changes()):
            return None
        if self.occurrence:
            changes["occurrence"] = self.occurrence
        return set_entry(
            **where,
            section_number=self.section.number,
            pairing_number=self.entry.pairing_number,
            changes=changes,
            also=self.chosen_also(form),
        )


class EditCell(EditPart):
    form_class = CellForm

    def find(self, reported: ReportedEvent) -> None:
        number, pairing_number = self.kwargs["number"], self.kwargs["pairing_number"]
        round_number = self.kwargs["round_number"]
        section = self.section = section_or_404(reported, number)
        entry = self.entry = _entry(section, pairing_number, 0)
        if not 1 <= round_number <= column_count(section):
            raise Http404(
                _("Section {number} has no round {round_number}.").format(
                    number=number, round_number=round_number
                )
            )
        self.heading = _("Number {pairing_number}, round {round_number}").format(
            pairing_number=pairing_number, round_number=round_number
        )
        lead = _("{name}, section {number}.").format(
            name=entry.name or _("No name"), number=number
        )
        self.lead = f"{lead} {_cell_description(section, entry, round_number)}"
        self.present = CellForm.present(entry.cell(round_number))
        self.place = Place("", number, pairing_number, round_number)
        self.anchor = f"#s{number}p{pairing_number}"

    def get_form_kwargs(self) -> dict[str, Any]:
        number = self.entry.pairing_number
        more = {"section": self.section, "pairing_number": number}
        return super().get_form_kwargs() | more

    def save(self, form: Any, **where: Any) -> Submission:
        return set_cell(
            **where,
            section_number=self.section.number,
            pairing_number=self.entry.pairing_number,
            round_number=self.kwargs["round_number"],
            cell=form.cell(),
            both_sides=form.cleaned_data["both_sides"],
        )


def _cell_description(
    section: ReportedSection, entry: ReportedEntry, round_number: int
) -> str:
    """Describe the cell as the files spell it, and the opponent's cell."""
    cell = entry.cell(round_number)
    said = (
        _("Reported: “{cell}”.").format(cell=format_cell(cell))
        if not cell.is_blank
        else _("No result.")
    )
    other = section.entry(cell.opponent) if cell.opponent else None
    if other is None:
        return said
    by_opponents = section.has_opponent_columns
    their = other.cell(entry.pairing_number if by_opponents else round_number)
    words = (
        _("Number {opponent} has no result.")
        if their.is_blank
        else _("Number {opponent} has “{cell}”.")
    )
    return f"{said} " + words.format(opponent=cell.opponent, cell=format_cell(their))


def _entry(
    section: ReportedSection, pairing_number: int, occurrence: int
) -> ReportedEntry:
    """Return an entry; *occurrence* distinguishes duplicate pairing numbers."""
    same = [e for e in section.entries if e.pairing_number == pairing_number]
    if occurrence >= len(same):
        raise Http404(
            _("Section {number} has no number {pairing_number}.").format(
                number=section.number, pairing_number=pairing_number
            )
        )
    return same[occurrence]
