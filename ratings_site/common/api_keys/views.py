"""The page of an account's API keys."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from ratings_site.common.accounts.permissions import account_required
from ratings_site.common.api_keys.forms import KeyForm
from ratings_site.common.api_keys.services import (
    FEED_PERMISSION,
    active_keys,
    create_key,
    revoke_key,
)
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.approvals.pages import post_data
from ratings_site.common.web.requests import SignedInRequest


@account_required
@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: SignedInRequest) -> HttpResponse:
    """List the keys, or create one and show its text once."""
    may_feed = request.user.has_perm(FEED_PERMISSION)
    form = KeyForm(post_data(request), may_feed=may_feed)
    made, text = None, ""
    if form.is_valid():
        try:
            made, text = create_key(owner=request.user, **form.cleaned_data)
        except Refusal as refusal:
            form.add_error(None, str(refusal))
        else:
            form = KeyForm(may_feed=may_feed)
    active = list(active_keys(request.user))
    context = {
        "form": form,
        "made": made,
        "text": text,
        "keys": active,
        "ending": [key for key in active if any(use.ends_on for use in key.uses.all())],
    }
    status = 422 if form.is_bound else 200
    return render(request, "common/api_keys.html", context, status=status)


@login_required
@require_POST
def revoke(request: SignedInRequest, pk: int) -> HttpResponse:
    key = active_keys(request.user).filter(pk=pk).first()
    if key is None:
        raise Http404(_("You don’t have this key."))
    revoke_key(key_id=key.pk, actor=request.user)
    messages.success(request, _("Key revoked."))
    return redirect("api_keys")
