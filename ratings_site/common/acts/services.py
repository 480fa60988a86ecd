"""Acts that need a second person: proposed by one, done when another approves.

A service registers the function that does the act for a kind. Approving runs it in
one transaction, with the approver as a second name beside the proposer's.
"""

from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import require
from ratings_site.common.accounts.queries import why_not_second
from ratings_site.common.acts.kinds import ActRefused, Approved, kind_of, permission_for
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
    """Put an act before a second person. *url* is where the matter can be seen."""
    require(actor, permission_for(kind))
    with transaction.atomic():
        _refuse_twice(kind, payload)
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


def _refuse_twice(kind: str, payload: dict[str, Any]) -> None:
    """A form may be sent twice; one proposal waits for the second person."""
    waiting = PendingAct.objects.filter(kind=kind, status=PendingAct.Status.WAITING)
    if waiting.filter(payload=payload).exists():
        raise ActRefused(
            _("The same is proposed already; it waits for a second person.")
        )


def approve(*, act_id: int, actor: User, reason: str = "") -> object:
    """Do a waiting act; return what its function returns.

    Raises ActRefused if it is decided already or *actor* is no second person. What the
    function itself refuses is raised as it is, and the act goes on waiting.
    """
    with transaction.atomic():
        act = _waiting(act_id)
        require(actor, permission_for(act.kind))
        if act.proposed_by_id == actor.pk:
            raise ActRefused(_("You proposed this; a second person has to approve it."))
        if sentence := why_not_second(actor, act.proposed_by):
            raise ActRefused(sentence)
        _decide(act, PendingAct.Status.APPROVED, actor, reason)
        done = kind_of(act.kind).do(
            Approved(act.payload, act.reason, act.proposed_by, actor)
        )
        record(f"{act.kind}.approved", subject=act, actor=actor, reason=reason)
    return done


def refuse(*, act_id: int, actor: User, reason: str) -> PendingAct:
    """Decide that a waiting act is not done. Its proposer withdraws it by this."""
    if not reason.strip():
        raise ActRefused(_("Say why; the reason stays with the proposal."))
    with transaction.atomic():
        act = _waiting(act_id)
        is_own = act.proposed_by_id == actor.pk
        if not is_own:
            require(actor, permission_for(act.kind))
        status = PendingAct.Status.WITHDRAWN if is_own else PendingAct.Status.REFUSED
        _decide(act, status, actor, reason)
        record(f"{act.kind}.{status}", subject=act, actor=actor, reason=reason)
    return act


def _waiting(act_id: int) -> PendingAct:
    """Lock the act, so that of two people who decide at once one is told.

    Who decided is read afterward: joined, it would be as it was before the wait.
    """
    act = PendingAct.objects.select_for_update().get(pk=act_id)
    if act.status != PendingAct.Status.WAITING:
        raise ActRefused(
            _("{decided_by} has decided this already: {state}.").format(
                decided_by=act.decided_by, state=act.get_status_display().lower()
            )
        )
    return act


def _decide(act: PendingAct, status: str, actor: User, reason: str) -> None:
    act.status = status
    act.decided_by = actor
    act.decided_at = timezone.now()
    act.decision_reason = reason
    act.save()
