"""The floors of a member: the public page, and the decisions of the office."""

from collections.abc import Callable
from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from events.access import office_required
from events.models import Section
from players.access import get_member_or_404
from players.models import Player
from ratings.access import RatingViewer, can_request_lower_floor
from ratings.decisions.floors.forms import (
    CeilingForm,
    EndForm,
    FloorForm,
    MoneyForm,
    PrizeForm,
)
from ratings.decisions.floors.queries.records import (
    Viewer,
    member_floors,
    pending_approvals_for,
)
from ratings.decisions.floors.services.floors import (
    END,
    END_CEILING,
    END_MONEY,
    IMPOSE,
    MONEY,
    OFFICE,
    end_ceiling,
    end_facts,
    end_floor,
    grant_facts,
    impose_ceiling,
    propose_office_floor,
)
from ratings.decisions.floors.services.money import (
    MoneyProposal,
    money_proposal,
    proposal_facts,
    propose_money_floor,
)
from ratings.decisions.floors.services.validation import CEILING, GRANT, FloorRefused
from ratings.models import Ceiling, Floor
from ratings_site.common.approvals.pages import action_page, post_data
from ratings_site.common.approvals.preview import (
    PreviewLine,
    no_approval_line,
    preview_action,
    preview_or_refusal,
    second_approval_line,
)
from ratings_site.common.models import User
from ratings_site.common.web.requests import SignedInRequest

# --- Public ---


@require_safe
def floors(request: HttpRequest, member_id: str) -> HttpResponse:
    """Show the floors that apply to a member's ratings, with days and reasons."""
    player = get_member_or_404(member_id)
    reader = RatingViewer(request.user)
    is_own = reader.own_pk == player.pk
    context = {
        "player": player,
        "systems": member_floors(
            player,
            Viewer.MEMBER if is_own else Viewer.PUBLIC,
            can_see_rating=reader.can_see_exact(player.pk),
        ),
        "may_ask": request.user.is_authenticated
        and can_request_lower_floor(request.user, player),
        "is_for_office": False,
    }
    return render(request, "ratings/decisions/floors/floors.html", context)


# --- Office ---


def _grant_facts(player: Player, cleaned: dict[str, Any]) -> dict[str, Any]:
    return grant_facts(
        player, cleaned["system"], cleaned["level"], cleaned["starts"], cleaned["ends"]
    )


def _office_page(player: Player) -> str:
    return reverse("ratings:office_floors", args=[player.member_id])


@office_required
def office_floors(request: SignedInRequest, member_id: str) -> HttpResponse:
    """Show the same page with evidence, names and all actions of the office."""
    player = get_member_or_404(member_id)
    context = {
        "player": player,
        "systems": member_floors(player, Viewer.OFFICE),
        "waiting": list(pending_approvals_for(player)),
        "may_ask": True,
        "is_for_office": True,
    }
    return render(request, "ratings/decisions/floors/floors.html", context)


@office_required
def grant(request: SignedInRequest, member_id: str) -> HttpResponse:
    player = get_member_or_404(member_id)

    def look(cleaned: dict[str, Any]) -> list[PreviewLine]:
        facts = {**_grant_facts(player, cleaned), "evidence": cleaned["evidence"]}
        foreseen = preview_action(OFFICE, facts, request.user)
        return [*foreseen, second_approval_line(GRANT, request.user)]

    return action_page(
        request,
        FloorForm(post_data(request)),
        lambda cleaned: propose_office_floor(
            player_id=player.pk, actor=request.user, **cleaned
        ),
        permission=GRANT,
        look=look,
        done=_("The floor is awaiting a second approval."),
        to=_office_page(player),
        title=_("Grant a floor"),
        intro=_(
            "Use this for floors set by the office. Absolute and peak floors are "
            "calculated from results. Money and Life Master floors have their own "
            "pages. A second person must approve it."
        ),
        submit=_("Propose the floor"),
        player=player,
        is_for_office=True,
    )


@office_required
def impose(request: SignedInRequest, member_id: str) -> HttpResponse:
    player = get_member_or_404(member_id)

    def look(cleaned: dict[str, Any]) -> list[PreviewLine]:
        facts = _grant_facts(player, cleaned)
        return [*preview_action(IMPOSE, facts, request.user), no_approval_line()]

    return action_page(
        request,
        CeilingForm(post_data(request)),
        lambda cleaned: impose_ceiling(
            player_id=player.pk, actor=request.user, **cleaned
        ),
        permission=CEILING,
        look=look,
        done=_("Ceiling imposed."),
        to=_office_page(player),
        title=_("Impose a ceiling"),
        intro=_(
            "A level the rating can’t go above. Only the Executive Director can "
            "impose one."
        ),
        submit=_("Impose the ceiling"),
        kind="danger",
        player=player,
        is_for_office=True,
    )


@office_required
def end_a_floor(request: SignedInRequest, pk: int) -> HttpResponse:
    floor = get_object_or_404(Floor.objects.select_related("player"), pk=pk)
    return _end(request, floor, lambda cleaned: end_floor(floor_id=pk, **cleaned))


@office_required
def end_a_ceiling(request: SignedInRequest, pk: int) -> HttpResponse:
    ceiling = get_object_or_404(Ceiling.objects.select_related("player"), pk=pk)
    return _end(request, ceiling, lambda cleaned: end_ceiling(ceiling_id=pk, **cleaned))


def _end(
    request: SignedInRequest,
    row: Floor | Ceiling,
    end: Callable[[dict[str, Any]], object],
) -> HttpResponse:
    intro = _("It stays in the history and applies through its last day.")
    if isinstance(row, Ceiling):
        done, submit = _("Ceiling ended."), _("End the ceiling")
        title = _("End the {system} ceiling of {level}")
    else:
        done, submit = _("Floor ended."), _("End the floor")
        title = _("End the {system} floor of {level}")
    if isinstance(row, Floor) and row.kind == Floor.Kind.MONEY:
        money = _("This is a money floor, so a second person must approve ending it.")
        intro = f"{intro} {money}"
        done = _("Ending the floor is awaiting a second approval.")
        submit = _("Propose ending the floor")
    return action_page(
        request,
        EndForm(post_data(request), initial={"ends": timezone.localdate()}),
        lambda cleaned: end({**cleaned, "actor": request.user}),
        permission=GRANT if isinstance(row, Floor) else CEILING,
        look=lambda cleaned: _preview_end(row, cleaned["ends"], request.user),
        done=done,
        to=_office_page(row.player),
        title=title.format(system=row.get_system_display(), level=row.level),
        intro=intro,
        submit=submit,
        kind="danger",
        player=row.player,
        is_for_office=True,
    )


def _preview_end(row: Floor | Ceiling, ends: date, actor: User) -> list[PreviewLine]:
    facts = end_facts(row, ends)
    if isinstance(row, Ceiling):
        return [*preview_action(END_CEILING, facts, actor), no_approval_line()]
    if row.kind == Floor.Kind.MONEY:
        effects = preview_action(END_MONEY, facts, actor)
        return [*effects, second_approval_line(GRANT, actor)]
    return [*preview_action(END, facts, actor), no_approval_line()]


@office_required
def money(request: SignedInRequest, member_id: str) -> HttpResponse:
    """Show the floor that a prize makes; a POST proposes it for approval."""
    player = get_member_or_404(member_id)
    prize_form = PrizeForm(request.GET or None)
    section, proposal = None, None
    if prize_form.is_bound and prize_form.is_valid():
        section, proposal = _prize_proposal(player, prize_form)

    def do(cleaned: dict[str, Any]) -> None:
        if proposal is None or section is None:
            raise FloorRefused(_("Calculate the floor first."))
        propose_money_floor(
            player_id=player.pk,
            section_id=section.pk,
            prize=proposal.prize,
            limit=proposal.limit,
            actor=request.user,
            **cleaned,
        )

    def effects() -> list[PreviewLine]:
        if proposal is None:
            return []
        facts = {**proposal_facts(proposal), "evidence": ""}
        foreseen = preview_or_refusal(MONEY, facts, request.user)
        return [*foreseen, second_approval_line(GRANT, request.user)]

    return action_page(
        request,
        MoneyForm(post_data(request)),
        do,
        done=_("The floor is awaiting a second approval."),
        to=_office_page(player),
        permission=GRANT,
        effects=effects,
        template="ratings/decisions/floors/money.html",
        player=player,
        prize_form=prize_form,
        proposal=proposal,
        is_for_office=True,
    )


def _prize_proposal(
    player: Player, form: PrizeForm
) -> tuple[Section | None, MoneyProposal | None]:
    cleaned = form.cleaned_data
    section = (
        Section.objects.select_related("event")
        .filter(event__event_id=cleaned["event_id"], number=cleaned["number"])
        .first()
    )
    if section is None:
        form.add_error(
            "number", _("Section not found. Check the event ID and the section number.")
        )
        return None, None
    try:
        return section, money_proposal(
            player=player,
            section=section,
            prize=cleaned["prize"],
            limit=cleaned["limit"],
        )
    except FloorRefused as refusal:
        form.add_error(None, str(refusal))
        return section, None
