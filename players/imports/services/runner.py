"""The work of import jobs, each in the transaction of its job."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import IntegrityError, transaction
from django.utils import timezone

from players.formats.errors import InputRefused, Reason
from players.imports.kinds import ApplyRefused, ProgressCallback, kind_of
from players.imports.services.staging import as_json, delete_rows
from players.models import Intake
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import RatingsBusy

State = Intake.State
# Problems that a column mapping can solve.
COLUMN_QUESTIONS = ("columns_missing", "column_twice", "all_rows_refused")
DATE_ORDER_QUESTION = "day_order_unclear"
QUESTION_CODES = (*COLUMN_QUESTIONS, DATE_ORDER_QUESTION)
# Values with personal data are not written to the audit.
PERSONAL_VALUES = ("month_cell", "day_cell")


def read(intake: Intake, beat: ProgressCallback) -> Reason | None:
    """Read a file; return why it is refused, or None."""
    try:
        kind = kind_of(intake)
        delete_rows(intake)
        kind.read(intake, beat)
        if kind.spellings and intake.refused == intake.rows_read > 1:
            raise InputRefused("all_rows_refused", rows=f"{intake.rows_read:,}")
    except InputRefused as refusal:
        return refusal.reason
    return None


def save_read_result(intake: Intake, refusal: Reason | None) -> None:
    """Present the file to the office, or store why it is refused."""
    asks = refusal is not None and refusal.code in QUESTION_CODES
    intake.state = State.READY if refusal is None or asks else State.REFUSED
    intake.problem = as_json(refusal) if refusal else {}
    intake.save(update_fields=["state", "problem", "on_record", "totals"])
    if refusal and not asks:
        intake.rows.all().delete()
        facts = {
            name: text
            for name, text in intake.problem.items()
            if name not in PERSONAL_VALUES
        }
        record("intake.refused", subject=intake, actor=None, facts=facts)


@contextmanager
def _all_or_nothing() -> Iterator[None]:
    """Roll back on an expected error, and raise it with the reason to be stored."""
    try:
        with transaction.atomic():
            yield
    except RatingsBusy as error:
        raise ApplyRefused("busy") from error
    except IntegrityError as error:
        raise ApplyRefused("entered_meanwhile") from error


def apply(intake: Intake) -> None:
    """Apply all of a file, or nothing and store the reason."""
    try:
        with _all_or_nothing():
            facts = kind_of(intake).apply(intake, intake.decided_by)
    except InputRefused as refusal:
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
    """Undo all of an import, or nothing and store the reason."""
    try:
        with _all_or_nothing():
            kind_of(intake).undo(intake, intake.undone_by)  # type: ignore[misc]
    except InputRefused as refusal:
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


def reopen_failed(intake_id: int) -> None:
    """Return a file whose job failed to the office, with a message.

    The failure was unexpected; without this the file would stay in progress forever and
    could not be rejected.
    """
    before: dict[str, State] = {
        State.READING: State.REFUSED,
        State.ENTERING: State.READY,
        State.UNDOING: State.ENTERED,
    }
    with transaction.atomic():
        intake = Intake.objects.select_for_update().get(pk=intake_id)
        if intake.state in before:
            intake.state = before[intake.state]
            intake.problem = as_json(ApplyRefused("could_not_be_handled").reason)
            intake.save(update_fields=["state", "problem"])
