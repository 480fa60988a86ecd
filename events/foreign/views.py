"""Pages to enter foreign events: facts, files with results, games by hand."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from events.foreign.forms import (
    BaseRoundsFormSet,
    ChangeForeignEventForm,
    ForeignEventForm,
    ForeignUploadForm,
    MemberForm,
    RoundsFormSet,
    initial_rounds,
)
from events.foreign.pages import event_change_preview, result_entry_preview
from events.foreign.services.files import receive_file
from events.foreign.services.results import (
    PERMISSION,
    NotPossible,
    change_event,
    correct_result,
    enter_event,
    enter_result,
    facts_digest,
    games_digest,
)
from events.formats.foreign.rows import COLUMNS, template
from events.models import ForeignEvent, ForeignFile, ForeignResult
from players.members.queries import get_member
from players.models import Player
from ratings_site.common.accounts.permissions import permission_required
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.approvals.pages import (
    PREVIEW_FIELD,
    PREVIEWED_FIELD,
    EditView,
    post_data,
)
from ratings_site.common.uploads.views import send_upload
from ratings_site.common.web.files import attachment
from ratings_site.common.web.requests import SignedInRequest

foreign_rater_required = permission_required(PERMISSION)


@foreign_rater_required
class New(EditView[None]):
    """Enter an event; if it exists already, redirect to it."""

    form_class = ForeignEventForm
    template_name = "events/foreign/new.html"

    def get_initial(self) -> dict[str, Any]:
        return {"rated_list": self.request.GET.get("list", "")}

    def do(self, data: dict[str, Any]) -> HttpResponse:
        event, is_new = enter_event(actor=self.request.user, facts=self.form.facts())
        if not is_new:
            sentence = _("This event is already entered. Continue here.")
            messages.info(self.request, sentence)
        if member := get_member(self.request.GET.get("member", "")):
            return redirect("events:foreign_enter", event.pk, member.member_id)
        return redirect("ratings:foreign_desk", event.pk)


@foreign_rater_required
class Change(EditView[ForeignEvent]):
    form_class = ChangeForeignEventForm
    template_name = "events/foreign/change.html"
    context_object_name = "event"
    success_message = gettext_lazy("Event changed.")
    queryset = ForeignEvent.objects.all()

    def get_initial(self) -> dict[str, Any]:
        return ForeignEventForm.of(self.object) | {"was": facts_digest(self.object)}

    def do(self, data: dict[str, Any]) -> HttpResponse:
        change_event(
            actor=self.request.user,
            event_id=self.object.pk,
            facts=self.form.facts(),
            reason=data["reason"],
            was=data["was"],
        )
        return redirect("ratings:foreign_desk", self.object.pk)

    def context(self) -> dict[str, Any]:
        return {"effects": event_change_preview(self.object)}


@foreign_rater_required
class ChooseMember(EditView[ForeignEvent]):
    """Choose the member whose games are entered by hand."""

    form_class = MemberForm
    template_name = "events/foreign/member.html"
    context_object_name = "event"
    queryset = ForeignEvent.objects.all()

    def do(self, data: dict[str, Any]) -> HttpResponse:
        member_id = data["member_id"].member_id
        return redirect("events:foreign_enter", self.object.pk, member_id)


@foreign_rater_required
def enter(request: SignedInRequest, pk: int, member_id: str) -> HttpResponse:
    """Enter or correct a member's games by hand; rated games need a reason."""
    event = get_object_or_404(ForeignEvent, pk=pk)
    player = get_member(member_id)
    if player is None:
        raise Http404(_("No member has this ID."))
    player = player.canonical
    result = event.results.filter(player=player).prefetch_related("games").first()
    problem = ""
    if result is not None and result.status == ForeignResult.Status.EXCLUDED:
        problem = _("This result is excluded. Include it again first.")
        if request.method != "POST":
            messages.warning(request, problem)
            return redirect("ratings:foreign_result", result.pk)
    is_rated = result is not None and not result.is_open
    rounds = RoundsFormSet(post_data(request), initial=initial_rounds(result))
    reason = ReasonForm(post_data(request)) if is_rated else None
    seen, effects = "", result_entry_preview(event, result)
    if request.method == "POST" and not problem:
        is_valid = [form.is_valid() for form in (rounds, reason) if form is not None]
        if all(is_valid):
            try:
                if is_rated and result and _needs_preview(request, rounds):
                    correct = _correction(request, result, rounds)
                    rehearse = partial(correct, reason="-")
                    effects = result_entry_preview(event, result, rehearse)
                    seen = rounds.digest()
                else:
                    saved = _save_rounds(request, event, player, result, rounds, reason)
                    return redirect("ratings:foreign_result", saved.pk)
            except NotPossible as refusal:
                problem = str(refusal)
    context = {
        "event": event,
        "player": player,
        "result": result,
        "rounds": rounds,
        "reason": reason,
        "problem": problem,
        "seen": seen,
        "was": request.POST.get("was", games_digest(result)),
        "effects": effects,
    }
    status = 422 if request.method == "POST" and not seen else 200
    return render(request, "events/foreign/enter.html", context, status=status)


def _needs_preview(request: SignedInRequest, rounds: BaseRoundsFormSet) -> bool:
    """Return whether these games have not been previewed yet."""
    said = request.POST.get(PREVIEWED_FIELD)
    return PREVIEW_FIELD in request.POST or (
        said is not None and said != rounds.digest()
    )


def _correction(
    request: SignedInRequest, result: ForeignResult, rounds: BaseRoundsFormSet
) -> Callable[..., ForeignResult]:
    """Return the correction to these games, which takes a reason."""
    return partial(
        correct_result,
        actor=request.user,
        result_id=result.pk,
        games=rounds.games(),
        rounds_off=rounds.rounds_off(),
        was=request.POST.get("was"),
    )


def _save_rounds(
    request: SignedInRequest,
    event: ForeignEvent,
    player: Player,
    result: ForeignResult | None,
    rounds: BaseRoundsFormSet,
    reason: ReasonForm | None,
) -> ForeignResult:
    if reason is None or result is None:
        saved = enter_result(
            actor=request.user,
            event_id=event.pk,
            player=player,
            games=rounds.games(),
            rounds_off=rounds.rounds_off(),
            source=_("Entered manually"),
            was=request.POST.get("was"),
        )
        messages.success(request, _("Games saved."))
        return saved
    correct = _correction(request, result, rounds)
    saved = correct(reason=reason.cleaned_data["reason"])
    messages.success(
        request, _("Games corrected. Ratings update with the next rerate.")
    )
    return saved


@foreign_rater_required
class Upload(EditView[ForeignEvent | None]):
    """Upload a file to an event, or a TRF that names its own event."""

    form_class = ForeignUploadForm
    template_name = "events/foreign/upload.html"
    context_object_name = "event"

    def get_object(self) -> ForeignEvent | None:
        pk = self.kwargs.get("pk")
        return get_object_or_404(ForeignEvent, pk=pk) if pk else None

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"has_event": self.object is not None}

    def do(self, data: dict[str, Any]) -> HttpResponse:
        received = receive_file(
            actor=self.request.user,
            name=data["file"].name,
            content=data["file"].read(),
            event=self.object,
            player=data.get("member_id"),
            fide_code=data.get("fide_code", ""),
            is_youth=data.get("is_youth", False),
        )
        shown = {"received": received, "event": received.event}
        status = 200 if received.results else 422
        template = "events/foreign/received.html"
        return render(self.request, template, shown, status=status)

    def context(self) -> dict[str, Any]:
        return {"columns": COLUMNS.items()}


@foreign_rater_required
@require_safe
def sample(request: SignedInRequest) -> HttpResponse:
    """Send an empty table as a template."""
    return attachment(template(), "foreign-results.csv")


@foreign_rater_required
@require_safe
def file(request: SignedInRequest, pk: int) -> HttpResponse:
    """Send a stored file unchanged."""
    found = get_object_or_404(ForeignFile, pk=pk)
    return send_upload(found.stored_as, found.name)
