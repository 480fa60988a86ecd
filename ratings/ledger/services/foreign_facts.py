"""Read foreign results as inputs of the engine."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q

from events.models import ForeignGame, ForeignResult
from ratings.engine.rules import Rules
from ratings.engine.systems import System
from ratings.ledger.queries.grants import OWNER
from ratings.ledger.services.digests import source_digest
from ratings.ledger.services.rating_inputs import Tally
from ratings.ledger.services.rating_order import foreign_order_key
from ratings.models import Calculation, RatingChange


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
        results=tuple(
            (game.opponent_rating, game.half_points)
            for game in rated
            if game.opponent_rating is not None
        ),
        meetings=max(opponents.values(), default=0),
    )


def foreign_result_digest(result: ForeignResult, facts: ForeignFacts) -> str:
    event = result.event
    return source_digest(
        "foreign",
        event.starts.isoformat(),
        event.ends.isoformat(),
        event.is_youth,
        facts.results,
        facts.meetings,
    )


def regular_games_before(results: Sequence[ForeignResult]) -> dict[int, int | None]:
    """Return the Regular games before each result, at its place in the rating order.

    None means unrated. Games are added up in order, because a line that was rated late
    includes later games, too. Takes one query; *results* have event and player.
    """
    if not results:
        return {}
    owners = {one.pk: one.player.merged_into_id or one.player_id for one in results}
    places = {one.pk: foreign_order_key(one) for one in results}
    people = set(owners.values())
    lines: defaultdict[int, list[RatingChange]] = defaultdict(list)
    for line in (
        RatingChange.objects.filter(
            Q(player__in=people) | Q(player__merged_into__in=people),
            calculation__system=System.OTBR,
            calculation__is_current=True,
            calculation__order_date__lte=max(place[0] for place in places.values()),
        )
        .select_related("calculation")
        .annotate(owner=OWNER)
        .order_by(*(f"calculation__{name}" for name in Calculation.ORDER), "pk")
    ):
        lines[line.owner].append(line)
    return {
        pk: _games_after(
            line for line in lines[owners[pk]] if line.calculation.order_key < place
        )
        for pk, place in places.items()
    }


def _games_after(lines: Iterable[RatingChange]) -> int | None:
    """Return the number of games behind a rating after these lines, or None."""
    games: int | None = None
    for line in lines:
        if line.formula == RatingChange.Formula.ADJUSTMENT:
            games = line.post_games
        elif line.formula == RatingChange.Formula.OPENING:
            games = max(games or 0, line.post_games)
        elif games is None and line.pre_rating is None:
            games = line.post_games
        else:
            games = (games or 0) + line.games
    return games
