"""The page on which a member states a guardian's address."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from players.guardians.forms import GuardianForm
from players.guardians.services import GuardianRefused, state_guardian
from players.models import Guardian


@never_cache
@login_required
def guardian(request: HttpRequest) -> HttpResponse:
    """Say whether an address is on record, and take one if none is.

    The address itself is not shown: the person at a child's account need not see it.
    """
    player = getattr(request.user, "player", None)
    is_sent = request.method == "POST" and player is not None
    form = GuardianForm(request.POST if is_sent else None)
    if is_sent and form.is_valid():
        try:
            state_guardian(
                player_id=player.pk,
                email=form.cleaned_data["email"],
                actor=request.user,
            )
        except GuardianRefused as refusal:
            form.add_error("email", str(refusal))
        else:
            messages.success(request, _("Saved. E-mails about notices go there now."))
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
