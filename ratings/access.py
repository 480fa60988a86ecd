"""Who sees ratings exactly, and who sees published numbers."""

from django.contrib.auth.models import AnonymousUser

from events.access import account_summary, is_office, is_td_of
from events.models import Section
from players.guardians.queries import children_of
from players.models import Player
from ratings.ledger.queries.published_ratings import published, published_before
from ratings.models import RatingChange
from ratings_site.common.models import User


class RatingViewer:
    """Decides whose ratings one person sees with all decimals.

    The office sees all of them, a director those of an accepted *section* that they
    directed, members and guardians their own lines; everyone else sees published
    numbers. Players are given by primary key; at most one query is made, and two more
    for a section.
    """

    def __init__(
        self, user: User | AnonymousUser, section: Section | None = None
    ) -> None:
        self.is_office = user.is_authenticated and is_office(user)
        player = account_summary(user).player
        self.own_pk = player.pk if player else None
        children = children_of(user) if user.is_authenticated else []
        own = {self.own_pk} - {None}
        self.own = frozenset(own | {child.pk for child in children})
        self.sees_all = self.is_office or (
            section is not None and is_td_of(user, section)
        )

    def can_see_exact(self, player_pk: object) -> bool:
        return self.sees_all or player_pk in self.own

    def after(self, line: RatingChange) -> float:
        """Return the rating after a line, exactly or as published."""
        is_exact = self.can_see_exact(line.player_id)
        return line.post_rating if is_exact else published(line)

    def before(self, line: RatingChange) -> float | None:
        """Return the rating before a line in the same way; None if unrated."""
        is_exact = self.can_see_exact(line.player_id)
        return line.pre_rating if is_exact else published_before(line)


def can_request_lower_floor(user: User, player: Player) -> bool:
    return is_office(user) or player.account_id == user.pk
