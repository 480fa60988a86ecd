"""The new members of all reports in one table: numbers for them, or whom they are."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.access import for_office
from events.books.refusals import NotPossible
from events.office.forms import LinkForm, NumbersForm
from events.office.pages import newcomer_rows
from events.office.services.newcomers import give_numbers, link_newcomer
from ratings_site.common.models import Office


@for_office
def newcomers(request: HttpRequest) -> HttpResponse:
    """Give numbers to those chosen in one act, or say who one of them is."""
    problem = ""
    if request.method == "POST":
        try:
            messages.success(request, _done(request))
            return redirect("events:newcomers")
        except NotPossible as refusal:
            problem = str(refusal)
    ticked = NumbersForm.ticked(request.POST) if problem else None
    rows, more = newcomer_rows(NumbersForm.typed(request.POST), ticked)
    context = {
        "rows": rows,
        "more": more,
        "problem": problem,
        "gives_ids": Office.gives_member_ids(),
    }
    status = 422 if problem else 200
    return render(request, "events/office/newcomers.html", context, status=status)


def _done(request: HttpRequest) -> str:
    """Do what the button says, and return the sentence that tells it."""
    if request.POST.get("link"):
        link = LinkForm.read(request.POST)
        newcomer = link_newcomer(**link, actor=request.user)
        return _("{name} is {member}.").format(
            name=newcomer.name, member=newcomer.resolved_to
        )
    players = give_numbers(numbers=NumbersForm.chosen(request.POST), actor=request.user)
    return ngettext(
        "{number} new member has a number: {members}.",
        "{number} new members have numbers: {members}.",
        len(players),
    ).format(number=len(players), members=", ".join(map(str, players)))
