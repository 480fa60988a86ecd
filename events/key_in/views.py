"""A report typed in the browser, and any report edited as a grid."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from events.access import for_reporters, require_certified, submission_for
from events.books.refusals import NotPossible, Outdated, SentBefore
from events.importers.key_in import Newcomer, Place, is_empty, with_new_sections
from events.importers.records import ReportedEntry, ReportedSection
from events.key_in.forms import MOST_LINES, BeginForm, NewSectionForm
from events.key_in.pages import (
    GridPage,
    Layout,
    grid_page,
    layout_of,
    shown_before,
    texts_in,
    typed_cells,
)
from events.key_in.queries import choices_for, meant_by
from events.key_in.services import (
    Typing,
    add_entries,
    add_round,
    add_sections,
    delete_section,
    name_entry,
    remove_entry,
    remove_round,
    roster_of,
    type_cells,
)
from events.models import Submission
from events.reports.forms.uploads import MAX_REPORTS_PER_DAY
from events.reports.queries.last_time import last_time
from events.reports.queries.reports import sent_in_a_day
from events.reports.services.submissions import begin_typed_report, reported_in
from events.reports.views.desk import NOT_NOW, not_possible, section_or_404

LONGEST_FIND = 100
_FIND = re.compile(r"find-([0-9]{1,4})", re.ASCII)
_USE = re.compile(r"([0-9]{1,4}):([1-9][0-9]{7})", re.ASCII)
_REMOVE = re.compile(r"remove:([0-9]{1,4})", re.ASCII)
# The row of the field that adds a player.
NEW = 0


@for_reporters
def begin(request: HttpRequest) -> HttpResponse:
    """Ask what was played, and open a report to type in."""
    require_certified(request.user)
    if request.method != "POST":
        return _begin_page(request, BeginForm(initial=_initial(request)))
    form = BeginForm(request.POST)
    if form.is_valid() and sent_in_a_day(request.user) >= MAX_REPORTS_PER_DAY:
        form.add_error(
            None,
            _("{most} reports came from this account within a day.").format(
                most=MAX_REPORTS_PER_DAY
            ),
        )
    if not form.is_valid():
        return _begin_page(request, form, status=422)
    try:
        submission = begin_typed_report(
            actor=request.user,
            ticket=form.cleaned_data["ticket"],
            reported=with_new_sections(form.reported(), form.sections()),
        )
    except SentBefore as sent:  # the form came twice
        return redirect(grid_url(sent.earlier.pk, 1))
    return redirect(grid_url(submission.pk, 1))


def _initial(request: HttpRequest) -> dict[str, Any]:
    last = last_time(request.user)
    facts = {name: getattr(last, name) for name in last.__slots__}
    return {**facts, "ticket": get_random_string(24)}


def _begin_page(
    request: HttpRequest, form: BeginForm, *, status: int = 200
) -> HttpResponse:
    context = {"form": form}
    return render(request, "events/desk/key_in/begin.html", context, status=status)


@for_reporters
def new_section(request: HttpRequest, pk: int) -> HttpResponse:
    """Add a section to a report, or several quads."""
    submission = submission_for(request.user, pk)
    if not submission.is_editable:
        return not_possible(request, submission, NOT_NOW)
    report = reported_in(submission)
    number = len(report.sections) + 1
    last = report.sections[-1] if report.sections else None
    form = NewSectionForm(
        request.POST or None,
        initial={"time_control": last.time_control, "online": last.online}
        if last
        else {},
    )
    if request.method != "POST" or not form.is_valid():
        context = {"submission": submission, "form": form}
        status = 422 if request.method == "POST" else 200
        return render(
            request, "events/desk/key_in/new_section.html", context, status=status
        )
    try:
        add_sections(
            submission_id=pk, actor=request.user, sections=form.sections(number)
        )
    except (NotPossible, Outdated) as problem:
        return not_possible(request, submission, str(problem))
    return redirect(grid_url(pk, number))


# The grid


def grid_url(pk: int, number: int) -> str:
    return reverse("events:grid", args=[pk, number])


@dataclass
class Work:
    """One person at one section's grid."""

    request: HttpRequest
    submission: Submission
    section: ReportedSection
    layout: Layout
    finds: dict[int, str] = field(default_factory=dict)
    next_url: str = ""
    changed: bool = False

    @property
    def place(self) -> dict[str, Any]:
        """Name the section to the services."""
        return {
            "submission_id": self.submission.pk,
            "actor": self.request.user,
            "section_number": self.section.number,
        }


def _work(request: HttpRequest, pk: int, number: int) -> Work:
    submission = submission_for(request.user, pk)
    section = section_or_404(reported_in(submission), number)
    said = request.POST if request.method == "POST" else request.GET
    layout = layout_of(section, wants_rounds=said.get("by") == "rounds")
    return Work(request, submission, section, layout)


@for_reporters
def grid(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Show a section as fields to type in, and take what was typed, all at once."""
    work = _work(request, pk, number)
    if not work.submission.is_editable:
        return not_possible(request, work.submission, NOT_NOW)
    if request.method != "POST":
        return _show(work)
    try:
        typing, names = _save_cells(work)
        if typing.conflicts:
            return _show_conflicts(work, typing, names)
        _act(work)
    except Outdated as problem:
        return _show_problem(work, str(problem), status=409)
    except NotPossible as problem:
        return _show_problem(work, str(problem), status=422)
    if work.finds:
        return _show(_again(work))
    if typing.saved or not work.changed:
        messages.success(request, _saved_words(work, typing))
    return redirect(work.next_url or _here(work))


def _save_cells(work: Work) -> tuple[Typing, dict[Place, str]]:
    """Save what was typed, and return what became of it, with the fields' names."""
    data = work.request.POST
    typed = typed_cells(work.section, work.layout, texts_in(data), shown_before(data))
    if not typed:
        return Typing(), {}
    typing = type_cells(
        **work.place,
        typed={place: one for place, (_name, one) in typed.items()},
        roster=data.get("roster", ""),
        show=work.layout.show,
    )
    return typing, {place: name for place, (name, _one) in typed.items()}


def _saved_words(work: Work, typing: Typing) -> str:
    """Say what is saved; with scripts it is mostly all there before the button."""
    if not typing.saved:
        nothing = is_empty(work.section)
        return _("Nothing was changed.") if nothing else _("All results are saved.")
    return ngettext(
        "{number} result saved.", "{number} results saved.", len(typing.saved)
    ).format(number=len(typing.saved))


def _again(work: Work) -> Work:
    """Look at the section as it is now."""
    pk, number = work.submission.pk, work.section.number
    fresh = _work(work.request, pk, number)
    fresh.finds = work.finds
    return fresh


def _here(work: Work, fragment: str = "") -> str:
    query = ["by=rounds"] if work.request.POST.get("by") == "rounds" else []
    page = work.request.POST.get("page", "")
    query += [f"page={page}"] if re.fullmatch(r"[2-9]|[1-9][0-9]{1,3}", page) else []
    address = grid_url(work.submission.pk, work.section.number)
    return address + (f"?{'&'.join(query)}" if query else "") + fragment


def _show(
    work: Work,
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
    }
    return render(work.request, "events/desk/key_in/grid.html", context, status=status)


def _page(work: Work, number: Any, **options: Any) -> GridPage:
    return grid_page(
        work.submission,
        work.section,
        layout=work.layout,
        page_number=number,
        finds=work.finds,
        **options,
    )


def _show_conflicts(
    work: Work, typing: Typing, names: dict[Place, str]
) -> HttpResponse:
    """Show what somebody else has entered beside what was typed; both stay."""
    show = work.layout.show
    now = {names[place]: show(cell) for place, cell in typing.conflicts.items()}
    typed = texts_in(work.request.POST)
    return _show(
        _again(work),
        status=409,
        problem=_conflict_words(len(now)),
        kept={name: typed[name] for name in now},
        now=now,
        **_unsaved(work.request),
    )


def _conflict_words(number: int) -> str:
    return ngettext(
        "Somebody else has changed {number} of these results meanwhile. What you "
        "typed is still in the field, with what stands there now below it. Save again "
        "to put yours in its place.",
        "Somebody else has changed {number} of these results meanwhile. What you "
        "typed is still in the fields, with what stands there now below them. Save "
        "again to put yours in their place.",
        number,
    ).format(number=number)


def _show_problem(work: Work, problem: str, *, status: int) -> HttpResponse:
    submission = submission_for(work.request.user, work.submission.pk)
    gone = reported_in(submission).section(work.section.number) is None
    if gone or not submission.is_editable:
        return not_possible(work.request, submission, problem)
    return _show(_again(work), status=status, problem=problem, **_unsaved(work.request))


def _unsaved(request: HttpRequest) -> dict[str, str]:
    return {
        "many": request.POST.get("many", ""),
        "first_round": request.POST.get("first_round", ""),
    }


# What else the form's buttons do


def _act(work: Work) -> None:
    """Do what the button says; names that were looked for are looked up first."""
    data = work.request.POST
    if use := _USE.fullmatch(data.get("use", "")):
        _enter(work, int(use[1]), meant_by([use[2]])[0])
        _add_many(work)
        return
    if data.get("unnamed"):
        _enter(work, NEW, Newcomer(name=_find_text(data.get(f"find-{NEW}", ""))))
        _add_many(work)
        return
    _look_up(work)
    _add_many(work)
    act = data.get("act", "")
    if removed := _REMOVE.fullmatch(act):
        remove_entry(**work.place, was=_shown(work, int(removed[1])))
        work.changed = True
    elif act in _ACTS and not work.finds:
        _ACTS[act](work)


def _find_text(text: str) -> str:
    return "".join(filter(str.isprintable, text)).strip()[:LONGEST_FIND]


def _look_up(work: Work) -> None:
    """Enter members whose names leave no doubt; the others are shown to choose from."""
    for name, text in work.request.POST.items():
        match = _FIND.fullmatch(name)
        if match is None or not (said := _find_text(text)):
            continue
        row = int(match[1])
        entry = work.section.entry(row)
        if entry is not None and said == entry.name:
            continue  # as it stood there before
        (meant,) = meant_by([said]) or [Newcomer(name=said)]
        if meant.member_id and meant.name:
            _enter(work, row, meant)
        else:
            work.finds[row] = said


def _enter(work: Work, row: int, newcomer: Newcomer) -> None:
    work.changed = True
    if row == NEW:
        add_entries(**work.place, newcomers=[newcomer], first_round=_first_round(work))
        work.next_url = _with_add(_here(work))
        return
    name_entry(**work.place, was=_shown(work, row), newcomer=newcomer)
    work.next_url = _here(work, f"#row-{row}")


def _shown(work: Work, number: int) -> ReportedEntry:
    """Return the entry that stood in a row of the page that was sent."""
    entry = work.section.entry(number)
    if entry is None or work.request.POST.get("roster") != roster_of(work.section):
        raise NotPossible(_("The rows now hold other people. Look at them again."))
    return entry


def _with_add(address: str) -> str:
    # Not "#new": a fragment keeps the browser from the field that asks for the focus.
    return f"{address}{'&' if '?' in address else '?'}add=1#find-0"


def _first_round(work: Work) -> int:
    text = work.request.POST.get("first_round", "")
    return int(text) if re.fullmatch(r"[1-9][0-9]?", text, re.ASCII) else 1


def _add_many(work: Work) -> None:
    lines = [line for line in work.request.POST.get("many", "").splitlines() if line]
    newcomers = meant_by(lines[:MOST_LINES])
    if len(lines) > MOST_LINES:
        raise NotPossible(
            _("More than {most} lines are better sent as a file.").format(
                most=MOST_LINES
            )
        )
    if newcomers:
        add_entries(**work.place, newcomers=newcomers, first_round=_first_round(work))
        work.changed = True


def _add_round(work: Work) -> None:
    add_round(**work.place)
    work.changed = True


def _remove_round(work: Work) -> None:
    remove_round(**work.place)
    work.changed = True


def _delete(work: Work) -> None:
    text = work.request.POST.get("version", "")
    version = int(text) if re.fullmatch(r"[0-9]{1,9}", text, re.ASCII) else 0
    delete_section(**work.place, version=version)
    messages.success(work.request, _("The section is deleted."))
    work.changed = True
    work.next_url = work.submission.get_absolute_url()


def _go_on(work: Work) -> None:
    """Go to the next section; after the last one, to the report."""
    numbers = [one.number for one in reported_in(work.submission).sections]
    later = [number for number in numbers if number > work.section.number]
    work.next_url = (
        grid_url(work.submission.pk, later[0])
        if later
        else work.submission.get_absolute_url()
    )


_ACTS: dict[str, Callable[[Work], None]] = {
    "add_round": _add_round,
    "remove_round": _remove_round,
    "delete": _delete,
    "next": _go_on,
}


# Where scripts run: one cell at a time, and members as one types


@require_POST
@for_reporters
def grid_cells(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Save the cells sent and answer with every cell of the page as it is now."""
    work = _work(request, pk, number)
    try:
        typing, names = _save_cells(work)
    except NotPossible as problem:
        return JsonResponse({"problem": str(problem)}, status=409)
    fresh = _again(work)
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
            "events/desk/key_in/findings.html", {"grid": page}, request
        ),
    }
    return JsonResponse(answer, status=409 if conflicts else 200)


@require_safe
@for_reporters
def members(request: HttpRequest) -> HttpResponse:
    """List whom the letters typed so far may mean, each with a button."""
    asked = request.GET.get("row", "")
    row = int(asked) if re.fullmatch(r"[0-9]{1,4}", asked, re.ASCII) else NEW
    text = _find_text(request.GET.get(f"find-{row}", ""))
    context = {"row": row, "find": text, "choices": choices_for(text) if text else []}
    return render(request, "events/desk/key_in/choices.html", context)
