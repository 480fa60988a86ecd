"""Data migrations."""

from dataclasses import asdict
from datetime import date

import pytest
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import StateApps
from django.utils import timezone

from events.models import (
    CorrectionRequest,
    EventRegistration,
    FindingOverride,
    Game,
    SubmissionFile,
)
from players.imports.services.actions import receive_file
from players.members.queries import find_players
from players.models import Intake, Player
from ratings.models import Experiment, RunDifference
from ratings_site.common.models import AuditEntry, UploadPart
from ratings_site.common.uploads.services import read_upload, store_upload
from tests.events.corrections.samples import make_event, request_correction
from tests.factories import make_affiliate, make_player, make_td

REPORT = bytes(range(256))
MEMBERS = b"Member ID,Name\r\n20000001,\xc4da Adams\n"

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.gate]

BEFORE = [
    ("common", "0003_cache_table"),
    ("players", "0010_intake_of_history"),
    ("events", "0002_history"),
    ("ratings", "0002_history"),
]


def migrated_to(state: list[tuple[str, str]]) -> StateApps:
    executor = MigrationExecutor(connection)
    executor.migrate(state)
    return executor.loader.project_state(state).apps


def make_ledger() -> None:
    """Enter one of each thing that was stored otherwise before."""
    td, today = make_td(), timezone.localdate()
    event = make_event(td)
    request_correction(event.sections.get(), td)
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
    make_player("12345678", "Ian", "O’Brien-Iakovlev")
    SubmissionFile.objects.create(
        submission=event.submission,
        name="may.dbf",
        **asdict(store_upload("reports", "may.dbf", [REPORT])),
    )
    for by_feed in (False, True):
        intake = receive_file(
            actor=None, kind="members", name="members.csv", content=[MEMBERS]
        )
        Intake.objects.filter(pk=intake.pk).update(by_feed=by_feed)


def respell(old: StateApps) -> None:
    """Write it as it was before names were American English."""
    (cell,) = CorrectionRequest.objects.get().change["cells"]
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


def write_down_personal_values(old: StateApps) -> None:
    """Create an audit entry with a birth date, as earlier versions did."""
    old.get_model("common", "AuditEntry").objects.create(
        action="player.changed",
        subject_type="players.player",
        subject_id="1",
        subject_name="Ann",
        facts={"birth_date": {"from": "", "to": "2014-03-01"}, "state": "OH"},
    )


def leave_a_rerate_open(old: StateApps) -> None:
    """Store a rating as rerates did earlier: in their own table."""
    (run, discarded) = (
        old.get_model("ratings", "Run").objects.create(
            kind="rerate", status=status, edition="2025", reason="A late report."
        )
        for status in ("ready", "discarded")
    )
    for one in (run, discarded):
        old.get_model("ratings", "ShadowRating").objects.create(
            run=one,
            player=old.get_model("players", "Player").objects.get(member_id="12345678"),
            system="OTBR",
            rating=1512.5,
            games=31,
            record="mixed",
            wins=9,
            floor=1200.0,
            rated_on=date(2026, 1, 5),
            last_change_id=7,
        )


def files_are_where_they_were(old: StateApps) -> None:
    """Check that uploaded files lie in a column and below DATA_DIR again."""
    file = old.get_model("events", "SubmissionFile").objects.get()
    assert bytes(file.content) == REPORT
    for intake in old.get_model("players", "Intake").objects.all():
        assert (settings.DATA_DIR / intake.stored_as).read_bytes() == MEMBERS


def test_what_was_stored_once_is_stored_as_today(all_migrations):
    """All in one walk there and back, of which each takes seconds."""
    make_ledger()
    digest = CorrectionRequest.objects.get().change_digest
    sound = Player.objects.get(member_id="12345678").search_sound
    old = migrated_to(BEFORE)
    respell(old)
    write_down_personal_values(old)
    leave_a_rerate_open(old)
    old.get_model("players", "Player").objects.update(search_sound="")
    files_are_where_they_were(old)
    migrated_to(all_migrations)
    names_are_american_english(digest)
    personal_values_are_removed_from_the_audit_log()
    members_are_found_as_they_are_written_today(sound)
    uploads_are_in_the_storage()
    the_open_rerate_can_be_published()


def uploads_are_in_the_storage() -> None:
    assert read_upload(SubmissionFile.objects.get().stored_as) == REPORT
    file, batch = Intake.objects.order_by("by_feed")
    assert read_upload(file.stored_as) == MEMBERS
    assert batch.stored_as == ""
    assert not list((settings.DATA_DIR / "intake").iterdir())
    assert UploadPart.objects.count() == 2


def names_are_american_english(digest: str) -> None:
    assert set(Game.objects.values_list("first_color", flat=True)) == {"B"}
    assert EventRegistration.objects.get().status == "canceled"
    assert Experiment.objects.get().status == "canceled"
    assert FindingOverride.objects.get().finding_key == (
        "affiliate.td_not_authorized/chief|s1|||"
    )
    request = CorrectionRequest.objects.get()
    assert request.change["cells"][0]["color"] == "B"
    assert "colour" not in request.change["cells"][0]
    assert request.change_digest == digest


def personal_values_are_removed_from_the_audit_log() -> None:
    entry = AuditEntry.objects.get(action="player.changed")
    assert entry.facts == {"birth_date": "changed", "state": "OH"}
    with pytest.raises(DatabaseError), transaction.atomic():
        AuditEntry.objects.update(reason="Another")


def members_are_found_as_they_are_written_today(sound: str) -> None:
    filled = Player.objects.get(member_id="12345678")
    assert filled.search_family == "obrieniakovlev"
    assert filled.search_sound == sound
    assert list(find_players("obrien")) == [filled]


def the_open_rerate_can_be_published() -> None:
    [row] = RunDifference.objects.all()
    assert (row.run.status, row.system) == ("ready", "OTBR")
    assert (row.before, row.after) == (None, 1512.5)
    assert (row.games, row.record, row.wins, row.floor) == (31, "mixed", 9, 1200.0)
    assert (row.rated_on, row.last_change_id) == (date(2026, 1, 5), 7)
    with pytest.raises(RuntimeError, match="Publish or discard the open rerate"):
        migrated_to([("ratings", "0010_current_calculations_by_source")])
