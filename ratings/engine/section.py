"""The five steps that rate a section in one system (2025 paper, section 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from .effective_games import effective_games
from .floors import settle
from .initialization import Start, starting_point
from .inputs import Competitor, Kind, PlayerId, RatingInput, Record
from .results import Formula, RatingResult
from .rules import Rules
from .special import Prior, prior, special_rating
from .standard import (
    StandardResult,
    bonus_threshold,
    k_factor,
    no_bonus_reason,
    standard_result,
)
from .systems import System
from .time_controls import is_dual


@dataclass(slots=True)
class Entry:
    """The terms of one competitor that are the same in both passes.

    *opponents* are indexes in the input's competitors, one per game, in the order of
    the games; *scores* are the results in those games in half points. *meetings* is the
    most games against one person.
    """

    competitor: Competitor
    start: Start
    effective_games: float
    opponents: list[int]
    scores: list[int]
    half_points: int = 0
    meetings: int = 0
    formula: Formula | None = None
    prior: Prior | None = None
    k: float | None = None
    threshold: float | None = None


class Steps(NamedTuple):
    """The state after step 4. Every list has one value per competitor, in order.

    *strengths* are the ratings of opponents that step 4 uses.
    """

    entries: list[Entry]
    first_estimates: list[float | None]
    strengths: list[float]
    intermediates: list[float | None]


def rate_section(rating_input: RatingInput, rules: Rules) -> tuple[RatingResult, ...]:
    """Rate a section: one record per competitor, in the input's order.

    *rules* are those in force on the section's start day. The order of the competitors
    and games in the input changes no bit of any rating. Raises NoRuleInForce if the
    calculation needs a rule that is not known for that day, and ValueError for a game
    with a player who is not a competitor.

    >>> from datetime import date
    >>> from ratings.engine.inputs import Game
    >>> from ratings.engine.rules import rules_in_force
    >>> from ratings.engine.time_controls import parse_time_control
    >>> players = (Competitor(1, 1500.0, 40), Competitor(2, 1500.0, 40))
    >>> day = date(2024, 5, 4)
    >>> control, games = parse_time_control("G/90;d5"), (Game(1, 2, 1, 1),)
    >>> rating_input = RatingInput(
    ...     System.OTBR, Kind.SWISS, control, day, day, players, games
    ... )
    >>> [rated.post for rated in rate_section(rating_input, rules_in_force(day))]
    [1500.0, 1500.0]
    """
    steps = run_steps(rating_input, rules)
    match_day = match_day_of(rating_input)
    # Without games there is no intermediate rating, and no opponent needs it.
    opponents = [0.0 if rating is None else rating for rating in steps.intermediates]
    return tuple(
        _finished(entry, estimate, intermediate, opponents, rules, match_day)
        for entry, estimate, intermediate in zip(
            steps.entries, steps.first_estimates, steps.intermediates, strict=True
        )
    )


def match_day_of(rating_input: RatingInput) -> date | None:
    """Return the day a match ended, None if the section is no match."""
    return rating_input.end_date if rating_input.kind is Kind.MATCH else None


def run_steps(rating_input: RatingInput, rules: Rules) -> Steps:
    """Do steps 1 to 4, and the part of step 5 that does not depend on step 4."""
    entries = prepare(rating_input, rules)
    initials = [entry.start.rating for entry in entries]
    estimates = [first_estimate(entry, initials, rules) for entry in entries]
    strengths = [
        initial if estimate is None else estimate
        for initial, estimate in zip(initials, estimates, strict=True)
    ]
    lowest = rules.lowest_rating
    intermediates = [
        max(lowest, formula_rating(entry, strengths, rules))
        if entry.opponents
        else None
        for entry in entries
    ]
    return Steps(entries, estimates, strengths, intermediates)


def prepare(rating_input: RatingInput, rules: Rules) -> list[Entry]:
    """Return an entry per competitor: start, N′, opponents, formula and its terms.

    These are steps 1 and 2, and all other terms of both passes.
    """
    entries = [
        _entry(competitor, rating_input, rules)
        for competitor in rating_input.competitors
    ]
    places = {entry.competitor.id: place for place, entry in enumerate(entries)}
    for game in rating_input.games:
        a, b = _place(game.a, places), _place(game.b, places)
        first, second = entries[a], entries[b]
        first.opponents.append(b)
        first.scores.append(game.score_a)
        second.opponents.append(a)
        second.scores.append(game.score_b)
    is_dual_regular = rates_regular_of_dual(rating_input)
    for entry in entries:
        if entry.opponents:
            _choose_formula(
                entry, rules, is_dual_regular, rating_input.kind is Kind.MATCH
            )
    return entries


def rates_regular_of_dual(rating_input: RatingInput) -> bool:
    """Return whether this is the Regular rating of a section rated in two systems."""
    return rating_input.system is System.OTBR and is_dual(
        rating_input.time_control, rating_input.start_date
    )


def _entry(competitor: Competitor, rating_input: RatingInput, rules: Rules) -> Entry:
    start = starting_point(competitor, rating_input, rules)
    games = effective_games(start.rating, start.games, rules.effective_games)
    return Entry(competitor, start, games, [], [])


def _place(player: PlayerId, places: dict[PlayerId, int]) -> int:
    try:
        return places[player]
    except KeyError:
        raise ValueError(
            f"Player {player} has a game but is not among the section's players."
        ) from None


def uses_special_formula(competitor: Competitor, start: Start, rules: Rules) -> bool:
    """Return whether the special formula applies: up to 8 games, or an unmixed record.

    The record is that of rated players; a newcomer has none, whatever N step 1
    assigned.
    """
    if start.games <= rules.special_up_to:
        return True
    return past_record(competitor) in (Record.ALL_WINS, Record.ALL_LOSSES)


def past_record(competitor: Competitor) -> Record:
    """Return the record that counts: none for an unrated player."""
    return Record.NONE if competitor.rating is None else competitor.record


def _choose_formula(
    entry: Entry, rules: Rules, is_dual_regular: bool, is_match: bool
) -> None:
    competitor, start = entry.competitor, entry.start
    games = len(entry.opponents)
    for score in entry.scores:
        entry.half_points += score
    entry.meetings = _most_meetings(entry.opponents)
    if uses_special_formula(competitor, start, rules):
        entry.formula = Formula.SPECIAL
        entry.prior = prior(
            start.rating,
            entry.effective_games,
            past_record(competitor),
            rules.special_shift,
        )
        return
    entry.formula = Formula.STANDARD
    entry.k = k_factor(
        start.rating, entry.effective_games, games, rules, dual=is_dual_regular
    )
    if no_bonus_reason(games, entry.meetings, rules, is_match=is_match) is None:
        entry.threshold = bonus_threshold(games, rules)


def _most_meetings(opponents: Sequence[int]) -> int:
    if len(set(opponents)) == len(opponents):
        return 1
    return max(Counter(opponents).values())


def first_estimate(
    entry: Entry, initials: Sequence[float], rules: Rules
) -> float | None:
    """Return step 3's rating of an unrated player with N = 0, None for others.

    The effective number of games is 1 for this step only; *initials* are the
    opponents' ratings before the event or from step 1.
    """
    if entry.competitor.rating is not None or entry.start.games > 0:
        return None
    if not entry.opponents:
        return None
    rating = special_rating(
        first_estimate_prior(entry, rules),
        entry.half_points / 2.0,
        [initials[opponent] for opponent in entry.opponents],
        rules,
    )
    return max(rules.lowest_rating, rating)


def first_estimate_prior(entry: Entry, rules: Rules) -> Prior:
    """Return the prior of step 3: the initial rating, worth one game."""
    return prior(entry.start.rating, rules.first_estimate_games, Record.NONE)


def formula_rating(entry: Entry, strengths: Sequence[float], rules: Rules) -> float:
    """Return a player's new rating against opponents of these *strengths*.

    This is step 4 with pre-event ratings and step 5 with step 4's; the 100 and the
    floors are not applied. The player must have games.
    """
    if entry.prior is None:
        return standard_update(entry, strengths, rules).rating
    opponents = [strengths[opponent] for opponent in entry.opponents]
    return special_rating(entry.prior, entry.half_points / 2.0, opponents, rules)


def standard_update(
    entry: Entry, strengths: Sequence[float], rules: Rules
) -> StandardResult:
    """Apply the standard formula to a player who is rated by it."""
    if entry.k is None:
        raise ValueError("This player is not rated by the standard formula.")
    return standard_result(
        entry.start.rating,
        entry.k,
        entry.half_points / 2.0,
        [strengths[opponent] for opponent in entry.opponents],
        entry.threshold,
        rules.expectancy_scale,
    )


def _finished(
    entry: Entry,
    estimate: float | None,
    intermediate: float | None,
    opponents: Sequence[float],
    rules: Rules,
    match_day: date | None,
) -> RatingResult:
    """Do step 5 for one player, then apply match limits, floor and ceiling."""
    if intermediate is None:
        return _without_games(entry)
    expected = bonus = None
    if entry.prior is None:
        computed, expected, _, bonus = standard_update(entry, opponents, rules)
    else:
        computed = formula_rating(entry, opponents, rules)
    competitor, start = entry.competitor, entry.start
    games = len(entry.opponents)
    settled = settle(computed, competitor, rules, match_day)
    return RatingResult(
        competitor.id,
        start.rating,
        start.games,
        entry.effective_games,
        entry.formula,
        entry.half_points,
        games,
        expected,
        entry.k,
        bonus,
        estimate,
        intermediate,
        computed,
        settled.floor,
        settled.ceiling,
        settled.floor_request,
        settled.post,
        start.games + games,
    )


def _without_games(entry: Entry) -> RatingResult:
    competitor, start = entry.competitor, entry.start
    return RatingResult(
        competitor.id,
        start.rating,
        start.games,
        entry.effective_games,
        post=competitor.rating,
        post_games=competitor.games,
    )
