"""Opt-ins to FIDE events abroad: the member's own page, and the office's."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from players.fide.forms import OptInForm, OptOutRequestForm
from players.fide.queries import opt_ins_of, search_opt_ins
from players.fide.services import opt_ins as services
from players.models import FideOptIn, Player
from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.approvals.pages import action_page, post_data
from ratings_site.common.ui.pagination import ROWS_PER_PAGE
from ratings_site.common.web.requests import SignedInRequest


@never_cache
@login_required
def own(request: SignedInRequest) -> HttpResponse:
    """Let members opt in, and request to opt out."""
    player = getattr(request.user, "player", None)
    form = OptOutRequestForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST" and player is not None:
        status = 422
        if form.is_valid() and _save_request(request, form, player):
            return redirect("players:fide_opt_in")
    opt_ins = list(opt_ins_of(player)) if player else []
    context = {
        "player": player,
        "open": next((one for one in opt_ins if one.opted_out_on is None), None),
        "ended": [one for one in opt_ins if one.opted_out_on is not None],
        "form": form,
    }
    return render(request, "players/opt_in.html", context, status=status)


def _save_request(
    request: SignedInRequest, form: OptOutRequestForm, player: Player
) -> bool:
    act = request.POST.get("act")
    if act not in ("in", "out"):
        form.add_error(None, _("Choose “Opt in” or “Ask to opt out.”"))
        return False
    try:
        if act == "out":
            services.ask_to_opt_out(
                player_id=player.pk,
                actor=request.user,
                wish=form.cleaned_data["wish"],
            )
            message = _(
                "Request sent. The Executive Director decides, and the office "
                "will let you know."
            )
        else:
            services.opt_in(player_id=player.pk, actor=request.user)
            message = _(
                "You’ve opted in. This applies to events that start after today."
            )
    except services.OptInRefused as refusal:
        form.add_error(None, str(refusal))
        return False
    messages.success(request, message)
    return True


@staff_permission_required("players.view_fideoptin")
def opt_ins(request: SignedInRequest) -> HttpResponse:
    """List the opt-ins, opt-out requests first, and accept one sent by letter."""
    may_enter = request.user.has_perm(services.ENTER)
    form = OptInForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid() and _enter(request, form):
            return redirect("players_office:opt_ins")
    text = request.GET.get("q", "").strip()
    rows = search_opt_ins(text)
    context = {
        "form": form,
        "text": text,
        "page_obj": Paginator(rows, ROWS_PER_PAGE).get_page(request.GET.get("page")),
        "may_enter": may_enter,
        "may_approve": request.user.has_perm(services.APPROVE),
    }
    return render(request, "players/office/opt_ins.html", context, status=status)


def _enter(request: SignedInRequest, form: OptInForm) -> bool:
    data = form.cleaned_data
    try:
        services.opt_in(
            player_id=data["member"].pk,
            actor=request.user,
            note=data["reason"],
            day=data["day"],
        )
    except services.OptInRefused as refusal:
        form.add_error(None, str(refusal))
        return False
    messages.success(request, _("{name} opted in.").format(name=data["member"].name))
    return True


@staff_permission_required(services.APPROVE)
def out(request: SignedInRequest, pk: int) -> HttpResponse:
    """Let the Executive Director approve an opt-out."""
    wish = get_object_or_404(
        FideOptIn.objects.select_related("player", "entered_by"), pk=pk
    )
    already = _("{name} has already opted out.").format(name=wish.player.name)
    if wish.opted_out_on is not None and request.method != "POST":
        messages.warning(request, already)
        return redirect("players_office:opt_ins")

    def do(data: dict[str, Any]) -> None:
        if wish.opted_out_on is not None:
            raise services.OptInRefused(already)
        services.opt_out(player_id=wish.player_id, actor=request.user, **data)

    return action_page(
        request,
        ReasonForm(post_data(request)),
        do,
        done=_("{name} opted out.").format(name=wish.player.name),
        to=reverse("players_office:opt_ins"),
        template="players/office/opt_out.html",
        wish=wish,
    )
