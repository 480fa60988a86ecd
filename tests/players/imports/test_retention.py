"""Personal data in rows of files is deleted; counts and reasons stay."""

import json
from datetime import date, time, timedelta

import pytest
from django.utils import timezone

from players.imports.kinds import EMPTY_INTAKES, ImportRefused
from players.imports.services.actions import undo_intake
from players.imports.services.purge import purge_old_intakes
from players.models import Intake, IntakeRow, Player
from ratings_site.common.jobs.nightly import enqueue_nightly
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry, Job
from ratings_site.common.uploads.services import read_upload
from tests.factories import make_staff
from tests.players.imports.files import ADA, BEN, counts, entered, received, undone

pytestmark = pytest.mark.django_db

WRONG = "20000003,Carla,Cole,1899-12-31,,,,,,,"


def aged(intake: Intake, days: int) -> Intake:
    then = timezone.now() - timedelta(days=days)
    Intake.objects.filter(pk=intake.pk).update(received_at=then)
    if intake.decided_at:
        Intake.objects.filter(pk=intake.pk).update(decided_at=then)
    return intake


def stored_text(intake: Intake) -> str:
    """Return all stored text of an import and its rows."""
    stored = [
        *Intake.objects.filter(pk=intake.pk).values(),
        *IntakeRow.objects.filter(intake=intake).values(),
    ]
    return json.dumps(stored, default=str)


def test_rows_lose_what_they_say_of_people_and_keep_why_they_were_refused(settings):
    intake = aged(entered(ADA, BEN, WRONG), settings.INTAKE_ROWS_DAYS + 1)
    assert "1899-12-31" in stored_text(intake)
    assert purge_old_intakes() == 1
    intake.refresh_from_db()
    assert counts(intake) == {"new": 2, "refused": 1}
    [row] = intake.rows.all()
    assert (row.line, row.reason) == (4, {"code": "birth_date_too_early", "cell": "…"})
    for text in ("Ada", "Cole", "2011-02-13", "1899-12-31", "mum@", "2000000"):
        assert text not in stored_text(intake)
    assert Player.objects.get(member_id="20000001").birth_date == date(2011, 2, 13)
    assert read_upload(intake.stored_as).count(b"\n") == 4
    assert AuditEntry.objects.filter(action="intake.emptied").count() == 1
    assert purge_old_intakes() == 0


def test_problems_are_still_counted_by_kind(settings):
    rows = [
        "20000001,Adams,soon,soon,n,Lapsed",
        "20000002,Baker,soon,,n,Ada Adams",
        "20000003,Cruz,,,n@,",
    ]
    heads = "ID,Last name,DOB,Starts,Email,Status"
    aged(received(*rows, headings=heads), settings.INTAKE_ROWS_DAYS + 1)
    purge_old_intakes()
    intake = Intake.objects.get()
    assert {kind: fault["count"] for kind, fault in intake.faults.items()} == {
        "no_day:birth_date": 2,
        "no_day:starts": 1,
        "status_unknown": 2,
        "no_email:email|blank": 1,
    }
    assert "ADAMS" not in stored_text(intake)


def test_a_file_can_be_undone_until_its_rows_are_emptied(settings):
    intake = aged(entered(ADA), settings.INTAKE_ROWS_DAYS - 1)
    assert purge_old_intakes() == 0
    aged(intake, settings.INTAKE_ROWS_DAYS + 1)
    purge_old_intakes()
    with pytest.raises(ImportRefused, match="too old to undo"):
        undo_intake(intake_id=intake.pk, actor=None, reason="Too late.")
    assert Player.objects.count() == 1


def test_an_undone_file_is_emptied_the_same_night():
    intake = undone(entered(ADA))
    assert purge_old_intakes() == 1
    assert not intake.rows.exists()


def test_an_undecided_file_is_set_aside(settings):
    old = aged(received(ADA), settings.INTAKE_ROWS_DAYS + 1)
    new = received(BEN)
    purge_old_intakes()
    old.refresh_from_db()
    new.refresh_from_db()
    assert (old.state, old.problem["code"]) == ("refused", "waited_too_long")
    assert not old.rows.exists()
    assert (new.state, new.rows.count()) == ("ready", 1)


def test_the_night_does_it(settings, client):
    settings.NIGHTLY_AT, late = time(3, 30), timezone.now().replace(hour=23)
    intake = aged(entered(ADA, WRONG), settings.INTAKE_ROWS_DAYS + 1)
    nightly = {job.kind for job in enqueue_nightly(now=late)}
    Job.objects.exclude(kind=EMPTY_INTAKES).delete()
    run_due_jobs()
    assert EMPTY_INTAKES in nightly
    client.force_login(make_staff())
    page = client.get(intake.get_absolute_url()).content.decode()
    assert "Counts and reasons are kept." in page
    assert "The birth date … is too early" in page
    assert f"{intake.get_absolute_url()}undo/" not in page
