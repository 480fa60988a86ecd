"""Acts that wait for a second person: approve, refuse, withdraw; acts not allowed."""

from collections.abc import Mapping
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from ratings_site.common.accounts.permissions import NotAllowed, acts, for_staff
from ratings_site.common.accounts.queries import who_may, why_not_second
from ratings_site.common.acts.effects import Effect, what_happens_if_at_all
from ratings_site.common.acts.forms import DecisionForm
from ratings_site.common.acts.kinds import ActRefused, permission_for
from ratings_site.common.acts.pages import (
    act_page,
    posted,
    sentences_of,
    typed_in,
)
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
    standing = _standing(act, request.user)

    def do(said: dict[str, str]) -> str:
        try:
            return _decide(act, request.user, said)
        except ActRefused:
            act.refresh_from_db()
            raise
        except NotAllowed as refusal:  # the page names who may beside the proposer
            raise NotAllowed(str(refusal)) from refusal

    def effects() -> list[Effect]:
        if act.status != PendingAct.Status.WAITING:
            return []
        return what_happens_if_at_all(act.kind, act.payload, request.user)

    return act_page(
        request,
        DecisionForm(posted(request)),
        do,
        done=str,
        to=reverse("office:approvals"),
        template="common/approval.html",
        effects=effects,
        act=act,
        standing=standing,
        names=_others_who_may(act, standing),
    )


def _others_who_may(act: PendingAct, standing: Mapping[str, Any]) -> list[str]:
    """Name who may approve what its reader may not."""
    if standing["may_decide"] or not standing.get("permission"):
        return []
    return who_may(standing["permission"], beside=[act.proposed_by])


def _decide(act: PendingAct, actor: User, said: dict[str, str]) -> str:
    if said["decision"] == DecisionForm.APPROVE:
        approve(act_id=act.pk, actor=actor, reason=said["reason"])
        return f"Done: {act.title}."
    decided = refuse(act_id=act.pk, actor=actor, reason=said["reason"])
    return f"{decided.get_status_display()}: {act.title}."


def _standing(act: PendingAct, user: User) -> dict[str, Any]:
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
    return {
        "is_own": is_own,
        "may_decide": may_decide,
        "why_not": why_not,
        "permission": permission,
    }


@for_staff("common.view_auditentry")
def permissions(request: HttpRequest) -> HttpResponse:
    return render(request, "common/permissions.html", {"page": who_may_do_what()})


def not_allowed(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say what is not open to the reader, and who may; give back what was typed."""
    user = getattr(request, "user", None)
    sentences = sentences_of(exception, user) if user is not None else []
    context = {
        "sentences": [one for one in sentences if one],
        "typed": typed_in(request),
    }
    return render(request, "403.html", context, status=403)


def not_there(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that there is no page; what was about to be sent to it is given back."""
    return render(request, "404.html", {"typed": typed_in(request)}, status=404)


def out_of_date(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Say that a form belongs to an earlier sign-in, and give it back."""
    return render(request, "403_csrf.html", {"typed": typed_in(request)}, status=403)
