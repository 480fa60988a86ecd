"""Inviting people to work in the office."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from events.office.forms import ColleagueForm
from events.office.services.colleagues import (
    PERMISSION,
    NotInvited,
    confirm_colleague,
    groups_to_give,
    invite_colleague,
    unconfirmed_colleagues,
    why_not_confirm,
)
from ratings_site.common.accounts.permissions import for_staff
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.acts.pages import act_page, posted
from ratings_site.common.database.locks import RatingsBusy
from ratings_site.common.models import User
from ratings_site.common.sign_in.mail import is_set_up
from ratings_site.common.sign_in.services import link_to_set_password


@for_staff(PERMISSION)
def invite(request: HttpRequest) -> HttpResponse:
    """Invite a colleague; without e-mail set up, show the link to be handed over."""
    form = ColleagueForm(posted(request), groups=groups_to_give(request.user))
    if form.is_bound and form.is_valid():
        try:
            person = invite_colleague(actor=request.user, **form.cleaned_data)
        except (NotInvited, RatingsBusy) as refusal:
            form.add_error(None, str(refusal))
        else:
            is_new = not person.has_usable_password()
            link = link_to_set_password(person) if is_new and not is_set_up() else ""
            made = {"person": person, "is_new": is_new, "link": link}
            return render(request, "events/office/colleague_invited.html", made)
    status = 422 if form.is_bound else 200
    context = {"form": form, "unconfirmed": unconfirmed_colleagues()}
    return render(request, "events/office/colleague.html", context, status=status)


@for_staff(PERMISSION)
def confirm(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm a colleague whom somebody else has invited."""
    person = get_object_or_404(User, pk=pk)
    return act_page(
        request,
        ReasonForm(posted(request)),
        lambda told: confirm_colleague(account_id=pk, actor=request.user, **told),
        done=_("Confirmed. The account counts as a person of its own."),
        to=reverse("events:invite_colleague"),
        template="events/office/colleague_confirm.html",
        person=person,
        not_mine=why_not_confirm(person, request.user),
    )
