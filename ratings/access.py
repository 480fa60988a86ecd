"""Who may see the figures from which a birth date could be computed."""

from django.contrib.auth.models import AnonymousUser

from events.access import is_office, is_td_of
from events.models import Section
from players.guardians.queries import children_of
from players.models import Player
from ratings_site.common.models import User


class StartReader:
    """Tells for one person whose initial ratings and decimals that person may see.

    The office sees all of them, a director those of a *section* of theirs, a member
    their own, a guardian the children's, everybody else none. Knows players by primary
    key, and asks the database once (of a section twice more).
    """

    def __init__(
        self, user: User | AnonymousUser, section: Section | None = None
    ) -> None:
        self.is_office = user.is_authenticated and is_office(user)
        player = getattr(user, "player", None) if user.is_authenticated else None
        self.own_pk = player.pk if player else None
        children = children_of(user) if user.is_authenticated else []
        own = {self.own_pk} - {None}
        self.speaks_for = frozenset(own | {child.pk for child in children})
        self.sees_all = self.is_office or (
            section is not None and is_td_of(user, section)
        )

    def may_see(self, player_pk: object) -> bool:
        return self.sees_all or player_pk in self.speaks_for


def may_ask_to_lower(user: User, player: Player) -> bool:
    return is_office(user) or player.account_id == user.pk
