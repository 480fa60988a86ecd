"""Look up the member of a URL."""

from django.http import Http404
from django.utils.translation import gettext as _

from players.models import Player


def get_member_or_404(member_id: str) -> Player:
    """Return the member with this ID; for a duplicate, the record it is merged into."""
    players = Player.objects.select_related("merged_into")
    player = players.filter(member_id=member_id).first()
    if player is None:
        raise Http404(_("No member has this ID."))
    return player.canonical
