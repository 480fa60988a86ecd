"""The derivation of a rating after a foreign event, step by step."""

from collections.abc import Iterator, Sequence
from typing import Protocol, cast

from ratings.access import RatingViewer
from ratings.engine.effective_games import most_effective_games
from ratings.engine.foreign import opponents_conversion, rate_foreign_event
from ratings.engine.inputs import Competitor, PlayerId, Record
from ratings.engine.numbers import official
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.standard import bonus_threshold, no_bonus_reason, winning_expectancy
from ratings.foreign.queries import RatedInputs, converted_games
from ratings.models import Calculation, RatingChange
from ratings.pages.why.mathml import operand
from ratings.pages.why.queries.rules_used import STANDARD, rows_of
from ratings.pages.why.queries.steps import FigureFormatter, Figures, Rights
from ratings.pages.why.queries.why import WhyPage, differences
from ratings_site.common.ui.formatting import decimal_rating, format_constant


def foreign_why(
    calculation: Calculation,
    line: RatingChange,
    played: RatedInputs,
    meetings: int,
    reader: RatingViewer,
    name: str,
) -> WhyPage:
    """Recompute a member's result from its inputs, and compare it with the ledger.

    *meetings* is the most games against one person. Without a *name* the member is
    the reader.
    """
    rules = rules_in_force(calculation.rules_day, calculation.edition)
    is_own = line.player_id in reader.own
    rights = Rights(reader.sees_all, is_own, reader.is_office)
    builder = _ForeignStepBuilder(line, played, meetings, rules, rights)
    return WhyPage(
        outcome=builder.outcome(name),
        rules=rules,
        steps=builder.steps(),
        differences=differences(
            line, _computed_values(builder.rated), reader.is_office
        ),
        is_exact=reader.sees_all,
        has_about=builder.has_about,
        rules_used=rows_of(_names_of_rules(played), rules),
    )


def _computed_values(rated: "_Rated") -> dict[str, object]:
    return {name: getattr(rated, name) for name in _Rated.__annotations__}


def _names_of_rules(played: RatedInputs) -> Iterator[str]:
    yield from ("established_after", "foreign_automatic_from")
    yield "youth_conversion" if played.is_youth else "fide_conversion"
    yield from ("effective_games", *STANDARD, "lowest_rating")


# --- The steps ---


class _Rated(Protocol):
    """A result of `rate_foreign_event`, which rates established players only."""

    effective_games: float
    score: int
    games: int
    expected: float
    k: float
    bonus: float
    before_floor: float
    floor: float | None
    ceiling: float | None
    post: float
    post_games: int


class _ForeignStepBuilder(FigureFormatter):
    """Builds the steps."""

    def __init__(
        self,
        line: RatingChange,
        played: RatedInputs,
        meetings: int,
        rules: Rules,
        rights: Rights,
    ) -> None:
        starts = [line.pre_age_start, line.age_start]
        telling: dict[PlayerId, Sequence[float]] = {
            line.player_id: [one for one in starts if one is not None]
        }
        super().__init__(rules, rights, line.player_id, telling)
        self.played, self.meetings = played, meetings
        self.before, self.games_before = cast(float, line.pre_rating), line.pre_games
        competitor = Competitor(
            id=line.player_id,
            rating=line.pre_rating,
            games=line.pre_games,
            record=Record(line.pre_record),
            floor=line.floor_given,
            ceiling=line.ceiling_given,
        )
        self.floor = format_constant(competitor.floor or rules.lowest_rating)
        self.ceiling = self.limit(competitor.ceiling)
        games = converted_games(played.games, rules, is_youth=played.is_youth)
        self.counted = [
            (one.game, one.converted) for one in games if one.converted is not None
        ]
        self.ignored = len(games) - len(self.counted)
        results = [(converted, game.half_points) for game, converted in self.counted]
        self.rated = cast(
            _Rated, rate_foreign_event(competitor, results, rules, meetings)
        )

    def outcome(self, name: str) -> Figures:
        """Return the outcome; without a name, it is the reader's."""
        rated = self.rated
        return {
            "kind": "abroad",
            "name": name,
            "score": rated.score,
            "games": rated.games,
            "expected": self.expected(rated.expected, rated.score),
            "expected_short": self.expected_short(rated.expected, rated.score),
            "move": self.move(self.before, rated.post),
            "floor": self.limit(rated.floor),
            "ceiling": self.limit(rated.ceiling),
        }

    def steps(self) -> list[Figures]:
        rated = self.rated
        most = most_effective_games(self.before, self.rules.effective_games)
        result = self.result(
            self.before, rated.post, self.games_before, rated.games, rated.post_games
        )
        return [
            self._rating_before(),
            self._opponents(),
            self.effective_games_step(
                self.before, self.games_before, most, rated.effective_games
            ),
            self._k(),
            self._formula(),
            self._bonus(),
            self._limits(),
            result | {"is_foreign": True},
        ]

    def _rating_before(self) -> Figures:
        return {
            "template": "ratings/pages/why/known_abroad.html",
            "rating": self.own_rating(self.before),
            "games": self.games_before,
            "floor": self.floor,
            "ceiling": self.ceiling,
            "counted": self.rated.games,
            "starts": self.played.starts,
            "ends": self.played.ends,
            "is_youth": self.played.is_youth,
        }

    def _opponents(self) -> Figures:
        """Return the opponents, converted; *ignored* ones had no FIDE rating."""
        return {
            "template": "ratings/pages/why/opponents_abroad.html",
            "is_youth": self.played.is_youth,
            "starts": self.played.starts,
            "pieces": self._pieces(),
            "opponents": [
                {
                    "game": game,
                    "converted": self._converted(converted),
                    "expected": self._share(converted),
                }
                for game, converted in self.counted
            ],
            "ignored": self.ignored,
            "score": self.rated.score,
            "expected": self.share(self.rated.expected),
        }

    def _converted(self, rating: float) -> str:
        return decimal_rating(rating) if self.rights.is_exact else str(official(rating))

    def _share(self, opponent: float) -> str:
        scale = self.rules.expectancy_scale
        return self.share(winning_expectancy(self.before, opponent, scale))

    def _pieces(self) -> list[Figures]:
        """Return how FIDE ratings are converted, from *above* to *up_to*, if any."""
        pieces, above = [], ""
        for line in opponents_conversion(self.rules, youth=self.played.is_youth).lines:
            up_to = self.limit(line.up_to)
            start, slope = format_constant(line.intercept), format_constant(line.slope)
            piece = {"above": above, "up_to": up_to, "start": start, "slope": slope}
            pieces.append(piece)
            above = up_to
        return pieces

    def _k(self) -> Figures:
        rated, full = self.rated, format_constant(self.rules.k_numerator)
        return {
            "template": "ratings/pages/why/k_abroad.html",
            "in_letters": full,
            "in_numbers": full,
            "worth": self.worth(rated.effective_games),
            "games": rated.games,
            "k": self.k(rated.k),
        }

    def _formula(self) -> Figures:
        rated = self.rated
        result = self.own_rating(rated.before_floor)
        return {
            "template": "ratings/pages/why/formula_abroad.html",
            "shown": result,
            "result": operand(result),
            "rating": operand(self.own_rating(self.before)),
            "k": self.k(rated.k),
            "score": format_constant(rated.score / 2),
            "expected": self.share(rated.expected),
            "bonus": self.points(rated.bonus) if rated.bonus else "",
        }

    def _bonus(self) -> Figures:
        rated, rules = self.rated, self.rules
        step = {"template": "ratings/pages/why/bonus.html", "is_foreign": True}
        reason = no_bonus_reason(rated.games, self.meetings, rules, is_match=False)
        if reason is not None:
            return step | {"reason": reason.value}
        return step | self.bonus(
            rated.bonus,
            rated.k * (rated.score / 2.0 - rated.expected),
            max(rated.games, rules.bonus_counts_at_least),
            bonus_threshold(rated.games, rules),
        )

    def _limits(self) -> Figures:
        rated = self.rated
        is_at_floor = rated.floor is not None
        return {
            "template": "ratings/pages/why/limits.html",
            "computed": self.own_rating(rated.before_floor) if is_at_floor else "",
            "floor": self.floor,
            "is_at_floor": is_at_floor,
            "ceiling": self.ceiling,
            "is_at_ceiling": rated.ceiling is not None,
            "is_foreign": True,
        }
