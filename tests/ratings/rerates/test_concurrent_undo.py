"""A rerate is undone while another one, which depends on it, waits."""

from datetime import date

import pytest
from django.core.management import call_command
from django.db.models import Exists, OuterRef

from ratings.ledger.services import digests
from ratings.models import RatingChange, Run
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.jobs.services import run_due_jobs
from tests.factories import make_player, make_td, merge_with_approval
from tests.ratings.rerates.factories import ledger, play, ratings, undo_published

MARCH, APRIL = date(2024, 3, 9), date(2024, 4, 6)


def ready() -> Run:
    run = start_rerate(actor=None, reason="For order.", whole_history=True)
    run_due_jobs()
    run.refresh_from_db()
    assert run.status == Run.Status.READY, run.message
    return run


def publish(run: Run) -> Run:
    return publish_rerate(run_id=run.pk, actor=None, reason="Looks right.")


def two_rerates(monkeypatch) -> tuple[Run, Run]:
    """Return a published rerate, and a ready one that depends on it.

    The first wrote every line for another version of the engine; the second keeps most
    of them, and writes the lines that a later merge has changed.
    """
    td = make_td()
    players = [make_player(ratings={"OTBR": (1500.0 + n, 40)}) for n in range(4)]
    again = make_player()
    play(td, players, ends=MARCH)
    play(td, [*players[:3], again], ends=APRIL)
    monkeypatch.setattr(digests, "ENGINE_VERSION", "the next")
    first = publish(ready())
    assert first.marks.count() == 0
    merge_with_approval(players[3], again)
    second = ready()
    assert 0 < second.summary["calculations"] < first.summary["calculations"]
    return first, second


def count_orphaned_lines() -> int:
    """Return how many current lines continue one that is not current."""
    current = RatingChange.objects.filter(calculation__is_current=True)
    before = current.filter(pk=OuterRef("previous_id"))
    resting = current.exclude(previous_id=None)
    return resting.filter(~Exists(before)).count()


@pytest.mark.django_db
def test_rerate_catches_up_with_one_that_was_taken_back(monkeypatch):
    first, second = two_rerates(monkeypatch)
    publish(second)
    wanted = ledger(), ratings()
    undo_published(second)
    second = ready()

    undo_published(first)
    publish(second)

    assert count_orphaned_lines() == 0
    assert (ledger(), ratings()) == wanted
    call_command("audit", full=True)
