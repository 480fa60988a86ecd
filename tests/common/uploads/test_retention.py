"""Files are deleted at night after the retention period of their kind."""

from dataclasses import asdict
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from events.models import ForeignFile, SubmissionFile
from events.review.services.acceptance import accept_report
from players.fide.services.lists import receive_list
from players.imports.kinds import kinds
from players.models import FideList, Intake
from ratings.models import GamesFile
from ratings_site.common.jobs.nightly import enqueue_nightly
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry, Job, UploadPart
from ratings_site.common.uploads import services
from ratings_site.common.uploads.services import (
    delete_old_uploads,
    read_upload,
    store_upload,
)
from ratings_site.common.uploads.tasks import DELETE_OLD_UPLOADS
from tests.factories import (
    event_report,
    handed_in,
    make_player,
    make_staff,
    make_td,
    section_report,
    swiss_rows,
)
from tests.players.fide.fide_files import text_list
from tests.players.fide.helpers import MAY
from tests.players.imports.files import ADA, entered, received

pytestmark = pytest.mark.django_db

CAME = datetime(2026, 3, 1, 12, tzinfo=UTC)


def run_nightly(settings, days: float, **retention: int | None) -> None:
    """Run the nightly jobs *days* after the upload."""
    settings.UPLOAD_RETENTION_DAYS = dict.fromkeys(settings.UPLOAD_RETENTION_DAYS)
    settings.UPLOAD_RETENTION_DAYS |= retention
    with time_machine.travel(CAME + timedelta(days=days), tick=False):
        enqueue_nightly()
        Job.objects.exclude(kind=DELETE_OLD_UPLOADS).delete()
        run_due_jobs()


def reported(*, accept: bool) -> SubmissionFile:
    td = make_td()
    players = [make_player(ratings={"OTBR": (1500.0, 30)}) for _ in range(2)]
    report = event_report(td, [section_report(players, swiss_rows(2, 1))])
    submission = handed_in(td, report)
    if accept:
        accept_report(submission_id=submission.pk, actor=make_staff())
    return submission.files.first()


@pytest.mark.parametrize(("days", "left"), [(29.9, 1), (30.1, 0)])
def test_a_file_is_deleted_the_night_after_its_last_day(settings, days, left):
    settings.NIGHTLY_AT = datetime.min.time()
    with time_machine.travel(CAME, tick=False):
        intake = entered(ADA)
    run_nightly(settings, days, members=30)
    assert UploadPart.objects.count() == left
    intake.refresh_from_db()
    assert bool(intake.stored_as) == bool(left)
    assert (intake.file_name, len(intake.sha256)) == ("members.csv", 64)
    told = AuditEntry.objects.filter(action="upload.deleted")
    assert [one.subject_id for one in told] == [str(intake.pk)] * (1 - left)


def test_what_waits_for_a_decision_stays(settings):
    settings.NIGHTLY_AT = datetime.min.time()
    with time_machine.travel(CAME, tick=False):
        intake, file = received(ADA), reported(accept=False)
    run_nightly(settings, 400, members=30, reports=30)
    for row in (intake, file):
        row.refresh_from_db()
        assert len(read_upload(row.stored_as)) == row.size


def test_by_default_reports_and_history_are_never_deleted(settings):
    never = {kind for kind, days in settings.UPLOAD_RETENTION_DAYS.items() if not days}
    assert never == {"reports", "foreign", "ratings", "history", "games"}
    with time_machine.travel(CAME, tick=False):
        file = reported(accept=True)
    with time_machine.travel(CAME + timedelta(days=36_500), tick=False):
        delete_old_uploads()
    file.refresh_from_db()
    assert len(read_upload(file.stored_as)) == file.size


def test_an_office_can_delete_the_files_of_accepted_reports(settings, client):
    settings.NIGHTLY_AT = datetime.min.time()
    with time_machine.travel(CAME, tick=False):
        file = reported(accept=True)
    client.force_login(make_staff())
    page = file.submission.get_absolute_url()
    address = f"{page}files/{file.pk}/"
    assert address in client.get(page).content.decode()
    run_nightly(settings, 31, reports=30)
    assert not UploadPart.objects.filter(name=file.stored_as).exists()
    shown = client.get(page).content.decode()
    assert file.name in shown
    assert address not in shown
    assert client.get(address).status_code == 404


def test_each_kind_of_file_has_its_rows_and_a_setting(settings):
    assert set(services._kinds) == set(settings.UPLOAD_RETENTION_DAYS)
    assert {kind.name for kind in kinds()} <= set(services._kinds)
    models = {kind.rows.model for kind in services._kinds.values()}
    assert models == {Intake, FideList, SubmissionFile, ForeignFile, GamesFile}


def test_a_file_is_deleted_for_its_kind_only(settings):
    settings.NIGHTLY_AT = datetime.min.time()
    with time_machine.travel(CAME, tick=False):
        intake = entered(ADA)
        fide_list = receive_list(
            actor=None, name="may.txt", content=[text_list([])], list_date=MAY
        )
        run_due_jobs()
        games = GamesFile.objects.create(
            name="games.csv", **asdict(store_upload("games", "games.csv", [b"1"]))
        )
    run_nightly(settings, 31, fide=30)
    for row, is_left in ((intake, True), (fide_list, False), (games, True)):
        row.refresh_from_db()
        assert bool(row.stored_as) == is_left
