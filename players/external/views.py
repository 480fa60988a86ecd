"""CFC ratings, which staff enter with their dates."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from players.external.forms import CfcForm
from players.external.services import PERMISSION, RatingRefused, enter_rating
from players.members.queries import external_ratings
from players.members.services import CANADA
from players.models import ExternalRating
from ratings_site.common.accounts.permissions import for_staff
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE

CFC = ExternalRating.Body.CFC


@for_staff(PERMISSION)
def cfc(request: HttpRequest) -> HttpResponse:
    """Show the ratings entered so far, and take another one."""
    form = CfcForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid() and _enter(request, form):
            return redirect("players_office:cfc")
    text = request.GET.get("q", "").strip()
    rows = external_ratings(CFC, text)
    context = {
        "form": form,
        "text": text,
        "page_obj": Paginator(rows, ROWS_ON_A_PAGE).get_page(request.GET.get("page")),
        "canada": CANADA,
    }
    return render(request, "players/office/cfc.html", context, status=status)


def _enter(request: HttpRequest, form: CfcForm) -> bool:
    said = form.cleaned_data
    player = said["member"]
    try:
        enter_rating(
            player_id=player.pk,
            body=CFC,
            rating=said["rating"],
            games=said["games"],
            list_date=said["list_date"],
            actor=request.user,
            reason=said["reason"],
        )
    except RatingRefused as refusal:
        form.add_error(None, str(refusal))
        return False
    messages.success(
        request,
        _("CFC {said} of {name} is entered.").format(
            said=said["rating"], name=player.name
        ),
    )
    if player.residence != CANADA:
        messages.warning(
            request,
            _(
                "{name} lives in {residence}, by our records: the rating "
                "counts only for those who live in Canada."
            ).format(name=player.name, residence=player.residence),
        )
    return True
