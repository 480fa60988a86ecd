"""The forms to edit a report: four parts of it, in one way.

Each form has its own page. The report page loads the forms of cells and entries in
place; then the answer to a change has the parts of the page that differ.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.access import get_submission_or_404, reporter_required
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
    MEMBER_ID,
    CellForm,
    EditForm,
    EntryForm,
    EventForm,
    SectionForm,
)
from events.reports.pages.report import findings_at
from events.reports.pages.upload_steps import FACTS, step_to_facts
from events.reports.queries.reports import candidates_for
from events.reports.services.submissions import (
    is_removable,
    reported_in,
    set_cell,
    set_entry,
    set_event,
    set_section,
)
from events.reports.views.partial_updates import render_updates, shown_page
from events.reports.views.reports import NOT_NOW, not_possible, section_or_404
from players.models import Player
from players.models.membership import is_life_membership
from ratings_site.common.ui.formatting import format_day
from ratings_site.common.web.partials import is_partial_request
from ratings_site.common.web.requests import SignedInRequest


@dataclass(frozen=True, slots=True)
class Edit:
    """A form for one part of a report."""

    heading: str
    lead: str
    present: Mapping[str, Any]
    form_class: type[EditForm]
    save: Callable[[int, EditForm], Submission | None]
    form_options: Mapping[str, Any] = field(default_factory=dict)
    place: Place = field(default_factory=Place)
    anchor: str = ""
    reported_name: str = ""
    new_member_url: str = ""
    remove_url: str = ""

    def form(self, version: int, data: Any = None) -> EditForm:
        return self.form_class(
            data, initial={**self.present, "version": version}, **self.form_options
        )


EditFactory = Callable[[SignedInRequest, Submission, ReportedEvent], Edit]


def _edit_page(
    request: SignedInRequest, pk: int, make_edit: EditFactory
) -> HttpResponse:
    submission = get_submission_or_404(request.user, pk)
    if not submission.is_editable:
        return not_possible(request, submission, NOT_NOW)
    edit = make_edit(request, submission, reported_in(submission))
    if request.method != "POST":
        return _show_edit(request, submission, edit, edit.form(submission.version))
    form = edit.form(submission.version, _typed(request))
    if _is_member_lookup(request):
        return _show_edit(request, submission, edit, form)
    if not form.is_valid():
        return _show_edit(request, submission, edit, form, status=422)
    shown = shown_page(request, submission)
    try:
        saved = edit.save(form.cleaned_data["version"], form)
    except VersionConflict as outdated:
        return _show_outdated(request, pk, make_edit, str(outdated))
    except NotPossible as problem:
        return not_possible(request, submission, str(problem))
    said = _("Saved.") if saved else _("Nothing was changed.")
    if is_partial_request(request):
        return render_updates(request, saved or submission, shown, said=said)
    messages.success(request, said)
    if FACTS in request.GET:
        return redirect(step_to_facts(saved or submission))
    return redirect(f"{submission.get_absolute_url()}{edit.anchor}")


def _is_member_lookup(request: SignedInRequest) -> bool:
    """Return whether a lookup was meant: its button, or Enter in its field."""
    said = request.POST
    other_name = said.get("find", "") != said.get("found", said.get("find", ""))
    return "use" not in said and ("lookup" in said or other_name)


def _typed(request: SignedInRequest) -> Any:
    """Return the posted data; the button of a candidate sets its ID."""
    if "use" not in request.POST:
        return request.POST
    data = request.POST.copy()
    data["member_id"] = str(data["use"])
    return data


def _show_outdated(
    request: SignedInRequest, pk: int, make_edit: EditFactory, sentence: str
) -> HttpResponse:
    """Show the current values with the submitted ones, to decide again."""
    submission = get_submission_or_404(request.user, pk)
    edit = make_edit(request, submission, reported_in(submission))
    data = _typed(request).copy()
    data["version"] = str(submission.version)
    form = edit.form(submission.version, data)
    present = [
        (form.fields[name].label, value)
        for name, value in edit.present.items()
        if name in form.changed_data
    ]
    return _show_edit(
        request, submission, edit, form, status=409, problem=sentence, present=present
    )


def _show_edit(
    request: SignedInRequest,
    submission: Submission,
    edit: Edit,
    form: EditForm,
    *,
    status: int = 200,
    problem: str = "",
    present: Sequence[tuple[str | Promise | None, Any]] | None = None,
) -> HttpResponse:
    findings = findings_at(submission, edit.place)
    context = {
        "submission": submission,
        "edit": edit,
        "findings": findings,
        "form": form,
        "problem": problem,
        "present": present,
        "cancel_url": f"{submission.get_absolute_url()}{edit.anchor}",
        "asks_only": _is_member_lookup(request),
        "asks_facts": FACTS in request.GET,
    }
    if isinstance(form, EntryForm):
        context |= _lookup(request, edit.reported_name)
        context["new_member_url"] = edit.new_member_url
        # If the member ID is in doubt, the lookup comes first.
        context["lookup_first"] = any(
            line.finding.place.field == "member_id" for line in findings
        )
    context["is_part"] = is_partial_request(request)
    template = "_edit.html" if context["is_part"] else "edit.html"
    return render(request, f"events/reports/{template}", context, status=status)


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


@reporter_required
def edit_event(request: SignedInRequest, pk: int) -> HttpResponse:
    def make_edit(
        request: SignedInRequest, submission: Submission, reported: ReportedEvent
    ) -> Edit:
        def save(version: int, form: EditForm) -> Submission | None:
            if not (changes := form.changes()):
                return None
            return set_event(
                submission_id=pk, actor=request.user, version=version, changes=changes
            )

        return Edit(
            heading=_("Edit event"),
            lead=_("As it will appear in the rated event."),
            present=EventForm.present(reported),
            form_class=EventForm,
            save=save,
            anchor="#event",
        )

    return _edit_page(request, pk, make_edit)


@reporter_required
def edit_section(request: SignedInRequest, pk: int, number: int) -> HttpResponse:
    def make_edit(
        request: SignedInRequest, submission: Submission, reported: ReportedEvent
    ) -> Edit:
        def save(version: int, form: EditForm) -> Submission | None:
            if not (changes := form.changes()):
                return None
            return set_section(
                submission_id=pk,
                actor=request.user,
                version=version,
                section_number=number,
                changes=changes,
            )

        section = section_or_404(reported, number)
        return Edit(
            heading=_("Section {number}").format(number=number),
            lead=_lead(section),
            present=SectionForm.present(section),
            form_class=SectionForm,
            save=save,
            place=Place(section=number),
            anchor=f"#s{number}",
        )

    return _edit_page(request, pk, make_edit)


def _lead(section: ReportedSection) -> str:
    number = len(section.entries)
    return ngettext(
        "{name}, {number} entry.", "{name}, {number} entries.", number
    ).format(name=section.name or _("No name"), number=number)


@reporter_required
def edit_entry(
    request: SignedInRequest, pk: int, number: int, pairing_number: int
) -> HttpResponse:
    occurrence = _occurrence(request)

    def make_edit(
        request: SignedInRequest, submission: Submission, reported: ReportedEvent
    ) -> Edit:
        def save(version: int, form: EditForm) -> Submission | None:
            if not (changes := form.changes()):
                return None
            if occurrence:
                changes["occurrence"] = occurrence
            return set_entry(
                submission_id=pk,
                actor=request.user,
                version=version,
                section_number=number,
                pairing_number=pairing_number,
                changes=changes,
            )

        section = section_or_404(reported, number)
        entry = _entry(section, pairing_number, occurrence)
        return Edit(
            heading=_("Number {pairing_number}, section {number}").format(
                pairing_number=pairing_number, number=number
            ),
            lead=_("Reported as “{name}”").format(name=entry.name)
            if entry.name
            else _("No name reported"),
            present=EntryForm.present(entry),
            form_class=EntryForm,
            form_options={"taken": [each.pairing_number for each in section.entries]},
            save=save,
            place=Place(section=number, pairing_number=pairing_number),
            anchor=f"#s{number}p{pairing_number}",
            reported_name=entry.name,
            new_member_url=_new_member_url(pk, number, entry, occurrence),
            remove_url=reverse("events:remove_entry", args=[pk, number, pairing_number])
            if is_removable(section, entry)
            else "",
        )

    return _edit_page(request, pk, make_edit)


@reporter_required
def edit_cell(
    request: SignedInRequest,
    pk: int,
    number: int,
    pairing_number: int,
    round_number: int,
) -> HttpResponse:
    def make_edit(
        request: SignedInRequest, submission: Submission, reported: ReportedEvent
    ) -> Edit:
        def save(version: int, form: EditForm) -> Submission:
            return set_cell(
                submission_id=pk,
                actor=request.user,
                version=version,
                section_number=number,
                pairing_number=pairing_number,
                round_number=round_number,
                cell=cast(CellForm, form).cell(),
                both_sides=form.cleaned_data["both_sides"],
            )

        section = section_or_404(reported, number)
        entry = _entry(section, pairing_number, 0)
        if not 1 <= round_number <= column_count(section):
            raise Http404(
                _("Section {number} has no round {round_number}.").format(
                    number=number, round_number=round_number
                )
            )
        return Edit(
            heading=_("Number {pairing_number}, round {round_number}").format(
                pairing_number=pairing_number, round_number=round_number
            ),
            lead=_("{name}, section {number}.").format(
                name=entry.name or _("No name"), number=number
            )
            + " "
            + _cell_description(section, entry, round_number),
            present=CellForm.present(entry.cell(round_number)),
            form_class=CellForm,
            form_options={"section": section, "pairing_number": pairing_number},
            save=save,
            place=Place("", number, pairing_number, round_number),
            anchor=f"#s{number}p{pairing_number}",
        )

    return _edit_page(request, pk, make_edit)


def _new_member_url(pk: int, number: int, entry: ReportedEntry, occurrence: int) -> str:
    """Return the URL to enter a new member, if no other ID prevents it."""
    if occurrence or MEMBER_ID.fullmatch(entry.member_id):
        return ""
    return reverse("events:new_member", args=[pk, number, entry.pairing_number])


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


def _occurrence(request: SignedInRequest) -> int:
    text = request.GET.get("occurrence", "")
    return int(text) if re.fullmatch(r"[0-9]{1,4}", text, re.ASCII) else 0
