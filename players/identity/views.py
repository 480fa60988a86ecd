"""Suspected duplicates: merge, mark as separate, undo."""

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from players.identity.forms import PairDecisionForm, PairForm
from players.identity.pages import ACTIONS
from players.identity.queries import (
    comparison,
    differences,
    limit_pairs,
    merge_warnings,
    merges,
    suspected_duplicates,
)
from players.identity.services import (
    MERGE,
    PERMISSION,
    UNDO,
    mark_not_duplicates,
    merge_players,
    refusals,
    undo_merge,
)
from players.members.queries import get_member
from players.models import Player, PlayerMerge
from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.approvals.pages import (
    ListState,
    action_page,
    bulk_action_page,
    list_shortcuts,
    post_data,
)
from ratings_site.common.approvals.preview import (
    PreviewLine,
    no_approval_line,
    preview_or_refusal,
    second_approval_line,
)
from ratings_site.common.models import PendingAct, User
from ratings_site.common.ui.pagination import ROWS_PER_PAGE
from ratings_site.common.web.requests import SignedInRequest

LIST = "players_office:duplicates"


@staff_permission_required(PERMISSION)
def duplicates(request: SignedInRequest) -> HttpResponse:
    """List suspected pairs and past merges, with a form for any other pair."""
    form = PairForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        kept, merged = form.cleaned_data["kept"], form.cleaned_data["merged"]
        return redirect("players_office:pair", kept.member_id, merged.member_id)
    firsts = Paginator(suspected_duplicates(), ROWS_PER_PAGE).get_page(
        request.GET.get("page")
    )
    context = {
        "form": form,
        "page_obj": firsts,
        "pairs": list(limit_pairs(firsts)),
        "merges": merges()[:ROWS_PER_PAGE],
        "here": ListState(request.GET, LIST),
        "extra_keys": list_shortcuts(
            tick=_("Select the row"),
            act=_("Merge this pair"),
            other=_("Not duplicates"),
            all_ticked=_("Merge selected"),
        ),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "players/office/duplicates.html", context, status=status)


@staff_permission_required(PERMISSION)
def several_pairs(request: SignedInRequest) -> HttpResponse:
    """Merge several pairs, or mark them as separate."""
    return bulk_action_page(request, ACTIONS, ListState.from_request(request, LIST))


@staff_permission_required(PERMISSION)
def pair(request: SignedInRequest, kept: str, merged: str) -> HttpResponse:
    """Compare two members, and accept the decision."""
    one, other = get_member(kept), get_member(merged)
    if one is None or other is None or one == other:
        raise Http404(_("Choose two different members to compare."))
    refusal_reasons = refusals(one, other)

    def do(data: dict[str, str]) -> str:
        return _decide(request.user, one, other, **data)

    return action_page(
        request,
        PairDecisionForm(post_data(request)),
        do,
        done=str,
        to=ListState.from_request(request, LIST).url,
        template="players/office/pair.html",
        effects=lambda: [] if refusal_reasons else _preview(request.user, one, other),
        kept=one,
        merged=other,
        lines=comparison(one, other),
        refusals=refusal_reasons,
        warnings=merge_warnings(one, other),
        choices=_choices(one, refusal_reasons),
    )


def _choices(
    kept: Player, refusal_reasons: list[str]
) -> list[tuple[str, str, str, str]]:
    words = _("Merge into {member_id}").format(member_id=kept.member_id)
    merge = (PairDecisionForm.MERGE, words, "primary", "a")
    apart = (PairDecisionForm.APART, _("Not duplicates"), "", "b")
    return [apart] if refusal_reasons else [merge, apart]


def _preview(actor: User, kept: Player, merged: Player) -> list[PreviewLine]:
    facts = {"player_id": kept.pk, "merged_id": merged.pk}
    needs_two = bool(differences(kept, merged))
    return [
        *preview_or_refusal(MERGE, facts, actor),
        second_approval_line(PERMISSION, actor) if needs_two else no_approval_line(),
    ]


def _decide(
    actor: User, one: Player, other: Player, *, decision: str, reason: str
) -> str:
    """Merge the two or mark them as separate, and return the success message."""
    if decision == PairDecisionForm.APART:
        mark_not_duplicates(
            first_id=one.pk, second_id=other.pk, actor=actor, reason=reason
        )
        return _("{one} and {other} won’t be listed as duplicates again.").format(
            one=one, other=other
        )
    done = merge_players(kept_id=one.pk, merged_id=other.pk, actor=actor, reason=reason)
    if isinstance(done, PendingAct):
        return _("The merge is waiting for a second approval.")
    return _(
        "{merged} was merged into {kept}. Ratings update with the next rerate."
    ).format(merged=done.merged, kept=done.kept)


@staff_permission_required(PERMISSION)
def undo(request: SignedInRequest, pk: int) -> HttpResponse:
    merge = get_object_or_404(
        PlayerMerge.objects.select_related("kept", "merged", "by"), pk=pk
    )
    return action_page(
        request,
        ReasonForm(post_data(request)),
        lambda data: undo_merge(merge_id=pk, actor=request.user, **data),
        done=_("Merge undone. They’re two members again."),
        to=reverse("players_office:duplicates"),
        template="players/office/undo_merge.html",
        effects=lambda: [
            *preview_or_refusal(UNDO, {"merge_id": pk}, request.user),
            no_approval_line(),
        ],
        merge=merge,
    )
