"""Opting in to FIDE events abroad: the member's own page, and the office's."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from players.fide.forms import OptInForm, WishForm
from players.fide.queries import opt_ins_of, opt_ins_to_show
from players.fide.services import opt_ins as services
from players.models import FideOptIn, Player
from ratings_site.common.accounts.permissions import for_staff
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.acts.pages import act_page, posted
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE


@never_cache
@login_required
def own(request: HttpRequest) -> HttpResponse:
    """Let members opt in, and ask to opt out."""
    player = getattr(request.user, "player", None)
    form = WishForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST" and player is not None:
        status = 422
        if form.is_valid() and _wish(request, form, player):
            return redirect("players:fide_opt_in")
    opt_ins = list(opt_ins_of(player)) if player else []
    context = {
        "player": player,
        "open": next((one for one in opt_ins if one.opted_out_on is None), None),
        "ended": [one for one in opt_ins if one.opted_out_on is not None],
        "form": form,
    }
    return render(request, "players/opt_in.html", context, status=status)


def _wish(request: HttpRequest, form: WishForm, player: Player) -> bool:
    act = request.POST.get("act")
    if act not in ("in", "out"):
        form.add_error(None, _("Press the button that says what you wish."))
        return False
    try:
        if act == "out":
            services.ask_to_opt_out(
                player_id=player.pk,
                actor=request.user,
                wish=form.cleaned_data["wish"],
            )
            said = _("The Executive Director decides, and the office will tell you.")
        else:
            services.opt_in(player_id=player.pk, actor=request.user)
            said = _("You have opted in. It counts for events that begin after today.")
    except services.OptInRefused as refusal:
        form.add_error(None, str(refusal))
        return False
    messages.success(request, said)
    return True


@for_staff("players.view_fideoptin")
def opt_ins(request: HttpRequest) -> HttpResponse:
    """List the wishes, those to opt out first, and take one by letter."""
    may_enter = request.user.has_perm(services.ENTER)
    form = OptInForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid() and _enter(request, form):
            return redirect("players_office:opt_ins")
    text = request.GET.get("q", "").strip()
    rows = opt_ins_to_show(text)
    context = {
        "form": form,
        "text": text,
        "page_obj": Paginator(rows, ROWS_ON_A_PAGE).get_page(request.GET.get("page")),
        "may_enter": may_enter,
        "may_approve": request.user.has_perm(services.APPROVE),
    }
    return render(request, "players/office/opt_ins.html", context, status=status)


def _enter(request: HttpRequest, form: OptInForm) -> bool:
    said = form.cleaned_data
    try:
        services.opt_in(
            player_id=said["member"].pk,
            actor=request.user,
            note=said["reason"],
            day=said["day"],
        )
    except services.OptInRefused as refusal:
        form.add_error(None, str(refusal))
        return False
    messages.success(
        request, _("{name} has opted in.").format(name=said["member"].name)
    )
    return True


@for_staff(services.APPROVE)
def out(request: HttpRequest, pk: int) -> HttpResponse:
    """Let the Executive Director approve that a member opts out."""
    wish = get_object_or_404(
        FideOptIn.objects.select_related("player", "entered_by"), pk=pk
    )
    already = _("{name} has opted out of this already.").format(name=wish.player.name)
    if wish.opted_out_on is not None and request.method != "POST":
        messages.warning(request, already)
        return redirect("players_office:opt_ins")

    def do(said: dict[str, str]) -> None:
        if wish.opted_out_on is not None:
            raise services.OptInRefused(already)
        services.opt_out(player_id=wish.player_id, actor=request.user, **said)

    return act_page(
        request,
        ReasonForm(posted(request)),
        do,
        done=_("{name} has opted out.").format(name=wish.player.name),
        to=reverse("players_office:opt_ins"),
        template="players/office/opt_out.html",
        wish=wish,
    )
