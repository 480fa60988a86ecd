"""The floors of a member: the public page, and the decisions of the office."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
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
from ratings_site.common.approvals.pages import ActionView, PreviewedActionView, Subject
from ratings_site.common.approvals.preview import PreviewLine
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
class FloorAction(ActionView[Subject]):
    """An action on a member's floors, or on one of them."""

    def get_object(self) -> Any:
        if self.queryset is None:
            return get_member_or_404(self.kwargs["member_id"])
        return super().get_object()

    @property
    def player(self) -> Player:
        found: Any = self.object
        return found if isinstance(found, Player) else found.player

    def get_success_url(self) -> str:
        if self.success_url is not None:
            return super().get_success_url()
        return reverse("ratings:office_floors", args=[self.player.member_id])

    def context(self) -> dict[str, Any]:
        return {"player": self.player, "is_for_office": True}


class GrantFloor(PreviewedActionView[Player], FloorAction[Player]):
    form_class = FloorForm
    permission = GRANT
    success_message = gettext_lazy("The floor is awaiting a second approval.")
    extra_context = {
        "title": gettext_lazy("Grant a floor"),
        "intro": gettext_lazy(
            "Use this for floors set by the office. Absolute and peak floors are "
            "calculated from results. Money and Life Master floors have their own "
            "pages. A second person must approve it."
        ),
        "submit": gettext_lazy("Propose the floor"),
    }

    def form_preview(self, data: dict[str, Any]) -> list[PreviewLine]:
        facts = _grant_facts(self.player, data) | {"evidence": data["evidence"]}
        return self.preview_lines(OFFICE, facts, approvers=GRANT)

    def do(self, data: dict[str, Any]) -> object:
        player_id, actor = self.player.pk, self.request.user
        return propose_office_floor(player_id=player_id, actor=actor, **data)


class ImposeCeiling(PreviewedActionView[Player], FloorAction[Player]):
    form_class = CeilingForm
    permission = CEILING
    success_message = gettext_lazy("Ceiling imposed.")
    extra_context = {
        "title": gettext_lazy("Impose a ceiling"),
        "intro": gettext_lazy(
            "A level the rating can’t go above. Only the Executive Director can "
            "impose one."
        ),
        "submit": gettext_lazy("Impose the ceiling"),
        "kind": "danger",
    }

    def form_preview(self, data: dict[str, Any]) -> list[PreviewLine]:
        return self.preview_lines(IMPOSE, _grant_facts(self.player, data))

    def do(self, data: dict[str, Any]) -> object:
        player_id, actor = self.player.pk, self.request.user
        return impose_ceiling(player_id=player_id, actor=actor, **data)


def _grant_facts(player: Player, data: dict[str, Any]) -> dict[str, Any]:
    names = ("system", "level", "starts", "ends")
    return grant_facts(player, *(data[name] for name in names))


class End(PreviewedActionView[Subject], FloorAction[Subject]):
    """End a floor or a ceiling: title, button, message, and kind of the preview."""

    form_class = EndForm
    extra_context = {"kind": "danger"}

    def get_initial(self) -> dict[str, Any]:
        return {"ends": timezone.localdate()}

    def words(self) -> tuple[str, str]:
        """Return the title, with placeholders, and the text of the button."""
        raise NotImplementedError

    def context(self) -> dict[str, Any]:
        row: Any = self.object
        title, submit = self.words()
        return super().context() | {
            "title": title.format(system=row.get_system_display(), level=row.level),
            "intro": _("It stays in the history and applies through its last day."),
            "submit": submit,
        }


class EndCeiling(End[Ceiling]):
    permission = CEILING
    success_message = gettext_lazy("Ceiling ended.")
    queryset = Ceiling.objects.select_related("player")

    def words(self) -> tuple[str, str]:
        return _("End the {system} ceiling of {level}"), _("End the ceiling")

    def form_preview(self, data: dict[str, Any]) -> list[PreviewLine]:
        return self.preview_lines(END_CEILING, end_facts(self.object, data["ends"]))

    def do(self, data: dict[str, Any]) -> object:
        pk, actor = self.object.pk, self.request.user
        return end_ceiling(ceiling_id=pk, actor=actor, **data)


class EndFloor(End[Floor]):
    permission = GRANT
    queryset = Floor.objects.select_related("player")

    @property
    def is_money(self) -> bool:
        return self.object.kind == Floor.Kind.MONEY

    def words(self) -> tuple[str, str]:
        propose, end = _("Propose ending the floor"), _("End the floor")
        title = _("End the {system} floor of {level}")
        return title, propose if self.is_money else end

    def form_preview(self, data: dict[str, Any]) -> list[PreviewLine]:
        facts = end_facts(self.object, data["ends"])
        if self.is_money:
            return self.preview_lines(END_MONEY, facts, approvers=GRANT)
        return self.preview_lines(END, facts)

    def do(self, data: dict[str, Any]) -> str:
        end_floor(floor_id=self.object.pk, actor=self.request.user, **data)
        if self.is_money:
            return _("Ending the floor is awaiting a second approval.")
        return _("Floor ended.")

    def context(self) -> dict[str, Any]:
        context = super().context()
        if self.is_money:
            money = _(
                "This is a money floor, so a second person must approve ending it."
            )
            context["intro"] += f" {money}"
        return context


class GrantMoneyFloor(FloorAction[Player]):
    """Show the floor that a prize makes; a POST proposes it for approval."""

    form_class = MoneyForm
    template_name = "ratings/decisions/floors/money.html"
    permission = GRANT
    success_message = gettext_lazy("The floor is awaiting a second approval.")

    def unavailable_response(self) -> None:
        """Calculate the floor of the prize that the URL names."""
        self.prize_form = PrizeForm(self.request.GET or None)
        self.proposal: MoneyProposal | None = None
        if self.prize_form.is_valid():
            self.proposal = _prize_proposal(self.player, self.prize_form)

    def do(self, data: dict[str, Any]) -> object:
        if self.proposal is None:
            raise FloorRefused(_("Calculate the floor first."))
        return propose_money_floor(
            player_id=self.player.pk,
            section_id=self.proposal.section.pk,
            prize=self.proposal.prize,
            limit=self.proposal.limit,
            actor=self.request.user,
            **data,
        )

    def effects(self) -> list[PreviewLine]:
        if self.proposal is None:
            return []
        facts = {**proposal_facts(self.proposal), "evidence": ""}
        return self.preview_lines(MONEY, facts, approvers=GRANT)

    def context(self) -> dict[str, Any]:
        more = {"prize_form": self.prize_form, "proposal": self.proposal}
        return super().context() | more


def _prize_proposal(player: Player, form: PrizeForm) -> MoneyProposal | None:
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
        return None
    try:
        return money_proposal(
            player=player,
            section=section,
            prize=cleaned["prize"],
            limit=cleaned["limit"],
        )
    except FloorRefused as refusal:
        form.add_error(None, str(refusal))
        return None
