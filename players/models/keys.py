"""Foreign keys to members."""

from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    from players.models.player import Player


def player_key(
    related_name: str, *, on_delete: Any = models.PROTECT, **options: Any
) -> "models.ForeignKey[Player, Player]":
    """Return a key to a member, which keeps the record from deletion by default."""
    return models.ForeignKey(
        "players.Player", on_delete, related_name=related_name, **options
    )
