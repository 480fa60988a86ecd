"""What a change of a member's record means for ratings."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from players.fide.services.ratings import write_external_ratings
from players.members.careers import careers
from players.members.services import CANADA
from players.models import Membership, Player
from ratings_site.common.models import User


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
    careers().history_changed(
        kind=kind,
        player=player,
        day=day,
        actor=actor,
        note=note,
    )
