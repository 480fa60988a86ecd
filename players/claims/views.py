"""Link requests, and the office's decisions on them."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.claims.forms import (
    AskForm,
    ClaimForm,
    CodeForm,
    DecideForm,
    InviteForm,
    ListForm,
)
from players.claims.pages import LIST, claims_to_decide
from players.claims.queries import decided_claims, open_claims_of, open_offers
from players.claims.services.claims import (
    PERMISSION,
    ClaimRefused,
    ask_office,
    claim_member,
    denial_reason,
    grant_claim,
    refuse_claim,
    try_code,
)
from players.claims.services.invitation_lists import as_table, receive_list
from players.claims.services.invitations import (
    accept_invitation,
    get_invitation,
    invite,
    link_of,
)
from players.guardians.queries import age_class, children_of
from players.models import Claim, Intake, Invitation, Player
from ratings_site.common.accounts.permissions import (
    account_required,
    staff_permission_required,
)
from ratings_site.common.approvals.pages import (
    EditView,
    ListState,
    bulk_action_page,
    list_shortcuts,
)
from ratings_site.common.ui.pagination import paginate
from ratings_site.common.web.requests import SignedInRequest


@account_required
class Claims(EditView[None]):
    """List the members linked to the account, and accept a new link request."""

    form_class = ClaimForm
    template_name = "players/claims/claims.html"

    def get_initial(self) -> dict[str, Any]:
        return {"member": self.request.GET.get("member", "")}

    def do(self, data: dict[str, Any]) -> HttpResponse:
        claim = claim_member(
            player_id=data["member"].pk,
            as_guardian=data["whom"] == ClaimForm.GUARDIAN,
            actor=self.request.user,
        )
        return redirect("players:claim", claim.pk)

    def context(self) -> dict[str, Any]:
        user = self.request.user
        return {
            "own": getattr(user, "player", None),
            "children": [
                (child, age_class(child.latest_birth_date) == "13 to 17")
                for child in children_of(user)
            ],
            "offers": open_offers(user),
            "open": open_claims_of(user),
        }


@account_required
class ProveClaim(EditView[Claim]):
    """Accept the code of a link request, or the information for the office."""

    template_name = "players/claims/claim.html"
    context_object_name = "claim"
    success_url = reverse_lazy("players:claims")

    def get_object(self) -> Claim:
        claims = Claim.objects.select_related("player")
        own = {"account": self.request.user, "as_td": False}
        return get_object_or_404(claims, pk=self.kwargs["pk"], **own)

    @property
    def is_code(self) -> bool:
        return "secret_code" in self.request.POST

    @property
    def error_field(self) -> str | None:  # type: ignore[override]
        return "secret_code" if self.is_code else None

    def get_form_class(self) -> type[forms.Form]:
        return CodeForm if self.is_code else AskForm

    def do(self, data: dict[str, Any]) -> str:
        ids: Any = {"claim_id": self.object.pk, "actor": self.request.user}
        if self.is_code:
            try_code(**ids, code=data["secret_code"])
            return _linked(self.object.player)
        ask_office(**ids, text=data["text"], birth_date=data["secret_birth_date"])
        return _("The office has your request. We’ll notify you.")

    def context(self) -> dict[str, Any]:
        code, ask = (self.form, AskForm()) if self.is_code else (CodeForm(), self.form)
        return {"code": code, "ask": ask}


def _linked(player: Player) -> str:
    return _("Your account is now linked to {name}.").format(name=player.full_name)


@account_required
def invited(request: SignedInRequest, token: str) -> HttpResponse:
    """Show an invitation, and accept it."""
    try:
        invitation = get_invitation(token)
        if request.method == "POST":
            accept_invitation(token=token, actor=request.user)
            messages.success(request, _linked(invitation.player))
            return redirect("players:claims")
    except ClaimRefused as refusal:
        context = {"refusal": str(refusal)}
        status = 422 if request.method == "POST" else 404
        return render(request, "players/claims/invited.html", context, status=status)
    return render(request, "players/claims/invited.html", {"invitation": invitation})


# For the office


@staff_permission_required(PERMISSION)
class Invite(EditView[None]):
    """Invite a person, and show the link once, to hand over or print."""

    form_class = InviteForm
    template_name = "players/office/invite.html"

    def get_initial(self) -> dict[str, Any]:
        return {"member": self.request.GET.get("member", "")}

    def do(self, data: dict[str, Any]) -> Invitation:
        return invite(
            player_id=data["member"].pk,
            as_guardian=data["whom"] == ClaimForm.GUARDIAN,
            email=data["email"],
            actor=self.request.user,
        )

    def get_success_response(self, result: Invitation) -> HttpResponse:
        made = {"invitation": result, "link": link_of(result)}
        return render(self.request, "players/office/invited.html", made)


@staff_permission_required(PERMISSION)
class InviteList(EditView[None]):
    """Accept a list of members to invite; the list's own page shows the preview."""

    form_class = ListForm
    template_name = "players/office/invite_list.html"
    success_message = gettext_lazy("We received the list and are reading it.")
    error_field = "file"

    def do(self, data: dict[str, Any]) -> Intake:
        name, content = _("pasted.csv"), [as_table(data["lines"]).encode()]
        if file := data["file"]:
            name, content = file.name, file.chunks()
        return receive_list(actor=self.request.user, name=name, content=content)


@staff_permission_required(PERMISSION)
def office_claims(request: SignedInRequest) -> HttpResponse:
    """List the open link requests and the decided ones."""
    context = {
        "waiting": [
            (claim, denial_reason(claim, request.user)) for claim in claims_to_decide()
        ],
        "page_obj": paginate(request, decided_claims()),
        "here": ListState(request.GET, LIST),
        "extra_keys": list_shortcuts(
            tick=_("Select the row"),
            act=_("Approve this request"),
            other=_("Decline this request"),
            all_ticked=_("Approve selected"),
        ),
    }
    return render(request, "players/office/claims.html", context)


@staff_permission_required(PERMISSION)
def several_claims(request: SignedInRequest) -> HttpResponse:
    """Grant or refuse several link requests."""
    return bulk_action_page(request, ListState.from_request(request, LIST))


@staff_permission_required(PERMISSION)
class DecideClaim(EditView[Claim]):
    form_class = DecideForm
    template_name = "players/office/claim.html"
    context_object_name = "claim"
    success_message = gettext_lazy("Decision saved. The person who asked is notified.")
    queryset = Claim.objects.filter(as_td=False).select_related(
        "player", "account", "decided_by"
    )

    def do(self, data: dict[str, Any]) -> str:
        decide = grant_claim if data["decision"] == DecideForm.GRANT else refuse_claim
        claim, actor = self.object, self.request.user
        decide(claim_id=claim.pk, actor=actor, reason=data["reason"])
        return ListState.from_request(self.request, LIST).url

    def context(self) -> dict[str, Any]:
        player = self.object.player
        return {
            "shown": ListState.from_request(self.request, LIST),
            "not_mine": denial_reason(self.object, self.request.user),
            "age_class": age_class(player.latest_birth_date),
            "other_account": player.account,
            "guardians": player.guardian_accounts.filter(ended_at=None),
        }
