"""The floors of a member: for everybody, and where the office decides on them."""

from collections.abc import Callable
from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from events.access import for_office
from events.models import Section
from players.access import member_or_404
from players.models import Player
from ratings.access import RatingReader, may_ask_to_lower
from ratings.floors.forms import (
    CeilingForm,
    EndForm,
    FloorForm,
    MoneyForm,
    PrizeForm,
)
from ratings.floors.queries.records import Reader, acts_waiting_for, floors_of
from ratings.floors.services.ceilings import end_ceiling, impose_ceiling
from ratings.floors.services.floors import (
    END,
    END_CEILING,
    END_MONEY,
    IMPOSE,
    MONEY,
    OFFICE,
    end_floor,
    facts_of_end,
    facts_of_grant,
    propose_office_floor,
)
from ratings.floors.services.money import (
    MoneyProposal,
    facts_of_proposal,
    money_proposal,
    propose_money_floor,
)
from ratings.floors.services.shared import CEILING, GRANT, FloorRefused
from ratings.models import Ceiling, Floor
from ratings_site.common.acts.effects import (
    Effect,
    of_nobody_else,
    of_second_person,
    what_happens,
    what_happens_if_at_all,
)
from ratings_site.common.acts.pages import act_page, posted
from ratings_site.common.models import User

# --- For everybody ---


@require_safe
def floors(request: HttpRequest, member_id: str) -> HttpResponse:
    """Say which floors hold a member's ratings, since when, and why."""
    player = member_or_404(member_id)
    reader = RatingReader(request.user)
    is_own = reader.own_pk == player.pk
    context = {
        "player": player,
        "systems": floors_of(
            player,
            Reader.MEMBER if is_own else Reader.ANYBODY,
            sees_rating=reader.sees_exact(player.pk),
        ),
        "may_ask": request.user.is_authenticated
        and may_ask_to_lower(request.user, player),
        "is_for_office": False,
    }
    return render(request, "ratings/floors/floors.html", context)


# --- For the office ---


def _facts_of_grant(player: Player, said: dict[str, Any]) -> dict[str, Any]:
    return facts_of_grant(
        player, said["system"], said["level"], said["starts"], said["ends"]
    )


def _office_page(player: Player) -> str:
    return reverse("ratings:office_floors", args=[player.member_id])


@for_office
def office_floors(request: HttpRequest, member_id: str) -> HttpResponse:
    """The same page with evidence, names and everything the office may do."""
    player = member_or_404(member_id)
    context = {
        "player": player,
        "systems": floors_of(player, Reader.OFFICE),
        "waiting": list(acts_waiting_for(player)),
        "may_ask": True,
        "is_for_office": True,
    }
    return render(request, "ratings/floors/floors.html", context)


@for_office
def grant(request: HttpRequest, member_id: str) -> HttpResponse:
    player = member_or_404(member_id)

    def look(said: dict[str, Any]) -> list[Effect]:
        facts = {**_facts_of_grant(player, said), "evidence": said["evidence"]}
        foreseen = what_happens(OFFICE, facts, request.user)
        return [*foreseen, of_second_person(GRANT, request.user)]

    return act_page(
        request,
        FloorForm(posted(request)),
        lambda said: propose_office_floor(
            player_id=player.pk, actor=request.user, **said
        ),
        permission=GRANT,
        look=look,
        done=_("The floor waits for a second person."),
        to=_office_page(player),
        title=_("Grant a floor"),
        intro=_(
            "A floor by a decision of the office. Absolute and peak floors follow "
            "from the results by themselves, the floors of prizes and of Life "
            "Masters have "
            "their own pages. A second person has to approve it."
        ),
        submit=_("Propose the floor"),
        player=player,
        is_for_office=True,
    )


@for_office
def impose(request: HttpRequest, member_id: str) -> HttpResponse:
    player = member_or_404(member_id)

    def look(said: dict[str, Any]) -> list[Effect]:
        facts = _facts_of_grant(player, said)
        return [*what_happens(IMPOSE, facts, request.user), of_nobody_else()]

    return act_page(
        request,
        CeilingForm(posted(request)),
        lambda said: impose_ceiling(player_id=player.pk, actor=request.user, **said),
        permission=CEILING,
        look=look,
        done=_("The ceiling is imposed."),
        to=_office_page(player),
        title=_("Impose a ceiling"),
        intro=_(
            "A level above which the rating may not rise. Only the Executive "
            "Director imposes one."
        ),
        submit=_("Impose the ceiling"),
        kind="danger",
        player=player,
        is_for_office=True,
    )


@for_office
def end_a_floor(request: HttpRequest, pk: int) -> HttpResponse:
    floor = get_object_or_404(Floor.objects.select_related("player"), pk=pk)
    return _end(request, floor, lambda said: end_floor(floor_id=pk, **said))


@for_office
def end_a_ceiling(request: HttpRequest, pk: int) -> HttpResponse:
    ceiling = get_object_or_404(Ceiling.objects.select_related("player"), pk=pk)
    return _end(request, ceiling, lambda said: end_ceiling(ceiling_id=pk, **said))


def _end(
    request: HttpRequest, row: Floor | Ceiling, end: Callable[[dict], object]
) -> HttpResponse:
    intro = _("It stays in the history, and holds up to and including its last day.")
    if isinstance(row, Ceiling):
        done, submit = _("The ceiling ends."), _("End the ceiling")
        title = _("End the {system} ceiling of {level}")
    else:
        done, submit = _("The floor ends."), _("End the floor")
        title = _("End the {system} floor of {level}")
    if isinstance(row, Floor) and row.kind == Floor.Kind.MONEY:
        money = _("It is a money floor: a second person has to approve its end.")
        intro = f"{intro} {money}"
        done = _("The end of the floor waits for a second person.")
        submit = _("Propose to end the floor")
    return act_page(
        request,
        EndForm(posted(request), initial={"ends": timezone.localdate()}),
        lambda said: end({**said, "actor": request.user}),
        permission=GRANT if isinstance(row, Floor) else CEILING,
        look=lambda said: _what_ending_does(row, said["ends"], request.user),
        done=done,
        to=_office_page(row.player),
        title=title.format(system=row.get_system_display(), level=row.level),
        intro=intro,
        submit=submit,
        kind="danger",
        player=row.player,
        is_for_office=True,
    )


def _what_ending_does(row: Floor | Ceiling, ends: date, actor: User) -> list[Effect]:
    facts = facts_of_end(row, ends)
    if isinstance(row, Ceiling):
        return [*what_happens(END_CEILING, facts, actor), of_nobody_else()]
    if row.kind == Floor.Kind.MONEY:
        effects = what_happens(END_MONEY, facts, actor)
        return [*effects, of_second_person(GRANT, actor)]
    return [*what_happens(END, facts, actor), of_nobody_else()]


@for_office
def money(request: HttpRequest, member_id: str) -> HttpResponse:
    """Look what floor a prize makes; then put it before a second person."""
    player = member_or_404(member_id)
    prize_form = PrizeForm(request.GET or None)
    section, proposal = None, None
    if prize_form.is_bound and prize_form.is_valid():
        section, proposal = _look(player, prize_form)

    def do(said: dict[str, Any]) -> None:
        if proposal is None or section is None:
            raise FloorRefused(_("Look first what floor the rules make of the prize."))
        propose_money_floor(
            player_id=player.pk,
            section_id=section.pk,
            prize=proposal.prize,
            limit=proposal.limit,
            actor=request.user,
            **said,
        )

    def effects() -> list[Effect]:
        if proposal is None:
            return []
        facts = {**facts_of_proposal(proposal), "evidence": ""}
        foreseen = what_happens_if_at_all(MONEY, facts, request.user)
        return [*foreseen, of_second_person(GRANT, request.user)]

    return act_page(
        request,
        MoneyForm(posted(request)),
        do,
        done=_("The floor waits for a second person."),
        to=_office_page(player),
        permission=GRANT,
        effects=effects,
        template="ratings/floors/money.html",
        player=player,
        prize_form=prize_form,
        proposal=proposal,
        is_for_office=True,
    )


def _look(
    player: Player, form: PrizeForm
) -> tuple[Section | None, MoneyProposal | None]:
    said = form.cleaned_data
    section = (
        Section.objects.select_related("event")
        .filter(event__event_id=said["event_id"], number=said["number"])
        .first()
    )
    if section is None:
        form.add_error("number", _("There is no such section. Check both numbers."))
        return None, None
    try:
        return section, money_proposal(
            player=player, section=section, prize=said["prize"], limit=said["limit"]
        )
    except FloorRefused as refusal:
        form.add_error(None, str(refusal))
        return section, None
