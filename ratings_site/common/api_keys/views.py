"""The page of somebody's own API keys."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.acts.pages import posted
from ratings_site.common.api_keys.forms import KeyForm
from ratings_site.common.api_keys.services import (
    FEED,
    keys_of,
    make_key,
    revoke_key,
)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: HttpRequest) -> HttpResponse:
    """List the keys, and make another one. Its text is in this one answer only."""
    may_feed = request.user.has_perm(FEED)
    form = KeyForm(posted(request), may_feed=may_feed)
    made, text = None, ""
    if form.is_valid():
        try:
            made, text = make_key(owner=request.user, **form.cleaned_data)
        except Refusal as refusal:
            form.add_error(None, str(refusal))
        else:
            form = KeyForm(may_feed=may_feed)
    context = {
        "form": form,
        "made": made,
        "text": text,
        "keys": keys_of(request.user),
    }
    status = 422 if form.is_bound else 200
    return render(request, "common/api_keys.html", context, status=status)


@login_required
@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    key = keys_of(request.user).filter(pk=pk).first()
    if key is None:
        raise Http404(_("There is no such key among yours."))
    revoke_key(key_id=key.pk, actor=request.user)
    messages.success(request, _("The key opens nothing any more."))
    return redirect("api_keys")
