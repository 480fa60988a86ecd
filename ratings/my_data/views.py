"""The page on which people take their data home, and the office's to forget them."""

from allauth.account.decorators import reauthentication_required
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.access import member_or_404
from players.models import ForgetRequest, Player
from ratings.my_data.pages import archive
from ratings.my_data.queries import decided_wishes, meant, spoken_for, waiting_wishes
from ratings.my_data.services import (
    PERMISSION,
    NotForgotten,
    ask_to_be_forgotten,
    forget_member,
    kept,
    refuse_to_forget,
)
from ratings_site.common.accounts.permissions import for_staff
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.acts.pages import act_page, posted
from ratings_site.common.audit.services import record
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def my_data(request: HttpRequest) -> HttpResponse:
    """Say what is kept and why; the file is made on request, and that is noted."""
    if request.method == "POST":
        record("account.data_taken", subject=request.user, actor=request.user)
        response = HttpResponse(archive(request.user), content_type="application/zip")
        name = f"my-data-{timezone.localdate():%Y-%m-%d}.zip"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        return response
    member = getattr(request.user, "player", None)
    speaks_for = spoken_for(request.user)
    asked = waiting_wishes().filter(player__in=speaks_for)
    still_meant = meant(asked)
    context = {
        "member": member,
        "speaks_for": speaks_for,
        "asked": {wish.player_id for wish in asked if wish.pk in still_meant},
        "refused": request.user.forget_requests.filter(
            state=ForgetRequest.State.REFUSED
        ).select_related("player"),
        "kept": kept(speaks_for[0]) if speaks_for else [],
    }
    return render(request, "ratings/my_data/page.html", context)


@never_cache
@login_required
def ask_to_forget(request: HttpRequest, member_id: str) -> HttpResponse:
    """Let a member or guardian ask to be forgotten, after the password."""
    member = member_or_404(member_id)
    if member not in spoken_for(request.user):
        raise Http404(_("Your account does not speak for this member."))
    return _ask_to_forget(request, member)


@reauthentication_required
def _ask_to_forget(request: HttpRequest, member: Player) -> HttpResponse:
    return act_page(
        request,
        forms.Form(posted(request)),
        lambda _told: ask_to_be_forgotten(player_id=member.pk, actor=request.user),
        done=_("The office has your wish. You will hear of it."),
        to=reverse("ratings:my_data"),
        template="ratings/my_data/ask.html",
        member=member,
        kept=kept(member),
    )


# For the office


@for_staff(PERMISSION)
def forget_requests(request: HttpRequest) -> HttpResponse:
    """List the wishes that wait, and those that were decided."""
    decided = Paginator(decided_wishes(), ROWS_ON_A_PAGE)
    waiting = waiting_wishes()
    context = {
        "waiting": waiting,
        "meant": meant(waiting),
        "page_obj": decided.get_page(request.GET.get("page")),
    }
    return render(request, "ratings/my_data/requests.html", context)


@for_staff(PERMISSION)
def refuse_request(request: HttpRequest, pk: int) -> HttpResponse:
    wish = get_object_or_404(ForgetRequest.objects.select_related("player"), pk=pk)
    return act_page(
        request,
        ReasonForm(posted(request)),
        lambda told: refuse_to_forget(request_id=pk, actor=request.user, **told),
        done=_(
            "Refused. Who asked is told, if the account still speaks for the member."
        ),
        to=reverse("ratings:forget_requests"),
        template="ratings/my_data/refuse.html",
        wish=wish,
    )


@for_staff(PERMISSION)
def forget(request: HttpRequest, member_id: str) -> HttpResponse:
    """Let the office forget a member who asks for it."""
    member = member_or_404(member_id)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            forget_member(
                player_id=member.pk,
                actor=request.user,
                reason=form.cleaned_data["reason"],
            )
        except NotForgotten as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("What could go is gone."))
            return redirect(member)
    context = {"member": member, "form": form, "kept": kept(member)}
    code = 422 if form.is_bound else 200
    return render(request, "ratings/my_data/forget.html", context, status=code)
