"""Matches: the possible changes of two ratings, and results cut by the limits."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from events.formats.report import ReportedEvent, ReportedSection
from players.models import Player
from ratings.decisions.floors.queries.floors import (
    FloorStatus,
    current_floor,
    numbers_of,
)
from ratings.decisions.matches.queries import (
    Allowance,
    EarlierMatch,
    Eligibility,
    allowance,
    build_allowance,
    earlier_matches,
    eligibility,
)
from ratings.engine.explanation import explain
from ratings.engine.floors import lowered_floor
from ratings.engine.inputs import Game, Kind, RatingInput
from ratings.engine.matches import MatchChange, match_nets
from ratings.engine.results import RatingResult
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import Rules
from ratings.engine.section import rate_section as rate_card
from ratings.engine.standard import winning_expectancy
from ratings.engine.systems import System
from ratings.engine.time_controls import parse_time_control
from ratings.ledger.queries.published_ratings import published_change
from ratings.ledger.services.ledger_lines import rules_for_day
from ratings.ledger.services.player_states import PlayerState, load_states
from ratings.ledger.services.previews import facts_from_report
from ratings.ledger.services.rating_inputs import (
    SectionFacts,
    build_rating_input,
    rules_for,
)

# A time control that is rated in one system only, for matches not yet played.
TIME_CONTROLS = {
    System.OTBR: "G/90;d5",
    System.OTBQ: "G/25;d5",
    System.OTBB: "G/5;d0",
    System.OLR: "G/90;d5",
    System.OLQ: "G/25;d5",
    System.OLB: "G/5;d0",
}
# How many results around the expected one are shown.
MAX_RESULTS = 13


# --- Before a match ---


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two players, and the limits on the change of the rating.

    *can_lower_floor* says whether a result below the floor is a request to lower it.
    """

    player: Player
    rating: float | None
    is_established: bool
    floor: FloorStatus | None
    can_lower_floor: bool
    allowance: Allowance


@dataclass(frozen=True, slots=True)
class ExpectedRating:
    """A rating after one result, in points, and the limits that applied."""

    result: RatingResult

    @property
    def is_limited(self) -> bool:
        """Whether a match limit applied, and neither a floor nor a ceiling."""
        result = self.result
        is_held = result.floor is not None or result.ceiling is not None
        return not is_held and result.post != result.before_floor

    @property
    def change(self) -> int | None:
        """The change in whole numbers."""
        return published_change(self.result.initial, self.result.post)


@dataclass(frozen=True, slots=True)
class MatchForecast:
    """The possible changes by a match, before it is played.

    *expected* is the first player's score in points. Without results a player is
    unrated, or the rules of that day are not known.
    """

    system: System
    day: date
    games: int
    rules: Rules
    sides: tuple[Side, Side]
    eligibility: Eligibility
    expected: float | None
    results: tuple[tuple[ExpectedRating, ExpectedRating], ...]


def forecast_match(
    first: Player, second: Player, *, system: System, day: date, games: int
) -> MatchForecast:
    """Return the possible rating changes by a match of *games* games on *day*.

    It uses current ratings, as for a match that is reported at once; published ones,
    because the page is public. *day* is the last day of the match.
    """
    rules = rules_for_day(day)
    players = (first, second)
    states = load_states([first.pk, second.pk], day=day)
    earlier = {
        player.pk: earlier_matches(
            numbers_of(player), system, day=day, is_published=True
        )
        for player in players
    }
    for pk, state in states.items():
        state.publish()
        state.match_changes[system] = [
            MatchChange(one.day, one.change) for one in earlier[pk]
        ]
    expected, results = _results(states, system, day, games)
    one, other = (
        _side(player, states[player.pk], earlier[player.pk], system, day, rules)
        for player in players
    )
    return MatchForecast(
        system=system,
        day=day,
        games=games,
        rules=rules,
        sides=(one, other),
        eligibility=eligibility(players, system, day, rules),
        expected=expected,
        results=results,
    )


def _side(
    player: Player,
    state: PlayerState,
    earlier: Sequence[EarlierMatch],
    system: System,
    day: date,
    rules: Rules,
) -> Side:
    standing = state.standings.get(system)
    floor = current_floor(player, system)
    return Side(
        player=player,
        rating=standing.rating if standing else None,
        is_established=bool(standing and standing.games > rules.established_after),
        floor=floor,
        can_lower_floor=bool(floor and lowered_floor(floor.level, rules)),
        allowance=allowance(earlier, day, rules),
    )


def _results(
    states: dict[int, PlayerState], system: System, day: date, games: int
) -> tuple[float | None, tuple[tuple[ExpectedRating, ExpectedRating], ...]]:
    """Return the expected score and the results around it, if both are rated."""
    first, second = states
    one, other = (state.standings.get(system) for state in states.values())
    if one is None or other is None:
        return None, ()
    try:
        rules = rules_for_day(day)
        expected = games * winning_expectancy(
            one.rating, other.rating, rules.expectancy_scale
        )
        return expected, tuple(
            _result(states, _facts(first, second, system, day, score, games), system)
            for score in _likely_scores(expected, games)
        )
    except NoRuleInForce:
        return None, ()


def _likely_scores(expected: float, games: int) -> range:
    """Return scores in half points, the highest first, around the expected one.

    >>> list(_likely_scores(1.4, 2)), list(_likely_scores(19.9, 20))[-1]
    ([4, 3, 2, 1, 0], 28)
    """
    most = 2 * games
    if most < MAX_RESULTS:
        return range(most, -1, -1)
    middle = min(int(2 * expected), most)
    lowest = min(max(0, middle - MAX_RESULTS // 2), most - MAX_RESULTS + 1)
    return range(lowest + MAX_RESULTS - 1, lowest - 1, -1)


def _facts(
    first: int, second: int, system: System, day: date, score: int, games: int
) -> SectionFacts:
    """Return a match with this score; the order of draws makes no difference."""
    wins, draws = divmod(score, 2)
    scores = [2] * wins + [1] * draws + [0] * (games - wins - draws)
    return SectionFacts(
        kind=Kind.MATCH,
        time_control=parse_time_control(TIME_CONTROLS[system]),
        is_online=system.is_online,
        starts=day,
        ends=day,
        persons=(first, second),
        games=tuple(Game(first, second, one, 2 - one) for one in scores),
    )


def _result(
    states: dict[int, PlayerState], facts: SectionFacts, system: System
) -> tuple[ExpectedRating, ExpectedRating]:
    rules = rules_for(facts)
    rating_input = build_rating_input(facts, states, system=system, rules=rules)
    one, other = rate_card(rating_input, rules)
    return ExpectedRating(one), ExpectedRating(other)


# --- A reported match ---


@dataclass(frozen=True, slots=True)
class LimitedResult:
    """A reported result that the limits on matches reduced, in points.

    *computed* is the change by the formula, *allowed* the change within the limits.
    """

    name: str
    member_id: str
    system: System
    computed: float
    allowed: float
    allowance: Allowance


def reported_match(
    reported: ReportedEvent, section: ReportedSection, members: dict[str, Player]
) -> tuple[SectionFacts, list[Player]] | None:
    """Return a match between two known members as it would be rated, else None.

    Raises BadTimeControl or NotRatable for its time control.
    """
    entries = section.entries
    players = [members[one.member_id] for one in entries if one.member_id in members]
    starts, ends = reported.dates_of(section)
    if section.kind_letter != "M" or starts is None or ends is None or ends < starts:
        return None
    if len(entries) != 2 or len(players) != 2 or players[0] == players[1]:
        return None
    return facts_from_report(section, members, starts, ends), players


def limited_results(
    facts: SectionFacts, players: Iterable[Player]
) -> Iterator[LimitedResult]:
    """Yield the results of a reported match that the limits reduce."""
    people = {player.pk: player for player in players}
    states = load_states(list(people), day=facts.ends, is_match=True)
    rules = rules_for(facts)
    for system in facts.systems:
        rating_input = build_rating_input(facts, states, system=system, rules=rules)
        for player in people.values():
            limited = _limited(rating_input, rules, player)
            if limited is not None:
                yield limited


def _limited(
    rating_input: RatingInput, rules: Rules, player: Player
) -> LimitedResult | None:
    explanation = explain(rating_input, rules, player.pk)
    competitor = next(one for one in rating_input.competitors if one.id == player.pk)
    final, limited = explanation.final, explanation.match_limited
    if final is None or limited is None or competitor.rating is None:
        return None
    nets = match_nets(rating_input.end_date, competitor.match_changes)
    return LimitedResult(
        name=player.name,
        member_id=player.member_id,
        system=rating_input.system,
        computed=final.computed - competitor.rating,
        allowed=limited - competitor.rating,
        allowance=build_allowance(nets, (), rating_input.end_date, rules),
    )
