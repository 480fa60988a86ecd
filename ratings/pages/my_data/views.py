"""The page to download one's data, and the office's pages to delete it."""

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

from players.access import get_member_or_404
from players.models import ForgetRequest, Player
from ratings.pages.my_data.archive import archive
from ratings.pages.my_data.queries import (
    decided_deletion_requests,
    linked_members,
    pending_deletion_requests,
    still_linked,
)
from ratings.pages.my_data.services import (
    PERMISSION,
    DeletionRefused,
    decline_deletion,
    delete_member_data,
    request_deletion,
    retained_data,
)
from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.approvals.pages import action_page, post_data
from ratings_site.common.audit.services import record
from ratings_site.common.ui.pagination import ROWS_PER_PAGE
from ratings_site.common.web.requests import SignedInRequest


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def my_data(request: SignedInRequest) -> HttpResponse:
    """Show the stored data; a POST sends the archive, recorded in the audit log."""
    if request.method == "POST":
        record("account.data_taken", subject=request.user, actor=request.user)
        response = HttpResponse(archive(request.user), content_type="application/zip")
        name = f"my-data-{timezone.localdate():%Y-%m-%d}.zip"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        return response
    member = getattr(request.user, "player", None)
    members = linked_members(request.user)
    asked = pending_deletion_requests().filter(player__in=members)
    linked_ids = still_linked(asked)
    context = {
        "member": member,
        "members": members,
        "asked": {
            deletion_request.player_id
            for deletion_request in asked
            if deletion_request.pk in linked_ids
        },
        "refused": request.user.forget_requests.filter(
            state=ForgetRequest.State.REFUSED
        ).select_related("player"),
        "retained_data": retained_data(members[0]) if members else [],
    }
    return render(request, "ratings/pages/my_data/page.html", context)


@never_cache
@login_required
def ask_for_deletion(request: SignedInRequest, member_id: str) -> HttpResponse:
    """Let a member or guardian request deletion, after reauthentication."""
    member = get_member_or_404(member_id)
    if member not in linked_members(request.user):
        raise Http404(_("Your account isn’t linked to this member."))
    response: HttpResponse = _ask_for_deletion(request, member)
    return response


@reauthentication_required  # type: ignore[untyped-decorator]
def _ask_for_deletion(request: SignedInRequest, member: Player) -> HttpResponse:
    return action_page(
        request,
        forms.Form(post_data(request)),
        lambda _told: request_deletion(player_id=member.pk, actor=request.user),
        done=_("The office has your request. We’ll notify you."),
        to=reverse("ratings:my_data"),
        template="ratings/pages/my_data/ask.html",
        member=member,
        retained_data=retained_data(member),
    )


# For the office


@staff_permission_required(PERMISSION)
def forget_requests(request: HttpRequest) -> HttpResponse:
    """List pending and decided deletion requests."""
    decided = Paginator(decided_deletion_requests(), ROWS_PER_PAGE)
    waiting = pending_deletion_requests()
    context = {
        "waiting": waiting,
        "still_linked": still_linked(waiting),
        "page_obj": decided.get_page(request.GET.get("page")),
    }
    return render(request, "ratings/pages/my_data/requests.html", context)


@staff_permission_required(PERMISSION)
def refuse_request(request: SignedInRequest, pk: int) -> HttpResponse:
    deletion_request = get_object_or_404(
        ForgetRequest.objects.select_related("player"), pk=pk
    )
    return action_page(
        request,
        ReasonForm(post_data(request)),
        lambda cleaned: decline_deletion(request_id=pk, actor=request.user, **cleaned),
        done=_(
            "Declined. We notify the person who asked if their account is still linked."
        ),
        to=reverse("ratings:forget_requests"),
        template="ratings/pages/my_data/refuse.html",
        deletion_request=deletion_request,
    )


@staff_permission_required(PERMISSION)
def forget(request: SignedInRequest, member_id: str) -> HttpResponse:
    """Let the office delete a member's data."""
    member = get_member_or_404(member_id)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            delete_member_data(
                player_id=member.pk,
                actor=request.user,
                reason=form.cleaned_data["reason"],
            )
        except DeletionRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("Contact data and the account are deleted."))
            return redirect(member)
    context = {"member": member, "form": form, "retained_data": retained_data(member)}
    code = 422 if form.is_bound else 200
    return render(request, "ratings/pages/my_data/forget.html", context, status=code)
