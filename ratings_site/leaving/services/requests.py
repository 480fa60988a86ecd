"""Exports that staff ask for on a page: an archive that a job makes."""

import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

from django.core.files.base import File
from django.db import transaction
from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.jobs.services import (
    ClaimedJob,
    JobFailed,
    Unavailable,
    enqueue,
)
from ratings_site.common.models import Job, Office, User
from ratings_site.common.uploads.services import upload_storage
from ratings_site.leaving.queries import EXPORT, archive_name, expired_archives
from ratings_site.leaving.services.exporting import (
    ExportRefused,
    OfficeBusy,
    export_office,
)
from ratings_site.leaving.services.importing import digest_of

PERMISSION = "common.export_office"
KEY = "office"


class NoExport(Refusal):
    """No export can be started; the message says why."""


def request_export(*, actor: User, reason: str) -> Job:
    """Start an export; one at a time."""
    require_permission(actor, PERMISSION)
    office = Office.objects.first()
    if office is None:
        raise NoExport(_("Set up the office first: manage.py create_office."))
    with transaction.atomic():
        if Job.objects.filter(kind=EXPORT, state__in=Job.OPEN_STATES).exists():
            raise NoExport(_("An export is already being made. Wait until it is done."))
        job = enqueue(EXPORT, key=KEY, args={"reason": reason}, actor=actor)
        record("office.export_requested", subject=office, actor=actor, reason=reason)
    return job


def make_archive(job: ClaimedJob) -> None:
    """Export the office to a ZIP archive in the storage of uploads."""
    with TemporaryDirectory() as scratch:
        folder, archive = Path(scratch) / "export", Path(scratch) / "export.zip"
        with job.keep_alive():
            try:
                export_office(folder, progress=job.report)
            except OfficeBusy as busy:
                raise Unavailable(str(busy)) from busy
            except ExportRefused as refusal:
                raise JobFailed(str(refusal)) from refusal
            sums = digest_of(folder)
            _zip(folder, archive)
            with archive.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        size = archive.stat().st_size
        name, storage = archive_name(job.id), upload_storage()
        with job.keep_alive(), archive.open("rb") as file:
            storage.delete(name)  # of an earlier attempt
            storage.save(name, File(file))
        with job.commit(f"{max(1, size // 1_000_000):,} MB"):
            done = Job.objects.select_related("requested_by").get(pk=job.id)
            office = Office.objects.get()
            facts = {
                "export": job.id,
                "sha256": sums,
                "archive_sha256": digest,
                "bytes": size,
            }
            record(
                "office.exported",
                subject=office,
                actor=done.requested_by,
                reason=job.args["reason"],
                facts=facts,
            )


def _zip(folder: Path, archive: Path) -> None:
    """Move the files of an export into an archive."""
    with ZipFile(archive, "w", ZIP_DEFLATED) as into:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                into.write(path, f"export/{path.relative_to(folder)}")
                path.unlink()


def delete_expired_archives() -> int:
    names = expired_archives()
    for name in names:
        upload_storage().delete(name)
    return len(names)
