"""Entering foreign events: the event, files with results, and games by hand."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from events.foreign.forms import (
    ChangeForeignEventForm,
    ForeignEventForm,
    ForeignUploadForm,
    MemberForm,
    RoundsFormSet,
    rounds_as_initial,
)
from events.foreign.pages import of_changing, of_entering
from events.foreign.services.files import Received, receive_file
from events.foreign.services.results import (
    PERMISSION,
    NotPossible,
    change_event,
    correct_result,
    enter_event,
    enter_result,
)
from events.importers.foreign.rows import COLUMNS, template
from events.models import ForeignEvent, ForeignFile, ForeignResult
from players.members.queries import by_member_id
from players.models import Player
from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.acts.pages import LOOK, SEEN

View = Callable[..., HttpResponse]


def for_foreign(view: View) -> View:
    """Let those through who may rate foreign events; nothing here is for caches."""

    @never_cache
    @login_required
    def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        require(request.user, PERMISSION)
        return view(request, **kwargs)

    return guarded


def _posted(request: HttpRequest) -> Any:
    return request.POST if request.method == "POST" else None


@for_foreign
def new(request: HttpRequest) -> HttpResponse:
    """Enter an event; the same one again leads to what is in the books."""
    initial = {"rated_list": request.GET.get("list", "")}
    form = ForeignEventForm(_posted(request), initial=initial)
    if request.method == "POST" and form.is_valid():
        event, is_new = enter_event(actor=request.user, facts=form.facts())
        if not is_new:
            messages.info(request, _("This event is in the books already. Go on here."))
        if member := by_member_id(request.GET.get("member", "")):
            return redirect("events:foreign_enter", event.pk, member.member_id)
        return redirect("ratings:foreign_desk", event.pk)
    status = 422 if request.method == "POST" else 200
    return render(request, "events/foreign/new.html", {"form": form}, status=status)


@for_foreign
def change(request: HttpRequest, pk: int) -> HttpResponse:
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
            messages.success(request, _("The event is changed."))
            return redirect("ratings:foreign_desk", pk)
    status = 422 if request.method == "POST" else 200
    context = {
        "form": form,
        "event": event,
        "effects": of_changing(event),
    }
    return render(request, "events/foreign/change.html", context, status=status)


@for_foreign
def member(request: HttpRequest, pk: int) -> HttpResponse:
    """Choose whose games are entered by hand."""
    event = get_object_or_404(ForeignEvent, pk=pk)
    form = MemberForm(_posted(request))
    if request.method == "POST" and form.is_valid():
        chosen = form.cleaned_data["member_id"]
        return redirect("events:foreign_enter", pk, chosen.member_id)
    status = 422 if request.method == "POST" else 200
    context = {"form": form, "event": event}
    return render(request, "events/foreign/member.html", context, status=status)


@for_foreign
def enter(request: HttpRequest, pk: int, member_id: str) -> HttpResponse:
    """Enter or correct a member's games by hand; what is rated needs a reason."""
    event = get_object_or_404(ForeignEvent, pk=pk)
    player = by_member_id(member_id)
    if player is None:
        raise Http404(_("No member has this ID."))
    player = player.canonical
    result = event.results.filter(player=player).prefetch_related("games").first()
    problem = ""
    if result is not None and result.status == ForeignResult.Status.EXCLUDED:
        problem = _("This result is left out. Take it in again first.")
        if request.method != "POST":
            messages.warning(request, problem)
            return redirect("ratings:foreign_result", result.pk)
    is_rated = result is not None and not result.is_open
    rounds = RoundsFormSet(_posted(request), initial=rounds_as_initial(result))
    reason = ReasonForm(_posted(request)) if is_rated else None
    seen, effects = "", of_entering(event, result)
    if request.method == "POST" and not problem:
        is_valid = [form.is_valid() for form in (rounds, reason) if form is not None]
        if all(is_valid):
            try:
                if is_rated and _has_to_look(request, rounds):
                    correct = _correcting(request, result, rounds)
                    effects = of_entering(event, result, correct)
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


def _has_to_look(request: HttpRequest, rounds: Any) -> bool:
    """Tell whether the page has not said yet what these games will do."""
    said = request.POST.get(SEEN)
    return LOOK in request.POST or (said is not None and said != rounds.digest())


def _correcting(
    request: HttpRequest, result: ForeignResult, rounds: Any
) -> Callable[[], object]:
    return lambda: correct_result(
        actor=request.user,
        result_id=result.pk,
        games=rounds.games(),
        rounds_off=rounds.rounds_off(),
        reason="-",
    )


def _save_rounds(
    request: HttpRequest,
    event: ForeignEvent,
    player: Player,
    result: ForeignResult | None,
    rounds: Any,
    reason: ReasonForm | None,
) -> ForeignResult:
    games, rounds_off = rounds.games(), rounds.rounds_off()
    if reason is None or result is None:
        saved = enter_result(
            actor=request.user,
            event_id=event.pk,
            player=player,
            games=games,
            rounds_off=rounds_off,
            source=_("Entered by hand"),
        )
        messages.success(request, _("The games are entered."))
        return saved
    saved = correct_result(
        actor=request.user,
        result_id=result.pk,
        games=games,
        rounds_off=rounds_off,
        reason=reason.cleaned_data["reason"],
    )
    messages.success(
        request, _("The games are corrected. The next rerate takes them in.")
    )
    return saved


@for_foreign
def upload(request: HttpRequest, pk: int | None = None) -> HttpResponse:
    """Send a file: to an event, or a TRF that brings its own."""
    event = get_object_or_404(ForeignEvent, pk=pk) if pk else None
    files = request.FILES if request.method == "POST" else None
    form = ForeignUploadForm(_posted(request), files, has_event=event is not None)
    if request.method == "POST" and form.is_valid():
        received = _receive(request, form, event)
        context = {"received": received, "event": received.event}
        status = 200 if received.results else 422
        return render(request, "events/foreign/received.html", context, status=status)
    context = {"form": form, "event": event, "columns": COLUMNS.items()}
    status = 422 if request.method == "POST" else 200
    return render(request, "events/foreign/upload.html", context, status=status)


def _receive(
    request: HttpRequest, form: ForeignUploadForm, event: ForeignEvent | None
) -> Received:
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


@for_foreign
@require_safe
def sample(request: HttpRequest) -> HttpResponse:
    """Send the table to fill in."""
    return HttpResponse(
        template(),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="foreign-results.csv"'},
    )


@for_foreign
@require_safe
def file(request: HttpRequest, pk: int) -> HttpResponse:
    """Send a file as it came."""
    found = get_object_or_404(ForeignFile, pk=pk)
    return HttpResponse(
        bytes(found.content),
        content_type="application/octet-stream",
        headers={
            "Content-Disposition": content_disposition_header(True, found.name) or "",
            "X-Content-Type-Options": "nosniff",
        },
    )
