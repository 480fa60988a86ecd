"""Who sees ratings exactly, and who as they are published."""

from django.contrib.auth.models import AnonymousUser

from events.access import is_office, is_td_of
from events.models import Section
from players.guardians.queries import children_of
from players.models import Player
from ratings.ledger.queries.published import published, published_before
from ratings.models import RatingChange
from ratings_site.common.models import User


class RatingReader:
    """Tells for one person whose ratings that person sees with all decimals.

    The office sees all of them, a director those of an accepted *section* that they
    directed, members and guardians their own lines; everyone else published numbers.
    Knows players by primary key, and asks the database once (of a section twice more).
    """

    def __init__(
        self, user: User | AnonymousUser, section: Section | None = None
    ) -> None:
        self.is_office = user.is_authenticated and is_office(user)
        player = getattr(user, "player", None) if user.is_authenticated else None
        self.own_pk = player.pk if player else None
        children = children_of(user) if user.is_authenticated else []
        own = {self.own_pk} - {None}
        self.own = frozenset(own | {child.pk for child in children})
        self.sees_all = self.is_office or (
            section is not None and is_td_of(user, section)
        )

    def sees_exact(self, player_pk: object) -> bool:
        return self.sees_all or player_pk in self.own

    def after(self, line: RatingChange) -> float:
        """Return the rating after a line, exactly or as it is published."""
        is_exact = self.sees_exact(line.player_id)
        return line.post_rating if is_exact else published(line)

    def before(self, line: RatingChange) -> float | None:
        """Return the rating before a line in the same way; None if unrated."""
        is_exact = self.sees_exact(line.player_id)
        return line.pre_rating if is_exact else published_before(line)


def may_ask_to_lower(user: User, player: Player) -> bool:
    return is_office(user) or player.account_id == user.pk
