"""Manual entry of a report, and the grid for any report."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from events.access import get_submission_or_404, reporter_required, require_certified
from events.formats.report import ReportedEntry, ReportedSection
from events.formats.results_entry import (
    CellPosition,
    NewEntry,
    is_empty,
    with_new_sections,
)
from events.models import Submission
from events.records.exceptions import DuplicateUpload, NotPossible, VersionConflict
from events.reports.forms.uploads import MAX_REPORTS_PER_DAY
from events.reports.pages.upload_steps import step_to_submit
from events.reports.queries.report_defaults import PLACE, report_defaults
from events.reports.queries.reports import daily_report_count
from events.reports.services.submissions import reported_in, start_manual_report
from events.reports.views.reports import (
    NOT_NOW,
    ReportView,
    not_possible,
    section_or_404,
)
from events.results_entry.forms import MAX_LINES, NewReportForm, NewSectionForm
from events.results_entry.pages import (
    GridPage,
    Layout,
    changed_cells,
    grid_page,
    layout_of,
    previous_texts,
    submitted_texts,
)
from events.results_entry.queries import choices_for, names_in_form, resolve_lines
from events.results_entry.services import (
    CellSaveResult,
    add_entries,
    add_round,
    add_sections,
    delete_section,
    remove_entry,
    remove_round,
    roster_of,
    save_cells,
    set_entry_member,
)
from players.formats.member_ids import MEMBER_ID
from ratings_site.common.approvals.pages import EditView
from ratings_site.common.web.partials import is_partial_request
from ratings_site.common.web.requests import SignedInRequest

LONGEST_FIND = 100
_FIND = re.compile(r"find-([0-9]{1,4})", re.ASCII)
_USE = re.compile(r"([0-9]{1,4}):([0-9A-Z]+)", re.ASCII)
_REMOVE = re.compile(r"remove:([0-9]{1,4})", re.ASCII)
# The row number of the field that adds a player.
NEW = 0


@reporter_required
class Begin(EditView[None]):
    """Create a report to type in."""

    form_class = NewReportForm
    template_name = "events/results_entry/begin.html"

    def unavailable_response(self) -> None:
        require_certified(self.request.user)

    def get_initial(self) -> dict[str, Any]:
        defaults = report_defaults(self.request.user)
        return {**defaults, "ticket": get_random_string(24)}

    def do(self, data: dict[str, Any]) -> str:
        if daily_report_count(self.request.user) >= MAX_REPORTS_PER_DAY:
            sentence = _(
                "You have sent {most} reports within a day. Try again tomorrow."
            )
            raise NotPossible(sentence.format(most=MAX_REPORTS_PER_DAY))
        form = self.form
        try:
            submission = start_manual_report(
                actor=self.request.user,
                ticket=data["ticket"],
                reported=with_new_sections(form.reported(), form.sections()),
            )
        except DuplicateUpload as sent:  # the form was sent twice
            submission = sent.earlier
        return grid_url(submission.pk, 1)

    def context(self) -> dict[str, Any]:
        return names_in_form(getattr(self.form, "cleaned_data", self.get_initial()))


@require_POST
@reporter_required
def typed_names(request: SignedInRequest) -> HttpResponse:
    """Show the names of the typed IDs, and fill in the place of the club."""
    form = NewReportForm(request.POST)
    form.full_clean()
    shown = NewReportForm(initial=form.cleaned_data)
    is_blank = not any(request.POST.get(name) for name in PLACE)
    context = names_in_form(form.cleaned_data) | {
        "is_part": True,
        "filled": [
            shown[name].as_widget(attrs={"hx-swap-oob": "true"})
            for name in PLACE
            if is_blank and form.cleaned_data.get(name)
        ],
    }
    return render(request, "events/results_entry/typed_names.html", context)


@reporter_required
class NewSection(ReportView):
    """Add a section to a report, or several quads."""

    form_class = NewSectionForm
    template_name = "events/results_entry/new_section.html"

    @cached_property
    def sections(self) -> list[ReportedSection]:
        return list(reported_in(self.object).sections)

    def get_initial(self) -> dict[str, Any]:
        if not self.sections:
            return {}
        last = self.sections[-1]
        return {"time_control": last.time_control, "online": last.online}

    def do(self, data: dict[str, Any]) -> str:
        number = len(self.sections) + 1
        add_sections(**self.where, sections=self.form.sections(number))
        return grid_url(self.object.pk, number)

    def refuse(self, refusal: Exception, **now: object) -> HttpResponse:
        return not_possible(self.request, self.object, str(refusal))


# The grid


def grid_url(pk: int, number: int) -> str:
    return reverse("events:grid", args=[pk, number])


@dataclass
class GridSession:
    """One request to one section's grid."""

    request: SignedInRequest
    submission: Submission
    section: ReportedSection
    layout: Layout
    finds: dict[int, str] = field(default_factory=dict)
    next_url: str = ""
    changed: bool = False
    added_many: bool = False

    @property
    def prefix(self) -> str:
        """Return what the IDs of a section below another one begin with."""
        said = self.request.POST or self.request.GET
        return f"s{self.section.number}-" if "part" in said else ""

    @property
    def place(self) -> dict[str, Any]:
        """Return the section as arguments of the services."""
        return {
            "submission_id": self.submission.pk,
            "actor": self.request.user,
            "section_number": self.section.number,
        }


def _grid_session(request: SignedInRequest, pk: int, number: int) -> GridSession:
    submission = get_submission_or_404(request.user, pk)
    section = section_or_404(reported_in(submission), number)
    said = request.POST if request.method == "POST" else request.GET
    layout = layout_of(section, wants_rounds=said.get("by") == "rounds")
    return GridSession(request, submission, section, layout)


@reporter_required
def grid(request: SignedInRequest, pk: int, number: int) -> HttpResponse:
    """Show a section as a grid, and save all of its cells."""
    work = _grid_session(request, pk, number)
    if not work.submission.is_editable:
        return not_possible(request, work.submission, NOT_NOW)
    if request.method != "POST":
        return _render_grid(work)
    try:
        typing, names = _save_cells(work)
        if typing.conflicts:
            return _show_conflicts(work, typing, names)
        _run_button_action(work)
    except VersionConflict as problem:
        return _show_problem(work, str(problem), status=409)
    except NotPossible as problem:
        return _show_problem(work, str(problem), status=422)
    if work.finds:
        return _render_grid(_reload(work))
    if typing.saved or not work.changed:
        messages.success(request, _saved_words(work, typing))
    return redirect(work.next_url or _current_url(work))


def _save_cells(work: GridSession) -> tuple[CellSaveResult, dict[CellPosition, str]]:
    """Save the typed cells; return the outcome and the field names."""
    data = work.request.POST
    typed = changed_cells(work.layout, submitted_texts(data), previous_texts(data))
    if not typed:
        return CellSaveResult(), {}
    typing = save_cells(
        **work.place,
        typed={place: one for place, (_name, one) in typed.items()},
        roster=data.get("roster", ""),
        show=work.layout.show,
    )
    return typing, {place: name for place, (name, _one) in typed.items()}


def _saved_words(work: GridSession, typing: CellSaveResult) -> str:
    """Return what was saved; with scripts most of it was saved before."""
    if not typing.saved:
        nothing = is_empty(work.section)
        return _("Nothing was changed.") if nothing else _("All results are saved.")
    return ngettext(
        "{number} result saved.", "{number} results saved.", len(typing.saved)
    ).format(number=len(typing.saved))


def _reload(work: GridSession) -> GridSession:
    """Reload the section."""
    pk, number = work.submission.pk, work.section.number
    fresh = _grid_session(work.request, pk, number)
    fresh.finds = work.finds
    return fresh


def _current_url(work: GridSession, fragment: str = "") -> str:
    query = ["by=rounds"] if work.request.POST.get("by") == "rounds" else []
    page = work.request.POST.get("page", "")
    query += [f"page={page}"] if re.fullmatch(r"[2-9]|[1-9][0-9]{1,3}", page) else []
    address = grid_url(work.submission.pk, work.section.number)
    return address + (f"?{'&'.join(query)}" if query else "") + fragment


def _render_grid(
    work: GridSession,
    *,
    status: int = 200,
    problem: str = "",
    many: str = "",
    first_round: str = "",
    **options: Any,
) -> HttpResponse:
    said = work.request.POST or work.request.GET
    page = _page(work, said.get("page", 1), **options)
    context = {
        "submission": work.submission,
        "grid": page,
        "problem": problem,
        "many": many,
        "first_round": first_round,
        "find_new": work.finds.get(NEW, ""),
        "new_choices": choices_for(work.finds[NEW]) if NEW in work.finds else [],
        "adds": "add" in work.request.GET or NEW in work.finds,
        "prefix": work.prefix,
    }
    name = "form" if is_partial_request(work.request) else "grid"
    template = f"events/results_entry/{name}.html"
    return render(work.request, template, context, status=status)


def _page(work: GridSession, number: Any, **options: Any) -> GridPage:
    return grid_page(
        work.submission,
        work.layout,
        page_number=number,
        finds=work.finds,
        **options,
    )


def _show_conflicts(
    work: GridSession, typing: CellSaveResult, names: dict[CellPosition, str]
) -> HttpResponse:
    """Show other users' changes with the typed values, without saving."""
    show = work.layout.show
    now = {names[place]: show(cell) for place, cell in typing.conflicts.items()}
    typed = submitted_texts(work.request.POST)
    return _render_grid(
        _reload(work),
        status=409,
        problem=_conflict_words(len(now)),
        kept={name: typed[name] for name in now},
        now=now,
        **_unsaved(work),
    )


def _conflict_words(number: int) -> str:
    return ngettext(
        "Another person has changed {number} of these results. The field still has "
        "your entry, with the saved result below it. Save again to use yours.",
        "Another person has changed {number} of these results. The fields still have "
        "your entries, with the saved results below them. Save again to use yours.",
        number,
    ).format(number=number)


def _show_problem(work: GridSession, problem: str, *, status: int) -> HttpResponse:
    submission = get_submission_or_404(work.request.user, work.submission.pk)
    gone = reported_in(submission).section(work.section.number) is None
    if gone or not submission.is_editable:
        return not_possible(work.request, submission, problem)
    return _render_grid(_reload(work), status=status, problem=problem, **_unsaved(work))


def _unsaved(work: GridSession) -> dict[str, str]:
    data = work.request.POST
    return {
        "many": "" if work.added_many else data.get("many", ""),
        "first_round": data.get("first_round", ""),
    }


# Other buttons of the form


def _run_button_action(work: GridSession) -> None:
    """Run the action of the button, after any name lookups."""
    data = work.request.POST
    use = _USE.fullmatch(data.get("use", ""))
    if use and MEMBER_ID.whole.fullmatch(use[2]):
        _enter_in_row(work, int(use[1]), resolve_lines([use[2]])[0])
        _add_many(work)
        return
    if data.get("unnamed"):
        _enter_in_row(work, NEW, NewEntry(name=_find_text(data.get(f"find-{NEW}", ""))))
        _add_many(work)
        return
    _resolve_names(work)
    _add_many(work)
    act = data.get("act", "")
    if removed := _REMOVE.fullmatch(act):
        remove_entry(**work.place, was=_entry_shown_in_row(work, int(removed[1])))
        work.changed = True
    elif act in _ACTIONS and not work.finds:
        _ACTIONS[act](work)


def _find_text(text: str) -> str:
    return "".join(filter(str.isprintable, text)).strip()[:LONGEST_FIND]


def _resolve_names(work: GridSession) -> None:
    """Enter members with unambiguous names; the others become candidates."""
    for name, text in work.request.POST.items():
        match = _FIND.fullmatch(name)
        if match is None or not (said := _find_text(str(text))):
            continue
        row = int(match[1])
        entry = work.section.entry(row)
        if entry is not None and said == entry.name:
            continue  # unchanged
        (meant,) = resolve_lines([said]) or [NewEntry(name=said)]
        if meant.member_id and meant.name:
            _enter_in_row(work, row, meant)
        else:
            work.finds[row] = said


def _enter_in_row(work: GridSession, row: int, newcomer: NewEntry) -> None:
    work.changed = True
    if row == NEW:
        add_entries(**work.place, newcomers=[newcomer], first_round=_first_round(work))
        work.next_url = _with_add(_current_url(work))
        return
    set_entry_member(
        **work.place, was=_entry_shown_in_row(work, row), newcomer=newcomer
    )
    work.next_url = _current_url(work, f"#row-{row}")


def _entry_shown_in_row(work: GridSession, number: int) -> ReportedEntry:
    """Return the entry in a row of the page that was sent."""
    entry = work.section.entry(number)
    if entry is None or work.request.POST.get("roster") != roster_of(work.section):
        raise NotPossible(
            _("The rows now have different players. Reload the page and try again.")
        )
    return entry


def _with_add(address: str) -> str:
    # Not "#new": a fragment would keep autofocus from working.
    return f"{address}{'&' if '?' in address else '?'}add=1#find-0"


def _first_round(work: GridSession) -> int:
    text = work.request.POST.get("first_round", "")
    return int(text) if re.fullmatch(r"[1-9][0-9]?", text, re.ASCII) else 1


def _add_many(work: GridSession) -> None:
    lines = [line for line in work.request.POST.get("many", "").splitlines() if line]
    newcomers = resolve_lines(lines[:MAX_LINES])
    if len(lines) > MAX_LINES:
        raise NotPossible(
            _(
                "You can enter up to {most} lines. For more players, upload a file."
            ).format(most=MAX_LINES)
        )
    if newcomers:
        add_entries(**work.place, newcomers=newcomers, first_round=_first_round(work))
        work.changed = work.added_many = True


def _add_round(work: GridSession) -> None:
    add_round(**work.place)
    work.changed = True


def _remove_round(work: GridSession) -> None:
    remove_round(**work.place)
    work.changed = True


def _delete(work: GridSession) -> None:
    text = work.request.POST.get("version", "")
    version = int(text) if re.fullmatch(r"[0-9]{1,9}", text, re.ASCII) else 0
    delete_section(**work.place, version=version)
    messages.success(work.request, _("Section deleted."))
    work.changed = True
    work.next_url = work.submission.get_absolute_url()


def _go_to_next_section(work: GridSession) -> None:
    """Redirect to the next section, or after the last one to the next step."""
    numbers = [one.number for one in reported_in(work.submission).sections]
    later = [number for number in numbers if number > work.section.number]
    work.next_url = (
        grid_url(work.submission.pk, later[0])
        if later
        else step_to_submit(
            get_submission_or_404(work.request.user, work.submission.pk)
        )
    )


_ACTIONS: dict[str, Callable[[GridSession], None]] = {
    "add_round": _add_round,
    "remove_round": _remove_round,
    "delete": _delete,
    "next": _go_to_next_section,
}


# With scripts: one cell at a time, and member search while typing


@require_POST
@reporter_required
def grid_cells(request: SignedInRequest, pk: int, number: int) -> HttpResponse:
    """Save the sent cells and return the current content of all cells."""
    work = _grid_session(request, pk, number)
    try:
        typing, names = _save_cells(work)
    except NotPossible as problem:
        return JsonResponse({"problem": str(problem)}, status=409)
    fresh = _reload(work)
    page = _page(fresh, request.POST.get("page", 1))
    show = work.layout.show
    conflicts = {names[place]: show(cell) for place, cell in typing.conflicts.items()}
    answer = {
        "said": _conflict_words(len(conflicts))
        if conflicts
        else _saved_words(work, typing),
        "saved": [names[place] for place in typing.saved],
        "conflicts": conflicts,
        "roster": page.roster,
        "cells": {
            cell.name: [cell.value, cell.level, cell.note]
            for row in page.rows
            for cell in row.cells
            if cell.is_field
        },
        "totals": {row.entry.pairing_number: row.total for row in page.rows},
        "findings": render_to_string(
            "events/results_entry/findings.html",
            {"grid": page, "prefix": work.prefix},
            request,
        ),
    }
    return JsonResponse(answer, status=409 if conflicts else 200)


@require_safe
@reporter_required
def members(request: SignedInRequest) -> HttpResponse:
    """List members who match the typed letters, each with a button."""
    asked = request.GET.get("row", "")
    row = int(asked) if re.fullmatch(r"[0-9]{1,4}", asked, re.ASCII) else NEW
    text = _find_text(request.GET.get(f"find-{row}", ""))
    context = {"row": row, "find": text, "choices": choices_for(text) if text else []}
    return render(request, "events/results_entry/choices.html", context)
