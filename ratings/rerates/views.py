"""Rerates: where the office starts, judges and publishes them, and what all may see."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from events.access import for_office
from players.access import member_or_404
from ratings.engine.systems import System
from ratings.ledger.queries.published import published_difference
from ratings.models import Run
from ratings.rerates.pages import (
    of_discarding,
    of_publishing,
    of_retrying,
    of_starting,
    of_undoing,
)
from ratings.rerates.queries import (
    MOST_MARKS,
    causes_of,
    largest_differences,
    marked_days,
    marks_by_kind,
    open_marks,
    preview_of,
    published_rerates,
    rerates,
    revised_lines,
)
from ratings.rerates.services.approving import approve_rerate
from ratings.rerates.services.effects import why_not_publish
from ratings.rerates.services.passes import has_ended
from ratings.rerates.services.publishing import (
    PUBLISH_PERMISSION,
    PreviewChanged,
    discard_rerate,
)
from ratings.rerates.services.shown import News
from ratings.rerates.services.starting import (
    START_PERMISSION,
    is_given_up,
    retry_rerate,
    start_rerate,
)
from ratings.rerates.services.undoing import UNDO_PERMISSION, undo_rerate, why_not_undo
from ratings_site.common.accounts.queries import why_not_yours
from ratings_site.common.acts.effects import Effect
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.acts.pages import REFUSALS, refused
from ratings_site.common.looks.fields import DayField, NumberField
from ratings_site.common.models import User

RUNS_A_PAGE = 20


class PublishForm(ReasonForm):
    """Publish what was looked at: *shown_pass* is the pass that the preview is of."""

    shown_pass = NumberField(
        label=gettext_lazy("Preview"),
        min_value=1,
        widget=forms.HiddenInput,
        error_messages={
            "required": gettext_lazy("Open the run and look at its preview first.")
        },
    )
    with_arrivals = forms.BooleanField(
        label=gettext_lazy("Publish with what arrives until then"),
        required=False,
        help_text=gettext_lazy(
            "Reports go on coming in. With this it is published although they move a "
            "number of the preview by up to one in fifty (or 5); without it, any "
            "change brings it back to you."
        ),
    )


class StartForm(ReasonForm):
    """Begin where the marks say, on a day, or with nothing."""

    field_order = ("begin", "from_day", "reason")

    begin = forms.ChoiceField(
        label=gettext_lazy("Begin"),
        choices=[
            ("marks", gettext_lazy("with the earliest open mark")),
            ("day", gettext_lazy("on a day")),
            ("nothing", gettext_lazy("with nothing: replay the whole history")),
        ],
        initial="marks",
    )
    from_day = DayField(
        label=gettext_lazy("Day"),
        required=False,
        help_text=gettext_lazy(
            "Only for “on a day”. An open mark of an earlier day goes first."
        ),
    )

    def clean(self) -> dict[str, Any]:
        said = super().clean()
        if said.get("begin") == "day" and not said.get("from_day"):
            self.add_error("from_day", _("Name the day to begin with."))
        return said


@for_office
def office_rerates(request: HttpRequest) -> HttpResponse:
    """List what asks for a rerate and what was done, and start one."""
    form = StartForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                run = _start(request, form.cleaned_data)
            except REFUSALS as refusal:
                status = refused(form, refusal)
            else:
                messages.success(request, _("The rerate is queued; a worker takes it."))
                return redirect("ratings:office_rerate", pk=run.pk)
    number = open_marks().count()
    open_run = rerates().filter(status__in=Run.OPEN_STATUSES).first()
    context = {
        "form": form,
        "effects": () if open_run else of_starting(request.user),
        "not_yours": why_not_yours(request.user, START_PERMISSION),
        "days": marked_days(),
        "kinds": marks_by_kind(),
        "marks": number,
        "has_more_marks": number > MOST_MARKS,
        "open_run": open_run,
        "page_obj": Paginator(rerates(), RUNS_A_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "ratings/rerates/office.html", context, status=status)


def _start(request: HttpRequest, said: dict[str, Any]) -> Run:
    return start_rerate(
        actor=request.user,
        reason=said["reason"],
        from_day=said["from_day"] if said["begin"] == "day" else None,
        whole_history=said["begin"] == "nothing",
    )


@for_office
def office_rerate(request: HttpRequest, pk: int) -> HttpResponse:
    """Show how far a rerate is, what it would change, and what may be done with it."""
    run = get_object_or_404(rerates(), pk=pk)
    preview = preview_of(run)
    context = {
        "run": run,
        "given_up": is_given_up(run),
        "percent": _percent(run),
        "preview": preview,
        "chart": mark_safe(preview.chart),  # noqa: S308 (escaped where it is drawn)
        "why_back": _why_back(run),
        "causes": causes_of(run) if run.status == Run.Status.PUBLISHED else (),
        "acts": _acts(run, request.user),
        "who_may_else": _who_may_else(run, request.user),
        "why_not_publish": why_not_publish(run)
        if run.status == Run.Status.READY
        else "",
    }
    return render(request, "ratings/rerates/run.html", context)


@for_office
def progress(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the page that asks again while the work goes on."""
    run = get_object_or_404(rerates(), pk=pk)
    context = {"run": run, "percent": _percent(run), "given_up": is_given_up(run)}
    response = render(request, "ratings/rerates/progress.html", context)
    if not run.is_at_work:
        response["HX-Refresh"] = "true"
    return response


def _why_back(run: Run) -> str:
    """Say why a run was not published, or what went wrong with it."""
    news = run.progress.get("news")
    return str(News.stored(news)) if run.message and news else run.message


def _percent(run: Run) -> int | None:
    if run.is_being_undone or (run.status == Run.Status.PUBLISHING and has_ended(run)):
        return None  # the flags move all at once
    total = run.progress.get("total")
    return 100 * run.progress["done"] // total if total else None


@dataclass(frozen=True, slots=True)
class _Act:
    """An act on a run: what does it, what it takes, and what the page says of it."""

    do: Callable[..., Any]
    permission: str
    title: Any
    effects: Callable[[Run, User], list[Effect]]
    done: Any


# By the word in the address.
_ACTS = {
    "publish": _Act(
        approve_rerate,
        PUBLISH_PERMISSION,
        gettext_lazy("Publish"),
        of_publishing,
        gettext_lazy("Approved: a worker makes these ratings the current ones."),
    ),
    "discard": _Act(
        discard_rerate,
        PUBLISH_PERMISSION,
        gettext_lazy("Discard"),
        of_discarding,
        gettext_lazy("Discarded. The marks are still open."),
    ),
    "undo": _Act(undo_rerate, UNDO_PERMISSION, gettext_lazy("Undo"), of_undoing, ""),
    "retry": _Act(
        retry_rerate,
        START_PERMISSION,
        gettext_lazy("Try again"),
        of_retrying,
        gettext_lazy("The rerate is queued again."),
    ),
}


def _possible(run: Run) -> list[str]:
    """Return the words in the address of what may be done with the run now."""
    possible = {
        Run.Status.QUEUED: ["discard"],
        Run.Status.RUNNING: ["discard"],
        Run.Status.READY: ["publish", "discard"],
        Run.Status.PUBLISHING: ["discard"],
        Run.Status.PUBLISHED: ["undo"],
        Run.Status.FAILED: ["retry", "discard"],
    }.get(Run.Status(run.status), [])
    if run.is_open and is_given_up(run):
        possible = ["retry", *possible]
    if why_not_publish(run):
        possible = [act for act in possible if act != "publish"]
    if "undo" in possible and why_not_undo(run):
        return []
    return possible


def _acts(run: Run, user: User) -> list[tuple[str, Any]]:
    """Return what somebody may do with the run: word in the address, label."""
    return [
        (act, _ACTS[act].title)
        for act in _possible(run)
        if user.has_perm(_ACTS[act].permission)
    ]


def _who_may_else(run: Run, user: User) -> str:
    """Say who may do the first act of a run that somebody may only look at."""
    possible = _possible(run)
    if not possible or _acts(run, user):
        return ""
    return why_not_yours(user, _ACTS[possible[0]].permission)


@for_office
def act(request: HttpRequest, pk: int, act: str) -> HttpResponse:
    """Say what it will do, ask for the reason, and do it."""
    if act not in _ACTS:
        raise Http404(_("There is no such act."))
    run = get_object_or_404(rerates(), pk=pk)
    one = _ACTS[act]
    form = _act_form(request, run, act)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                result = one.do(run_id=pk, actor=request.user, **form.cleaned_data)
            except PreviewChanged as changed:
                run = rerates().get(pk=pk)
                status = refused(form, changed, shown_pass=run.pass_number)
            except REFUSALS as refusal:
                run = rerates().get(pk=pk)
                status = refused(form, refusal)
            else:
                messages.success(request, one.done or _undone(result))
                return redirect("ratings:office_rerate", pk=pk)
    is_possible = act in _possible(run)
    context = {
        "run": run,
        "form": form,
        "title": one.title,
        "effects": one.effects(run, request.user) if is_possible else (),
        "not_now": "" if is_possible else _why_not(run, act),
        "not_yours": why_not_yours(request.user, one.permission),
        "kind": "danger" if act in ("discard", "undo") else "primary",
    }
    return render(request, "ratings/rerates/act.html", context, status=status)


def _why_not(run: Run, act: str) -> str:
    """Say why an act is not possible with a run as it is now."""
    because = {"publish": why_not_publish, "undo": why_not_undo}.get(act)
    if because and (sentence := because(run)):
        return sentence
    impossible = _("This cannot be done now.")
    return f"{run.standing()} {impossible}"


def _act_form(request: HttpRequest, run: Run, act: str) -> ReasonForm:
    """Return the form of an act; publishing remembers which preview it comes from."""
    sent = request.POST if request.method == "POST" else None
    if act != "publish":
        return ReasonForm(sent)
    shown = request.GET.get("pass", run.pass_number)
    return PublishForm(sent, initial={"shown_pass": shown})


def _undone(result: object) -> str:
    if isinstance(result, Run):
        return _("A worker makes the ratings from before the current ones again.")
    return _("Proposed. It is undone once a second person approves.")


# --- For everybody ---


@require_safe
def public_rerates(request: HttpRequest) -> HttpResponse:
    """List the rerates that were published, the newest first."""
    pages = Paginator(published_rerates(), RUNS_A_PAGE)
    context = {"page_obj": pages.get_page(request.GET.get("page"))}
    return render(request, "ratings/rerates/list.html", context)


@require_safe
def rerate(request: HttpRequest, pk: int) -> HttpResponse:
    """Say what a published rerate changed, and why there was one."""
    run = get_object_or_404(published_rerates(), pk=pk)
    context = {
        "run": run,
        "why_back": _why_back(run),
        "causes": causes_of(run),
        "movers": largest_differences(run),
    }
    return render(request, "ratings/rerates/public.html", context)


@require_safe
def rerate_of_player(request: HttpRequest, pk: int, member_id: str) -> HttpResponse:
    """Show a member's history source by source, as it was and as it was revised."""
    run = get_object_or_404(published_rerates(), pk=pk)
    player = member_or_404(member_id)
    context = {
        "run": run,
        "player": player,
        "lines": revised_lines(run, player),
        "differences": [
            (System(row.system), *published_difference(row))
            for row in run.differences.filter(player=player).order_by("system")
        ],
    }
    return render(request, "ratings/rerates/player.html", context)
