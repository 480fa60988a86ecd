"""Pages of approvals and permissions, and the error pages 403 and 404."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse_lazy
from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import (
    NotAllowed,
    account_required,
    action_permissions,
    require_permission,
    staff_permission_required,
)
from ratings_site.common.accounts.queries import (
    permission_holders,
    second_approval_denial,
)
from ratings_site.common.approvals.bulk_actions import BULK_ACTIONS, RefusedRow
from ratings_site.common.approvals.forms import DecisionForm
from ratings_site.common.approvals.kinds import ApprovalRefused, permission_for
from ratings_site.common.approvals.pages import (
    ActionView,
    ListState,
    bulk_result_page,
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
from ratings_site.common.approvals.tasks import BULK_ACTION, bulk_result
from ratings_site.common.jobs.progress import working_page
from ratings_site.common.models import Job, PendingAct, User
from ratings_site.common.ui.pagination import paginate
from ratings_site.common.web.requests import SignedInRequest


@account_required
def bulk_action(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show the progress of a bulk action on many rows, then the result of each."""
    job = get_object_or_404(Job, pk=pk, kind=BULK_ACTION)
    permission, acts = BULK_ACTIONS[job.args["list"]]
    require_permission(request.user, permission)
    act = acts[job.args["act"]]
    title = act.button.format(number=len(job.args["keys"]))
    if page := working_page(request, job, title):
        return page
    outcome = bulk_result(job)
    if job.state == Job.State.FAILED:
        outcome.left_out.append(RefusedRow(title, job.message))
    elif "done" not in job.args:
        sentence = _("The results were deleted with the data of a member.")
        outcome.left_out.append(RefusedRow(title, sentence))
    shown = ListState.from_request(request, job.args["list"])
    return bulk_result_page(request, act.done, outcome, shown)


@staff_permission_required("common.view_pendingact")
def approvals(request: SignedInRequest) -> HttpResponse:
    waiting = paginate(request, pending_approvals(), name="waiting")
    context = {
        "waiting": waiting,
        "waiting_lines": [(act, _decision_state(act, request.user)) for act in waiting],
        "page_obj": paginate(request, decided_approvals()),
    }
    return render(request, "common/approvals.html", context)


@staff_permission_required("common.view_pendingact")
class Approval(ActionView[PendingAct]):
    """Show one approval, and record the decision of those who may decide."""

    form_class = DecisionForm
    template_name = "common/approval.html"
    refusable_decision = DecisionForm.APPROVE
    context_object_name = "act"
    success_url = reverse_lazy("office:approvals")
    queryset = PendingAct.objects.select_related("proposed_by", "decided_by")

    def unavailable_response(self) -> None:
        """Read the state before the decision changes it."""
        self.state = _decision_state(self.object, self.request.user)

    def do(self, data: dict[str, str]) -> str:
        act, actor, reason = self.object, self.request.user, data["reason"]
        try:
            if data["decision"] == DecisionForm.APPROVE:
                approve(act_id=act.pk, actor=actor, reason=reason)
                return _("Done: {title}.").format(title=act.title)
            decided = refuse(act_id=act.pk, actor=actor, reason=reason)
        except ApprovalRefused:
            act.refresh_from_db()
            raise
        except NotAllowed as refusal:  # the page names other approvers itself
            raise NotAllowed(str(refusal)) from refusal
        return _("{decision}: {title}.").format(
            decision=decided.get_status_display(), title=act.title
        )

    def effects(self) -> list[PreviewLine]:
        act = self.object
        if act.status != PendingAct.Status.WAITING:
            return []
        return preview_or_refusal(act.kind, act.payload, self.request.user)

    def context(self) -> dict[str, Any]:
        names = _other_approvers(self.object, self.state)
        return {"standing": self.state, "names": names}


def _other_approvers(act: PendingAct, standing: Mapping[str, Any]) -> list[str]:
    """Return who may approve, if the reader may not."""
    if standing["may_decide"] or not standing.get("permission"):
        return []
    return permission_holders(standing["permission"], beside=[act.proposed_by])


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
