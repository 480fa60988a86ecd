"""Changes to a member's record that others have to hear of."""

from django.db import transaction
from django.utils.translation import gettext as _

from players.models import Player
from ratings_site.common.accounts.permissions import require
from ratings_site.common.audit.services import record
from ratings_site.common.models import User

PERMISSION = "players.change_status"
# CFC ratings count for those who live there (2025 text, section 2.2).
CANADA = "CAN"


class StatusRefused(Exception):
    """The status cannot be given; the message says what to do instead."""


def change_status(*, player_id: int, status: str, actor: User, reason: str) -> Player:
    """Give a member another status. Duplicates are made by merging, and undone so."""
    require(actor, PERMISSION)
    if not reason.strip():
        raise StatusRefused(_("Say why the status changes."))
    with transaction.atomic():
        player = Player.objects.select_for_update(of=("self",)).get(pk=player_id)
        if Player.Status.DUPLICATE in (status, player.status):
            raise StatusRefused(
                _(
                    "A duplicate is made by merging two members, and ended by "
                    "undoing that."
                )
            )
        if status == player.status:
            raise StatusRefused(
                _("{name} has this status already: {status}.").format(
                    name=player.name, status=player.get_status_display()
                )
            )
        before, player.status = player.status, Player.Status(status)
        player.save()
        record(
            "player.status_changed",
            subject=player,
            actor=actor,
            reason=reason,
            facts={"status": {"from": before, "to": player.status}},
        )
    return player
