"""Suspected duplicates: merge, mark as separate, undo."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.identity.forms import PairDecisionForm, PairForm
from players.identity.pages import LIST
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
from ratings_site.common.approvals.pages import (
    ActionView,
    ListState,
    bulk_action_page,
    list_shortcuts,
    post_data,
)
from ratings_site.common.approvals.preview import PreviewLine
from ratings_site.common.models import PendingAct
from ratings_site.common.ui.pagination import ROWS_PER_PAGE, paginate
from ratings_site.common.web.requests import SignedInRequest


@staff_permission_required(PERMISSION)
def duplicates(request: SignedInRequest) -> HttpResponse:
    """List suspected pairs and past merges, with a form for any other pair."""
    form = PairForm(post_data(request), initial={"kept": request.GET.get("kept", "")})
    if form.is_valid():
        kept, merged = form.cleaned_data["kept"], form.cleaned_data["merged"]
        return redirect("players_office:pair", kept.member_id, merged.member_id)
    firsts = paginate(request, suspected_duplicates())
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
    status = 422 if form.is_bound else 200
    return render(request, "players/office/duplicates.html", context, status=status)


@staff_permission_required(PERMISSION)
def several_pairs(request: SignedInRequest) -> HttpResponse:
    """Merge several pairs, or mark them as separate."""
    return bulk_action_page(request, ListState.from_request(request, LIST))


@staff_permission_required(PERMISSION)
class Pair(ActionView[tuple[Player, Player]]):
    """Compare two members, and accept the decision."""

    form_class = PairDecisionForm
    template_name = "players/office/pair.html"

    def get_object(self) -> tuple[Player, Player]:
        kept = get_member(self.kwargs["kept"])
        merged = get_member(self.kwargs["merged"])
        if kept is None or merged is None or kept == merged:
            raise Http404(_("Choose two different members to compare."))
        return kept, merged

    @cached_property
    def refusals_of_merge(self) -> list[str]:
        return refusals(*self.object)

    def do(self, data: dict[str, str]) -> str:
        """Merge the two or mark them as separate, and return the success message."""
        one, other = self.object
        who: Any = {"actor": self.request.user, "reason": data["reason"]}
        if data["decision"] == PairDecisionForm.APART:
            mark_not_duplicates(first_id=one.pk, second_id=other.pk, **who)
            return _("{one} and {other} won’t be listed as duplicates again.").format(
                one=one, other=other
            )
        done = merge_players(kept_id=one.pk, merged_id=other.pk, **who)
        if isinstance(done, PendingAct):
            return _("The merge is waiting for a second approval.")
        return _(
            "{merged} was merged into {kept}. Ratings update with the next rerate."
        ).format(merged=done.merged, kept=done.kept)

    def get_success_url(self) -> str:
        return ListState.from_request(self.request, LIST).url

    def effects(self) -> Sequence[PreviewLine]:
        if self.refusals_of_merge:
            return ()
        kept, merged = self.object
        facts = {"player_id": kept.pk, "merged_id": merged.pk}
        needs_two = bool(differences(kept, merged))
        return self.preview_lines(
            MERGE, facts, approvers=PERMISSION if needs_two else ""
        )

    def context(self) -> dict[str, Any]:
        kept, merged = self.object
        words = _("Merge into {member_id}").format(member_id=kept.member_id)
        merge = (PairDecisionForm.MERGE, words, "primary", "a")
        apart = (PairDecisionForm.APART, _("Not duplicates"), "", "b")
        return {
            "kept": kept,
            "merged": merged,
            "lines": comparison(kept, merged),
            "refusals": self.refusals_of_merge,
            "warnings": merge_warnings(kept, merged),
            "choices": [apart] if self.refusals_of_merge else [merge, apart],
        }


@staff_permission_required(PERMISSION)
class UndoMerge(ActionView[PlayerMerge]):
    template_name = "players/office/undo_merge.html"
    context_object_name = "merge"
    success_message = gettext_lazy("Merge undone. They’re two members again.")
    success_url = reverse_lazy(LIST)
    queryset = PlayerMerge.objects.select_related("kept", "merged", "by")

    def do(self, data: dict[str, str]) -> object:
        return undo_merge(merge_id=self.object.pk, actor=self.request.user, **data)

    def effects(self) -> Sequence[PreviewLine]:
        return self.preview_lines(UNDO, {"merge_id": self.object.pk})
