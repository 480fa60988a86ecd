"""What ``players`` asks and tells those who rate.

Members are known here, and what they played and what it did to ratings above. So this
is the one door upward: ``ratings`` binds who answers when it starts (``ratings.apps``).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Protocol

from players.models import Player
from ratings_site.common.acts.effects import Effect
from ratings_site.common.models import User


class Careers(Protocol):
    """What those who rate know of members' careers, and have to hear."""

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
        """Hear that something which ratings rest on has changed after the fact.

        *kind* is a word of ``ratings.models.RerateMark.Kind``, *day* the one from which
        ratings may change (None: the player's first event), *note* a sentence for
        people. Called inside the transaction of the change.
        """

    def next_rerate_from(self) -> date | None:
        """Return the day from which a rerate would replay history; none if no mark."""

    def merge_undone(
        self,
        *,
        kept: Player,
        merged: Player,
        merged_at: datetime,
        note: str,
        actor: User | None,
    ) -> None:
        """Hear that the two are two people again, in the transaction of the change.

        Nothing follows where nothing was rated since they became one.
        """

    def effects_of(
        self, do: Callable[[], object], members: Collection[Player]
    ) -> Sequence[Effect]:
        """Say what an act about these members does to ratings: it is rehearsed.

        *do* does the act, in a transaction that is taken back. What it refuses is
        raised.
        """

    def merge_refusals(
        self, pairs: Sequence[tuple[Player, Player]]
    ) -> Sequence[Sequence[str]]:
        """Say of each pair in sentences why the two cannot be one; none: no objection.

        Takes as many queries for one pair as for all.
        """

    def merge_facts(self, player: Player) -> list[tuple[str, str]]:
        """Return lines for the preview of a merge: what it is, and its value."""

    def ratings_shown(
        self, player_ids: Collection[int]
    ) -> Mapping[int, Mapping[str, float]]:
        """Return current ratings by system, as everybody may see them (one query)."""

    def affected_by_rating(self, player_ids: Collection[int], day: date) -> set[int]:
        """Return those whom a FIDE or CFC rating in force from *day* on can concern.

        A list changes thousands of ratings, and hardly any of them matter here. Called
        inside the transaction of the change, like all that asks what was rated.
        """


_bound: list[Careers] = []


def bind_careers(careers: Careers) -> None:
    """Let *careers* answer from now on, in place of the one before."""
    _bound[:] = [careers]


def careers() -> Careers:
    return _bound[0]
