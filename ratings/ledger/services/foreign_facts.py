"""From a result abroad in the books to what the engine rates."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from events.models import ForeignGame, ForeignResult
from ratings.engine.rules import Rules
from ratings.ledger.services.cards import Tally
from ratings.ledger.services.digests import foreign_digest


@dataclass(frozen=True, slots=True)
class ForeignFacts:
    """The games of one member in one foreign event that are rated.

    *results* are the opponents' FIDE ratings with the half points scored against
    them, in the order of the rounds; *meetings* is the most games against one person.
    """

    results: tuple[tuple[int, int], ...]
    meetings: int

    @property
    def tally(self) -> Tally:
        scores = Counter(score for _, score in self.results)
        return Tally(wins=scores[2], draws=scores[1], losses=scores[0])

    def converted(self, rules: Rules, *, is_youth: bool) -> list[tuple[float, int]]:
        """Return the opponents on the US Chess scale (2025 text, section 6)."""
        conversion = rules.youth_conversion if is_youth else rules.fide_conversion
        return [(conversion.us_rating(rating), score) for rating, score in self.results]


def foreign_facts(games: Sequence[ForeignGame]) -> ForeignFacts:
    """Read the games of a result; opponents without a FIDE rating are left out."""
    rated = [game for game in games if game.opponent_rating is not None]
    opponents = Counter(
        game.opponent_fide_id or game.opponent_name.casefold() for game in rated
    )
    return ForeignFacts(
        results=tuple((game.opponent_rating, game.half_points) for game in rated),
        meetings=max(opponents.values(), default=0),
    )


def digest_of_foreign(result: ForeignResult, facts: ForeignFacts) -> str:
    event = result.event
    return foreign_digest(
        starts=event.starts.isoformat(),
        ends=event.ends.isoformat(),
        is_youth=event.is_youth,
        results=facts.results,
        meetings=facts.meetings,
    )
