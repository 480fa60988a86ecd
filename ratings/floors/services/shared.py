"""What the acts on floors, ceilings and adjustments share."""

from collections.abc import Iterable
from datetime import date

from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext as _

from events.models import Section
from players.models import Player
from ratings.engine.systems import System
from ratings.floors.queries.floors import ledger_of, numbers_of
from ratings.ledger.services.marks import leave_mark
from ratings.models import Ceiling, Floor, RerateMark
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.models import User

GRANT, LOWER, CEILING = (
    "ratings.grant_floor",
    "ratings.lower_floor",
    "ratings.impose_ceiling",
)


class FloorRefused(Refusal):
    """The rules, or the records, do not allow this; the message says which rule."""


def member(player_id: int) -> Player:
    """Return the member whose record goes on."""
    player = Player.objects.select_related("merged_into").get(pk=player_id)
    return player.canonical


def save_checked(row: models.Model) -> None:
    """Save a row that its own rules allow; FloorRefused in their words if not.

    The rules are the constraints of the database, asked before it has to refuse.
    """
    check(row)
    row.save()


def check(row: models.Model) -> None:
    try:
        row.full_clean()
    except ValidationError as faults:
        raise FloorRefused(" ".join(faults.messages)) from faults


def refuse_future(starts: date, what: str) -> None:
    if starts > timezone.localdate():
        raise FloorRefused(
            _("{what} begins today or earlier; {starts} is still to come.").format(
                what=what, starts=day_in_words(starts)
            )
        )


def mark_if_rated_since(
    day: date,
    *,
    kind: str,
    player: Player,
    system: System,
    note: str,
    actor: User | None,
    section: Section | None = None,
) -> RerateMark | None:
    """Leave a mark if the member has been rated in the system on *day* or later."""
    if not rated_since(numbers_of(player), system, day):
        return None
    return leave_mark(
        kind=kind, day=day, note=note, player=player, section=section, actor=actor
    )


def rated_since(numbers: Iterable[int], system: System, day: date) -> bool:
    return ledger_of(numbers, system).filter(calculation__order_date__gte=day).exists()


def refuse_same(row: Floor | Ceiling) -> None:
    """Refuse what is in the books already: a form may be sent twice."""
    same = {
        name: getattr(row, name)
        for name in ("player", "system", "level", "starts", "ends")
    }
    if isinstance(row, Floor):
        same["kind"] = row.kind
    if type(row).objects.filter(**same).exists():
        words = (
            _("{name} has this floor already.")
            if isinstance(row, Floor)
            else _("{name} has this ceiling already.")
        )
        raise FloorRefused(words.format(name=row.player.name))


def set_end(row: Floor | Ceiling, ends: date, reason: str) -> None:
    """Give a record its last day, unsaved; FloorRefused if it cannot end then."""
    if not reason.strip():
        raise FloorRefused(_("Say why; the reason is kept with the record."))
    if row.ends is not None and row.ends <= ends:
        raise FloorRefused(
            _("It ends on {ends} already.").format(ends=day_in_words(row.ends))
        )
    row.ends = ends
    check(row)
