"""The public page of a share link, its image, and signed statements."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from players.access import get_member_or_404
from ratings.decisions.floors.queries.titles import member_titles
from ratings.pages.sharing.card import HEIGHT, WIDTH, card, qr_code
from ratings.pages.sharing.queries import (
    SharedRating,
    published_keys,
    read_statement,
    shared_rating,
)
from ratings.pages.sharing.services import sign_statement

# A revoked image disappears from caches after this many seconds.
IMAGE_SECONDS = 300


@require_safe
@never_cache
def shared(request: HttpRequest, token: str) -> HttpResponse:
    image = request.build_absolute_uri(reverse("ratings:shared_card", args=[token]))
    context = {"image": image, "width": WIDTH, "height": HEIGHT, "token": token}
    context["shared"] = _shared_or_404(token)
    return render(request, "ratings/pages/sharing/shared.html", context)


@require_safe
def shared_card(request: HttpRequest, token: str) -> HttpResponse:
    image = card(_shared_or_404(token))
    response = HttpResponse(image, content_type="image/png")
    response["X-Robots-Tag"] = "noindex"
    response["Cache-Control"] = f"public, max-age={IMAGE_SECONDS}"
    return response


@require_safe
@never_cache
def statement(request: HttpRequest, token: str) -> HttpResponse:
    """Show the shared rating as a signed statement of today, to copy or print."""
    shared = _shared_or_404(token)
    if shared.row is None:
        raise Http404(_("The member is not on the newest list."))
    signed = sign_statement(shared, token)
    address = settings.SITE_URL + reverse("ratings:verified", args=[signed])
    context = {
        "shared": shared,
        "token": token,
        "address": address,
        "qr_code": qr_code(address),
    }
    return render(request, "ratings/pages/sharing/statement.html", context)


@require_safe
@never_cache
def verify(request: HttpRequest) -> HttpResponse:
    """Say how to check a statement, and check one that was pasted."""
    pasted = "".join(request.GET.get("statement", "").split())
    # A whole address is as good as the statement in it.
    text = pasted.rstrip("/").rpartition("/")[2]
    if text:
        return redirect("ratings:verified", text)
    return render(request, "ratings/pages/sharing/verify.html")


@require_safe
@never_cache
def verified(request: HttpRequest, text: str) -> HttpResponse:
    """Say whether this office signed a statement, and what is known since."""
    found = read_statement(text)
    status = 404 if found is None else 200 if found.is_shared else 410
    page = "ratings/pages/sharing/verified.html"
    return render(request, page, {"statement": found}, status=status)


@require_safe
def keys(request: HttpRequest) -> HttpResponse:
    response = JsonResponse(published_keys(), json_dumps_params={"indent": 1})
    response["Cache-Control"] = "public, max-age=3600"
    return response


@require_safe
def certificate(request: HttpRequest, member_id: str, key: str) -> HttpResponse:
    """Show a norm or an earned title to print, at the address that verifies it.

    *key* is the level of a title, or the event and section of a norm.
    """
    player = get_member_or_404(member_id)
    titles = member_titles(player)
    norm = next((one for one in titles.norms if one.key == key), None)
    earned = [one for one in titles.progress if one.day]
    progress = next((one for one in earned if str(one.title.level) == key), None)
    if not (norm or progress):
        raise Http404(_("The records don’t show this norm or title."))
    path = reverse("ratings:certificate", args=[player.member_id, key])
    address = settings.SITE_URL + path
    context = {
        "player": player,
        "norm": norm,
        "progress": progress,
        "address": address,
        "qr_code": qr_code(address),
    }
    return render(request, "ratings/pages/sharing/certificate.html", context)


def _shared_or_404(token: str) -> SharedRating:
    found = shared_rating(token)
    if found is None:
        raise Http404(_("This page was removed, or its address is not complete."))
    return found
