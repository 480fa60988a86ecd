"""Pages of approvals and permissions, and the error pages 403 and 404."""

from collections.abc import Mapping
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import (
    NotAllowed,
    action_permissions,
    staff_permission_required,
)
from ratings_site.common.accounts.queries import (
    permission_holders,
    second_approval_denial,
)
from ratings_site.common.approvals.forms import DecisionForm
from ratings_site.common.approvals.kinds import ApprovalRefused, permission_for
from ratings_site.common.approvals.pages import (
    action_page,
    post_data,
    refusal_sentences,
    submitted_text,
)
from ratings_site.common.approvals.preview import PreviewLine, preview_or_refusal
from ratings_site.common.approvals.queries import (
    decided_approvals,
    pending_approvals,
    permission_matrix,
)
from ratings_site.common.approvals.services import approve, refuse
from ratings_site.common.models import PendingAct, User
from ratings_site.common.ui.pagination import ROWS_PER_PAGE
from ratings_site.common.web.requests import SignedInRequest


@staff_permission_required("common.view_pendingact")
def approvals(request: SignedInRequest) -> HttpResponse:
    waiting = Paginator(pending_approvals(), ROWS_PER_PAGE).get_page(
        request.GET.get("waiting")
    )
    decided = Paginator(decided_approvals(), ROWS_PER_PAGE).get_page(
        request.GET.get("page")
    )
    context = {
        "waiting": waiting,
        "waiting_lines": [(act, _decision_state(act, request.user)) for act in waiting],
        "page_obj": decided,
    }
    return render(request, "common/approvals.html", context)


@staff_permission_required("common.view_pendingact")
def approval(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show one approval, and record the decision of those who may decide."""
    act = get_object_or_404(
        PendingAct.objects.select_related("proposed_by", "decided_by"), pk=pk
    )
    standing = _decision_state(act, request.user)

    def do(said: dict[str, str]) -> str:
        try:
            return _decide(act, request.user, said)
        except ApprovalRefused:
            act.refresh_from_db()
            raise
        except NotAllowed as refusal:  # the page names other approvers itself
            raise NotAllowed(str(refusal)) from refusal

    def effects() -> list[PreviewLine]:
        if act.status != PendingAct.Status.WAITING:
            return []
        return preview_or_refusal(act.kind, act.payload, request.user)

    return action_page(
        request,
        DecisionForm(post_data(request)),
        do,
        done=str,
        to=reverse("office:approvals"),
        template="common/approval.html",
        effects=effects,
        act=act,
        standing=standing,
        names=_other_approvers(act, standing),
    )


def _other_approvers(act: PendingAct, standing: Mapping[str, Any]) -> list[str]:
    """Return who may approve, if the reader may not."""
    if standing["may_decide"] or not standing.get("permission"):
        return []
    return permission_holders(standing["permission"], beside=[act.proposed_by])


def _decide(act: PendingAct, actor: User, said: dict[str, str]) -> str:
    if said["decision"] == DecisionForm.APPROVE:
        approve(act_id=act.pk, actor=actor, reason=said["reason"])
        return _("Done: {title}.").format(title=act.title)
    decided = refuse(act_id=act.pk, actor=actor, reason=said["reason"])
    return _("{decision}: {title}.").format(
        decision=decided.get_status_display(), title=act.title
    )


def _decision_state(act: PendingAct, user: User) -> dict[str, Any]:
    """Return whether a user may decide on an approval, or why not."""
    is_own = act.proposed_by_id == user.pk
    try:
        permission = permission_for(act.kind)
    except ApprovalRefused as refusal:
        return {"is_own": is_own, "may_decide": False, "why_not": str(refusal)}
    why_not = "" if is_own else second_approval_denial(user, act.proposed_by)
    if not is_own and not user.has_perm(permission):
        name = action_permissions().get(permission, permission)
        why_not = _("You need the permission “{name}” for this.").format(name=name)
    may_decide = not is_own and not why_not
    return {
        "is_own": is_own,
        "may_decide": may_decide,
        "why_not": why_not,
        "permission": permission,
    }


@staff_permission_required("common.view_auditentry")
def permissions(request: HttpRequest) -> HttpResponse:
    return render(request, "common/permissions.html", {"page": permission_matrix()})


def not_allowed(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Show why access is denied and who has it, with the text that was typed."""
    user = getattr(request, "user", None)
    sentences = refusal_sentences(exception, user) if user is not None else []
    context = {
        "sentences": [one for one in sentences if one],
        "typed": submitted_text(request),
    }
    return render(request, "403.html", context, status=403)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Show that the page does not exist, with the text that was typed."""
    reason = exception.args[0] if exception.args else ""
    # Our own messages are for people; Django's are not.
    is_ours = isinstance(reason, str) and not reason.endswith("the given query.")
    context = {"reason": reason if is_ours else "", "typed": submitted_text(request)}
    return render(request, "404.html", context, status=404)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Show that a form has expired, with the text that was typed."""
    return render(
        request, "403_csrf.html", {"typed": submitted_text(request)}, status=403
    )
