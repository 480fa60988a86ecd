"""The players an account follows, the followers of players, and share links."""

from collections.abc import Collection

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from players.guardians.queries import accounts_by_person, linked_members, open_to_others
from players.members.queries import same_person
from players.models import Follow, GuardianConsent, Player, ShareLink
from ratings_site.common.models import User

Kind = GuardianConsent.Kind


def followed_players(account: User) -> list[Player]:
    """Return the players an account follows, by name (one query).

    For a merged duplicate, return the record it is merged into.
    """
    rows = account.follows.select_related("player__merged_into")
    found = {row.player.canonical for row in rows}
    return sorted(found, key=lambda one: (one.private_id, one.search_name, one.pk))


def follow_state(player: Player, user: User | AnonymousUser) -> str:
    """Return "linked", "followed", "open", or "" if the user can't follow a player."""
    if not user.is_authenticated:
        return ""
    if player in linked_members(user):
        return "linked"
    if user.follows.filter(same_person([player.pk])).exists():
        return "followed"
    return "open" if player.pk in open_to_others([player.pk], Kind.FOLLOW) else ""


def followed_members() -> QuerySet[Player]:
    """Return the members whom an account follows."""
    follows = Follow.objects.order_by()
    return Player.objects.filter(
        Q(pk__in=follows.values("player"))
        | Q(pk__in=follows.values("player__merged_into"))
    )


def followers_of(members: Collection[int]) -> dict[int, set[int]]:
    """Return the accounts that follow members and still may (three queries)."""
    found = accounts_by_person(Follow.objects.filter(same_person(members)))
    may = open_to_others(list(found), Kind.FOLLOW) if found else set()
    return {player: found[player] for player in may}


def live_share_link(token: str) -> ShareLink | None:
    """Return the link of a token, if the account that made it may still share."""
    link = (
        ShareLink.objects.select_related("player__merged_into", "account")
        .filter(token=token, account__is_active=True)
        .first()
    )
    return link if link and can_share(link.player.canonical, link.account) else None


def can_share(player: Player, account: User) -> bool:
    if player.is_private or player not in linked_members(account):
        return False
    return player.pk in open_to_others([player.pk], Kind.SHARE)
