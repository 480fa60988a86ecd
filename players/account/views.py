"""The page of an account."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

from players.account.queries import standing_of

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
