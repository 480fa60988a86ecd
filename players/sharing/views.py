"""Follow and share a player, and guardians' consents to both."""

from collections.abc import Callable
from functools import partial

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.access import get_member_or_404
from players.guardians.queries import (
    children_of,
    consents,
    linked_members,
)
from players.guardians.services import set_consent
from players.members.queries import same_person
from players.privacy.queries import open_privacy_requests
from players.privacy.services import request_privacy
from players.sharing.queries import Kind, can_share
from players.sharing.services import (
    follow,
    make_share_link,
    revoke_share_link,
    unfollow,
)
from ratings_site.common.accounts.permissions import account_required
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.web.requests import SignedInRequest

# What the buttons do, with the message.
ACTIONS: dict[str, tuple[Callable[..., object], Promise]] = {
    "follow": (follow, gettext_lazy("We’ll notify you when {name} is rated.")),
    "unfollow": (unfollow, gettext_lazy("You no longer follow {name}.")),
    "share": (make_share_link, gettext_lazy("The page of {name} is public.")),
    "unshare": (revoke_share_link, gettext_lazy("The page of {name} is removed.")),
}
for action, hides in (("hide-name", True), ("show-name", False)):
    ACTIONS[action] = (
        partial(request_privacy, make_private=hides),
        gettext_lazy("The office has your request. We’ll notify you."),
    )
for kind in Kind:
    for word, is_allowed in (("allow", True), ("stop", False)):
        ACTIONS[f"{word}-{kind}"] = (
            partial(set_consent, kind=kind, is_allowed=is_allowed),
            gettext_lazy("Your choice for {name} is saved."),
        )


@account_required
def act(request: SignedInRequest, member_id: str, action: str) -> HttpResponse:
    """Do what a button says, and return to its page."""
    player = get_member_or_404(member_id)
    if action not in ACTIONS:
        raise Http404
    if request.method == "POST":
        service, sentence = ACTIONS[action]
        try:
            service(player_id=player.pk, actor=request.user)
        except Refusal as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, str(sentence).format(name=player.name))
    if "back" in request.POST:
        return redirect("account")
    if action in ("follow", "unfollow"):
        return redirect(player)
    return redirect("players:sharing", player.member_id)


@account_required
def sharing(request: SignedInRequest, member_id: str) -> HttpResponse:
    """Show a linked member's share link, and to guardians their consents."""
    player, user = get_member_or_404(member_id), request.user
    if player not in linked_members(user):
        raise Http404(_("Your account isn’t linked to this member."))
    link = user.share_links.filter(same_person([player.pk])).first()
    context = {
        "player": player,
        "is_guardian": player in children_of(user),
        "given": set(consents([player.pk]).values_list("kind", flat=True)),
        "asked": open_privacy_requests().filter(same_person([player.pk])).first(),
        "can_share": can_share(player, user),
        "address": settings.SITE_URL + link.get_absolute_url() if link else "",
    }
    return render(request, "players/sharing/sharing.html", context)
