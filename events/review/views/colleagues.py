"""Inviting people to work in the office."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from events.review.forms import ColleagueForm
from events.review.services.colleagues import (
    PERMISSION,
    InvitationRefused,
    confirm_colleague,
    confirmation_denial_reason,
    grantable_groups,
    invite_colleague,
    unconfirmed_colleagues,
)
from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.approvals.pages import action_page, post_data
from ratings_site.common.db.locks import RatingsBusy
from ratings_site.common.mail.services import is_configured
from ratings_site.common.models import User
from ratings_site.common.sign_in.services import link_to_set_password
from ratings_site.common.web.requests import SignedInRequest


@staff_permission_required(PERMISSION)
def invite(request: SignedInRequest) -> HttpResponse:
    """Invite a colleague; without email, show the link to pass on."""
    form = ColleagueForm(post_data(request), groups=grantable_groups(request.user))
    if form.is_bound and form.is_valid():
        try:
            person = invite_colleague(actor=request.user, **form.cleaned_data)
        except (InvitationRefused, RatingsBusy) as refusal:
            form.add_error(None, str(refusal))
        else:
            is_new = not person.has_usable_password()
            link = (
                link_to_set_password(person) if is_new and not is_configured() else ""
            )
            made = {"person": person, "is_new": is_new, "link": link}
            return render(request, "events/review/colleague_invited.html", made)
    status = 422 if form.is_bound else 200
    context = {"form": form, "unconfirmed": unconfirmed_colleagues()}
    return render(request, "events/review/colleague.html", context, status=status)


@staff_permission_required(PERMISSION)
def confirm(request: SignedInRequest, pk: int) -> HttpResponse:
    """Confirm a colleague whom another person has invited."""
    person = get_object_or_404(User, pk=pk)
    return action_page(
        request,
        ReasonForm(post_data(request)),
        lambda told: confirm_colleague(account_id=pk, actor=request.user, **told),
        done=_("Account confirmed. It can now give second approvals."),
        to=reverse("events:invite_colleague"),
        template="events/review/colleague_confirm.html",
        person=person,
        not_mine=confirmation_denial_reason(person, request.user),
    )
