"""Which granted floors count on a day."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import date
from typing import Any

from django.db.models import F, Model, Q
from django.db.models.functions import Coalesce

from players.models import Player
from ratings.engine.systems import System
from ratings.models import Floor, FloorLowering

# The owner of a row: the member that a duplicate was merged into.
OWNER = Coalesce(F("player__merged_into_id"), F("player_id"))


def merged_owners(player_ids: Collection[int]) -> dict[int, int]:
    """Return the owner of each of these numbers that was merged."""
    merged = Player.objects.filter(pk__in=player_ids, merged_into__isnull=False)
    pairs = merged.values_list("pk", "merged_into")
    return {pk: kept for pk, kept in pairs if kept is not None}


def grants_by_owner(
    model: type[Model], players: Collection[int], **conditions: Any
) -> defaultdict[int, list[Any]]:
    """Return the grants of members, including those to numbers merged into theirs."""
    mine = Q(player__in_array=players) | Q(player__merged_into__in_array=players)
    rows = model._default_manager.filter(mine, **conditions).annotate(owner=OWNER)
    grants: defaultdict[int, list[Any]] = defaultdict(list)
    for row in rows.order_by():
        grants[row.owner].append(row)
    return grants


def granted_levels(
    floors: Iterable[Floor],
    lowerings: Iterable[FloorLowering],
    *,
    system: System,
    day: date,
) -> list[int]:
    """Return the granted floors that apply to one player on *day*, in no order.

    A lowering ends earlier grants and is a floor itself; floors granted from its day on
    count as well.
    """
    lowering = newest_lowering(lowerings, system=system, day=day)
    counting = floors_in_force(floors, lowering, system=system, day=day)
    levels = [floor.level for floor in counting]
    return [*levels, lowering.level] if lowering else levels


def floors_in_force(
    floors: Iterable[Floor],
    lowering: FloorLowering | None,
    *,
    system: System,
    day: date,
) -> list[Floor]:
    """Return the granted floors in force on *day* that no lowering has ended."""
    since = lowering.starts if lowering else date.min
    return [
        floor
        for floor in floors
        if floor.system == system
        and floor.starts >= since
        and floor.is_in_force_on(day)
    ]


def newest_lowering(
    lowerings: Iterable[FloorLowering], *, system: System, day: date
) -> FloorLowering | None:
    """Return the lowering in force on *day*, None if the floor was never lowered."""
    acting = [
        lowering
        for lowering in lowerings
        if lowering.system == system and lowering.starts <= day
    ]
    return max(acting, key=lambda lowering: lowering.starts, default=None)
