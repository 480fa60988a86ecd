"""What the worker does with a file, each in the transaction of its job."""

from django.db import transaction
from django.utils import timezone

from players.importers.tables import Reason, Refused
from players.intake.kinds import Beat, kind_of
from players.models import Intake
from ratings_site.common.audit.services import record

State = Intake.State


def read(intake: Intake, beat: Beat) -> Reason | None:
    """Read a file; return why it is not taken, None if it is."""
    try:
        kind_of(intake).read(intake, beat)
    except Refused as refusal:
        return refusal.reason
    return None


def note_read(intake: Intake, refusal: Reason | None) -> None:
    """Lay what was read before the office, or say why the file is not taken."""
    intake.state = State.READY if refusal is None else State.REFUSED
    intake.problem = as_json(refusal) if refusal else {}
    intake.save(update_fields=["state", "problem", "on_record", "totals"])
    if refusal:
        intake.rows.all().delete()
        record("intake.refused", subject=intake, actor=None, facts=intake.problem)


def as_json(reason: Reason) -> dict[str, str]:
    return {"code": reason.code, **reason.values}


def enter(intake: Intake) -> None:
    """Enter all of a file, or nothing and say what stands in the way."""
    try:
        with transaction.atomic():
            facts = kind_of(intake).enter(intake, intake.decided_by)
    except Refused as refusal:
        intake.state, intake.problem = State.READY, as_json(refusal.reason)
        intake.save()
        return
    intake.state, intake.decided_at = State.ENTERED, timezone.now()
    intake.save()
    record(
        "intake.entered",
        subject=intake,
        actor=intake.decided_by,
        reason=intake.reason,
        facts=facts,
    )


def undo(intake: Intake) -> None:
    """Undo all of an intake, or nothing and say what rests on it."""
    try:
        with transaction.atomic():
            kind_of(intake).undo(intake, intake.undone_by)
    except Refused as refusal:
        intake.state, intake.problem = State.ENTERED, as_json(refusal.reason)
        intake.undone_by, intake.undo_reason = None, ""
        intake.save()
        return
    intake.state, intake.undone_at = State.UNDONE, timezone.now()
    intake.save()
    record(
        "intake.undone",
        subject=intake,
        actor=intake.undone_by,
        reason=intake.undo_reason,
        facts={"new": intake.new, "changed": intake.changed},
    )
