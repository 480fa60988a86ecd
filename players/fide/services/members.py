"""The effect of changes to members on their ratings."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from players.fide.services.ratings import write_external_ratings
from players.members.rating_history import rating_history
from players.members.services import CANADA
from players.models import Membership, Player
from players.models.player import birth_date_for_rating
from ratings_site.common.models import User


def report_member_changes(
    player: Player, before: Mapping[str, Any], actor: User | None
) -> None:
    """Notify the ratings app of changed data that ratings depend on.

    *before* has the earlier ``birth_date``, ``birth_year``, ``residence`` and
    ``fide_id``.
    """
    born_before = birth_date_for_rating(before["birth_date"], before["birth_year"])
    if born_before != birth_date_for_rating(player.birth_date, player.birth_year):
        _report_change(player, "birth_date", None, actor, "The birth date was changed.")
    if before["residence"] != player.residence and CANADA in (
        before["residence"],
        player.residence,
    ):
        note = (
            f"Residence was changed from {before['residence']} to {player.residence}."
        )
        _report_change(player, "residence", None, actor, note)
    if (before["fide_id"] or None) != (player.fide_id or None):
        write_external_ratings(
            {player.pk: player.fide_number},
            actor=actor,
            note="the FIDE ID was changed.",
        )


def report_membership_change(
    membership: Membership, actor: User | None, from_day: date
) -> None:
    """Notify the ratings app that a member counts as adult, or no longer does.

    *from_day* is the first day of the change.
    """
    note = f"{membership.player.name}: {membership.type} membership was entered."
    _report_change(membership.player, "adult", from_day, actor, note)


def _report_change(
    player: Player, kind: str, day: date | None, actor: User | None, note: str
) -> None:
    rating_history().history_changed(
        kind=kind, player=player, day=day, actor=actor, note=note
    )
