"""The page to download one's data, and the office's pages to delete it."""

from typing import Any

from allauth.account.decorators import reauthentication_required
from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from players.access import get_member_or_404
from players.guardians.queries import linked_members
from players.members.queries import same_person
from players.models import ForgetRequest, Player
from ratings.pages.my_data.archive import archive
from ratings.pages.my_data.queries import (
    decided_deletion_requests,
    pending_deletion_requests,
    still_linked,
)
from ratings.pages.my_data.services import (
    PERMISSION,
    decline_deletion,
    delete_member_data,
    request_deletion,
    retained_data,
)
from ratings_site.common.accounts.permissions import (
    account_required,
    staff_permission_required,
)
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.approvals.pages import ActionView, EditView
from ratings_site.common.audit.services import record
from ratings_site.common.ui.pagination import paginate
from ratings_site.common.web.files import attachment
from ratings_site.common.web.requests import SignedInRequest


@account_required
@require_http_methods(["GET", "HEAD", "POST"])
def my_data(request: SignedInRequest) -> HttpResponse:
    """Show the stored data; a POST sends the archive, recorded in the audit log."""
    if request.method == "POST":
        record("account.data_taken", subject=request.user, actor=request.user)
        name = f"my-data-{timezone.localdate():%Y-%m-%d}.zip"
        return attachment(archive(request.user), name, "application/zip")
    member = getattr(request.user, "player", None)
    members = linked_members(request.user)
    asked = pending_deletion_requests().filter(same_person([one.pk for one in members]))
    linked_ids = still_linked(asked)
    context = {
        "member": member,
        "members": members,
        "asked": {
            deletion_request.player.merged_into_id or deletion_request.player_id
            for deletion_request in asked
            if deletion_request.pk in linked_ids
        },
        "refused": request.user.forget_requests.filter(
            state=ForgetRequest.State.REFUSED
        ).select_related("player"),
        "retained_data": retained_data(members[0]) if members else [],
    }
    return render(request, "ratings/pages/my_data/page.html", context)


@account_required
class AskForDeletion(ActionView[Player]):
    """Let a member or guardian request deletion, after reauthentication."""

    form_class = forms.Form
    template_name = "ratings/pages/my_data/ask.html"
    context_object_name = "member"
    success_message = gettext_lazy("The office has your request. We’ll notify you.")
    success_url = reverse_lazy("ratings:my_data")

    def get_object(self) -> Player:
        member = get_member_or_404(self.kwargs["member_id"])
        if member not in linked_members(self.request.user):
            raise Http404(_("Your account isn’t linked to this member."))
        return member

    def unavailable_response(self) -> None:
        _require_reauthentication(self.request)

    def do(self, data: dict[str, Any]) -> object:
        return request_deletion(player_id=self.object.pk, actor=self.request.user)

    def context(self) -> dict[str, Any]:
        return {"retained_data": retained_data(self.object)}


@reauthentication_required  # type: ignore[untyped-decorator]
def _require_reauthentication(request: SignedInRequest) -> None:
    """Raise ReauthenticationRequired if the password has to be entered again."""


# For the office


@staff_permission_required(PERMISSION)
def forget_requests(request: HttpRequest) -> HttpResponse:
    """List pending and decided deletion requests."""
    waiting = pending_deletion_requests()
    context = {
        "waiting": waiting,
        "still_linked": still_linked(waiting),
        "page_obj": paginate(request, decided_deletion_requests()),
    }
    return render(request, "ratings/pages/my_data/requests.html", context)


@staff_permission_required(PERMISSION)
class RefuseRequest(ActionView[ForgetRequest]):
    template_name = "ratings/pages/my_data/refuse.html"
    context_object_name = "deletion_request"
    success_message = gettext_lazy(
        "Declined. We notify the person who asked if their account is still linked."
    )
    success_url = reverse_lazy("ratings:forget_requests")
    queryset = ForgetRequest.objects.select_related("player")

    def do(self, data: dict[str, Any]) -> object:
        pk, actor = self.object.pk, self.request.user
        return decline_deletion(request_id=pk, actor=actor, **data)


@staff_permission_required(PERMISSION)
class Forget(EditView[Player]):
    """Let the office delete a member's data."""

    form_class = ReasonForm
    template_name = "ratings/pages/my_data/forget.html"
    context_object_name = "member"
    success_message = gettext_lazy("Contact data and the account are deleted.")

    def get_object(self) -> Player:
        return get_member_or_404(self.kwargs["member_id"])

    def do(self, data: dict[str, Any]) -> Player:
        delete_member_data(player_id=self.object.pk, actor=self.request.user, **data)
        return self.object

    def context(self) -> dict[str, Any]:
        return {"retained_data": retained_data(self.object)}
