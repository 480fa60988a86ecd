"""Acts that wait for a second person: approve, refuse, withdraw."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from ratings_site.common.accounts.permissions import acts, for_staff
from ratings_site.common.accounts.queries import why_not_second
from ratings_site.common.acts.forms import DecisionForm
from ratings_site.common.acts.kinds import ActRefused, Refusal, permission_for
from ratings_site.common.acts.queries import decided_acts, waiting_acts, who_may_do_what
from ratings_site.common.acts.services import approve, refuse
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE
from ratings_site.common.models import PendingAct, User


@for_staff("common.view_pendingact")
def approvals(request: HttpRequest) -> HttpResponse:
    waiting = Paginator(waiting_acts(), ROWS_ON_A_PAGE).get_page(
        request.GET.get("waiting")
    )
    decided = Paginator(decided_acts(), ROWS_ON_A_PAGE).get_page(
        request.GET.get("page")
    )
    context = {
        "waiting": waiting,
        "waiting_lines": [(act, _standing(act, request.user)) for act in waiting],
        "page_obj": decided,
    }
    return render(request, "common/approvals.html", context)


@for_staff("common.view_pendingact")
def approval(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one act, and take the word of those who may decide on it."""
    act = get_object_or_404(
        PendingAct.objects.select_related("proposed_by", "decided_by"), pk=pk
    )
    form = DecisionForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                sentence = _decide(act, request.user, form.cleaned_data)
            except ActRefused as refusal:
                messages.warning(request, str(refusal))
                return redirect("office:approval", pk=pk)
            except Refusal as refusal:
                form.add_error(None, str(refusal))
            else:
                messages.success(request, sentence)
                return redirect("office:approvals")
    context = {"act": act, "form": form, "standing": _standing(act, request.user)}
    return render(request, "common/approval.html", context, status=status)


def _decide(act: PendingAct, actor: User, said: dict[str, str]) -> str:
    if said["decision"] == DecisionForm.APPROVE:
        approve(act_id=act.pk, actor=actor, reason=said["reason"])
        return f"Done: {act.title}."
    decided = refuse(act_id=act.pk, actor=actor, reason=said["reason"])
    return f"{decided.get_status_display()}: {act.title}."


def _standing(act: PendingAct, user: User) -> dict[str, object]:
    """Say what this person may do about the act, or why nothing."""
    is_own = act.proposed_by_id == user.pk
    try:
        permission = permission_for(act.kind)
    except ActRefused as refusal:
        return {"is_own": is_own, "may_decide": False, "why_not": str(refusal)}
    why_not = "" if is_own else why_not_second(user, act.proposed_by)
    if not is_own and not user.has_perm(permission):
        why_not = f"It takes the permission “{acts().get(permission, permission)}”."
    may_decide = not is_own and not why_not
    return {"is_own": is_own, "may_decide": may_decide, "why_not": why_not}


@for_staff("common.view_auditentry")
def permissions(request: HttpRequest) -> HttpResponse:
    return render(request, "common/permissions.html", {"page": who_may_do_what()})
