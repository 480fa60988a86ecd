"""The new members of all reports: assign member IDs, or link to members."""

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from events.access import office_required
from events.records.exceptions import NotPossible
from events.review.forms import (
    chosen_link,
    chosen_newcomers,
    ticked_newcomers,
    typed_member_ids,
)
from events.review.rows import LIST, certain_links, newcomer_rows
from players.formats.member_ids import MEMBER_ID
from ratings_site.common.approvals.pages import (
    ListState,
    bulk_action_page,
    list_shortcuts,
    run_bulk_action,
)
from ratings_site.common.models import Office
from ratings_site.common.web.requests import SignedInRequest


@office_required
def newcomers(request: SignedInRequest) -> HttpResponse:
    """Preview the action on the chosen rows; keep typed values on errors."""
    problem = ""
    if request.method == "POST":
        try:
            code, keys = _chosen(request)
        except NotPossible as refusal:
            problem = str(refusal)
        else:
            shown = ListState(request.GET, LIST)
            url = reverse("events:several_newcomers")
            return run_bulk_action(request, code, keys, shown, url)
    ticked = ticked_newcomers(request.POST) if problem else None
    rows, more = newcomer_rows(typed_member_ids(request.POST), ticked)
    context = {
        "rows": rows,
        "more": more,
        "problem": problem,
        "certain": len(certain_links()),
        "gives_ids": Office.assigns_member_ids(),
        "has_digits_only": MEMBER_ID.is_numeric,
        "starts_by_year": settings.BIRTH_YEAR_AS_MID_YEAR,
        "extra_keys": list_shortcuts(
            tick=_("Select the row"),
            act=_("Assign an ID"),
            other=_("Match to the first member shown"),
            all_ticked=_("Assign IDs to selected"),
        ),
    }
    status = 422 if problem else 200
    return render(request, "events/review/newcomers.html", context, status=status)


def _chosen(request: SignedInRequest) -> tuple[str, list[str]]:
    """Return the action of the button, and its rows."""
    if request.POST.get("link") == "all":
        return "link", certain_links()
    if request.POST.get("link"):
        pk, member_id = chosen_link(request.POST)
        return "link", [f"{pk}:{member_id}"]
    chosen = chosen_newcomers(request.POST)
    return "number", [f"{pk}:{number}" for pk, number in chosen.items()]


@office_required
def several_newcomers(request: SignedInRequest) -> HttpResponse:
    """Run the previewed action: assign member IDs or link members."""
    return bulk_action_page(request, ListState.from_request(request, LIST))
