"""Shared checks of actions on floors, ceilings and adjustments."""

from collections.abc import Iterable
from datetime import date

from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext as _

from events.models import Section
from players.models import Player
from ratings.decisions.floors.queries.floors import current_lines, numbers_of
from ratings.engine.systems import System
from ratings.ledger.services.pending_rerates import add_pending_rerate
from ratings.models import Ceiling, Floor, RerateMark
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import format_day

GRANT, LOWER, CEILING = (
    "ratings.grant_floor",
    "ratings.lower_floor",
    "ratings.impose_ceiling",
)


class FloorRefused(Refusal):
    """The rules or the records do not allow this; the message names the rule."""


def member(player_id: int) -> Player:
    """Return the member, or the one that the member was merged into."""
    player = Player.objects.select_related("merged_into").get(pk=player_id)
    return player.canonical


def validate_and_save(row: models.Model) -> None:
    """Save a row if its constraints allow it. Raises FloorRefused if not.

    The constraints are checked before the database would refuse.
    """
    check(row)
    row.save()


def check(row: models.Model) -> None:
    try:
        row.full_clean()
    except ValidationError as faults:
        raise FloorRefused(" ".join(faults.messages)) from faults


def refuse_future(starts: date) -> None:
    if starts > timezone.localdate():
        raise FloorRefused(
            _(
                "The first day must be today or earlier. {starts} is in the future."
            ).format(starts=format_day(starts))
        )


def add_pending_rerate_if_rated(
    day: date,
    *,
    kind: str,
    player: Player,
    system: System,
    note: str,
    actor: User | None,
    section: Section | None = None,
) -> RerateMark | None:
    """Add a pending rerate if the member was rated on *day* or later."""
    if not rated_since(numbers_of(player), system, day):
        return None
    return add_pending_rerate(
        kind=kind, day=day, note=note, player=player, section=section, actor=actor
    )


def rated_since(numbers: Iterable[int], system: System, day: date) -> bool:
    return (
        current_lines(numbers, system).filter(calculation__order_date__gte=day).exists()
    )


def refuse_duplicate(row: Floor | Ceiling) -> None:
    """Refuse a record that exists already: a form may be sent twice."""
    same = {
        name: getattr(row, name)
        for name in ("player", "system", "level", "starts", "ends")
    }
    if isinstance(row, Floor):
        same["kind"] = row.kind
    if type(row).objects.filter(**same).exists():
        words = (
            _("{name} already has this floor.")
            if isinstance(row, Floor)
            else _("{name} already has this ceiling.")
        )
        raise FloorRefused(words.format(name=row.player.name))


def set_end(row: Floor | Ceiling, ends: date, reason: str) -> None:
    """Set the last day of a record, unsaved. Raises FloorRefused if not possible."""
    if not reason.strip():
        raise FloorRefused(_("Enter a reason. It is saved with the record."))
    if row.ends is not None and row.ends <= ends:
        raise FloorRefused(
            _("It already ends on {ends}.").format(ends=format_day(row.ends))
        )
    row.ends = ends
    check(row)
