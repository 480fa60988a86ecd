"""Hide a member's name from the public: request, decision, and end."""

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.guardians.queries import linked_members, notice_recipients
from players.members.queries import same_person, same_person_ids
from players.models import Claim, Player, PrivacyRequest, ShareLink
from players.privacy.queries import open_privacy_requests
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.models import Notice, User
from ratings_site.common.notices.services import (
    NoticeDraft,
    count_unread,
    notify,
    register,
)

PERMISSION = "players.change_privacy"
DECIDED = register(
    "players.privacy",
    gettext_lazy("Privacy requests"),
    gettext_lazy("The office decided on your request to hide or show a name."),
)


class PrivacyRefused(Refusal):
    """The name can't be hidden or shown; the message says why."""


def request_privacy(
    *, player_id: int, actor: User, make_private: bool
) -> PrivacyRequest:
    """Ask the office to hide or show the name, for members linked to the account."""
    with transaction.atomic():
        player = _locked(player_id)
        if player not in linked_members(actor):
            raise PrivacyRefused(_("Your account isn’t linked to this member."))
        _refuse_unless_changed(player, make_private)
        if open_privacy_requests().filter(same_person([player.pk])).exists():
            raise PrivacyRefused(_("The office already has this request."))
        asked = PrivacyRequest.objects.create(
            player=player, account=actor, make_private=make_private
        )
        record("player.privacy_asked", subject=player, actor=actor, facts=_facts(asked))
    return asked


def decide_privacy(
    *, player_id: int, make_private: bool, actor: User, reason: str
) -> Player:
    """Hide or show the name; an open request of the member is decided by it."""
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        player = _locked(player_id)
        _refuse_unless_changed(player, make_private)
        set_privacy(player, is_private=make_private)
        facts = {"make_private": make_private}
        record(
            "player.privacy_changed",
            subject=player,
            actor=actor,
            reason=reason,
            facts=facts,
        )
        for asked in open_privacy_requests().filter(same_person([player.pk])):
            is_granted = asked.make_private == make_private
            state = PrivacyRequest.State
            _close(asked, state.DONE if is_granted else state.REFUSED, actor, reason)
    return player


def decline_privacy(*, player_id: int, actor: User, reason: str) -> Player:
    """Decline the open request; the requester is notified of the reason."""
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        player = _locked(player_id)
        asked = open_privacy_requests().filter(same_person([player.pk])).first()
        if asked is None:
            raise PrivacyRefused(_("This request is no longer open."))
        _close(asked, PrivacyRequest.State.REFUSED, actor, reason)
        facts = _facts(asked)
        record(
            "player.privacy_refused",
            subject=player,
            actor=actor,
            reason=reason,
            facts=facts,
        )
    return player


def set_privacy(player: Player, *, is_private: bool) -> None:
    """Hide or show the name of a member and of its duplicates.

    A hidden name is also taken from share links, from the notices of followers, and
    from decisions on link requests of accounts that are not linked.
    """
    numbers = same_person_ids([player.pk])[player.pk]
    Player.objects.filter(pk__in=numbers).update(is_private=is_private)
    player.is_private = is_private
    if is_private:
        ShareLink.objects.filter(same_person([player.pk])).delete()
        linked = [one.account for one in notice_recipients([player.pk])[player.pk]]
        claims = Claim.objects.filter(player__in=numbers).exclude(account__in=linked)
        keys = [f"claim:{pk}" for pk in claims.values_list("pk", flat=True)]
        named = Q(key__in=keys)
        for number in numbers:
            named |= Q(key__startswith="followed:", key__endswith=f":{number}")
        told = Notice.objects.filter(named)
        accounts = set(told.values_list("account", flat=True))
        told.delete()
        count_unread(accounts)


def _refuse_unless_changed(player: Player, make_private: bool) -> None:
    if player.is_private == make_private:
        raise PrivacyRefused(
            _("This member is already private.")
            if make_private
            else _("This member isn’t private.")
        )
    numbers = Player.objects.filter(Q(pk=player.pk) | Q(merged_into=player))
    certified = numbers.filter(official__certified_until__gte=timezone.localdate())
    if make_private and certified.exists():
        raise PrivacyRefused(
            _(
                "Certified TDs can’t be private: the public has to know who directs "
                "an event."
            )
        )


def _close(asked: PrivacyRequest, state: str, actor: User, reason: str) -> None:
    asked.decide(state, by=actor, reason=reason)
    asked.save()
    if asked.player.canonical in linked_members(asked.account):
        notify([_notice(asked)])


def _notice(asked: PrivacyRequest) -> NoticeDraft:
    member = asked.player.canonical

    def write() -> tuple[str, str]:
        if asked.state == PrivacyRequest.State.REFUSED:
            title = _("Privacy request for {name}: declined")
        elif asked.make_private:
            title = _("The name of {name} is now private")
        else:
            title = _("The name of {name} is public again")
        return title.format(name=member.full_name), asked.reason

    url = f"/players/{member.member_id}/sharing/"
    return NoticeDraft(DECIDED, asked.account_id, f"privacy:{asked.pk}", url, write)


def _facts(asked: PrivacyRequest) -> dict[str, bool]:
    return {"make_private": asked.make_private}


def _locked(player_id: int) -> Player:
    return Player.objects.select_for_update(of=("self",)).get(pk=player_id)
