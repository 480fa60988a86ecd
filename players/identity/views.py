"""Suspected duplicates: merging, telling apart, undoing."""

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from players.identity.forms import PairDecisionForm, PairForm
from players.identity.pages import ACTS
from players.identity.queries import (
    comparison,
    differences,
    listed_pairs,
    merges,
    suspected,
    warnings_about,
)
from players.identity.services import (
    MERGE,
    PERMISSION,
    UNDO,
    merge_players,
    refusals,
    tell_apart,
    undo_merge,
)
from players.members.queries import by_member_id
from players.models import Player, PlayerMerge
from ratings_site.common.accounts.permissions import for_staff
from ratings_site.common.acts.effects import (
    Effect,
    of_nobody_else,
    of_second_person,
    what_happens_if_at_all,
)
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.acts.pages import (
    ListShown,
    act_page,
    list_keys,
    posted,
    several_page,
)
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE
from ratings_site.common.models import PendingAct, User

LIST = "players_office:duplicates"


@for_staff(PERMISSION)
def duplicates(request: HttpRequest) -> HttpResponse:
    """List suspected pairs and past merges; lead to any other pair."""
    form = PairForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        kept, merged = form.cleaned_data["kept"], form.cleaned_data["merged"]
        return redirect("players_office:pair", kept.member_id, merged.member_id)
    firsts = Paginator(suspected(), ROWS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "form": form,
        "page_obj": firsts,
        "pairs": list(listed_pairs(firsts)),
        "merges": merges()[:ROWS_ON_A_PAGE],
        "here": ListShown(request.GET, LIST),
        "extra_keys": list_keys(
            tick=_("Tick the row"),
            act=_("Merge this pair"),
            other=_("They are two people"),
            all_ticked=_("Merge those ticked"),
        ),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "players/office/duplicates.html", context, status=status)


@for_staff(PERMISSION)
def several_pairs(request: HttpRequest) -> HttpResponse:
    """Merge several pairs, or tell them apart."""
    return several_page(request, ACTS, ListShown.handed_on(request, LIST))


@for_staff(PERMISSION)
def pair(request: HttpRequest, kept: str, merged: str) -> HttpResponse:
    """Show two members side by side, and take the decision."""
    one, other = by_member_id(kept), by_member_id(merged)
    if one is None or other is None or one == other:
        raise Http404(_("These are not two members."))
    why_not = refusals(one, other)

    def do(said: dict[str, str]) -> str:
        return _decide(request.user, one, other, **said)

    return act_page(
        request,
        PairDecisionForm(posted(request)),
        do,
        done=str,
        to=ListShown.handed_on(request, LIST).url,
        template="players/office/pair.html",
        effects=lambda: [] if why_not else _effects_of(request.user, one, other),
        kept=one,
        merged=other,
        lines=comparison(one, other),
        refusals=why_not,
        warnings=warnings_about(one, other),
        choices=_choices(one, why_not),
    )


def _choices(kept: Player, why_not: list[str]) -> list[tuple[str, str, str, str]]:
    words = _("Merge into {member_id}").format(member_id=kept.member_id)
    merge = (PairDecisionForm.MERGE, words, "primary", "a")
    apart = (PairDecisionForm.APART, _("Two people"), "", "b")
    return [apart] if why_not else [merge, apart]


def _effects_of(actor: User, kept: Player, merged: Player) -> list[Effect]:
    facts = {"player_id": kept.pk, "merged_id": merged.pk}
    needs_two = bool(differences(kept, merged))
    return [
        *what_happens_if_at_all(MERGE, facts, actor),
        of_second_person(PERMISSION, actor) if needs_two else of_nobody_else(),
    ]


def _decide(
    actor: User, one: Player, other: Player, *, decision: str, reason: str
) -> str:
    """Merge the two or tell them apart, and say what was done."""
    if decision == PairDecisionForm.APART:
        tell_apart(first_id=one.pk, second_id=other.pk, actor=actor, reason=reason)
        return _("{one} and {other} will not be suspected again.").format(
            one=one, other=other
        )
    done = merge_players(kept_id=one.pk, merged_id=other.pk, actor=actor, reason=reason)
    if isinstance(done, PendingAct):
        return _("The merge waits for a second person.")
    return _("{merged} goes on as {kept}. Ratings follow with a rerate.").format(
        merged=done.merged, kept=done.kept
    )


@for_staff(PERMISSION)
def undo(request: HttpRequest, pk: int) -> HttpResponse:
    merge = get_object_or_404(
        PlayerMerge.objects.select_related("kept", "merged", "by"), pk=pk
    )
    return act_page(
        request,
        ReasonForm(posted(request)),
        lambda said: undo_merge(merge_id=pk, actor=request.user, **said),
        done=_("They are two members again."),
        to=reverse("players_office:duplicates"),
        template="players/office/undo_merge.html",
        effects=lambda: [
            *what_happens_if_at_all(UNDO, {"merge_id": pk}, request.user),
            of_nobody_else(),
        ],
        merge=merge,
    )
