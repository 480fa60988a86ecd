"""The page on which a member enters a guardian's address."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from players.guardians.forms import GuardianForm
from players.guardians.services import GuardianRefused, set_guardian_email
from players.models import Guardian, Player
from ratings_site.common.web.requests import SignedInRequest


@never_cache
@login_required
def guardian(request: SignedInRequest) -> HttpResponse:
    """Show whether an address is on record, and accept one if there is none.

    The address itself is not shown: the user of a child's account need not see it.
    """
    player: Player | None = getattr(request.user, "player", None)
    is_sent = request.method == "POST" and player is not None
    form = GuardianForm(request.POST if is_sent else None)
    if player is not None and is_sent and form.is_valid():
        try:
            set_guardian_email(
                player_id=player.pk,
                email=form.cleaned_data["email"],
                actor=request.user,
            )
        except GuardianRefused as refusal:
            form.add_error("email", str(refusal))
        else:
            messages.success(request, _("Saved. We’ll send notices to this address."))
            return redirect("players:guardian")
    context = {
        "player": player,
        "form": form,
        "is_known": Guardian.objects.filter(player=player).exists()
        if player
        else False,
    }
    return render(
        request, "players/guardian.html", context, status=422 if is_sent else 200
    )
