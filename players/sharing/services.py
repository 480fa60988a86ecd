"""Follow players, and make and revoke share links."""

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.members.queries import same_person
from players.models import Player, ShareLink
from players.sharing.queries import can_share, follow_state
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.models import User

MAX_FOLLOWS = 100
NOT_ALLOWED = gettext_lazy(
    "You can’t do this for this player. For members under 18, or without a birth date "
    "on record, a parent or guardian has to allow it."
)


class SharingRefused(Refusal):
    """The player can't be followed or shared; the message says why."""


def follow(*, player_id: int, actor: User) -> None:
    """Notify an account from now on when a player is rated.

    A player who is followed already stays so, and linked accounts need not follow.
    """
    with transaction.atomic():
        player = _locked(player_id)
        account = User.objects.select_for_update(of=("self",)).get(pk=actor.pk)
        state = follow_state(player, account)
        if not state:
            raise SharingRefused(NOT_ALLOWED)
        if state != "open":
            return
        if account.follows.count() >= MAX_FOLLOWS:
            raise SharingRefused(
                _(
                    "You follow {number} players, the most an account can. Unfollow "
                    "one first."
                ).format(number=MAX_FOLLOWS)
            )
        account.follows.create(player=player)


def unfollow(*, player_id: int, actor: User) -> None:
    actor.follows.filter(same_person([player_id])).delete()


def make_share_link(*, player_id: int, actor: User) -> ShareLink:
    """Make the account's share link of a player, or return it if there is one."""
    with transaction.atomic():
        player = _locked(player_id)
        if not can_share(player, actor):
            raise SharingRefused(NOT_ALLOWED)
        link, is_new = ShareLink.objects.get_or_create(player=player, account=actor)
        if is_new:
            record("player.share_link_made", subject=player, actor=actor)
    return link


def revoke_share_link(*, player_id: int, actor: User) -> None:
    with transaction.atomic():
        player = _locked(player_id)
        links = actor.share_links.filter(same_person([player.pk]))
        if links.delete()[0]:
            record("player.share_link_revoked", subject=player, actor=actor)


def _locked(player_id: int) -> Player:
    return Player.objects.select_for_update(of=("self",)).get(pk=player_id)
