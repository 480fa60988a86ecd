"""Rerates: the office's pages to start, review and publish them; public pages."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from events.access import office_required
from players.access import get_member_or_404
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import published_difference
from ratings.models import Run
from ratings.rerates.pages import (
    preview_discard,
    preview_publish,
    preview_retry,
    preview_start,
    preview_undo,
)
from ratings.rerates.queries import (
    MAX_PENDING_RERATES,
    build_preview,
    largest_differences,
    pending_rerates,
    pending_rerates_by_kind,
    published_rerates,
    rerate_causes,
    rerates,
    revised_lines,
    with_counts,
)
from ratings.rerates.services.change_summary import publish_denial_reason
from ratings.rerates.services.execution import approve_rerate
from ratings.rerates.services.passes import is_complete
from ratings.rerates.services.publishing import (
    PUBLISH_PERMISSION,
    PreviewChanged,
    changes_sentence,
    discard_rerate,
)
from ratings.rerates.services.start import (
    START_PERMISSION,
    is_abandoned,
    open_job_of,
    retry_rerate,
    start_rerate,
)
from ratings.rerates.services.undo import (
    UNDO_PERMISSION,
    undo_denial_reason,
    undo_rerate,
)
from ratings.rerates.tables import RerateTable
from ratings_site.common.accounts.queries import denial_reason
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.approvals.pages import REFUSALS, EditView
from ratings_site.common.approvals.preview import PreviewLine
from ratings_site.common.jobs.progress import job_progress
from ratings_site.common.models import User
from ratings_site.common.ui.fields import DayField, NumberField
from ratings_site.common.ui.pagination import paginate, sort_and_paginate
from ratings_site.common.web.files import csv_download
from ratings_site.common.web.requests import SignedInRequest

RUNS_PER_PAGE = 20


class PublishForm(ReasonForm):
    """Publish the reviewed preview; *shown_pass* is its pass."""

    shown_pass = NumberField(
        label=gettext_lazy("Preview"),
        min_value=1,
        widget=forms.HiddenInput,
        error_messages={
            "required": gettext_lazy("Open the rerate and review its preview first.")
        },
    )
    with_arrivals = forms.BooleanField(
        label=gettext_lazy("Include reports that arrive before publishing"),
        required=False,
        help_text=gettext_lazy(
            "New reports may arrive. Check this to publish even if they change a "
            "preview number by up to 2% (or 5). Otherwise, any change brings the "
            "rerate back to you."
        ),
    )


class StartForm(ReasonForm):
    """Start at the earliest pending rerate, on a day, or at the beginning."""

    field_order = ("begin", "from_day", "reason")

    begin = forms.ChoiceField(
        label=gettext_lazy("Start from"),
        choices=[
            ("marks", gettext_lazy("the earliest pending rerate")),
            ("day", gettext_lazy("a date")),
            ("nothing", gettext_lazy("the beginning (full history)")),
        ],
        initial="marks",
    )
    from_day = DayField(
        label=gettext_lazy("Date"),
        required=False,
        help_text=gettext_lazy(
            "Only if you start from a date. An earlier pending rerate takes priority."
        ),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("begin") == "day" and not cleaned.get("from_day"):
            self.add_error("from_day", _("Enter a start date."))
        return cleaned


@office_required
class OfficeRerates(EditView[None]):
    """List pending and past rerates, and start one."""

    form_class = StartForm
    template_name = "ratings/rerates/office.html"
    success_message = gettext_lazy("Rerate started.")
    refusals = REFUSALS

    def do(self, data: dict[str, Any]) -> HttpResponse:
        run = start_rerate(
            actor=self.request.user,
            reason=data["reason"],
            from_day=data["from_day"] if data["begin"] == "day" else None,
            whole_history=data["begin"] == "nothing",
        )
        return redirect("ratings:office_rerate", pk=run.pk)

    def context(self) -> dict[str, Any]:
        number = pending_rerates().count()
        open_run = rerates().filter(status__in=Run.OPEN_STATUSES).first()
        user = self.request.user
        return {
            "effects": () if open_run else preview_start(user),
            "not_yours": denial_reason(user, START_PERMISSION),
            "days": pending_rerates()[:MAX_PENDING_RERATES],
            "kinds": pending_rerates_by_kind(),
            "marks": number,
            "has_more_marks": number > MAX_PENDING_RERATES,
            "open_run": open_run,
            "page_obj": paginate(self.request, rerates(), RUNS_PER_PAGE),
        }


@office_required
def office_rerate(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show the progress and preview of a rerate, and the available actions."""
    run = get_object_or_404(rerates(), pk=pk)
    preview = build_preview(run)
    context = {
        "run": run,
        **_progress(run),
        "preview": preview,
        "chart": mark_safe(preview.get("chart", "")),  # noqa: S308 (escaped where it is drawn)
        "why_back": _return_reason(run),
        "causes": rerate_causes(run) if run.status == Run.Status.PUBLISHED else (),
        "acts": _available_actions(run, request.user),
        "who_may_else": _other_approvers(run, request.user),
        "publish_denial_reason": publish_denial_reason(run)
        if run.status == Run.Status.READY
        else "",
    }
    return render(request, "ratings/rerates/run.html", context)


@office_required
def progress(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the page that polls while the work goes on."""
    run = get_object_or_404(rerates(), pk=pk)
    context = {"run": run, **_progress(run)}
    response = render(request, "ratings/rerates/progress.html", context)
    if not run.is_active:
        response["HX-Refresh"] = "true"
    return response


def _return_reason(run: Run) -> str:
    """Return why a run was not published, or why it failed."""
    news = run.progress.get("news")
    return changes_sentence(news) if run.message and news else run.message


def _progress(run: Run) -> dict[str, Any]:
    """Return the progress of the run's job; without an open job it has stopped."""
    job = open_job_of(run)
    if job is None:
        return {"given_up": run.is_active}
    shown, total = job_progress(job), run.progress.get("total")
    shown["percent"] = 100 * run.progress["done"] // total if total else None
    if run.is_being_undone or (
        run.status == Run.Status.PUBLISHING and is_complete(run)
    ):
        shown["percent"] = None  # the flags move all at once
    return shown | {"given_up": False, "id": "progress"}


@dataclass(frozen=True, slots=True)
class _RunAction:
    """An action on a run: its function, permission, and texts of the page."""

    do: Callable[..., Any]
    permission: str
    title: Any
    effects: Callable[[Run, User], list[PreviewLine]]
    done: Any


# By the word in the URL.
_ACTIONS = {
    "publish": _RunAction(
        approve_rerate,
        PUBLISH_PERMISSION,
        gettext_lazy("Publish"),
        preview_publish,
        gettext_lazy("Approved. The new ratings will be current shortly."),
    ),
    "discard": _RunAction(
        discard_rerate,
        PUBLISH_PERMISSION,
        gettext_lazy("Discard"),
        preview_discard,
        gettext_lazy("Discarded. The pending rerates are still open."),
    ),
    "undo": _RunAction(
        undo_rerate, UNDO_PERMISSION, gettext_lazy("Undo"), preview_undo, ""
    ),
    "retry": _RunAction(
        retry_rerate,
        START_PERMISSION,
        gettext_lazy("Try again"),
        preview_retry,
        gettext_lazy("The rerate is running again."),
    ),
}


def _allowed_actions(run: Run) -> list[str]:
    """Return the URL words of the actions possible with the run now."""
    possible = {
        Run.Status.QUEUED: ["discard"],
        Run.Status.RUNNING: ["discard"],
        Run.Status.READY: ["publish", "discard"],
        Run.Status.PUBLISHING: ["discard"],
        Run.Status.PUBLISHED: ["undo"],
        Run.Status.FAILED: ["retry", "discard"],
    }.get(Run.Status(run.status), [])
    if run.is_open and is_abandoned(run):
        possible = ["retry", *possible]
    if publish_denial_reason(run):
        possible = [act for act in possible if act != "publish"]
    if "undo" in possible and undo_denial_reason(run):
        return []
    return possible


def _available_actions(run: Run, user: User) -> list[tuple[str, Any]]:
    """Return the user's actions with the run: word in the URL, label."""
    return [
        (act, _ACTIONS[act].title)
        for act in _allowed_actions(run)
        if user.has_perm(_ACTIONS[act].permission)
    ]


def _other_approvers(run: Run, user: User) -> str:
    """Return who else may do the first action, if this user may not."""
    possible = _allowed_actions(run)
    if not possible or _available_actions(run, user):
        return ""
    return denial_reason(user, _ACTIONS[possible[0]].permission)


@office_required
class Act(EditView[Run]):
    """Show the effects of an action, ask for the reason, and do it."""

    template_name = "ratings/rerates/act.html"
    context_object_name = "run"
    refusals = REFUSALS

    def get_object(self) -> Run:
        if self.kwargs["act"] not in _ACTIONS:
            raise Http404(_("Unknown action."))
        return get_object_or_404(rerates(), pk=self.kwargs["pk"])

    @property
    def action(self) -> _RunAction:
        return _ACTIONS[self.kwargs["act"]]

    def get_form_class(self) -> type[ReasonForm]:
        return PublishForm if self.kwargs["act"] == "publish" else ReasonForm

    def get_initial(self) -> dict[str, Any]:
        """Return the pass of the preview, which publishing stores."""
        return {"shown_pass": self.request.GET.get("pass", self.object.pass_number)}

    def do(self, data: dict[str, Any]) -> HttpResponse:
        pk, actor = self.object.pk, self.request.user
        self.result = self.action.do(run_id=pk, actor=actor, **data)
        return redirect("ratings:office_rerate", pk=pk)

    def get_success_message(self, result: object) -> str:
        return str(self.action.done or _undone(self.result))

    def refuse(self, refusal: Exception, **now: object) -> HttpResponse:
        self.object = self.get_object()
        if isinstance(refusal, PreviewChanged):
            now = {"shown_pass": self.object.pass_number}
        return super().refuse(refusal, **now)

    def context(self) -> dict[str, Any]:
        run, act, action = self.object, self.kwargs["act"], self.action
        is_possible = act in _allowed_actions(run)
        return {
            "title": action.title,
            "effects": action.effects(run, self.request.user) if is_possible else (),
            "not_now": "" if is_possible else _denial_reason(run, act),
            "not_yours": denial_reason(self.request.user, action.permission),
            "kind": "danger" if act in ("discard", "undo") else "primary",
        }


def _denial_reason(run: Run, act: str) -> str:
    """Return why an action is not possible with a run now."""
    because = {"publish": publish_denial_reason, "undo": undo_denial_reason}.get(act)
    if because and (sentence := because(run)):
        return sentence
    impossible = _("You can’t do this now.")
    return f"{run.standing()} {impossible}"


def _undone(result: object) -> str:
    if isinstance(result, Run):
        return _("Undoing. The earlier ratings will be current shortly.")
    return _("Proposed. The rerate will be undone after a second approval.")


# --- Public ---


@require_safe
def public_rerates(request: HttpRequest) -> HttpResponseBase:
    """List the published rerates, the newest first."""
    table = RerateTable(with_counts(published_rerates()))
    if file := csv_download(request, table, "rerates"):
        return file
    sort_and_paginate(request, table)
    return render(request, "ratings/rerates/list.html", {"table": table})


@require_safe
def rerate(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the changes and causes of a published rerate."""
    run = get_object_or_404(published_rerates(), pk=pk)
    context = {
        "run": run,
        "why_back": _return_reason(run),
        "causes": rerate_causes(run),
        "movers": largest_differences(run),
    }
    return render(request, "ratings/rerates/public.html", context)


@require_safe
def rerate_of_player(request: HttpRequest, pk: int, member_id: str) -> HttpResponse:
    """Show a member's history by source, before and after a rerate."""
    run = get_object_or_404(published_rerates(), pk=pk)
    player = get_member_or_404(member_id)
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
