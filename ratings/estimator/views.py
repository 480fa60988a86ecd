"""What an event would do to ratings, for anybody; the address holds everything."""

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from ratings.engine.systems import System
from ratings.estimator.forms import (
    EVENT,
    Opponents,
    OwnEventForm,
    SectionForm,
    TargetForm,
)
from ratings.estimator.pages.answers import (
    LONGEST_LINK,
    DamagedLink,
    need_answer,
    own_answer,
    own_link,
    section_answer,
    section_link,
    unpacked,
)
from ratings.estimator.pages.filling import (
    MEMBER,
    chosen_event,
    member_of,
    with_event,
    with_members,
    with_record,
)
from ratings.estimator.queries.next_event import planned_events

EXAMPLE = {
    "rows": "1 1654 Ada W3 D2 W4\n2 1712P14 Ben W4 D1 L3\n"
    "3 unr Cleo L1 W4 W2\n4 1480F1400 Dora L2 L3 L1",
    "control": "G/60;d5",
}


@require_safe
def estimate(request: HttpRequest) -> HttpResponse:
    """One player: the rating now and after each game."""
    form, opponents = _asked(request, OwnEventForm)
    answer = own_answer(form, opponents) if form.is_bound else None
    return _own_page(request, "player", form, opponents, answer)


@require_safe
def target(request: HttpRequest) -> HttpResponse:
    """One player in the middle of an event: what a target takes."""
    form, opponents = _asked(request, TargetForm)
    answer = need_answer(form, opponents) if form.is_bound else None
    return _own_page(request, "target", form, opponents, answer)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def section(request: HttpRequest) -> HttpResponse:
    """Everybody of a section. What is sent becomes an address that can be shared."""
    if request.method == "POST":
        return _sent_section(request)
    try:
        said = unpacked(request.GET)
    except DamagedLink as damage:
        form = SectionForm({})
        form.full_clean()
        form.errors.clear()
        form.add_error(None, str(damage))
        return _section_page(request, form, None)
    form = SectionForm(said) if said else SectionForm()
    return _section_page(request, form, said if form.is_bound else None)


def _sent_section(request: HttpRequest) -> HttpResponse:
    form = SectionForm(request.POST)
    link = section_link(request.POST)
    if form.is_valid() and len(link) > LONGEST_LINK:
        form.add_error("rows", _("This is too long for a link. Leave the names out."))
    if form.is_valid():
        return redirect(reverse("ratings:estimate_section") + link)
    return _section_page(request, form, None)


def _section_page(
    request: HttpRequest, form: SectionForm, said: QueryDict | None
) -> HttpResponse:
    answer = section_answer(form, said) if said is not None else None
    context = {
        "form": form,
        "answer": answer,
        "link": section_link(said) if answer else "",
        "example": f"{reverse('ratings:estimate_section')}?{urlencode(EXAMPLE)}",
    }
    return _page(request, "section", context)


def _asked(
    request: HttpRequest, form_class: type[OwnEventForm]
) -> tuple[OwnEventForm, Opponents]:
    named, likely = with_members(_with_own(request))
    member = member_of(named)
    chosen = chosen_event(named)
    planned = list(planned_events(member, chosen, timezone.localdate()))
    registered = next((one for one in planned if one.pk == chosen), None)
    found = with_event(named, member, registered)
    said = with_record(found.said, member)
    form = form_class(said if _says_enough(named) else None, planned=planned)
    if request.GET and not form.is_bound:
        form.initial = said.dict()
    form.likely = likely.get(said.get(MEMBER, "").strip(), ())
    form.from_event, form.mark = found.sentence, found.mark
    return form, Opponents(found.said, likely)


def _with_own(request: HttpRequest) -> QueryDict:
    """Take the reader for the player who asks about an event, if nobody is named."""
    own = getattr(request.user, "player", None)
    if own is None or not request.GET.get(EVENT) or MEMBER in request.GET:
        return request.GET
    said = request.GET.copy()
    said[MEMBER] = own.member_id
    return said


def _says_enough(said: QueryDict) -> bool:
    """Tell whether there is something to answer: more than which event is meant."""
    is_event_alone = set(said) <= {EVENT} and chosen_event(said)
    return bool(said) and not is_event_alone


def _own_page(
    request: HttpRequest,
    name: str,
    form: OwnEventForm,
    opponents: Opponents,
    answer: object,
) -> HttpResponse:
    context = {
        "form": form,
        "opponents": opponents,
        "answer": answer,
        "link": own_link(form, opponents) if answer else "",
        "systems": list(System),
    }
    return _page(request, name, context)


def _page(request: HttpRequest, name: str, context: dict[str, object]) -> HttpResponse:
    status = 422 if context["form"].errors else 200
    template = f"ratings/estimator/{name}.html"
    return render(request, template, context, status=status)
