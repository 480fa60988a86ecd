"""Archives of reports for tests, imported through the services and jobs."""

import io
import zipfile
from dataclasses import replace
from datetime import date, timedelta

from events.formats.dbf.writer import write_report
from events.formats.json.writer import write_json
from players.imports.services.actions import apply_intake, receive_file, undo_intake
from players.models import Intake
from ratings_site.common.jobs.services import run_due_jobs
from tests.factories import event_report, section_report, swiss_rows

LONG_AGO = date(2003, 5, 4)


def report_of(td, members, name="Old Open", ends=LONG_AGO, **fields):
    """A report whose entries print ratings of an earlier system."""
    section = section_report(members, swiss_rows(4, 3), **fields)
    entries = tuple(
        replace(entry, rating=str(1501 + entry.pairing_number))
        for entry in section.entries
    )
    section = replace(section, entries=entries)
    return event_report(
        td, [section], name=name, starts=ends - timedelta(days=1), ends=ends
    )


def dbf_in(folder: str, reported) -> dict[str, bytes]:
    return {f"{folder}/{name}": data for name, data in write_report(reported).items()}


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def received(staff, files: dict[str, bytes] | bytes, **options: str) -> Intake:
    content = files if isinstance(files, bytes) else zipped(files)
    intake = receive_file(
        actor=staff, kind="history", name="old.zip", content=[content], options=options
    )
    run_due_jobs()
    intake.refresh_from_db()
    return intake


def entered(staff, files: dict[str, bytes] | bytes, **options: str) -> Intake:
    intake = received(staff, files, **options)
    apply_intake(intake_id=intake.pk, actor=staff, reason="The books of before.")
    run_due_jobs()
    intake.refresh_from_db()
    return intake


def undone(staff, intake: Intake) -> Intake:
    undo_intake(intake_id=intake.pk, actor=staff, reason="The wrong archive.")
    run_due_jobs()
    intake.refresh_from_db()
    return intake


def mixed(td, members) -> dict[str, bytes]:
    """Three formats: a folder of DBF files, an archive of them, a JSON document."""
    return {
        **dbf_in("spring", report_of(td, members, "Spring")),
        "more/summer.zip": zipped(
            write_report(report_of(td, members, "Summer", date(2003, 8, 3)))
        ),
        "autumn.json": write_json(report_of(td, members, "Autumn", date(2003, 11, 2))),
    }
