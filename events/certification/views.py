"""The page after sign-up, directors' records, and the office's pages for them."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.access import official_of, submission_denial_reason
from events.certification.forms import (
    CertificationForm,
    CertifyForm,
    LinkForm,
    NewDirectorForm,
)
from events.certification.queries import (
    can_see_record,
    decided_requests,
    director_record,
    next_request,
    official_by_id,
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
from players.models import Claim, Player
from ratings_site.common.accounts.permissions import (
    NotAllowed,
    account_required,
    staff_permission_required,
)
from ratings_site.common.approvals.pages import EditView
from ratings_site.common.ui.pagination import paginate
from ratings_site.common.web.requests import SignedInRequest


@account_required
class Welcome(EditView[None]):
    """Offer a new account its first steps: a membership, a child, or directing.

    Links are requested on the page of linked members, TD certification here.
    """

    template_name = "events/certification/welcome.html"
    success_message = gettext_lazy("The office has your request. We’ll notify you.")
    success_url = reverse_lazy("events:welcome")

    @property
    def own(self) -> Player | None:
        return getattr(self.request.user, "player", None)

    def get_form_class(self) -> type[CertificationForm]:
        return NewDirectorForm if self.own is None else CertificationForm

    def do(self, data: dict[str, Any]) -> object:
        member = data.get("member") or self.request.user.player
        return ask_for_certification(
            player_id=member.pk,
            text=data["text"],
            birth_date=data.get("secret_birth_date"),
            actor=self.request.user,
        )

    def context(self) -> dict[str, Any]:
        user = self.request.user
        official = official_of(user)
        return {
            "own": self.own,
            "member_form": LinkForm(auto_id="me_%s"),
            "child_form": LinkForm(auto_id="child_%s"),
            "td_request": open_request_of(user),
            "official": official,
            "is_certified": official is not None and not submission_denial_reason(user),
        }


@account_required
def td_record(request: SignedInRequest, member_id: str) -> HttpResponse:
    """Show a TD's assignments, credits and dates to the TD and the office."""
    official = official_by_id(member_id)
    if official is None or not can_see_record(request.user, official):
        raise Http404(
            _("There is no record here for you. TDs can open their own record.")
        )
    record = director_record(official, timezone.localdate())
    context = {"official": official, "record": record}
    return render(request, "events/certification/record.html", context)


# For the office


@staff_permission_required(CERTIFY)
def td_requests(request: SignedInRequest) -> HttpResponse:
    """List the open TD requests and recent decisions."""
    page = paginate(request, decided_requests())
    context = {"open": open_requests(), "page_obj": page}
    return render(request, "events/certification/requests.html", context)


@staff_permission_required(CERTIFY)
class TdRequest(EditView[Claim]):
    """Show a request with the facts on record; certify the TD or decline."""

    form_class = CertifyForm
    template_name = "events/certification/request.html"
    context_object_name = "one"
    refusals = (ClaimRefused, NotAllowed)

    def get_object(self) -> Claim:
        found = request_with_facts(self.kwargs["pk"])
        if found is None:
            raise Http404(_("There is no request with this number."))
        claim, self.facts = found
        return claim

    def get_initial(self) -> dict[str, Any]:
        official = self.facts.official
        if official is None:
            return {}
        return {
            "level": official.level,
            "certified_until": official.certified_until,
            "safe_play_until": official.safe_play_until,
        }

    def do(self, data: dict[str, Any]) -> str:
        name = self.object.player.canonical.name
        decided: Any = {
            "request_id": self.object.pk,
            "reason": data["reason"],
            "actor": self.request.user,
        }
        if data["decision"] == CertifyForm.CERTIFY:
            names = ("level", "certified_until", "safe_play_until")
            given = {one: data[one] for one in names}
            official = certify_td(**decided, **given)
            return _("{name} is certified as a {level}. We notified them.").format(
                name=name, level=official.get_level_display()
            )
        decline_td(**decided)
        return _("You declined the request of {name}. We notified them.").format(
            name=name
        )

    def get_success_url(self) -> str:
        following = next_request()
        if following is None:
            return reverse("events:td_requests")
        return reverse("events:td_request", args=[following.pk])

    def context(self) -> dict[str, Any]:
        return {
            "member": self.object.player.canonical,
            "facts": self.facts,
            "not_mine": denial_reason(self.object, self.request.user),
        }
