"""The public rating estimator; URLs hold all input."""

from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from ratings.engine.systems import System
from ratings.pages.estimator.forms import (
    EVENT,
    Opponents,
    PlayerEventForm,
    SectionForm,
    TargetForm,
)
from ratings.pages.estimator.pages.estimates import (
    MAX_LINK_LENGTH,
    InvalidLink,
    estimate_link,
    player_estimate,
    section_estimate,
    section_link,
    target_estimate,
    unpack_query,
)
from ratings.pages.estimator.pages.prefill import (
    MEMBER,
    chosen_event,
    member_of,
    prefill_from_event,
    prefill_from_record,
    resolve_names,
)
from ratings.pages.estimator.queries import planned_events

EXAMPLE = {
    "rows": "1 1654 Ada W3 D2 W4\n2 1712P14 Ben W4 D1 L3\n"
    "3 unr Cleo L1 W4 W2\n4 1480F1400 Dora L2 L3 L1",
    "control": "G/60;d5",
}

FormT = TypeVar("FormT", bound=PlayerEventForm)


@require_safe
def estimate(request: HttpRequest) -> HttpResponse:
    """Estimate one player's rating now and after each game."""
    form, opponents = _bind_form(request, PlayerEventForm)
    answer = player_estimate(form, opponents) if form.is_bound else None
    return _own_page(request, "player", form, opponents, answer)


@require_safe
def target(request: HttpRequest) -> HttpResponse:
    """Compute the score that one player needs for a target."""
    form, opponents = _bind_form(request, TargetForm)
    answer = target_estimate(form, opponents) if form.is_bound else None
    return _own_page(request, "target", form, opponents, answer)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def section(request: HttpRequest) -> HttpResponse:
    """Estimate all players of a section. A POST redirects to a shareable URL."""
    if request.method == "POST":
        return _submit_section(request)
    try:
        query = unpack_query(request.GET)
    except InvalidLink as damage:
        form = SectionForm({})
        form.full_clean()
        form.errors.clear()
        form.add_error(None, str(damage))
        return _section_page(request, form, None)
    form = SectionForm(query) if query else SectionForm()
    return _section_page(request, form, query if form.is_bound else None)


def _submit_section(request: HttpRequest) -> HttpResponse:
    form = SectionForm(request.POST)
    link = section_link(request.POST)
    if form.is_valid() and len(link) > MAX_LINK_LENGTH:
        form.add_error("rows", _("This is too long for a link. Leave out the names."))
    if form.is_valid():
        return redirect(reverse("ratings:estimate_section") + link)
    return _section_page(request, form, None)


def _section_page(
    request: HttpRequest, form: SectionForm, query: QueryDict | None
) -> HttpResponse:
    answer = section_estimate(form, query) if query is not None else None
    context = {
        "form": form,
        "answer": answer,
        "link": section_link(query) if answer and query is not None else "",
        "example": f"{reverse('ratings:estimate_section')}?{urlencode(EXAMPLE)}",
    }
    return _page(request, "section", context)


def _bind_form(
    request: HttpRequest, form_class: type[FormT]
) -> tuple[FormT, Opponents]:
    named, candidates = resolve_names(_with_own_member(request))
    member = member_of(named)
    chosen = chosen_event(named)
    planned = list(planned_events(member, chosen, timezone.localdate()))
    registered = next((one for one in planned if one.pk == chosen), None)
    found = prefill_from_event(named, member, registered)
    query = prefill_from_record(found.query, member)
    form = form_class(query if _is_complete_query(named) else None, planned=planned)
    if request.GET and not form.is_bound:
        form.initial = query.dict()
    form.candidates = candidates.get(query.get(MEMBER, "").strip(), ())
    form.from_event, form.prefill_state = found.sentence, found.prefill_state
    return form, Opponents(found.query, candidates)


def _with_own_member(request: HttpRequest) -> QueryDict:
    """Use the signed-in member as the player of an event, if none is given."""
    own = getattr(request.user, "player", None)
    if own is None or not request.GET.get(EVENT) or MEMBER in request.GET:
        return request.GET
    query = request.GET.copy()
    query[MEMBER] = own.member_id
    return query


def _is_complete_query(query: QueryDict) -> bool:
    """Return whether the query has more than the chosen event."""
    is_event_alone = set(query) <= {EVENT} and chosen_event(query)
    return bool(query) and not is_event_alone


def _own_page(
    request: HttpRequest,
    name: str,
    form: PlayerEventForm,
    opponents: Opponents,
    answer: object,
) -> HttpResponse:
    context = {
        "form": form,
        "opponents": opponents,
        "answer": answer,
        "link": estimate_link(form, opponents) if answer else "",
        "systems": list(System),
    }
    return _page(request, name, context)


def _page(request: HttpRequest, name: str, context: dict[str, Any]) -> HttpResponse:
    status = 422 if context["form"].errors else 200
    template = f"ratings/pages/estimator/{name}.html"
    return render(request, template, context, status=status)
