"""Second approvals: one person proposes an action, another approves it.

A service registers the function that does an action of a kind. Approving runs it in one
transaction and records both names.
"""

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.accounts.queries import second_approval_denial
from ratings_site.common.approvals.kinds import (
    ApprovalRefused,
    ApprovedAction,
    kind_of,
    permission_for,
)
from ratings_site.common.audit.services import record
from ratings_site.common.models import PendingAct, User


def propose(
    kind: str,
    *,
    title: str,
    payload: dict[str, Any],
    actor: User,
    reason: str,
    url: str = "",
) -> PendingAct:
    """Create a pending approval. *url* is the page of its subject."""
    if not kind_of(kind).on_decision:
        require_permission(actor, permission_for(kind))
    with transaction.atomic():
        refuse_duplicate(kind, payload)
        act = PendingAct.objects.create(
            kind=kind,
            title=title[:200],
            url=url,
            payload=payload,
            reason=reason,
            proposed_by=actor,
        )
        record(f"{kind}.proposed", subject=act, actor=actor, reason=reason)
    return act


def refuse_duplicate(kind: str, payload: dict[str, Any]) -> None:
    """Refuse a proposal that is already pending, as when a form is sent twice."""
    if PendingAct.objects.open().filter(kind=kind, payload=payload).exists():
        raise ApprovalRefused(
            _("This is already proposed and is awaiting a second approval.")
        )


def approve(*, act_id: int, actor: User, reason: str = "") -> object:
    """Approve and do a pending action; return the result of its function.

    Raise ApprovalRefused if it is already decided or *actor* may not approve it. If the
    function raises a Refusal, the action stays pending.
    """
    with transaction.atomic():
        act = _lock_pending(act_id)
        require_permission(actor, permission_for(act.kind))
        if act.proposed_by_id == actor.pk:
            raise ApprovalRefused(
                _("You proposed this, so another person must approve it.")
            )
        if sentence := second_approval_denial(actor, act.proposed_by):
            raise ApprovalRefused(sentence)
        act.decide(PendingAct.Status.APPROVED, by=actor, reason=reason)
        act.save()
        done = kind_of(act.kind).do(
            ApprovedAction(act.payload, act.reason, act.proposed_by, actor)
        )
        record(f"{act.kind}.approved", subject=act, actor=actor, reason=reason)
        _tell_decision(act)
    return done


def refuse(*, act_id: int, actor: User, reason: str) -> PendingAct:
    """Decline a pending action, or withdraw it if *actor* proposed it."""
    if not reason.strip():
        raise ApprovalRefused(_("Enter a reason. It is saved with the proposal."))
    with transaction.atomic():
        act = _lock_pending(act_id)
        is_own = act.proposed_by_id == actor.pk
        if not is_own:
            require_permission(actor, permission_for(act.kind))
        status = PendingAct.Status.WITHDRAWN if is_own else PendingAct.Status.REFUSED
        act.decide(status, by=actor, reason=reason)
        act.save()
        record(f"{act.kind}.{status}", subject=act, actor=actor, reason=reason)
        _tell_decision(act)
    return act


def _tell_decision(act: PendingAct) -> None:
    if tell := kind_of(act.kind).on_decision:
        tell(act)


def _lock_pending(act_id: int) -> PendingAct:
    """Lock a pending approval; raise ApprovalRefused if it is decided.

    ``decided_by`` is read afterward, because a join would see the row before the lock.
    """
    act = PendingAct.objects.select_for_update().get(pk=act_id)
    if not act.is_open:
        raise ApprovalRefused(
            _("{decided_by} has already decided this: {state}.").format(
                decided_by=act.decided_by, state=act.get_status_display().lower()
            )
        )
    return act
