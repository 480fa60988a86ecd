"""What files of members said of people goes once nothing can be done with it."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from players.importers.tables import Refused
from players.intake.services.performing import as_json
from players.intake.services.receiving import path_of
from players.intake.services.staging import chunks_of
from players.models import Intake, IntakeRow
from ratings_site.common.audit.services import record
from ratings_site.common.database.bulk import update_rows

State = Intake.State
DONE = (State.ENTERED, State.UNDONE)
# What the sentence of a refusal names and is no text of a person.
IMPERSONAL = ("code", "column", "line", "missing", "headings", "cells", "most")
LEFT_OUT = "…"


def empty_old_intakes() -> int:
    """Empty the rows of files nobody can do anything with; return of how many.

    An undone file is emptied at once, others INTAKE_ROWS_DAYS after the decision. One
    that nobody decided on so long is set aside.
    """
    before = timezone.now() - timedelta(days=settings.INTAKE_ROWS_DAYS)
    files = list(_old(before).values_list("pk", flat=True))
    for pk in files:
        with transaction.atomic():
            _empty(Intake.objects.select_for_update(of=("self",)).get(pk=pk))
    return len(files)


def _old(before: datetime) -> QuerySet[Intake]:
    since = Coalesce("decided_at", "received_at")
    old = Q(state__in=[State.READY, State.ENTERED], since__lt=before)
    full = Intake.objects.filter(emptied_at=None).annotate(since=since)
    return full.filter(old | Q(state=State.UNDONE))


def _empty(intake: Intake) -> None:
    if intake.state not in (State.READY, *DONE) or intake.emptied_at:
        return
    intake.rows.exclude(kind=IntakeRow.Kind.REFUSED).delete()
    for chunk in chunks_of(intake, IntakeRow.Kind.REFUSED):
        update_rows(
            IntakeRow,
            ("key", "values", "reason"),
            [("", {}, _impersonal(row.reason), row.pk) for row in chunk],
        )
    if intake.state == State.READY:
        waited = Refused("waited_too_long", days=settings.INTAKE_ROWS_DAYS)
        intake.state, intake.problem = State.REFUSED, as_json(waited.reason)
        # Of a file without headings these are somebody's row.
        intake.headings = intake.passed_over = []
    intake.emptied_at = timezone.now()
    intake.save()
    record("intake.emptied", subject=intake, actor=None)


def _impersonal(reason: dict[str, str]) -> dict[str, str]:
    return {
        name: text if name in IMPERSONAL else LEFT_OUT for name, text in reason.items()
    }


def throw_old_files_away() -> int:
    """Delete the files themselves if the office keeps them for some time only."""
    if settings.INTAKE_KEEP_DAYS is None:
        return 0
    before = timezone.now() - timedelta(days=settings.INTAKE_KEEP_DAYS)
    old = Intake.objects.exclude(stored_as="").filter(
        state__in=[State.REFUSED, *DONE], received_at__lt=before
    )
    files = list(old.values_list("pk", flat=True))
    for pk in files:
        with transaction.atomic():
            intake = Intake.objects.select_for_update(of=("self",)).get(pk=pk)
            path = path_of(intake)
            intake.stored_as = ""
            intake.save(update_fields=["stored_as"])
            record("intake.file_deleted", subject=intake, actor=None)
            transaction.on_commit(lambda path=path: path.unlink(missing_ok=True))
    return len(files)
