"""Which of the floors that people decided on count on a day."""

from collections.abc import Collection, Iterable
from datetime import date

from django.db.models import F
from django.db.models.functions import Coalesce

from players.models import Player
from ratings.engine.systems import System
from ratings.models import Floor, FloorLowering

# Whose record a row belongs to: that of the member a duplicate was merged into.
OWNER = Coalesce(F("player__merged_into_id"), F("player_id"))


def merged_owners(player_ids: Collection[int]) -> dict[int, int]:
    """Return whose record each of these numbers is, where it is another's."""
    merged = Player.objects.filter(pk__in=player_ids, merged_into__isnull=False)
    return dict(merged.values_list("pk", "merged_into"))


def granted_levels(
    floors: Iterable[Floor],
    lowerings: Iterable[FloorLowering],
    *,
    system: System,
    day: date,
) -> list[int]:
    """Return the levels that hold one player on *day*, in no order.

    A lowering ends what was granted before it and is a floor itself; floors granted
    from its day on count beside it.
    """
    lowering = newest_lowering(lowerings, system=system, day=day)
    counting = floors_that_count(floors, lowering, system=system, day=day)
    levels = [floor.level for floor in counting]
    return [*levels, lowering.level] if lowering else levels


def floors_that_count(
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
    """Return the lowering that acts on *day*, None if the floor never was lowered."""
    acting = [
        lowering
        for lowering in lowerings
        if lowering.system == system and lowering.starts <= day
    ]
    return max(acting, key=lambda lowering: lowering.starts, default=None)
