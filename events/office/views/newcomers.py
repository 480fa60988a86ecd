"""The new members of all reports in one table: numbers for them, or whom they are."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from events.access import for_office
from events.books.refusals import NotPossible
from events.office.forms import LinkForm, NumbersForm
from events.office.rows import ACTS, certain_links, newcomer_rows
from ratings_site.common.acts.pages import (
    ListShown,
    act_on_rows,
    list_keys,
    several_page,
)
from ratings_site.common.models import Office

LIST = "events:newcomers"


@for_office
def newcomers(request: HttpRequest) -> HttpResponse:
    """Take who is chosen, and list what will happen; what is typed amiss stays."""
    problem = ""
    if request.method == "POST":
        try:
            code, keys = _chosen(request)
        except NotPossible as refusal:
            problem = str(refusal)
        else:
            shown = ListShown(request.GET, LIST)
            url = reverse("events:several_newcomers")
            return act_on_rows(request, code, ACTS[code], keys, shown, url)
    ticked = NumbersForm.ticked(request.POST) if problem else None
    rows, more = newcomer_rows(NumbersForm.typed(request.POST), ticked)
    context = {
        "rows": rows,
        "more": more,
        "problem": problem,
        "certain": len(certain_links()),
        "gives_ids": Office.gives_member_ids(),
        "extra_keys": list_keys(
            tick=_("Tick the row"),
            act=_("Give this one a number"),
            other=_("It is the first of the members named"),
            all_ticked=_("Give numbers to those ticked"),
        ),
    }
    status = 422 if problem else 200
    return render(request, "events/office/newcomers.html", context, status=status)


def _chosen(request: HttpRequest) -> tuple[str, list[str]]:
    """Return the act that the button means, and to whom."""
    if request.POST.get("link") == "all":
        return "link", certain_links()
    if request.POST.get("link"):
        link = LinkForm.read(request.POST)
        return "link", [f"{link['newcomer_id']}:{link['member_id']}"]
    chosen = NumbersForm.chosen(request.POST)
    return "number", [f"{pk}:{number}" for pk, number in chosen.items()]


@for_office
def several_newcomers(request: HttpRequest) -> HttpResponse:
    """Give the numbers that were listed, or say that these are the members listed."""
    return several_page(request, ACTS, ListShown.handed_on(request, LIST))
