"""Which member an address means."""

from django.http import Http404
from django.utils.translation import gettext as _

from players.models import Player


def member_or_404(member_id: str) -> Player:
    """Return the member of this ID, or the one a duplicate was merged into."""
    players = Player.objects.select_related("merged_into")
    player = players.filter(member_id=member_id).first()
    if player is None:
        raise Http404(_("No member has this ID."))
    return player.canonical
