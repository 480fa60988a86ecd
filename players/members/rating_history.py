"""The interface from ``players`` to the app that computes ratings.

``players`` knows members; their games and ratings belong to higher apps. This is the
only upward dependency: ``ratings`` binds an implementation when it starts
(``ratings.apps``).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Protocol

from players.models import Player
from ratings_site.common.approvals.preview import PreviewLine
from ratings_site.common.models import User

# The system whose rating is shown next to a name.
MAIN_SYSTEM = "OTBR"


class RatingHistory(Protocol):
    """What the ratings app knows about members, and what it is notified of."""

    def history_changed(
        self,
        *,
        kind: str,
        day: date | None,
        note: str,
        player: Player | None = None,
        section: object = None,
        actor: User | None = None,
    ) -> None:
        """Handle a change, after the fact, of data that ratings depend on.

        *kind* is a value of ``ratings.models.RerateMark.Kind``, *day* the first day on
        which ratings may change (None: the player's first event), *note* a sentence for
        people. Called inside the transaction of the change.
        """

    def next_rerate_from(self) -> date | None:
        """Return the first day of the next rerate, or None if none is pending."""

    def merge_undone(
        self,
        *,
        kept: Player,
        merged: Player,
        merged_at: datetime,
        note: str,
        actor: User | None,
    ) -> None:
        """Handle an undone merge, in the transaction of the change.

        Nothing changes if no event has been rated since the merge.
        """

    def effects_of(
        self, do: Callable[[], object], members: Collection[Player]
    ) -> Sequence[PreviewLine]:
        """Return the effects of an action on these members' ratings, from a rehearsal.

        *do* runs in a transaction that is rolled back. Its refusals are raised.
        """

    def merge_refusals(
        self, pairs: Sequence[tuple[Player, Player]]
    ) -> Sequence[Sequence[str]]:
        """Return why each pair cannot be merged; an empty list means no objection.

        Takes the same number of queries for any number of pairs.
        """

    def merge_facts(self, player: Player) -> list[tuple[str, str]]:
        """Return label and value of each line for a merge preview."""

    def public_ratings(
        self, player_ids: Collection[int]
    ) -> Mapping[int, Mapping[str, float]]:
        """Return the current public ratings by system (one query)."""

    def affected_by_rating(self, player_ids: Collection[int], day: date) -> set[int]:
        """Return the players whom a FIDE or CFC rating in force from *day* can affect.

        A list changes thousands of ratings, and few of them matter here. Called inside
        the transaction of the change, like all queries about rated events.
        """


_bound: list[RatingHistory] = []


def bind_rating_history(rating_history: RatingHistory) -> None:
    """Use *rating_history* from now on, replacing the one before."""
    _bound[:] = [rating_history]


def rating_history() -> RatingHistory:
    return _bound[0]
