"""The page of an account, and the office's page of somebody's second factors."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

from players.account.queries import accounts_found, standing_of
from ratings_site.common.accounts.permissions import for_staff
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.acts.pages import act_page, posted
from ratings_site.common.models import User
from ratings_site.common.sign_in.services import (
    RESET_FACTORS,
    reset_factors,
    why_not_reset,
)

# What the audit keeps, as its owner reads it.
IN_WORDS: dict[str, Promise] = {
    "account.added": _("The office opened the account"),
    "account.opened": _("Opened"),
    "account.changed": _("The office changed the account"),
    "account.signed_in": _("Signed in"),
    "account.sign_in_failed": _("Somebody typed a wrong password"),
    "account.factor_failed": _("Somebody typed a wrong code"),
    "account.factor_added": _("A second factor was added"),
    "account.factor_removed": _("A second factor was removed"),
    "account.factor_renewed": _("New recovery codes were made"),
    "account.factors_reset": _("The office took away the second factor"),
    "account.confirmed": _("A second colleague confirmed the account"),
    "account.invited": _("The office invited the account"),
    "account.locked": _("Too many wrong passwords were typed"),
    "account.email_verified": _("The address was verified"),
    "account.email_changed": _("The address was changed"),
    "account.password_changed": _("The password was changed"),
    "account.password_reset": _("The password was set by a mailed link"),
}


@never_cache
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Show how the account stands, and lead to where each part is changed."""
    standing = standing_of(request.user)
    acts = [(IN_WORDS.get(act.action, act.action), act.at) for act in standing.acts]
    context = {"standing": standing, "acts": acts}
    return render(request, "players/account/account.html", context)


# For the office


@for_staff(RESET_FACTORS)
def office_accounts(request: HttpRequest) -> HttpResponse:
    """Find the account of somebody who has lost a second factor."""
    said = request.GET.get("q", "").replace("\x00", "").strip()[:254]
    context = {"q": said, "found": accounts_found(said) if said else []}
    return render(request, "players/office/accounts.html", context)


@for_staff(RESET_FACTORS)
def office_factors(request: HttpRequest, pk: int) -> HttpResponse:
    user = get_object_or_404(User, pk=pk)
    return act_page(
        request,
        ReasonForm(posted(request)),
        lambda told: reset_factors(account_id=pk, actor=request.user, **told),
        done=gettext("Taken away. The owner is told, and all sessions are ended."),
        to=reverse("players_office:accounts"),
        template="players/office/factors.html",
        account=user,
        not_mine=why_not_reset(user, request.user),
    )
