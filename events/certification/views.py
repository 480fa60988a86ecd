"""The page after sign-up, and the office's pages for TD certification."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from events.access import official_of, submission_denial_reason
from events.certification.forms import (
    CertificationForm,
    CertifyForm,
    LinkForm,
    NewDirectorForm,
)
from events.certification.queries import (
    RequestFacts,
    decided_requests,
    next_request,
    open_request_of,
    open_requests,
    request_with_facts,
)
from events.certification.services import (
    CERTIFY,
    ask_for_certification,
    certify_td,
    decline_td,
)
from players.claims.services.claims import ClaimRefused, denial_reason
from players.models import Claim
from ratings_site.common.accounts.permissions import (
    NotAllowed,
    staff_permission_required,
)
from ratings_site.common.approvals.pages import post_data, refused
from ratings_site.common.ui.pagination import ROWS_PER_PAGE
from ratings_site.common.web.requests import SignedInRequest


@never_cache
@login_required
def welcome(request: SignedInRequest) -> HttpResponse:
    """Offer a new account its first steps: a membership, a child, or directing.

    Links are requested on the page of linked members, TD certification here.
    """
    own = getattr(request.user, "player", None)
    kind = NewDirectorForm if own is None else CertificationForm
    form, status = kind(post_data(request)), 200
    if form.is_bound:
        status = 422
        if form.is_valid() and (status := _ask(request, form)) == 302:
            return redirect("events:welcome")
    official = official_of(request.user)
    context = {
        "own": own,
        "member_form": LinkForm(auto_id="me_%s"),
        "child_form": LinkForm(auto_id="child_%s"),
        "form": form,
        "td_request": open_request_of(request.user),
        "official": official,
        "is_certified": official is not None
        and not submission_denial_reason(request.user),
    }
    return render(request, "events/certification/welcome.html", context, status=status)


def _ask(request: SignedInRequest, form: CertificationForm) -> int:
    said = form.cleaned_data
    member = said.get("member") or request.user.player
    try:
        ask_for_certification(
            player_id=member.pk,
            text=said["text"],
            birth_date=said.get("secret_birth_date"),
            actor=request.user,
        )
    except ClaimRefused as refusal:
        return refused(form, refusal)
    messages.success(request, _("The office has your request. We’ll notify you."))
    return 302


# For the office


@staff_permission_required(CERTIFY)
def td_requests(request: SignedInRequest) -> HttpResponse:
    """List the open TD requests and recent decisions."""
    decided = Paginator(decided_requests(), ROWS_PER_PAGE)
    context = {
        "open": open_requests(),
        "page_obj": decided.get_page(request.GET.get("page")),
    }
    return render(request, "events/certification/requests.html", context)


@staff_permission_required(CERTIFY)
def td_request(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show a request with the facts on record; certify the TD or decline."""
    found = request_with_facts(pk)
    if found is None:
        raise Http404(_("There is no request with this number."))
    one, facts = found
    form, status = CertifyForm(post_data(request), initial=_initial(facts)), 200
    if form.is_bound:
        status = 422
        if form.is_valid() and (status := _decide(request, one, form)) == 302:
            following = next_request()
            if following is None:
                return redirect("events:td_requests")
            return redirect("events:td_request", following.pk)
    context = {
        "one": one,
        "member": one.player.canonical,
        "facts": facts,
        "form": form,
        "not_mine": denial_reason(one, request.user),
    }
    return render(request, "events/certification/request.html", context, status=status)


def _initial(facts: RequestFacts) -> dict[str, object]:
    official = facts.official
    if official is None:
        return {}
    return {"level": official.level, "certified_until": official.certified_until}


def _decide(request: SignedInRequest, one: Claim, form: CertifyForm) -> int:
    said = form.cleaned_data
    name = one.player.canonical.name
    try:
        if said["decision"] == CertifyForm.CERTIFY:
            official = certify_td(
                request_id=one.pk,
                level=said["level"],
                certified_until=said["certified_until"],
                reason=said["reason"],
                actor=request.user,
            )
            done = _("{name} is certified as a {level}. We notified them.").format(
                name=name, level=official.get_level_display()
            )
        else:
            decline_td(request_id=one.pk, reason=said["reason"], actor=request.user)
            done = _("You declined the request of {name}. We notified them.").format(
                name=name
            )
    except (ClaimRefused, NotAllowed) as refusal:
        return refused(form, refusal)
    messages.success(request, done)
    return 302
