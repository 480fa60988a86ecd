"""Bulk invitation of directors without an account."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from events.review.services.invitations import create_director_list
from players.claims.services.claims import PERMISSION
from players.imports.kinds import ImportRefused
from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.web.requests import SignedInRequest


@staff_permission_required(PERMISSION)
@require_POST
def invite_directors(request: SignedInRequest) -> HttpResponse:
    """Create the list of certified directors without an account for review."""
    try:
        return redirect(create_director_list(actor=request.user))
    except ImportRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("players_office:invite_list")
