"""Claiming a member's record, and deciding on claims."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
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
from players.claims.pages import ACTS, claims_to_decide
from players.claims.queries import (
    decided_claims,
    offers_to,
    open_claims_of,
)
from players.claims.services.claiming import (
    PERMISSION,
    ClaimRefused,
    ask_office,
    claim_member,
    grant_claim,
    refuse_claim,
    try_code,
    why_not_decide,
)
from players.claims.services.invitations import (
    accept_invitation,
    invitation_with,
    invite,
    link_of,
)
from players.claims.services.lists import as_table, receive_list
from players.guardians.queries import age_class, children_of
from players.intake.kinds import NotTaken
from players.models import Claim, Intake
from ratings_site.common.accounts.permissions import for_staff
from ratings_site.common.acts.pages import ListShown, list_keys, several_page
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE


@never_cache
@login_required
def claims(request: HttpRequest) -> HttpResponse:
    """Show whom the account speaks for, and take another claim."""
    is_sent = request.method == "POST"
    asked_for = {"member": request.GET.get("member", "")}
    form = ClaimForm(request.POST if is_sent else None, initial=asked_for)
    if is_sent and form.is_valid():
        said = form.cleaned_data
        try:
            claim = claim_member(
                player_id=said["member"].pk,
                as_guardian=said["whom"] == ClaimForm.GUARDIAN,
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
        "offers": offers_to(request.user),
        "open": open_claims_of(request.user),
    }
    status = 422 if is_sent else 200
    return render(request, "players/claims/claims.html", context, status=status)


@never_cache
@login_required
def claim(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the code of a claim, or what the office should know."""
    claims = Claim.objects.select_related("player")
    one = get_object_or_404(claims, pk=pk, account=request.user)
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


def _prove(request: HttpRequest, one: Claim, form: CodeForm) -> bool:
    code = form.cleaned_data["secret_code"]
    try:
        try_code(claim_id=one.pk, code=code, actor=request.user)
    except ClaimRefused as refusal:
        form.add_error("secret_code", str(refusal))
        return False
    done = _("Your account now speaks for {name}.").format(name=one.player.name)
    messages.success(request, done)
    return True


def _ask(request: HttpRequest, one: Claim, form: AskForm) -> bool:
    said = form.cleaned_data
    try:
        ask_office(
            claim_id=one.pk,
            actor=request.user,
            text=said["text"],
            birth_date=said["secret_birth_date"],
        )
    except ClaimRefused as refusal:
        form.add_error(None, str(refusal))
        return False
    messages.success(request, _("The office has your claim. You will hear of it."))
    return True


@never_cache
@login_required
def invited(request: HttpRequest, token: str) -> HttpResponse:
    """Show what an invitation is for, and take it up."""
    try:
        invitation = invitation_with(token)
        if request.method == "POST":
            accept_invitation(token=token, actor=request.user)
            name = invitation.player.name
            done = _("Your account now speaks for {name}.").format(name=name)
            messages.success(request, done)
            return redirect("players:claims")
    except ClaimRefused as refusal:
        context = {"refusal": str(refusal)}
        status = 422 if request.method == "POST" else 404
        return render(request, "players/claims/invited.html", context, status=status)
    return render(request, "players/claims/invited.html", {"invitation": invitation})


# For the office

LIST = "players_office:claims"


@for_staff(PERMISSION)
def office_invite(request: HttpRequest) -> HttpResponse:
    """Invite somebody, and show the link once, to be handed over or printed."""
    is_sent = request.method == "POST"
    form = InviteForm(request.POST if is_sent else None)
    if is_sent and form.is_valid():
        said = form.cleaned_data
        invitation = invite(
            player_id=said["member"].pk,
            as_guardian=said["whom"] == ClaimForm.GUARDIAN,
            email=said["email"],
            actor=request.user,
        )
        made = {"invitation": invitation, "link": link_of(invitation)}
        return render(request, "players/office/invited.html", made)
    status = 422 if is_sent else 200
    return render(request, "players/office/invite.html", {"form": form}, status=status)


@for_staff(PERMISSION)
def office_invite_list(request: HttpRequest) -> HttpResponse:
    """Take a list of members to invite; its own page says what it would do."""
    is_sent = request.method == "POST"
    form = ListForm(request.POST, request.FILES) if is_sent else ListForm()
    if is_sent and form.is_valid() and (received := _receive_list(request, form)):
        messages.success(request, _("The list is kept, and is being read."))
        return redirect(received)
    status = 422 if is_sent else 200
    context = {"form": form}
    return render(request, "players/office/invite_list.html", context, status=status)


def _receive_list(request: HttpRequest, form: ListForm) -> Intake | None:
    file, lines = form.cleaned_data["file"], form.cleaned_data["lines"]
    name, content = _("pasted.csv"), [as_table(lines).encode()]
    if file:
        name, content = file.name, file.chunks()
    try:
        return receive_list(actor=request.user, name=name, content=content)
    except NotTaken as refusal:
        form.add_error("file", str(refusal))
        return None


@for_staff(PERMISSION)
def office_claims(request: HttpRequest) -> HttpResponse:
    """List the claims that wait, and those that were decided."""
    decided = Paginator(decided_claims(), ROWS_ON_A_PAGE)
    context = {
        "waiting": [
            (claim, why_not_decide(claim, request.user)) for claim in claims_to_decide()
        ],
        "page_obj": decided.get_page(request.GET.get("page")),
        "here": ListShown(request.GET, LIST),
        "extra_keys": list_keys(
            tick=_("Tick the row"),
            act=_("Grant this one"),
            other=_("Refuse this one"),
            all_ticked=_("Grant those ticked"),
        ),
    }
    return render(request, "players/office/claims.html", context)


@for_staff(PERMISSION)
def several_claims(request: HttpRequest) -> HttpResponse:
    """Grant several claims, or refuse them."""
    return several_page(request, ACTS, ListShown.handed_on(request, LIST))


@for_staff(PERMISSION)
def office_claim(request: HttpRequest, pk: int) -> HttpResponse:
    claims = Claim.objects.select_related("player", "account", "decided_by")
    one = get_object_or_404(claims, pk=pk)
    is_sent = request.method == "POST"
    form = DecideForm(request.POST if is_sent else None)
    if is_sent and form.is_valid() and _decide(request, one, form):
        return redirect(ListShown.handed_on(request, LIST).url)
    context = {
        "claim": one,
        "form": form,
        "shown": ListShown.handed_on(request, LIST),
        "not_mine": why_not_decide(one, request.user),
        "age_class": age_class(one.player.birth_date),
        "other_account": one.player.account,
        "guardians": one.player.guardian_accounts.filter(ended_at=None),
    }
    status = 422 if is_sent else 200
    return render(request, "players/office/claim.html", context, status=status)


def _decide(request: HttpRequest, one: Claim, form: forms.Form) -> bool:
    said = form.cleaned_data
    decide = grant_claim if said["decision"] == DecideForm.GRANT else refuse_claim
    try:
        decide(claim_id=one.pk, actor=request.user, reason=said["reason"])
    except ClaimRefused as refusal:
        form.add_error(None, str(refusal))
        return False
    messages.success(request, _("Decided. The claimant is told."))
    return True
