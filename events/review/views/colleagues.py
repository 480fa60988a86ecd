"""Inviting people to work in the office."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy

from events.review.forms import ColleagueForm
from events.review.services.colleagues import (
    PERMISSION,
    InvitationRefused,
    confirm_colleague,
    confirmation_denial_reason,
    grantable_groups,
    invite_colleague,
    unconfirmed_colleagues,
)
from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.approvals.pages import ActionView, EditView
from ratings_site.common.db.locks import RatingsBusy
from ratings_site.common.mail.services import is_configured
from ratings_site.common.models import User
from ratings_site.common.sign_in.services import link_to_set_password


@staff_permission_required(PERMISSION)
class Invite(EditView[None]):
    """Invite a colleague; without email, show the link to pass on."""

    form_class = ColleagueForm
    template_name = "events/review/colleague.html"
    refusals = (InvitationRefused, RatingsBusy)

    def get_form_kwargs(self) -> dict[str, Any]:
        groups = grantable_groups(self.request.user)
        return super().get_form_kwargs() | {"groups": groups}

    def do(self, data: dict[str, Any]) -> HttpResponse:
        person = invite_colleague(actor=self.request.user, **data)
        is_new = not person.has_usable_password()
        link = link_to_set_password(person) if is_new and not is_configured() else ""
        made = {"person": person, "is_new": is_new, "link": link}
        return render(self.request, "events/review/colleague_invited.html", made)

    def context(self) -> dict[str, Any]:
        return {"unconfirmed": unconfirmed_colleagues()}


@staff_permission_required(PERMISSION)
class Confirm(ActionView[User]):
    """Confirm a colleague whom another person has invited."""

    template_name = "events/review/colleague_confirm.html"
    context_object_name = "person"
    success_message = gettext_lazy(
        "Account confirmed. It can now give second approvals."
    )
    success_url = reverse_lazy("events:invite_colleague")
    queryset = User.objects.all()

    def do(self, data: dict[str, str]) -> object:
        pk, actor = self.object.pk, self.request.user
        return confirm_colleague(account_id=pk, actor=actor, **data)

    def context(self) -> dict[str, Any]:
        not_mine = confirmation_denial_reason(self.object, self.request.user)
        return {"not_mine": not_mine}
