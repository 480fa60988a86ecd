"""Receiving a file, and the three actions on it: apply, undo, reject."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from players.formats.member_words import Answers
from players.formats.table_reader import ColumnMapping
from players.imports.kinds import (
    ENTER_INTAKE,
    PERMISSION,
    READ_INTAKE,
    UNDO_INTAKE,
    ImportRefused,
    kind_of,
    require_for,
)
from players.imports.services.limits import (
    OVER_LIMITS,
    approval_requirement,
    exceeded_limits,
)
from players.models import ImportWord, Intake
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import ApprovedAction, register_approved_action
from ratings_site.common.approvals.services import propose, refuse
from ratings_site.common.audit.services import record
from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import Job, PendingAct, User
from ratings_site.common.uploads.services import store_upload

FOLDER = "intake"
LARGEST_FILE = 500_000_000
DAY_ORDERS = "day_orders"
FIXES = "fixes"
State = Intake.State


def receive_file(
    *,
    actor: User | None,
    kind: str,
    name: str,
    content: Iterable[bytes],
    options: dict[str, Any] | None = None,
) -> Intake:
    """Store the file byte for byte and queue its dry run. Nothing else changes.

    *options* are chosen with the file, for kinds that have them.
    """
    require_permission(actor, PERMISSION)
    require_for(actor, kind)
    stored = store_upload(FOLDER, name, _within_limit(content))
    with transaction.atomic():
        intake = Intake.objects.create(
            kind=kind,
            options=options or {},
            file_name=Path(name).name[:200],
            **asdict(stored),
            received_by=actor,
        )
        facts = {
            "file": intake.file_name,
            "sha256": stored.sha256,
            "bytes": stored.size,
        }
        record("intake.received", subject=intake, actor=actor, facts=facts)
        _enqueue_job(READ_INTAKE, intake, actor)
    return intake


def _within_limit(content: Iterable[bytes]) -> Iterator[bytes]:
    size = 0
    for piece in content:
        size += len(piece)
        if size > LARGEST_FILE:
            raise ImportRefused(
                _(
                    "The file is larger than {most} MB. Split it into smaller files."
                ).format(most=LARGEST_FILE // 1_000_000)
            )
        yield piece


def chosen_columns(intake: Intake) -> ColumnMapping | None:
    """Return the column mapping that a person chose, or None."""
    if not intake.columns:
        return None
    return ColumnMapping(tuple(intake.columns["meanings"]), intake.columns["headed"])


def chosen_date_orders(intake: Intake) -> dict[str, str]:
    """Return the chosen orders of day and month, by column."""
    orders: dict[str, str] = intake.options.get(DAY_ORDERS, {})
    return orders


def chosen_answers(intake: Intake) -> Answers:
    """Return what was said about this file's faults, and about words in any file."""
    words = ImportWord.objects.values_list("word", "meaning")
    return Answers(words=dict(words), fixes=intake.options.get(FIXES, {}))


def _enqueue_job(job: str, intake: Intake, actor: User | None) -> Job:
    args = {"intake_id": intake.pk}
    return enqueue(job, key=str(intake.pk), args=args, actor=actor)


def apply_intake(
    *, intake_id: int, actor: User | None, reason: str
) -> Intake | PendingAct:
    """Queue the import, to be applied all at once or not at all.

    An import above the limits becomes a proposal for a second approval. With
    INTAKE_WAIT_HOURS its proposer may apply it alone after that time.
    """
    require_permission(actor, PERMISSION)
    if not reason.strip():
        raise ImportRefused(_("Enter a reason. It’s saved with the file."))
    with transaction.atomic():
        proposal = _lock_proposal(intake_id)
        intake = _lock_ready_intake(intake_id)
        if not exceeded_limits(intake):
            _end_proposal(proposal, actor)
            return _enqueue_apply(intake, actor, reason)
        if actor is None:
            raise ImportRefused(
                " ".join([*exceeded_limits(intake), approval_requirement()])
            )
        if proposal is None:
            return propose(
                OVER_LIMITS,
                title=_("Import over the limits: {file}").format(file=intake.file_name),
                payload=_proposal_payload(intake),
                actor=actor,
                reason=reason,
                url=intake.get_absolute_url(),
            )
        if proposal.proposed_by_id != actor.pk or not has_waited(proposal):
            raise ImportRefused(
                _("Approval has already been requested. {needed}").format(
                    needed=approval_requirement()
                )
            )
        refuse(
            act_id=proposal.pk,
            actor=actor,
            reason=_("Imported after the waiting time."),
        )
        return _enqueue_apply(intake, actor, reason)


@register_approved_action(OVER_LIMITS, permission=PERMISSION)
def apply_approved(act: ApprovedAction) -> Intake:
    """Queue an import above the limits after its second approval."""
    with transaction.atomic():
        intake = _lock_ready_intake(act.payload["intake_id"])
        if _proposal_payload(intake) != act.payload:
            raise ImportRefused(
                _(
                    "The file was checked again and would now make different changes. "
                    "Request approval again."
                )
            )
        return _enqueue_apply(intake, act.proposed_by, act.reason)


def _lock_ready_intake(intake_id: int) -> Intake:
    intake = _lock_intake(intake_id, State.READY)
    if not intake.new and not intake.changed:
        raise ImportRefused(_("This file has nothing new to import."))
    return intake


def _enqueue_apply(intake: Intake, actor: User | None, reason: str) -> Intake:
    intake.state, intake.problem = State.ENTERING, {}
    intake.decided_by, intake.reason = actor, reason
    intake.save()
    _enqueue_job(ENTER_INTAKE, intake, actor)
    return intake


def _proposal_payload(intake: Intake) -> dict[str, object]:
    """Return the payload of a proposal: an approval covers this and nothing else."""
    counts = {"new": intake.new, "changed": intake.changed, "totals": intake.totals}
    return {"intake_id": intake.pk, **counts}


def proposal_for(intake_id: int) -> PendingAct | None:
    """Return the pending approval of this import."""
    return _proposals_for(intake_id).select_related("proposed_by").first()


def _proposals_for(intake_id: int) -> QuerySet[PendingAct]:
    return PendingAct.objects.filter(
        kind=OVER_LIMITS, status=PendingAct.Status.WAITING, payload__intake_id=intake_id
    )


def _lock_proposal(intake_id: int) -> PendingAct | None:
    """Lock it before the import, in the same order as an approval."""
    return _proposals_for(intake_id).select_for_update().first()


def has_waited(proposal: PendingAct) -> bool:
    """Return whether the waiting time that replaces a second approval has passed."""
    hours = settings.INTAKE_WAIT_HOURS
    waited = timezone.now() - proposal.proposed_at
    return hours > 0 and waited >= timedelta(hours=hours)


def _end_proposal(proposal: PendingAct | None, actor: User | None) -> None:
    """Withdraw a proposal if its import is rechecked, rejected or within the limits."""
    if proposal is not None and actor is not None:
        reason = _("The file was checked again, rejected, or is now within the limits.")
        refuse(act_id=proposal.pk, actor=actor, reason=reason)


def undo_intake(*, intake_id: int, actor: User | None, reason: str) -> Intake:
    """Queue the undo of an import. It fails if other data depends on it by then."""
    require_permission(actor, PERMISSION)
    if not reason.strip():
        raise ImportRefused(_("Enter a reason. It’s saved with the file."))
    with transaction.atomic():
        intake = _lock_intake(intake_id, State.ENTERED)
        if intake.emptied_at:
            raise ImportRefused(
                _("This import is too old to undo. Its row data has been deleted.")
            )
        if not can_be_undone(intake):
            raise ImportRefused(
                _("Imported ratings can’t be undone. Correct them with adjustments.")
            )
        intake.state, intake.problem = State.UNDOING, {}
        intake.undone_by, intake.undo_reason = actor, reason
        intake.save()
        _enqueue_job(UNDO_INTAKE, intake, actor)
    return intake


def can_be_undone(intake: Intake) -> bool:
    return kind_of(intake).undo is not None and intake.emptied_at is None


def recheck(*, intake_id: int, actor: User | None) -> Intake:
    """Queue another dry run, because the records have changed since the last one."""
    with _reading_again(intake_id, actor) as intake:
        return intake


def set_columns(
    *, intake_id: int, actor: User | None, columns: ColumnMapping
) -> Intake:
    """Store the chosen column mapping, and queue a dry run with it."""
    with _reading_again(intake_id, actor) as intake:
        intake.columns = {"meanings": columns.meanings, "headed": columns.headed}
        facts = {"columns": [name for name in columns.meanings if name]}
        record("intake.columns_named", subject=intake, actor=actor, facts=facts)
    return intake


def set_date_orders(
    *, intake_id: int, actor: User | None, orders: dict[str, str]
) -> Intake:
    """Store the chosen date orders, and queue a dry run with them."""
    with _reading_again(intake_id, actor) as intake:
        intake.options[DAY_ORDERS] = chosen_date_orders(intake) | orders
        facts = {"orders": [f"{column}: {order}" for column, order in orders.items()]}
        record("intake.day_orders_stated", subject=intake, actor=actor, facts=facts)
    return intake


def set_answers(
    *,
    intake_id: int,
    actor: User | None,
    fixes: Mapping[str, str],
    words: Mapping[str, str],
) -> Intake:
    """Store what to do about kinds of faults, and queue a dry run with it.

    The meanings of *words* are remembered for all files.
    """
    with _reading_again(intake_id, actor) as intake:
        intake.options[FIXES] = intake.options.get(FIXES, {}) | dict(fixes)
        for word, meaning in words.items():
            ImportWord.objects.update_or_create(
                word=word.upper(), defaults={"meaning": meaning, "decided_by": actor}
            )
        facts = {"fixes": dict(fixes), "words": dict(words)}
        record("intake.faults_answered", subject=intake, actor=actor, facts=facts)
    return intake


@contextmanager
def _reading_again(intake_id: int, actor: User | None) -> Iterator[Intake]:
    """Lock a file, and queue another dry run once the caller has changed it."""
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        proposal = _lock_proposal(intake_id)
        intake = _lock_intake(intake_id, State.READY)
        _end_proposal(proposal, actor)
        intake.state, intake.problem = State.READING, {}
        yield intake
        intake.save()
        _enqueue_job(READ_INTAKE, intake, actor)


def reject_intake(*, intake_id: int, actor: User | None, reason: str) -> Intake:
    """Reject a file. It stays on record, its rows are deleted."""
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        proposal = _lock_proposal(intake_id)
        intake = _lock_intake(intake_id, State.READY)
        _end_proposal(proposal, actor)
        intake.state, intake.reason = State.REFUSED, reason
        intake.decided_by, intake.decided_at = actor, timezone.now()
        intake.save()
        intake.rows.all().delete()
        record("intake.set_aside", subject=intake, actor=actor, reason=reason)
    return intake


def _lock_intake(intake_id: int, state: str) -> Intake:
    """Lock the import; of two people who decide at once, one is refused."""
    intake = Intake.objects.select_for_update(of=("self",)).get(pk=intake_id)
    if intake.state != state:
        raise ImportRefused(
            _("You can’t do this now. Status of the file: {state}.").format(
                state=intake.get_state_display()
            )
        )
    return intake
