"""The account page, and the office's page for resetting second factors."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from players.account.queries import account_summary, find_accounts
from ratings_site.common.accounts.permissions import (
    account_required,
    staff_permission_required,
)
from ratings_site.common.approvals.pages import ActionView
from ratings_site.common.models import User
from ratings_site.common.sign_in.services import (
    RESET_FACTORS,
    reset_denial_reason,
    reset_factors,
)
from ratings_site.common.web.requests import SignedInRequest

# The owner's wording of audit actions.
AUDIT_LABELS: dict[str, Promise] = {
    "account.added": _("The ratings office created the account"),
    "account.opened": _("Account created"),
    "account.changed": _("The ratings office changed the account"),
    "account.signed_in": _("Signed in"),
    "account.sign_in_failed": _("Wrong password entered"),
    "account.factor_failed": _("Wrong sign-in code entered"),
    "account.factor_added": _("Two-step verification was set up"),
    "account.factor_removed": _("A way to verify was removed"),
    "account.factor_renewed": _("New recovery codes were created"),
    "account.factors_reset": _("The ratings office turned off two-step verification"),
    "account.program_allowed": _("A program or site got access"),
    "account.program_revoked": _("The access of a program or site was revoked"),
    "account.confirmed": _("A second staff member confirmed the account"),
    "account.invited": _("The ratings office invited the account"),
    "account.locked": _("Too many wrong passwords: sign-in locked"),
    "account.email_verified": _("Email address verified"),
    "account.email_changed": _("Email address changed"),
    "account.password_changed": _("Password changed"),
    "account.password_reset": _("Password reset by email link"),
}


@account_required
def account(request: SignedInRequest) -> HttpResponse:
    """Show the state of the account, with links to change each part."""
    standing = account_summary(request.user)
    acts = [
        (AUDIT_LABELS.get(act.action, act.action), act.at) for act in standing["acts"]
    ]
    context = {"standing": standing, "acts": acts}
    return render(request, "players/account/account.html", context)


# For the office


@staff_permission_required(RESET_FACTORS)
def office_accounts(request: SignedInRequest) -> HttpResponse:
    """Find the account of a person who has lost a second factor."""
    text = request.GET.get("q", "").replace("\x00", "").strip()[:254]
    context = {"q": text, "found": find_accounts(text) if text else []}
    return render(request, "players/office/accounts.html", context)


@staff_permission_required(RESET_FACTORS)
class ResetFactors(ActionView[User]):
    template_name = "players/office/factors.html"
    context_object_name = "account"
    success_message = _(
        "Two-step verification is off. We notified the owner and signed "
        "them out everywhere."
    )
    success_url = reverse_lazy("players_office:accounts")
    queryset = User.objects.all()

    def do(self, data: dict[str, str]) -> object:
        return reset_factors(account_id=self.object.pk, actor=self.request.user, **data)

    def context(self) -> dict[str, Any]:
        return {"not_mine": reset_denial_reason(self.object, self.request.user)}
