"""Changes to a member's record that others have to hear of."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from players.models import Membership, Player
from players.services.fide_ratings import write_external_ratings
from players.signals import history_changed
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


def tell_of_changes(
    player: Player, before: Mapping[str, Any], actor: User | None
) -> None:
    """Tell those who rate what of a changed record ratings rest on.

    *before* has the earlier ``birth_date``, ``residence`` and ``fide_id``.
    """
    if before["birth_date"] != player.birth_date:
        _tell(player, "birth_date", None, actor, "The birth date was changed.")
    if before["residence"] != player.residence and CANADA in (
        before["residence"],
        player.residence,
    ):
        note = (
            f"Residence was changed from {before['residence']} to {player.residence}."
        )
        _tell(player, "residence", None, actor, note)
    if (before["fide_id"] or None) != (player.fide_id or None):
        write_external_ratings(
            {player.pk: player.fide_number},
            actor=actor,
            note="the FIDE ID was changed.",
        )


def tell_of_membership(
    membership: Membership, actor: User | None, from_day: date
) -> None:
    """Tell those who rate that from a day on a member counts as adult, or does not."""
    note = f"{membership.player.name}: {membership.type} membership was entered."
    _tell(membership.player, "adult", from_day, actor, note)


def _tell(
    player: Player, kind: str, day: date | None, actor: User | None, note: str
) -> None:
    history_changed.send(
        sender=Player,
        kind=kind,
        player=player,
        section=None,
        day=day,
        actor=actor,
        note=note,
        subject=player,
    )
