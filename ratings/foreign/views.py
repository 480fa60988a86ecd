"""The office's pages about foreign events: worklist, checks, preview and batch."""

from collections.abc import Callable, Iterable
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.core.paginator import Page
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from events.foreign.queries import (
    STATES,
    counts_by_state,
    foreign_events,
    lists_in_use,
    worklist,
)
from events.foreign.services.results import (
    NotPossible,
    accept_duplicate,
    admit_resident,
    exclude_result,
    list_is_stored,
    look_up_again,
    restore_result,
)
from events.foreign.services.worklist import close_work, prepare_worklist, reopen_work
from events.foreign.views import foreign_rater_required
from events.models import ForeignEvent, ForeignResult, ForeignWork
from players.fide.queries import opted_in_before
from players.models import FideList
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.foreign.pages import preview_decisions, preview_rating
from ratings.foreign.queries import SOURCE, converted_games
from ratings.foreign.services import (
    LARGEST_BATCH,
    RATE_FOREIGN,
    Check,
    NotEligible,
    accepted_but_unrated,
    checks,
    mark_ready,
    previews,
    rate_batch,
    ready_results,
)
from ratings.ledger.queries.engine_errors import refusal
from ratings.ledger.services.ledger_lines import rules_for_day
from ratings.models import PlayerRating
from ratings_site.common.approvals.forms import MAX_REASON_LENGTH, ReasonForm
from ratings_site.common.approvals.pages import EditView
from ratings_site.common.jobs.progress import job_progress
from ratings_site.common.jobs.services import NotRetryable, retry_failed
from ratings_site.common.models import Job
from ratings_site.common.names.phonetics import searchable
from ratings_site.common.ui.pagination import ROWS_PER_PAGE, paginate
from ratings_site.common.web.partials import is_partial_request
from ratings_site.common.web.requests import SignedInRequest

Status = ForeignResult.Status


def _to(name: str, **query: int) -> HttpResponse:
    return redirect(f"{reverse(name)}?{urlencode(query)}")


# --- The worklist ---


class WorklistFilter(forms.Form):
    """Which lines to show. Every field is optional."""

    list = forms.ModelChoiceField(
        FideList.objects.none(),
        label=gettext_lazy("FIDE list"),
        required=False,
        empty_label=None,
    )
    name = forms.CharField(label=gettext_lazy("Name"), required=False, max_length=80)
    state = forms.ChoiceField(
        label=gettext_lazy("State"),
        required=False,
        choices=[("", gettext_lazy("All")), *STATES.items()],
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fide_list = cast("forms.ModelChoiceField[FideList]", self.fields["list"])
        fide_list.queryset = lists_in_use()


@foreign_rater_required
@require_safe
def work(request: HttpRequest) -> HttpResponse:
    """Show the worklist of a FIDE list, of the newest unless another is chosen."""
    form = WorklistFilter(request.GET)
    is_valid = form.is_valid()
    wanted = form.cleaned_data if hasattr(form, "cleaned_data") else {}
    chosen = wanted.get("list") or lists_in_use().first()
    context: dict[str, Any] = {"form": form, "list": chosen}
    if chosen is not None:
        lines: QuerySet[Any] = worklist(chosen)
        context["counts"] = [
            (STATES[state], number) for state, number in counts_by_state(lines).items()
        ]
        if name := searchable(wanted.get("name", "")):
            lines = lines.filter(player__search_name__contains=name)
        if wanted.get("state"):
            lines = lines.filter(state=wanted["state"])
        page = paginate(request, _with_regular(lines))
        context |= {
            "page": page,
            "rows": _work_rows(page, chosen),
            "is_prepared": any(number for _, number in context["counts"]),
        }
    return render(
        request, "ratings/foreign/work.html", context, status=200 if is_valid else 422
    )


def _with_regular(lines: Any) -> Any:
    regular = PlayerRating.objects.filter(system=System.OTBR)
    return lines.prefetch_related(
        Prefetch("player__ratings", regular, to_attr="regular")
    )


def _work_rows(page: Page[Any], fide_list: FideList) -> list[dict[str, Any]]:
    """Return each line with the rule by which the member is included."""
    limit = rules_in_force(fide_list.list_date).foreign_automatic_from
    willing = opted_in_before([line.player_id for line in page], fide_list.list_date)
    rows = []
    for line in page:
        if (line.fide_rating or 0) >= limit and line.federation == "USA":
            included = "automatic"
        elif line.player_id in willing:
            included = gettext("opted in")
        else:
            included = gettext("not opted in")
        regular = line.player.regular[0] if line.player.regular else None
        rows.append(
            {
                "line": line,
                "included": included,
                "regular": regular,
                "state_word": STATES[line.state],
            }
        )
    return rows


@foreign_rater_required
@require_POST
def prepare(request: SignedInRequest, pk: int) -> HttpResponse:
    fide_list = get_object_or_404(FideList, pk=pk, state__in=FideList.IN_USE)
    new = prepare_worklist(actor=request.user, list_id=pk)
    messages.success(
        request, gettext("Members added to the worklist: {new}.").format(new=new)
    )
    return _to("ratings:foreign_work", list=fide_list.pk)


class WorkLineForm(ReasonForm):
    """The decision on a line, valid for the state that was shown."""

    was_closed = forms.BooleanField(required=False, widget=forms.HiddenInput)


@foreign_rater_required
class WorkLine(EditView[ForeignWork]):
    """Close a line with nothing to do, or reopen it."""

    form_class = WorkLineForm
    template_name = "ratings/foreign/work_line.html"
    context_object_name = "line"
    success_message = gettext_lazy("Decision saved.")
    queryset = ForeignWork.objects.select_related("player", "fide_list", "decided_by")

    @property
    def is_closed(self) -> bool:
        return bool(self.object.nothing_to_do_because)

    def get_initial(self) -> dict[str, Any]:
        return {"was_closed": self.is_closed}

    def do(self, data: dict[str, Any]) -> HttpResponse:
        if data["was_closed"] != self.is_closed:
            sentence = gettext("This has just been decided. Refresh the page.")
            raise NotPossible(sentence)
        act = reopen_work if self.is_closed else close_work
        act(actor=self.request.user, work_id=self.object.pk, reason=data["reason"])
        return _to("ratings:foreign_work", list=self.object.fide_list_id)

    def refuse(self, refusal: Exception, **now: object) -> HttpResponse:
        return super().refuse(refusal, was_closed=self.is_closed or "")

    def context(self) -> dict[str, Any]:
        back = f"{reverse('ratings:foreign_work')}?list={self.object.fide_list_id}"
        return {"is_closed": self.is_closed, "cancel_url": back}


# --- Events and results ---


@foreign_rater_required
@require_safe
def events(request: HttpRequest) -> HttpResponse:
    page = paginate(request, foreign_events())
    ready = ForeignResult.objects.filter(status=Status.READY).count()
    unrated = accepted_but_unrated()
    context = {
        "page": page,
        "ready": ready,
        "unrated": _checked(unrated[:ROWS_PER_PAGE]),
        "unrated_count": unrated.count(),
    }
    return render(request, "ratings/foreign/events.html", context)


@foreign_rater_required
@require_safe
def event(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(ForeignEvent, pk=pk)
    results = found.results.select_related("player").order_by(
        "player__search_name", "pk"
    )
    page = paginate(request, results)
    return render(
        request,
        "ratings/foreign/desk.html",
        {
            "event": found,
            "page": page,
            "rows": _checked(page),
            "files": found.files.select_related("received_by"),
            "list_is_stored": list_is_stored(found),
            "ready": found.results.filter(status=Status.READY).count(),
            "drafts": found.results.filter(status=Status.DRAFT).count(),
        },
    )


def _checked(results: Iterable[ForeignResult]) -> list[tuple[ForeignResult, Check]]:
    rows = list(results)
    checked = checks(result.pk for result in rows)
    return [(result, checked[result.pk]) for result in rows]


@foreign_rater_required
@require_POST
def check(request: SignedInRequest, pk: int) -> HttpResponse:
    """Mark every eligible draft of the event ready, and preview them."""
    found = get_object_or_404(ForeignEvent, pk=pk)
    drafts = found.results.filter(status=Status.DRAFT).values_list("pk", flat=True)
    refused = 0
    for result_id in drafts:
        try:
            mark_ready(actor=request.user, result_id=result_id)
        except NotEligible:
            refused += 1
    if refused:
        messages.warning(
            request,
            gettext("{refused} can’t be rated. See the reasons in the table.").format(
                refused=refused
            ),
        )
    if not found.results.filter(status=Status.READY).exists():
        return redirect("ratings:foreign_desk", pk)
    return _to("ratings:foreign_preview", event=pk)


DECISIONS = {
    "ready": gettext_lazy("Ready to rate"),
    "look_up": gettext_lazy("Look up the opponents’ ratings again"),
    "admit": gettext_lazy("Include this US resident with another federation"),
    "double": gettext_lazy("Include it although the games appear to be on record"),
    "leave_out": gettext_lazy("Exclude it"),
    "take_in": gettext_lazy("Include it again"),
}
WITHOUT_REASON = ("ready", "look_up")
DECIDE: dict[str, Callable[..., object]] = {
    "admit": admit_resident,
    "double": accept_duplicate,
    "leave_out": exclude_result,
    "take_in": restore_result,
}


class DecisionForm(forms.Form):
    decision = forms.ChoiceField(
        label=gettext_lazy("Decision"),
        widget=forms.RadioSelect,
        error_messages={"required": gettext_lazy("Choose an action.")},
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=MAX_REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy(
            "Saved with the result. Not needed to mark it ready or to look up ratings."
        ),
    )

    def __init__(self, *args: Any, open_decisions: Iterable[str], **kwargs: Any):
        super().__init__(*args, **kwargs)
        decision = cast(forms.ChoiceField, self.fields["decision"])
        reason, names = self.fields["reason"], list(open_decisions)
        decision.choices = [(name, DECISIONS[name]) for name in names]
        if len(names) == 1:  # each of those needs a reason
            decision.initial = names[0]
            reason.required, reason.help_text = True, ""
            reason.error_messages["required"] = gettext(
                "Enter a reason. It is saved with the result."
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        decision = cleaned.get("decision")
        is_told = cleaned.get("reason") or "reason" in self.errors
        if decision and decision not in WITHOUT_REASON and not is_told:
            self.add_error(
                "reason", gettext("Enter a reason. It is saved with the result.")
            )
        return cleaned


def _open_decisions(result: ForeignResult, checked: Check) -> list[str]:
    if result.status == Status.EXCLUDED:
        return ["take_in"]
    if result.status == Status.RATED:
        return ["leave_out"]
    found = [] if result.status == Status.READY else ["ready"]
    found.append("look_up")
    if checked.verdict.can_be_admitted:
        found.append("admit")
    if checked.doubles and not checked.is_double_accepted:
        found.append("double")
    return [*found, "leave_out"]


@foreign_rater_required
class Result(EditView[ForeignResult]):
    """Show a result with the reasons for and against it, and save a decision."""

    form_class = DecisionForm
    template_name = "ratings/foreign/result.html"
    context_object_name = "result"
    success_message = gettext_lazy("Decision saved.")
    queryset = ForeignResult.objects.select_related(
        "event", "player", "file"
    ).prefetch_related("games", "versions")

    @property
    def pk(self) -> int:
        return self.object.pk

    def get_form_kwargs(self) -> dict[str, Any]:
        self.check = checks([self.pk])[self.pk]
        decisions = _open_decisions(self.object, self.check)
        return super().get_form_kwargs() | {"open_decisions": decisions}

    def do(self, data: dict[str, Any]) -> HttpResponse:
        who: Any = {"actor": self.request.user, "result_id": self.pk}
        match data["decision"]:
            case "ready":
                mark_ready(**who)
            case "look_up":
                look_up_again(**who)
            case decision:
                DECIDE[decision](**who, reason=data["reason"])
        return redirect("ratings:foreign_result", self.pk)

    def refuse(self, refusal: Exception, **now: object) -> HttpResponse:
        self.check = checks([self.pk])[self.pk]  # those shown may be out of date
        return super().refuse(refusal, **now)

    def context(self) -> dict[str, Any]:
        found = self.object
        event, rules, problem = found.event, rules_for_day(found.event.starts), ""
        try:
            games = converted_games(found.games.all(), rules, is_youth=event.is_youth)
        except NoRuleInForce as missing:
            games, problem = (), refusal(missing)
        return {
            "event": event,
            "player": found.player,
            "check": self.check,
            "games": games,
            "problem": problem,
            "effects": preview_decisions(found, self.request.user),
            "list_is_stored": list_is_stored(event),
            "source": SOURCE,
        }


# --- Preview and batch ---


@foreign_rater_required
def preview(request: SignedInRequest) -> HttpResponse:
    """Show the effect of rating the results that are ready; a POST rates them."""
    if request.method == "POST":
        return _rate(request)
    ready = _ready(request.GET.get("event", ""))
    shown = ready[:LARGEST_BATCH]
    found = previews(shown)
    context = {
        "previews": found,
        "effects": preview_rating(found),
        "more": len(ready) - len(shown),
    }
    return render(request, "ratings/foreign/preview.html", context)


def _ready(event_id: str) -> list[ForeignResult]:
    results = ready_results()
    if event_id:
        return [one for one in results if str(one.event_id) == event_id]
    return results


def _rate(request: SignedInRequest) -> HttpResponse:
    chosen = request.POST.getlist("result")
    ids = [result.pk for result in ready_results() if str(result.pk) in chosen]
    try:
        job = rate_batch(actor=request.user, result_ids=ids[:LARGEST_BATCH])
    except NotEligible as refusal:
        messages.warning(request, str(refusal))
        return redirect("ratings:foreign_events")
    return redirect("ratings:foreign_job", job.pk)


@foreign_rater_required
def job(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show the progress of a batch; a POST retries it after a failure."""
    found = get_object_or_404(Job, pk=pk, kind=RATE_FOREIGN)
    if request.method == "POST":
        try:
            found = retry_failed(job_id=pk, actor=request.user)
        except NotRetryable as refusal:
            messages.warning(request, str(refusal))
        return redirect("ratings:foreign_job", found.pk)
    results = ForeignResult.objects.filter(pk__in=found.args["result_ids"])
    context = {
        "job": found,
        "progress": job_progress(found),
        "is_done": found.state in (Job.State.DONE, Job.State.FAILED),
        "results": results.select_related("event", "player").order_by("pk"),
        "refusals": found.message.splitlines() if found.state == "failed" else [],
    }
    name = "job_fragment.html" if is_partial_request(request) else "job.html"
    return render(request, f"ratings/foreign/{name}", context)
