"""What the worker does with a file, each in the transaction of its job."""

from django.db import IntegrityError, transaction
from django.utils import timezone

from players.importers.tables import Reason, Refused
from players.intake.kinds import Beat, NotEntered, kind_of
from players.models import Intake
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import RatingsBusy

State = Intake.State
COULD_NOT = (Refused, IntegrityError, RatingsBusy)
# What somebody can mend who says which column is which.
ASKS_FOR_COLUMNS = ("columns_missing", "column_twice", "all_rows_refused")


def read(intake: Intake, beat: Beat) -> Reason | None:
    """Read a file; return why it is not taken, None if it is."""
    try:
        kind = kind_of(intake)
        kind.read(intake, beat)
        if kind.spellings and intake.refused == intake.rows_read > 1:
            raise Refused("all_rows_refused", rows=f"{intake.rows_read:,}")
    except Refused as refusal:
        return refusal.reason
    return None


def note_read(intake: Intake, refusal: Reason | None) -> None:
    """Lay what was read before the office, or say why the file is not taken."""
    asks = refusal is not None and refusal.code in ASKS_FOR_COLUMNS
    intake.state = State.READY if refusal is None or asks else State.REFUSED
    intake.problem = as_json(refusal) if refusal else {}
    intake.save(update_fields=["state", "problem", "on_record", "totals"])
    if refusal and not asks:
        intake.rows.all().delete()
        record("intake.refused", subject=intake, actor=None, facts=intake.problem)


def as_json(reason: Reason) -> dict[str, str]:
    return {"code": reason.code, **reason.values}


def _why(error: Exception) -> dict[str, str]:
    """Say why an act could not be done: by what was found, or who was quicker."""
    if isinstance(error, RatingsBusy):
        error = NotEntered("busy")
    elif isinstance(error, IntegrityError):
        error = NotEntered("entered_meanwhile")
    return as_json(error.reason)


def enter(intake: Intake) -> None:
    """Enter all of a file, or nothing and say what stands in the way."""
    try:
        with transaction.atomic():
            facts = kind_of(intake).enter(intake, intake.decided_by)
    except COULD_NOT as error:
        intake.state, intake.problem = State.READY, _why(error)
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
    except COULD_NOT as error:
        intake.state, intake.problem = State.ENTERED, _why(error)
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


def give_back(intake_id: int) -> None:
    """Lay a file that could not be handled before the office again, with a sentence.

    What stops the work is no fault of the file that anybody foresaw; without this the
    file would be at work for ever, and nobody could set it aside.
    """
    before = {
        State.READING: State.REFUSED,
        State.ENTERING: State.READY,
        State.UNDOING: State.ENTERED,
    }
    with transaction.atomic():
        intake = Intake.objects.select_for_update().get(pk=intake_id)
        if intake.state in before:
            intake.state = before[intake.state]
            intake.problem = as_json(NotEntered("could_not_be_handled").reason)
            intake.save(update_fields=["state", "problem"])
