"""The shortcut of the factory creates the same records as the services."""

import pytest
from django.db import models, transaction

from events.models import (
    Entry,
    Event,
    EventOfficial,
    Game,
    PackedSection,
    Schedule,
    Section,
    UnplayedRound,
)
from events.review.services.acceptance import accept_report
from ratings.models import Calculation, PlayerRating, RatingChange
from ratings_site.common.jobs.services import run_due_jobs
from tests.factories import (
    event_report,
    handed_in,
    make_player,
    make_staff,
    make_td,
    rated_event,
    section_report,
)

LEDGER_MODELS = (
    Event,
    EventOfficial,
    Section,
    Entry,
    Game,
    UnplayedRound,
    Schedule,
    PackedSection,
    Calculation,
    RatingChange,
    PlayerRating,
)


def row_values(row: models.Model) -> dict:
    """Return all that a row says, but numbers of rows and the clock."""
    return {
        field.name: str(getattr(row, field.name))
        for field in row._meta.concrete_fields
        if not field.primary_key
        and field.attname not in ("previous_id", "last_change_id")
        and not isinstance(field, models.DateTimeField)
    }


def ledger_state() -> dict:
    return {
        model.__name__: [row_values(row) for row in model.objects.order_by("pk")]
        for model in LEDGER_MODELS
    }


@pytest.mark.django_db
def test_shortcut_factories_give_the_same_ledger():
    td, staff = make_td(), make_staff()
    rated = [make_player(ratings={"OTBR": (1500.0 + 50 * n, 30)}) for n in range(3)]
    report = event_report(
        td,
        [
            section_report([*rated, make_player()], ["W2W D3", "L1 B", "B D1", "U H"]),
            section_report(rated[:2], ["W2 L2", "L1 W1"], number=2, kind_letter="M"),
        ],
    )
    with transaction.atomic():
        accept_report(submission_id=handed_in(td, report).pk, actor=staff)
        run_due_jobs()
        by_the_desk = ledger_state()
        transaction.set_rollback(True)
    rated_event(td, report, staff=staff)
    assert ledger_state() == by_the_desk
    assert by_the_desk["UnplayedRound"]
    assert by_the_desk["RatingChange"]
