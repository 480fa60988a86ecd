"""What of a section's working can be shown without giving away a birth date.

An unrated player starts from a rating by age, or from a blend in which the age
counts. Anyone who knows that start knows the birth date. So it is hidden, and so is
every figure that it could be solved from: the first estimate, and what was computed
from it. Where it went into a standard formula, where one point more or less of an
opponent hardly moves the result, the whole number is shown. And because all players
together, with their decimals, would give the start away to a hundredth of a point, a
section with a hidden start shows whole numbers only.
"""

from collections.abc import Callable
from enum import Enum

from django.db.models import Exists, OuterRef, QuerySet

from ratings.engine.cards import PlayerId
from ratings.engine.outcomes import Formula
from ratings.engine.section import Entry, Steps
from ratings.models import RatingChange


class Shown(Enum):
    """How much of a number may be seen."""

    EXACT = "exact"
    WHOLE = "whole"
    HIDDEN = "hidden"


class Curtain:
    """Decides number by number; *may_see* tells whose start the reader may know."""

    def __init__(self, steps: Steps, may_see: Callable[[PlayerId], bool]) -> None:
        self._entries = steps.entries
        self._intermediates = steps.intermediates
        self._places = {
            entry.competitor.id: place for place, entry in enumerate(steps.entries)
        }
        self._hidden = [
            entry.competitor.rating is None
            and entry.competitor.initial is None
            and not may_see(entry.competitor.id)
            for entry in steps.entries
        ]

    @property
    def rounds(self) -> bool:
        """Tell whether a hidden start went into the section, so that it is rounded."""
        return any(
            hidden and entry.opponents
            for hidden, entry in zip(self._hidden, self._entries, strict=True)
        )

    def hides_start(self, player: PlayerId) -> bool:
        return self._hidden[self._places[player]]

    def hides_blend(self, player: PlayerId) -> bool:
        """Tell whether the hidden start takes part in every formula of the player."""
        place = self._places[player]
        return self._hidden[place] and self._entries[place].start.games > 0

    def start(self, player: PlayerId) -> Shown:
        return Shown.HIDDEN if self.hides_start(player) else Shown.EXACT

    def strength(self, player: PlayerId) -> Shown:
        """How a player's rating as an opponent in step 4 may be shown."""
        place = self._places[player]
        entry = self._entries[place]
        is_estimated = entry.competitor.rating is None and entry.start.games == 0
        if self._hidden[place] or (is_estimated and self._meets_hidden(entry)):
            return Shown.HIDDEN
        return Shown.EXACT

    def intermediate(self, player: PlayerId) -> Shown:
        """How a player's result of step 4, used in step 5, may be shown."""
        place = self._places[player]
        entry = self._entries[place]
        if self.hides_blend(player) or self._equals_hidden_start(place):
            return Shown.HIDDEN
        strengths = {
            self.strength(self._entries[opponent].competitor.id)
            for opponent in entry.opponents
        }
        if Shown.HIDDEN not in strengths:
            return Shown.EXACT
        is_standard = entry.formula is Formula.STANDARD
        return Shown.WHOLE if is_standard else Shown.HIDDEN

    def _meets_hidden(self, entry: Entry) -> bool:
        return any(self._hidden[opponent] for opponent in entry.opponents)

    def _equals_hidden_start(self, place: int) -> bool:
        """A result that any rating of a range balances is the start itself."""
        start = self._entries[place].start.rating
        return self._hidden[place] and self._intermediates[place] == start


def has_newcomers(own_pk: int | None) -> Exists:
    """Annotate lines of the ledger: was anybody else than *own_pk* unrated there?

    Those who were have no rating before, which in opening entries nobody has.
    """
    newcomers = RatingChange.objects.filter(
        calculation=OuterRef("calculation_id"),
        calculation__section__isnull=False,
        pre_rating__isnull=True,
    )
    if own_pk is not None:
        newcomers = newcomers.exclude(player=own_pk)
    return Exists(newcomers)


def newcomers_before(previous: object, own_pk: int | None) -> QuerySet[RatingChange]:
    """Return for a subquery whether the rating before came out of such a section.

    That rating is the "after" of the line before, *previous*, with the same decimals.
    """
    return (
        RatingChange.objects.filter(pk=previous)
        .annotate(has_newcomers=has_newcomers(own_pk))
        .order_by()
        .values("has_newcomers")
    )
