"""Suspected duplicates: merging, telling apart, undoing."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from players.identity.forms import PairForm
from players.identity.pages import ACTS
from players.identity.queries import (
    comparison,
    merges,
    pairs_of,
    suspected,
    warnings_about,
)
from players.identity.services import (
    PERMISSION,
    merge_players,
    refusals,
    tell_apart,
    undo_merge,
)
from players.members.queries import by_member_id
from players.models import Player, PlayerMerge
from ratings_site.common.accounts.permissions import for_staff
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.acts.pages import (
    ListShown,
    act_page,
    list_keys,
    posted,
    several_page,
)
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE
from ratings_site.common.models import PendingAct

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
        "pairs": pairs_of(firsts),
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
    form = ReasonForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid() and _decide(request, form, one, other):
            return redirect(ListShown.handed_on(request, LIST).url)
    context = {
        "kept": one,
        "merged": other,
        "lines": comparison(one, other),
        "refusals": refusals(one, other),
        "warnings": warnings_about(one, other),
        "form": form,
        "shown": ListShown.handed_on(request, LIST),
    }
    return render(request, "players/office/pair.html", context, status=status)


def _decide(request: HttpRequest, form: ReasonForm, one: Player, other: Player) -> bool:
    reason, decision = form.cleaned_data["reason"], request.POST.get("decision")
    if decision not in ("merge", "apart"):
        form.add_error(None, _("Press one of the two buttons."))
        return False
    try:
        if decision == "merge":
            done = merge_players(
                kept_id=one.pk, merged_id=other.pk, actor=request.user, reason=reason
            )
            said = (
                _("The merge waits for a second person.")
                if isinstance(done, PendingAct)
                else _(
                    "{merged} goes on as {kept}. Ratings follow with a rerate."
                ).format(merged=done.merged, kept=done.kept)
            )
        else:
            tell_apart(
                first_id=one.pk, second_id=other.pk, actor=request.user, reason=reason
            )
            said = _("{one} and {other} will not be suspected again.").format(
                one=one, other=other
            )
    except Refusal as refusal:
        for sentence in getattr(refusal, "sentences", [str(refusal)]):
            form.add_error(None, sentence)
        return False
    messages.success(request, said)
    return True


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
        merge=merge,
    )
