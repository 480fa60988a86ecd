"""What other apps know about members, which ``players`` has to ask for.

They add to these lists when they start; each function answers in few queries.
"""

from collections.abc import Callable, Collection
from datetime import date

from players.models import Player

# Lines of the preview of a merge, beside the other member's: what it is, its value.
MergeFacts = Callable[[Player], list[tuple[str, str]]]
merge_facts: list[MergeFacts] = []

# Sentences that say why *kept* and *merged* cannot be one person. None: no objection.
MergeRefusals = Callable[[Player, Player], list[str]]
merge_refusals: list[MergeRefusals] = []

# Of these members, those whose ratings a FIDE rating in force from the day on can
# change: a list changes thousands of ratings, and hardly any of them matter here.
AffectedByRating = Callable[[Collection[int], date], set[int]]
affected_by_rating: list[AffectedByRating] = []


def affected(player_ids: Collection[int], day: date) -> set[int]:
    """Ask those who rate; all the members, as long as nobody has registered."""
    if not affected_by_rating:
        return set(player_ids)
    return set().union(*(ask(player_ids, day) for ask in affected_by_rating))
