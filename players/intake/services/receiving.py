"""Receiving a file, and the three acts on it: enter, undo, set aside."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from players.importers.tables import ColumnsSaid
from players.intake.jobs import ENTER_INTAKE, READ_INTAKE, UNDO_INTAKE
from players.intake.kinds import PERMISSION, NotTaken, kind_of, require_for
from players.models import Intake
from ratings_site.common.accounts.permissions import require
from ratings_site.common.audit.services import record
from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import Job, User

FOLDER = "intake"
LARGEST_FILE = 500_000_000
LONGEST_ENDING = 10
# In a small office a handful of changes is soon half of all.
FEW = 20
State = Intake.State


def receive_file(
    *,
    actor: User | None,
    kind: str,
    name: str,
    content: Iterable[bytes],
    options: dict[str, str] | None = None,
) -> Intake:
    """Keep the file byte for byte and queue its dry run. Nothing else changes.

    *options* are what was chosen beside the file, for kinds that know them.
    """
    require(actor, PERMISSION)
    require_for(actor, kind)
    stored_as, digest, size = keep_file(content, name)
    with transaction.atomic():
        intake = Intake.objects.create(
            kind=kind,
            options=options or {},
            file_name=Path(name).name[:200],
            stored_as=stored_as,
            sha256=digest,
            size=size,
            received_by=actor,
        )
        facts = {"file": intake.file_name, "sha256": digest, "bytes": size}
        record("intake.received", subject=intake, actor=actor, facts=facts)
        _queue(READ_INTAKE, intake)
    return intake


def keep_file(content: Iterable[bytes], name: str) -> tuple[str, str, int]:
    """Write a file below DATA_DIR; return its path there, SHA-256 and length."""
    folder = settings.DATA_DIR / FOLDER
    folder.mkdir(exist_ok=True)
    digest, size = hashlib.sha256(), 0
    partial = folder / f"{timezone.now():%Y%m%d%H%M%S%f}.part"
    try:
        with partial.open("wb") as file:
            for piece in content:
                size += len(piece)
                if size > LARGEST_FILE:
                    raise NotTaken(_too_large())
                file.write(piece)
                digest.update(piece)
        suffix = Path(name).suffix.lower()[:LONGEST_ENDING]
        path = partial.with_suffix(suffix if suffix.isascii() else "")
        path = path.with_stem(f"{path.stem}-{digest.hexdigest()[:16]}")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return f"{FOLDER}/{path.name}", digest.hexdigest(), size


def _too_large() -> str:
    return _("The file is larger than {most} MB. Send it in parts.").format(
        most=LARGEST_FILE // 1_000_000
    )


def path_of(intake: Intake) -> Path:
    return settings.DATA_DIR / intake.stored_as


def columns_of(intake: Intake) -> ColumnsSaid | None:
    """Return what somebody said the columns of a file are, None if nobody has."""
    if not intake.columns:
        return None
    return ColumnsSaid(tuple(intake.columns["meanings"]), intake.columns["headed"])


def _queue(job: str, intake: Intake) -> Job:
    return enqueue(job, key=str(intake.pk), args={"intake_id": intake.pk})


def enter_intake(
    *, intake_id: int, actor: User | None, reason: str, yes: bool = False
) -> Intake:
    """Queue that what was read is entered, all at once or not at all.

    *yes* says that it really is to change more of the records than the setting allows.
    """
    require(actor, PERMISSION)
    if not reason.strip():
        raise NotTaken(_("Say why; the reason stays with the file."))
    with transaction.atomic():
        intake = _locked(intake_id, State.READY)
        if not intake.new and not intake.changed:
            raise NotTaken(_("Nothing in this file is new; there is nothing to enter."))
        if changes_too_many(intake) and not yes:
            raise NotTaken(too_many(intake))
        intake.state, intake.problem = State.ENTERING, {}
        intake.decided_by, intake.reason = actor, reason
        intake.save()
        _queue(ENTER_INTAKE, intake)
    return intake


def changes_too_many(intake: Intake) -> bool:
    return intake.changed > FEW and intake.share > settings.INTAKE_MOST_CHANGED


def too_many(intake: Intake) -> str:
    return _(
        "This would change {changed:,} of {records:,} records, more than the share of "
        "{most:.0%} that is allowed. If that is meant, say so."
    ).format(
        changed=intake.changed,
        records=intake.on_record,
        most=settings.INTAKE_MOST_CHANGED,
    )


def undo_intake(*, intake_id: int, actor: User | None, reason: str) -> Intake:
    """Queue that an intake is undone. It is, if nothing rests on it by then."""
    require(actor, PERMISSION)
    if not reason.strip():
        raise NotTaken(_("Say why; the reason stays with the file."))
    with transaction.atomic():
        intake = _locked(intake_id, State.ENTERED)
        if intake.emptied_at:
            raise NotTaken(_("It was entered too long ago, and its rows are gone."))
        if not can_be_undone(intake):
            raise NotTaken(_("What was entered in the books of ratings stays."))
        intake.state, intake.problem = State.UNDOING, {}
        intake.undone_by, intake.undo_reason = actor, reason
        intake.save()
        _queue(UNDO_INTAKE, intake)
    return intake


def can_be_undone(intake: Intake) -> bool:
    return kind_of(intake).undo is not None and intake.emptied_at is None


def read_again(*, intake_id: int, actor: User | None) -> Intake:
    """Queue another dry run, because the records have changed since the last one."""
    require(actor, PERMISSION)
    with transaction.atomic():
        intake = _locked(intake_id, State.READY)
        intake.state, intake.problem = State.READING, {}
        intake.save()
        _queue(READ_INTAKE, intake)
    return intake


def name_columns(*, intake_id: int, actor: User | None, columns: ColumnsSaid) -> Intake:
    """Keep what the columns of a file are, and queue a dry run by that."""
    require(actor, PERMISSION)
    with transaction.atomic():
        intake = _locked(intake_id, State.READY)
        intake.columns = {"meanings": columns.meanings, "headed": columns.headed}
        intake.state, intake.problem = State.READING, {}
        intake.save()
        _queue(READ_INTAKE, intake)
        facts = {"columns": [name for name in columns.meanings if name]}
        record("intake.columns_named", subject=intake, actor=actor, facts=facts)
    return intake


def set_aside(*, intake_id: int, actor: User | None, reason: str) -> Intake:
    """Decide that a file is not entered. It stays on record, its rows do not."""
    require(actor, PERMISSION)
    with transaction.atomic():
        intake = _locked(intake_id, State.READY)
        intake.state, intake.reason = State.REFUSED, reason
        intake.decided_by, intake.decided_at = actor, timezone.now()
        intake.save()
        intake.rows.all().delete()
        record("intake.set_aside", subject=intake, actor=actor, reason=reason)
    return intake


def _locked(intake_id: int, state: str) -> Intake:
    """Lock the intake; of two people who decide at once one is told."""
    intake = Intake.objects.select_for_update(of=("self",)).get(pk=intake_id)
    if intake.state != state:
        raise NotTaken(
            _("This cannot be done now. State of the file: {state}.").format(
                state=intake.get_state_display()
            )
        )
    return intake
