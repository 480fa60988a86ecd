"""Small offices whose books are replayed, and their ledgers in comparable form."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date

from django.db import transaction

from events.models import Event
from players.models import Player
from ratings.models import PlayerRating, RatingChange, Run
from ratings.rerates.services.undoing import undo_rerate
from ratings_site.common.jobs.services import work_off
from ratings_site.common.models import User
from tests.factories import (
    event_report,
    make_user,
    rated_event,
    section_report,
    swiss_rows,
)

# Everything a line says, but which row of the table it is.
LINE = [
    field.attname
    for field in RatingChange._meta.concrete_fields
    if field.attname not in ("id", "calculation_id", "previous_id", "player_id")
]
RATING = [
    field.attname
    for field in PlayerRating._meta.concrete_fields
    if field.attname not in ("id", "player_id", "last_change_id")
]


def play(
    td,
    players: list[Player],
    *,
    ends: date,
    rounds: int = 3,
    time_control: str = "G/90;d5",
    name: str = "Open",
    **fields,
) -> Event:
    """Rate an event of one section in which these players (an even number) meet."""
    section = section_report(
        players, swiss_rows(len(players), rounds), time_control=time_control, **fields
    )
    report = event_report(td, [section], starts=ends, ends=ends, name=name)
    return rated_event(td, report)


def undone(run: Run, actor: User | None = None) -> Run:
    """Have a published rerate taken back, and whatever else waits done."""
    actor = actor or make_user(is_superuser=True)
    undo_rerate(run_id=run.pk, actor=actor, reason="A wrong file.")
    work_off()
    run.refresh_from_db()
    assert run.status == Run.Status.UNDONE, run.message
    return run


def ledger() -> dict:
    """Return the current lines: by source, system and member all that they say."""
    lines = RatingChange.objects.filter(calculation__is_current=True)
    found = {
        (line.calculation.order_key, line.calculation.system, line.player.member_id): {
            name: getattr(line, name) for name in LINE
        }
        | {"digest": line.calculation.inputs_digest}
        for line in lines.select_related("calculation", "player")
    }
    assert len(found) == lines.count()
    return found


@contextmanager
def in_another_world() -> Iterator[None]:
    """Let nothing that happens here stay."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def ratings() -> dict:
    """Return the current ratings: by member and system all that they say."""
    return {
        (row.player.member_id, row.system): {
            name: getattr(row, name) for name in RATING
        }
        for row in PlayerRating.objects.select_related("player")
    }
