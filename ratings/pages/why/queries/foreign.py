"""The derivation of a rating after a foreign event, step by step."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol, cast

from ratings.access import RatingViewer
from ratings.engine import ENGINE_VERSION
from ratings.engine.effective_games import most_effective_games
from ratings.engine.foreign import opponents_conversion, rate_foreign_event
from ratings.engine.inputs import Competitor, PlayerId, Record
from ratings.engine.numbers import official
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.standard import (
    bonus_threshold,
    no_bonus_reason,
    winning_expectancy,
)
from ratings.foreign.queries import RatedInputs, converted_games
from ratings.models import Calculation, RatingChange
from ratings.pages.why.mathml import operand
from ratings.pages.why.queries.rules_used import STANDARD, rows_of
from ratings.pages.why.queries.steps import (
    Bonus,
    FigureFormatter,
    K,
    Limits,
    Outcome,
    Rights,
    Standard,
    Step,
)
from ratings.pages.why.queries.why import (
    COMPARED_VALUES,
    CalculationDetails,
    Difference,
)
from ratings_site.common.ui.formatting import decimal_rating, format_constant


@dataclass(frozen=True, slots=True)
class ForeignWhyPage:
    outcome: Outcome
    rules: Rules
    steps: list[Step]
    differences: list[Difference]
    is_exact: bool
    has_about: bool
    details: CalculationDetails
    is_stored: bool = True


def foreign_why(
    calculation: Calculation,
    line: RatingChange,
    played: RatedInputs,
    meetings: int,
    reader: RatingViewer,
    name: str,
) -> ForeignWhyPage:
    """Recompute a member's result from its inputs, and compare it with the ledger.

    *meetings* is the most games against one person. Without a *name* the member is
    the reader.
    """
    rules = rules_in_force(played.starts, calculation.edition)
    is_own = line.player_id in reader.own
    rights = Rights(reader.sees_all, is_own, reader.is_office)
    builder = _ForeignStepBuilder(line, played, meetings, rules, rights)
    return ForeignWhyPage(
        outcome=builder.outcome(name),
        rules=rules,
        steps=builder.steps(),
        differences=_differences(line, builder.rated, reader.is_office),
        is_exact=reader.sees_all,
        has_about=builder.has_about,
        details=_calculation_details(calculation, played, rules, reader.is_office),
    )


def _differences(
    line: RatingChange, rated: "_Rated", with_numbers: bool
) -> list[Difference]:
    """Compare the ledger with the engine, to the last bit."""
    pairs = {
        "post": (line.post_rating, rated.post),
        "post_games": (line.post_games, rated.post_games),
        "effective_games": (line.effective_games, rated.effective_games),
        "score": (line.half_points, rated.score),
        "games": (line.games, rated.games),
        "expected": (line.expected, rated.expected),
        "k": (line.k, rated.k),
        "bonus": (line.bonus, rated.bonus),
        "floor": (line.floor_used, rated.floor),
        "ceiling": (line.ceiling_used, rated.ceiling),
    }
    return [
        Difference(COMPARED_VALUES[name], *pair)
        if with_numbers
        else Difference(COMPARED_VALUES[name])
        for name, pair in pairs.items()
        if pair[0] != pair[1]
    ]


def _calculation_details(
    calculation: Calculation, played: RatedInputs, rules: Rules, is_office: bool
) -> CalculationDetails:
    conversion = "youth_conversion" if played.is_youth else "fide_conversion"
    names = (
        "established_after",
        "foreign_automatic_from",
        conversion,
        "effective_games",
        *STANDARD,
        "lowest_rating",
    )
    return CalculationDetails(
        edition=rules.edition,
        rules_day=calculation.rules_day,
        age_day=calculation.age_day,
        engine_version=calculation.engine_version,
        engine_now=ENGINE_VERSION,
        digest=calculation.inputs_digest if is_office else "",
        rules=rows_of(names, rules),
    )


# --- The steps that differ from those of sections ---


@dataclass(frozen=True, slots=True)
class ForeignRatingBefore(Step):
    template = "ratings/pages/why/known_abroad.html"
    rating: str
    games: int
    floor: str
    ceiling: str
    counted: int
    starts: date
    ends: date
    is_youth: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """How FIDE ratings are converted, from *above* to *up_to*, which may be empty."""

    above: str
    up_to: str
    start: str
    slope: str


@dataclass(frozen=True, slots=True)
class ForeignOpponent:
    round_number: int
    name: str
    fide_id: str
    score: int
    rating: int | None
    converted: str
    expected: str


@dataclass(frozen=True, slots=True)
class ForeignOpponents(Step):
    """The opponents with converted ratings; *ignored* ones had no FIDE rating."""

    template = "ratings/pages/why/opponents_abroad.html"
    is_youth: bool
    starts: date
    pieces: tuple[Piece, ...]
    opponents: tuple[ForeignOpponent, ...]
    ignored: int
    score: int
    expected: str


@dataclass(frozen=True, slots=True)
class ForeignK(Step):
    template = "ratings/pages/why/k_abroad.html"
    shown: str
    k_step: K


@dataclass(frozen=True, slots=True)
class ForeignFormula(Step):
    template = "ratings/pages/why/formula_abroad.html"
    shown: str
    standard: Standard


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
        ceiling = competitor.ceiling
        self.ceiling = "" if ceiling is None else format_constant(ceiling)
        games = converted_games(played.games, rules, is_youth=played.is_youth)
        self.counted = [
            (one.game, one.converted) for one in games if one.converted is not None
        ]
        self.ignored = len(games) - len(self.counted)
        results = [(converted, game.half_points) for game, converted in self.counted]
        self.rated = cast(
            _Rated, rate_foreign_event(competitor, results, rules, meetings)
        )

    def outcome(self, name: str) -> Outcome:
        """Return the outcome; without a name, it is the reader's."""
        rated = self.rated
        return Outcome(
            kind="abroad",
            name=name,
            score=rated.score,
            games=rated.games,
            expected=self.expected(rated.expected, rated.score),
            expected_short=self.expected_short(rated.expected, rated.score),
            move=self.move(self.before, rated.post),
            floor="" if rated.floor is None else format_constant(rated.floor),
            ceiling="" if rated.ceiling is None else format_constant(rated.ceiling),
        )

    def steps(self) -> list[Step]:
        rated = self.rated
        most = most_effective_games(self.before, self.rules.effective_games)
        return [
            self._rating_before(),
            self._opponents(),
            self.effective_games_step(
                self.before, self.games_before, most, rated.effective_games
            ),
            ForeignK(self.k(rated.k), self._k()),
            ForeignFormula(self.own_rating(rated.before_floor), self._standard()),
            self._bonus(),
            self._limits(),
            self.result(
                self.before,
                rated.post,
                self.games_before,
                rated.games,
                rated.post_games,
                is_foreign=True,
            ),
        ]

    def _rating_before(self) -> ForeignRatingBefore:
        return ForeignRatingBefore(
            rating=self.own_rating(self.before),
            games=self.games_before,
            floor=self.floor,
            ceiling=self.ceiling,
            counted=self.rated.games,
            starts=self.played.starts,
            ends=self.played.ends,
            is_youth=self.played.is_youth,
        )

    def _opponents(self) -> ForeignOpponents:
        return ForeignOpponents(
            is_youth=self.played.is_youth,
            starts=self.played.starts,
            pieces=self._pieces(),
            opponents=tuple(
                ForeignOpponent(
                    round_number=game.round_number,
                    name=game.opponent_name,
                    fide_id=game.opponent_fide_id,
                    score=game.half_points,
                    rating=game.opponent_rating,
                    converted=self._converted(converted),
                    expected=self._share(converted),
                )
                for game, converted in self.counted
            ),
            ignored=self.ignored,
            score=self.rated.score,
            expected=self.share(self.rated.expected),
        )

    def _converted(self, rating: float) -> str:
        return decimal_rating(rating) if self.rights.is_exact else str(official(rating))

    def _share(self, opponent: float) -> str:
        scale = self.rules.expectancy_scale
        return self.share(winning_expectancy(self.before, opponent, scale))

    def _pieces(self) -> tuple[Piece, ...]:
        pieces, above = [], ""
        for line in opponents_conversion(self.rules, youth=self.played.is_youth).lines:
            up_to = "" if line.up_to is None else format_constant(line.up_to)
            start, slope = format_constant(line.intercept), format_constant(line.slope)
            pieces.append(Piece(above, up_to, start, slope))
            above = up_to
        return tuple(pieces)

    def _k(self) -> K:
        rated, full = self.rated, format_constant(self.rules.k_numerator)
        return K(
            is_lower=False,
            in_letters=full,
            in_numbers=full,
            worth=self.worth(rated.effective_games),
            games=rated.games,
            k=self.k(rated.k),
        )

    def _standard(self) -> Standard:
        rated = self.rated
        return Standard(
            result=operand(self.own_rating(rated.before_floor)),
            rating=operand(self.own_rating(self.before)),
            k=self.k(rated.k),
            score=format_constant(rated.score / 2),
            expected=self.share(rated.expected),
            bonus=self.points(rated.bonus) if rated.bonus else "",
        )

    def _bonus(self) -> Bonus:
        rated, rules = self.rated, self.rules
        reason = no_bonus_reason(rated.games, self.meetings, rules, is_match=False)
        if reason is not None:
            return Bonus(is_foreign=True, reason=reason.value)
        return self.bonus(
            rated.bonus,
            rated.k * (rated.score / 2.0 - rated.expected),
            max(rated.games, rules.bonus_counts_at_least),
            bonus_threshold(rated.games, rules),
            is_foreign=True,
        )

    def _limits(self) -> Limits:
        rated = self.rated
        return Limits(
            computed="" if rated.floor is None else self.own_rating(rated.before_floor),
            floor=self.floor,
            is_at_floor=rated.floor is not None,
            ceiling=self.ceiling,
            is_at_ceiling=rated.ceiling is not None,
            is_foreign=True,
        )
