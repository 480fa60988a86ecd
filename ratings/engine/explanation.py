"""Every number behind one player's rating in a section, step by step.

A page displays this as a worked solution. The functions that rate sections compute it;
there is no second formula here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from .effective_games import most_effective_games
from .floors import settle
from .initialization import BY_AGE, Start
from .inputs import Kind, PlayerId, RatingInput, Record
from .results import Formula
from .rules import Rules
from .section import (
    Entry,
    Steps,
    first_estimate_prior,
    match_day_of,
    past_record,
    rates_regular_of_dual,
    run_steps,
    standard_update,
)
from .special import (
    Prior,
    nearest_zero,
    objective,
    provisional_expectancy,
    zeros,
)
from .standard import (
    NoBonus,
    has_lower_k,
    no_bonus_reason,
    winning_expectancy,
)
from .systems import System


class Origin(StrEnum):
    """The source of the rating used for an opponent."""

    PRE_EVENT = "pre_event"
    INITIAL = "initial"
    AGE_START = "age_start"
    FIRST_ESTIMATE = "first_estimate"
    INTERMEDIATE = "intermediate"


class FormulaReason(StrEnum):
    """Why a player is rated by one formula and not another."""

    FEW_GAMES = "few_games"
    ONLY_WINS = "only_wins"
    ONLY_LOSSES = "only_losses"
    ENOUGH_GAMES = "enough_games"


@dataclass(frozen=True, slots=True)
class ExplainedGame:
    """One game of a step. *game* is its index in the input's games.

    *score* is in half points, *expectancy* in points: We under the standard formula;
    under the special one PWe at the rating found.
    """

    game: int
    opponent: PlayerId
    score: int
    rating: float
    origin: Origin
    expectancy: float


@dataclass(frozen=True, slots=True)
class SpecialFormulaStep:
    """The special formula (section 4.1).

    *prior* is R′₀, *prior_games* N′ (1 in step 3), *adjusted_score* S′ in points,
    *prior_expectancy* PWe against R′₀. f is zero from *low* to *high*, None if
    unbounded; *nearest* is the zero nearest R′₀, *balance* is f there.
    """

    prior: float
    shift: float
    prior_games: float
    adjusted_score: float
    prior_expectancy: float
    low: float | None
    high: float | None
    nearest: float
    balance: float
    cap: float
    is_capped: bool


@dataclass(frozen=True, slots=True)
class StandardFormulaStep:
    """The standard formula (section 4.2).

    *change* is K(S − E). The bonus begins at *threshold* = *multiplier* × √m′ with
    m′ = *counted_games*; these three are None if *no_bonus* says why there is none.
    *is_lower_k* says that K is the lower one of dual-rated sections above 2200.
    """

    expected: float
    k: float
    is_lower_k: bool
    change: float
    no_bonus: NoBonus | None
    multiplier: float | None
    counted_games: int | None
    threshold: float | None
    bonus: float


@dataclass(frozen=True, slots=True)
class StepExplanation:
    """Step 3, 4 or 5 for one player, by one of the two formulas.

    *computed* is the formula's result, *result* that after the 100 (in step 5 the
    floors follow, see `Explanation`).
    """

    step: int
    games: tuple[ExplainedGame, ...]
    score: int
    special: SpecialFormulaStep | None
    standard: StandardFormulaStep | None
    computed: float
    result: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """One player's rating from start to end.

    *start* holds R₀, N and the sources of a blend. *most_effective_games* is N*,
    *effective_games* N′. The three steps are None for a player without games, and
    *first_estimate* for all but newcomers with N = 0. *match_limited* is the result
    after the limits of a match, if they changed it; *floor* and *ceiling* are None
    unless they applied, in this order. *lowest* is the 100.
    """

    id: PlayerId
    system: System
    edition: str
    start: Start
    most_effective_games: float
    effective_games: float
    lowest: float
    post: float | None
    post_games: int
    formula: Formula | None = None
    reason: FormulaReason | None = None
    first_estimate: StepExplanation | None = None
    intermediate: StepExplanation | None = None
    final: StepExplanation | None = None
    match_limit: float | None = None
    match_limited: float | None = None
    floor: float | None = None
    ceiling: float | None = None
    floor_request: bool = False


def explain(
    rating_input: RatingInput,
    rules: Rules,
    competitor_id: PlayerId,
    steps: Steps | None = None,
) -> Explanation:
    """Compute one competitor's rating with all intermediate numbers.

    *steps* are those of `run_steps`, if computed already. The result is bit for bit
    that of `rate_section`. Raises KeyError for an ID that is not in the input, and the
    exceptions of `rate_section`.
    """
    steps = steps or run_steps(rating_input, rules)
    places = {entry.competitor.id: place for place, entry in enumerate(steps.entries)}
    place = places[competitor_id]
    entry = steps.entries[place]
    without_games = Explanation(
        id=competitor_id,
        system=rating_input.system,
        edition=rules.edition,
        start=entry.start,
        most_effective_games=most_effective_games(
            entry.start.rating, rules.effective_games
        ),
        effective_games=entry.effective_games,
        lowest=rules.lowest_rating,
        post=entry.competitor.rating,
        post_games=entry.competitor.games,
    )
    if not entry.opponents:
        return without_games
    working = _Explainer(rating_input, rules, steps, entry)
    final = working.final()
    match_day = match_day_of(rating_input)
    settled = settle(final.computed, entry.competitor, rules, match_day)
    return replace(
        without_games,
        post=settled.post,
        post_games=entry.start.games + len(entry.opponents),
        formula=entry.formula,
        reason=_reason(entry, rules),
        first_estimate=working.first(),
        intermediate=working.intermediate(),
        final=final,
        match_limit=None if match_day is None else rules.match_limit,
        match_limited=settled.match_limited,
        floor=settled.floor,
        ceiling=settled.ceiling,
        floor_request=settled.floor_request,
    )


def _reason(entry: Entry, rules: Rules) -> FormulaReason:
    record = past_record(entry.competitor)
    if record is Record.ALL_WINS:
        return FormulaReason.ONLY_WINS
    if record is Record.ALL_LOSSES:
        return FormulaReason.ONLY_LOSSES
    if entry.start.games <= rules.special_up_to:
        return FormulaReason.FEW_GAMES
    return FormulaReason.ENOUGH_GAMES


class _Explainer:
    """Computes the steps of one entry with games."""

    def __init__(
        self, rating_input: RatingInput, rules: Rules, steps: Steps, entry: Entry
    ) -> None:
        self.rating_input = rating_input
        self.rules = rules
        self.steps = steps
        self.entry = entry
        own = entry.competitor.id
        self.games = [
            number
            for number, game in enumerate(rating_input.games)
            if own in (game.a, game.b)
        ]

    def first(self) -> StepExplanation | None:
        """Step 3, for newcomers with N = 0 only."""
        competitor, start = self.entry.competitor, self.entry.start
        if competitor.rating is not None or start.games > 0:
            return None
        strengths = [entry.start.rating for entry in self.steps.entries]
        origins = [_opening_origin(entry) for entry in self.steps.entries]
        prior = first_estimate_prior(self.entry, self.rules)
        return self._special(3, prior, strengths, origins)

    def intermediate(self) -> StepExplanation:
        origins = [
            _opening_origin(entry) if estimate is None else Origin.FIRST_ESTIMATE
            for entry, estimate in zip(
                self.steps.entries, self.steps.first_estimates, strict=True
            )
        ]
        return self._step(4, self.steps.strengths, origins)

    def final(self) -> StepExplanation:
        strengths = [
            0.0 if rating is None else rating for rating in self.steps.intermediates
        ]
        return self._step(5, strengths, [Origin.INTERMEDIATE] * len(strengths))

    def _step(
        self, step: int, strengths: Sequence[float], origins: Sequence[Origin]
    ) -> StepExplanation:
        if self.entry.prior is not None:
            return self._special(step, self.entry.prior, strengths, origins)
        return self._standard(step, strengths, origins)

    def _special(
        self,
        step: int,
        prior: Prior,
        strengths: Sequence[float],
        origins: Sequence[Origin],
    ) -> StepExplanation:
        reach, cap = self.rules.provisional_reach, self.rules.special_cap
        score = self.entry.half_points / 2.0
        opponents = [strengths[opponent] for opponent in self.entry.opponents]
        found = zeros(prior, score, opponents, reach)
        nearest = nearest_zero(found, prior.rating)
        expectancies = [
            provisional_expectancy(nearest, opponent, reach) for opponent in opponents
        ]
        working = SpecialFormulaStep(
            prior=prior.rating,
            shift=prior.rating - self.entry.start.rating,
            prior_games=prior.games,
            adjusted_score=score + prior.credit,
            prior_expectancy=provisional_expectancy(nearest, prior.rating, reach),
            low=found.low if math.isfinite(found.low) else None,
            high=found.high if math.isfinite(found.high) else None,
            nearest=nearest,
            balance=objective(nearest, prior, score, opponents, reach),
            cap=cap,
            is_capped=nearest > cap,
        )
        lines = self._lines(strengths, origins, expectancies)
        return self._finished(step, lines, min(nearest, cap), special=working)

    def _standard(
        self, step: int, strengths: Sequence[float], origins: Sequence[Origin]
    ) -> StepExplanation:
        entry, rules = self.entry, self.rules
        result = standard_update(entry, strengths, rules)
        rating, scale = entry.start.rating, rules.expectancy_scale
        expectancies = [
            winning_expectancy(rating, strengths[opponent], scale)
            for opponent in entry.opponents
        ]
        games = len(entry.opponents)
        may_earn = entry.threshold is not None
        is_lower = rates_regular_of_dual(self.rating_input) and has_lower_k(
            rating, rules
        )
        working = StandardFormulaStep(
            expected=result.expected,
            k=entry.k or 0.0,
            is_lower_k=is_lower,
            change=result.change,
            no_bonus=no_bonus_reason(
                games,
                entry.meetings,
                rules,
                is_match=self.rating_input.kind is Kind.MATCH,
            ),
            multiplier=rules.bonus_multiplier if may_earn else None,
            counted_games=max(games, rules.bonus_counts_at_least) if may_earn else None,
            threshold=entry.threshold,
            bonus=result.bonus,
        )
        lines = self._lines(strengths, origins, expectancies)
        return self._finished(step, lines, result.rating, standard=working)

    def _lines(
        self,
        strengths: Sequence[float],
        origins: Sequence[Origin],
        expectancies: Sequence[float],
    ) -> tuple[ExplainedGame, ...]:
        entry = self.entry
        return tuple(
            ExplainedGame(
                game=game,
                opponent=self.steps.entries[opponent].competitor.id,
                score=score,
                rating=strengths[opponent],
                origin=origins[opponent],
                expectancy=expectancy,
            )
            for game, opponent, score, expectancy in zip(
                self.games, entry.opponents, entry.scores, expectancies, strict=True
            )
        )

    def _finished(
        self,
        step: int,
        lines: tuple[ExplainedGame, ...],
        computed: float,
        special: SpecialFormulaStep | None = None,
        standard: StandardFormulaStep | None = None,
    ) -> StepExplanation:
        return StepExplanation(
            step=step,
            games=lines,
            score=self.entry.half_points,
            special=special,
            standard=standard,
            computed=computed,
            result=max(self.rules.lowest_rating, computed),
        )


def _opening_origin(entry: Entry) -> Origin:
    if entry.competitor.rating is not None:
        return Origin.PRE_EVENT
    return Origin.AGE_START if entry.start.basis in BY_AGE else Origin.INITIAL
