"""Queries for the page of exports."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.apps import apps
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.text import capfirst

from ratings_site.common.models import Job
from ratings_site.common.uploads.services import upload_storage
from ratings_site.leaving.contents import EXCLUDED, EXCLUDED_COLUMNS

EXPORT = "site.export_office"
# Too technical for the page.
ONLY_IN_SCHEMA = {"common.SignOfLife", "common.ApiUse", "ratings.OpenFilePart"}
KEEP = timedelta(days=3)
SHOWN = 10


def archive_name(job_id: int) -> str:
    """Return the name of an export's archive in the storage of uploads."""
    return f"exports/{job_id}.zip"


def newest_exports() -> list[Job]:
    """Return the newest exports of the page, with the account that asked for each."""
    jobs = Job.objects.filter(kind=EXPORT).order_by("-pk")
    return list(jobs.select_related("requested_by", "sign_of_life")[:SHOWN])


def expires_at(job: Job) -> datetime | None:
    """Return when the archive can no longer be downloaded; None if there is none."""
    if job.state != Job.State.DONE or job.finished_at is None:
        return None
    return job.finished_at + KEEP


def is_available(job: Job) -> bool:
    until = expires_at(job)
    return until is not None and timezone.now() < until


def left_out() -> Iterator[tuple[str, Promise]]:
    """Yield names of what an export leaves out, with the reasons, for the page."""
    for label, why in EXCLUDED.items():
        if label not in ONLY_IN_SCHEMA:
            yield capfirst(str(apps.get_model(label)._meta.verbose_name_plural)), why
    for name, why in EXCLUDED_COLUMNS.items():
        label, column = name.rsplit(".", 1)
        model = apps.get_model(label)
        whose, field = model._meta.verbose_name_plural, model._meta.get_field(column)
        yield f"{capfirst(str(whose))}: {getattr(field, 'verbose_name', column)}", why


def expired_archives() -> list[str]:
    """Return the names of archives that are still stored after their time."""
    old = Job.objects.filter(kind=EXPORT, finished_at__lte=timezone.now() - KEEP)
    names = map(archive_name, old.values_list("pk", flat=True))
    return [name for name in names if upload_storage().exists(name)]
