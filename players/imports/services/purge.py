"""Deletes the personal data of import files that can no longer be used."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from players.formats.errors import STATUS_UNKNOWN, InputRefused
from players.imports.services.staging import as_json, chunks_of
from players.models import Intake, IntakeRow
from ratings_site.common.audit.services import record
from ratings_site.common.db.bulk import update_rows

State = Intake.State
DONE = (State.ENTERED, State.UNDONE)
# Values of refusal messages that contain no personal data.
SAFE_VALUES = (
    *("code", "column", "line", "other_line", "missing", "headings", "cells", "most"),
)
REDACTED = "…"


def purge_old_intakes() -> int:
    """Delete the rows of files that are no longer usable; return the number of files.

    An undone file is emptied at once, others INTAKE_ROWS_DAYS after the decision. A
    file that stays undecided for that long is rejected.
    """
    before = timezone.now() - timedelta(days=settings.INTAKE_ROWS_DAYS)
    files = list(_old(before).values_list("pk", flat=True))
    for pk in files:
        with transaction.atomic():
            _purge(Intake.objects.select_for_update(of=("self",)).get(pk=pk))
    return len(files)


def _old(before: datetime) -> QuerySet[Intake]:
    since = Coalesce("decided_at", "received_at")
    old = Q(state__in=[State.READY, State.ENTERED], since__lt=before)
    full = Intake.objects.filter(emptied_at=None).annotate(since=since)
    return full.filter(old | Q(state=State.UNDONE))


def _purge(intake: Intake) -> None:
    if intake.state not in (State.READY, *DONE) or intake.emptied_at:
        return
    intake.rows.exclude(kind=IntakeRow.Kind.REFUSED).delete()
    for chunk in chunks_of(intake, IntakeRow.Kind.REFUSED):
        update_rows(
            IntakeRow,
            ("key", "values", "reason"),
            [("", {}, _without_personal_data(row.reason), row.pk) for row in chunk],
        )
    if intake.state == State.READY:
        waited = InputRefused("waited_too_long", days=settings.INTAKE_ROWS_DAYS)
        intake.state, intake.problem = State.REFUSED, as_json(waited.reason)
        # In a file without headings these are a person's row.
        intake.headings = intake.passed_over = []
    intake.notes = []
    intake.faults = _without_words(intake.faults)
    intake.emptied_at = timezone.now()
    intake.save()
    record("intake.emptied", subject=intake, actor=None)


def _without_words(faults: dict[str, Any]) -> dict[str, Any]:
    """Return the counted faults, without rows and without words for a status.

    In a shifted column, these words are names.
    """
    kept: dict[str, Any] = {}
    for kind, fault in faults.items():
        if kind.startswith(STATUS_UNKNOWN):
            kind = STATUS_UNKNOWN
        counted = kept.setdefault(kind, {**fault, "count": 0, "rows": []})
        counted["count"] += fault["count"]
    return kept


def _without_personal_data(reason: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {
        name: text if name in SAFE_VALUES else REDACTED for name, text in reason.items()
    }
    if "others" in reason:
        kept["others"] = [_without_personal_data(one) for one in reason["others"]]
    return kept
