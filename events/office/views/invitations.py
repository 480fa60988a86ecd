"""Inviting directors who have no account."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from events.office.services.invitations import list_directors
from players.claims.services.claiming import PERMISSION
from players.intake.kinds import NotTaken
from ratings_site.common.accounts.permissions import for_staff


@for_staff(PERMISSION)
@require_POST
def invite_directors(request: HttpRequest) -> HttpResponse:
    """Make the list of certified directors without an account, to be looked at."""
    try:
        return redirect(list_directors(actor=request.user))
    except NotTaken as refusal:
        messages.error(request, str(refusal))
        return redirect("players_office:invite_list")
