"""What migrations do with what is stored."""

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import StateApps
from django.utils import timezone

from events.models import CorrectionRequest, EventRegistration, FindingOverride, Game
from players.members.queries import find_players
from players.models import Player
from ratings.models import Experiment
from ratings_site.common.models import AuditEntry
from tests.events.corrections.samples import asked, make_event
from tests.factories import make_affiliate, make_player, make_td

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE = [("events", "0002_history"), ("ratings", "0002_history")]
AFTER = [("events", "0003_plain_names"), ("ratings", "0003_plain_names")]


def migrated_to(state: list[tuple[str, str]]) -> StateApps:
    executor = MigrationExecutor(connection)
    executor.migrate(state)
    return executor.loader.project_state(state).apps


@pytest.fixture(autouse=True)
def _all_migrations_afterward():
    """Leave the database to other tests as they expect it."""
    yield
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


@pytest.fixture
def books_of_before():
    """An office as it was stored before names were American English."""
    td, today = make_td(), timezone.localdate()
    event = make_event(td)
    request = asked(event.sections.get(), td)
    EventRegistration.objects.create(
        name="Winter Open",
        starts=today,
        ends=today,
        affiliate=make_affiliate(),
        chief=td.player,
        registered_by=td,
        notice="Snow.",
    )
    Experiment.objects.create(title="Elo", kind="comparison", reason="To know")
    FindingOverride.objects.create(
        submission=event.submission, finding_key="", message="No.", reason="So", by=td
    )
    old = migrated_to(BEFORE)
    (cell,) = request.change["cells"]
    cell["colour"] = cell.pop("color")
    old.get_model("events", "CorrectionRequest").objects.update(
        change={"cells": [cell]}, change_digest="of before"
    )
    old.get_model("events", "EventRegistration").objects.update(status="cancelled")
    old.get_model("events", "Game").objects.update(first_colour="B")
    old.get_model("ratings", "Experiment").objects.update(status="cancelled")
    old.get_model("events", "FindingOverride").objects.update(
        finding_key="affiliate.td_not_authorised/chief|s1|||"
    )
    return request


def test_stored_values_are_respelled(books_of_before):
    before = books_of_before
    migrated_to(AFTER)
    assert set(Game.objects.values_list("first_color", flat=True)) == {"B"}
    assert EventRegistration.objects.get().status == "canceled"
    assert Experiment.objects.get().status == "canceled"
    assert FindingOverride.objects.get().finding_key == (
        "affiliate.td_not_authorized/chief|s1|||"
    )
    request = CorrectionRequest.objects.get()
    assert request.change["cells"][0]["color"] == "B"
    assert "colour" not in request.change["cells"][0]
    assert request.change_digest == before.change_digest


def test_personal_values_leave_the_record_of_acts():
    old = migrated_to([("common", "0003_cache_table")])
    entries = old.get_model("common", "AuditEntry").objects
    dates = {"from": "", "to": "2014-03-01"}
    entries.create(
        action="player.changed",
        subject_type="players.player",
        subject_id="1",
        subject_name="Ann",
        facts={"birth_date": dates, "state": "OH"},
    )
    migrated_to([("common", "0004_personal_facts")])
    entry = AuditEntry.objects.get()
    assert entry.facts == {"birth_date": "changed", "state": "OH"}
    with pytest.raises(DatabaseError), transaction.atomic():
        AuditEntry.objects.update(reason="Another")


def test_members_are_found_as_they_are_written_today():
    """What was stored before names were looked for without apostrophes."""
    member = make_player("12345678", "Ian", "O’Brien-Iakovlev")
    old = migrated_to([("players", "0010_intake_of_history")])
    old.get_model("players", "Player").objects.update(search_sound="")
    migrated_to([("players", "0011_search_family")])
    filled = Player.objects.get()
    assert filled.search_family == "obrieniakovlev"
    assert filled.search_sound == member.search_sound
    assert list(find_players("obrien")) == [member]
