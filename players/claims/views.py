"""Link requests, and the office's decisions on them."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from players.claims.forms import (
    AskForm,
    ClaimForm,
    CodeForm,
    DecideForm,
    InviteForm,
    ListForm,
)
from players.claims.pages import ACTIONS, claims_to_decide
from players.claims.queries import (
    decided_claims,
    open_claims_of,
    open_offers,
)
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
from players.imports.kinds import ImportRefused
from players.models import Claim, Intake
from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.approvals.pages import (
    ListState,
    bulk_action_page,
    list_shortcuts,
)
from ratings_site.common.ui.pagination import ROWS_PER_PAGE
from ratings_site.common.web.requests import SignedInRequest


@never_cache
@login_required
def claims(request: SignedInRequest) -> HttpResponse:
    """List the members linked to the account, and accept a new link request."""
    is_sent = request.method == "POST"
    asked_for = {"member": request.GET.get("member", "")}
    form = ClaimForm(request.POST if is_sent else None, initial=asked_for)
    if is_sent and form.is_valid():
        data = form.cleaned_data
        try:
            claim = claim_member(
                player_id=data["member"].pk,
                as_guardian=data["whom"] == ClaimForm.GUARDIAN,
                actor=request.user,
            )
        except ClaimRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            return redirect("players:claim", claim.pk)
    context = {
        "form": form,
        "own": getattr(request.user, "player", None),
        "children": [
            (child, age_class(child.birth_date) == "13 to 17")
            for child in children_of(request.user)
        ],
        "offers": open_offers(request.user),
        "open": open_claims_of(request.user),
    }
    status = 422 if is_sent else 200
    return render(request, "players/claims/claims.html", context, status=status)


@never_cache
@login_required
def claim(request: SignedInRequest, pk: int) -> HttpResponse:
    """Accept the code of a link request, or the information for the office."""
    claims = Claim.objects.select_related("player")
    one = get_object_or_404(claims, pk=pk, account=request.user, as_td=False)
    data = request.POST if request.method == "POST" else None
    is_code = data is not None and "secret_code" in data
    code = CodeForm(data if is_code else None)
    ask = AskForm(data if not is_code else None)
    if data is not None:
        if is_code and code.is_valid() and _prove(request, one, code):
            return redirect("players:claims")
        if not is_code and ask.is_valid() and _ask(request, one, ask):
            return redirect("players:claims")
    context = {"claim": one, "code": code, "ask": ask}
    status = 200 if data is None else 422
    return render(request, "players/claims/claim.html", context, status=status)


def _prove(request: SignedInRequest, one: Claim, form: CodeForm) -> bool:
    code = form.cleaned_data["secret_code"]
    try:
        try_code(claim_id=one.pk, code=code, actor=request.user)
    except ClaimRefused as refusal:
        form.add_error("secret_code", str(refusal))
        return False
    done = _("Your account is now linked to {name}.").format(name=one.player.name)
    messages.success(request, done)
    return True


def _ask(request: SignedInRequest, one: Claim, form: AskForm) -> bool:
    data = form.cleaned_data
    try:
        ask_office(
            claim_id=one.pk,
            actor=request.user,
            text=data["text"],
            birth_date=data["secret_birth_date"],
        )
    except ClaimRefused as refusal:
        form.add_error(None, str(refusal))
        return False
    messages.success(request, _("The office has your request. We’ll notify you."))
    return True


@never_cache
@login_required
def invited(request: SignedInRequest, token: str) -> HttpResponse:
    """Show an invitation, and accept it."""
    try:
        invitation = get_invitation(token)
        if request.method == "POST":
            accept_invitation(token=token, actor=request.user)
            name = invitation.player.name
            done = _("Your account is now linked to {name}.").format(name=name)
            messages.success(request, done)
            return redirect("players:claims")
    except ClaimRefused as refusal:
        context = {"refusal": str(refusal)}
        status = 422 if request.method == "POST" else 404
        return render(request, "players/claims/invited.html", context, status=status)
    return render(request, "players/claims/invited.html", {"invitation": invitation})


# For the office

LIST = "players_office:claims"


@staff_permission_required(PERMISSION)
def office_invite(request: SignedInRequest) -> HttpResponse:
    """Invite a person, and show the link once, to hand over or print."""
    is_sent = request.method == "POST"
    form = InviteForm(request.POST if is_sent else None)
    if is_sent and form.is_valid():
        data = form.cleaned_data
        invitation = invite(
            player_id=data["member"].pk,
            as_guardian=data["whom"] == ClaimForm.GUARDIAN,
            email=data["email"],
            actor=request.user,
        )
        made = {"invitation": invitation, "link": link_of(invitation)}
        return render(request, "players/office/invited.html", made)
    status = 422 if is_sent else 200
    return render(request, "players/office/invite.html", {"form": form}, status=status)


@staff_permission_required(PERMISSION)
def office_invite_list(request: SignedInRequest) -> HttpResponse:
    """Accept a list of members to invite; the list's own page shows the preview."""
    is_sent = request.method == "POST"
    form = ListForm(request.POST, request.FILES) if is_sent else ListForm()
    if is_sent and form.is_valid() and (received := _receive_list(request, form)):
        messages.success(request, _("We received the list and are reading it."))
        return redirect(received)
    status = 422 if is_sent else 200
    context = {"form": form}
    return render(request, "players/office/invite_list.html", context, status=status)


def _receive_list(request: SignedInRequest, form: ListForm) -> Intake | None:
    file, lines = form.cleaned_data["file"], form.cleaned_data["lines"]
    name, content = _("pasted.csv"), [as_table(lines).encode()]
    if file:
        name, content = file.name, file.chunks()
    try:
        return receive_list(actor=request.user, name=name, content=content)
    except ImportRefused as refusal:
        form.add_error("file", str(refusal))
        return None


@staff_permission_required(PERMISSION)
def office_claims(request: SignedInRequest) -> HttpResponse:
    """List the open link requests and the decided ones."""
    decided = Paginator(decided_claims(), ROWS_PER_PAGE)
    context = {
        "waiting": [
            (claim, denial_reason(claim, request.user)) for claim in claims_to_decide()
        ],
        "page_obj": decided.get_page(request.GET.get("page")),
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
    return bulk_action_page(request, ACTIONS, ListState.from_request(request, LIST))


@staff_permission_required(PERMISSION)
def office_claim(request: SignedInRequest, pk: int) -> HttpResponse:
    claims = Claim.objects.select_related("player", "account", "decided_by")
    one = get_object_or_404(claims, pk=pk, as_td=False)
    is_sent = request.method == "POST"
    form = DecideForm(request.POST if is_sent else None)
    if is_sent and form.is_valid() and _decide(request, one, form):
        return redirect(ListState.from_request(request, LIST).url)
    context = {
        "claim": one,
        "form": form,
        "shown": ListState.from_request(request, LIST),
        "not_mine": denial_reason(one, request.user),
        "age_class": age_class(one.player.birth_date),
        "other_account": one.player.account,
        "guardians": one.player.guardian_accounts.filter(ended_at=None),
    }
    status = 422 if is_sent else 200
    return render(request, "players/office/claim.html", context, status=status)


def _decide(request: SignedInRequest, one: Claim, form: forms.Form) -> bool:
    data = form.cleaned_data
    decide = grant_claim if data["decision"] == DecideForm.GRANT else refuse_claim
    try:
        decide(claim_id=one.pk, actor=request.user, reason=data["reason"])
    except ClaimRefused as refusal:
        form.add_error(None, str(refusal))
        return False
    messages.success(request, _("Decision saved. The person who asked is notified."))
    return True
