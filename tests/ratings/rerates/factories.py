"""Small offices whose history is replayed, and their ledgers in comparable form."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date

from django.db import transaction

from events.models import Event
from players.models import Player
from ratings.models import PlayerRating, RatingChange, Run
from ratings.rerates.services.undo import undo_rerate
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import User
from tests.factories import (
    event_report,
    make_user,
    rated_event,
    section_report,
    swiss_rows,
)

# All columns of a line but its primary key.
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


def undo_published(run: Run, actor: User | None = None) -> Run:
    """Undo a published rerate, and run all other pending jobs."""
    actor = actor or make_user(is_superuser=True)
    undo_rerate(run_id=run.pk, actor=actor, reason="A wrong file.")
    run_due_jobs()
    run.refresh_from_db()
    assert run.status == Run.Status.UNDONE, run.message
    return run


def ledger() -> dict:
    """Return the current lines: all their columns by source, system and member."""
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
def rolled_back() -> Iterator[None]:
    """Roll back all changes made inside."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def ratings() -> dict:
    """Return the current ratings: all their columns by member and system."""
    return {
        (row.player.member_id, row.system): {
            name: getattr(row, name) for name in RATING
        }
        for row in PlayerRating.objects.select_related("player")
    }
