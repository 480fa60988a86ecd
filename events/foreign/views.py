"""Pages to enter foreign events: facts, files with results, games by hand."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
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
from events.foreign.services.files import ReceivedFile, receive_file
from events.foreign.services.results import (
    PERMISSION,
    NotPossible,
    change_event,
    correct_result,
    enter_event,
    enter_result,
)
from events.formats.foreign.rows import COLUMNS, template
from events.models import ForeignEvent, ForeignFile, ForeignResult
from players.members.queries import get_member
from players.models import Player
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.approvals.pages import PREVIEW_FIELD, PREVIEWED_FIELD
from ratings_site.common.uploads.views import send_upload
from ratings_site.common.web.requests import SignedInRequest

View = Callable[..., HttpResponse]


def foreign_rater_required(view: View) -> View:
    """Require the permission for foreign events; the response is never cached."""

    @never_cache
    @login_required
    def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        require_permission(request.user, PERMISSION)
        return view(request, **kwargs)

    return guarded


def _posted(request: SignedInRequest) -> Any:
    return request.POST if request.method == "POST" else None


def _form_page(
    request: SignedInRequest, name: str, context: dict[str, Any]
) -> HttpResponse:
    """Render a page with a form; a form that was posted is shown for its errors."""
    status = 422 if request.method == "POST" else 200
    return render(request, f"events/foreign/{name}.html", context, status=status)


@foreign_rater_required
def new(request: SignedInRequest) -> HttpResponse:
    """Enter an event; if it exists already, redirect to it."""
    initial = {"rated_list": request.GET.get("list", "")}
    form = ForeignEventForm(_posted(request), initial=initial)
    if request.method == "POST" and form.is_valid():
        event, is_new = enter_event(actor=request.user, facts=form.facts())
        if not is_new:
            messages.info(request, _("This event is already entered. Continue here."))
        if member := get_member(request.GET.get("member", "")):
            return redirect("events:foreign_enter", event.pk, member.member_id)
        return redirect("ratings:foreign_desk", event.pk)
    return _form_page(request, "new", {"form": form})


@foreign_rater_required
def change(request: SignedInRequest, pk: int) -> HttpResponse:
    event = get_object_or_404(ForeignEvent, pk=pk)
    form = ChangeForeignEventForm(_posted(request), initial=ForeignEventForm.of(event))
    if request.method == "POST" and form.is_valid():
        try:
            change_event(
                actor=request.user,
                event_id=pk,
                facts=form.facts(),
                reason=form.cleaned_data["reason"],
            )
        except NotPossible as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("Event changed."))
            return redirect("ratings:foreign_desk", pk)
    effects = event_change_preview(event)
    context = {"form": form, "event": event, "effects": effects}
    return _form_page(request, "change", context)


@foreign_rater_required
def member(request: SignedInRequest, pk: int) -> HttpResponse:
    """Choose the member whose games are entered by hand."""
    event = get_object_or_404(ForeignEvent, pk=pk)
    form = MemberForm(_posted(request))
    if request.method == "POST" and form.is_valid():
        chosen = form.cleaned_data["member_id"]
        return redirect("events:foreign_enter", pk, chosen.member_id)
    return _form_page(request, "member", {"form": form, "event": event})


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
        problem = _("This result is left out. Restore it first.")
        if request.method != "POST":
            messages.warning(request, problem)
            return redirect("ratings:foreign_result", result.pk)
    is_rated = result is not None and not result.is_open
    rounds = RoundsFormSet(_posted(request), initial=initial_rounds(result))
    reason = ReasonForm(_posted(request)) if is_rated else None
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
def upload(request: SignedInRequest, pk: int | None = None) -> HttpResponse:
    """Upload a file to an event, or a TRF that names its own event."""
    event = get_object_or_404(ForeignEvent, pk=pk) if pk else None
    files = request.FILES if request.method == "POST" else None
    form = ForeignUploadForm(_posted(request), files, has_event=event is not None)
    if request.method == "POST" and form.is_valid():
        received = _receive(request, form, event)
        shown = {"received": received, "event": received.event}
        status = 200 if received.results else 422
        return render(request, "events/foreign/received.html", shown, status=status)
    context = {"form": form, "event": event, "columns": COLUMNS.items()}
    return _form_page(request, "upload", context)


def _receive(
    request: SignedInRequest, form: ForeignUploadForm, event: ForeignEvent | None
) -> ReceivedFile:
    said = form.cleaned_data
    file = said["file"]
    return receive_file(
        actor=request.user,
        name=file.name,
        content=file.read(),
        event=event,
        player=said.get("member_id"),
        fide_code=said.get("fide_code", ""),
        is_youth=said.get("is_youth", False),
    )


@foreign_rater_required
@require_safe
def sample(request: SignedInRequest) -> HttpResponse:
    """Send an empty table as a template."""
    return HttpResponse(
        template(),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="foreign-results.csv"'},
    )


@foreign_rater_required
@require_safe
def file(request: SignedInRequest, pk: int) -> HttpResponse:
    """Send a stored file unchanged."""
    found = get_object_or_404(ForeignFile, pk=pk)
    return send_upload(found.stored_as, found.name)
