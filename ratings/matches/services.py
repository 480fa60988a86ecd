"""Matches: what one would do to two ratings, and what the limits cut of a report."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from events.importers.records import ReportedEvent, ReportedSection
from players.models import Player
from ratings.engine.cards import Kind, SectionCard
from ratings.engine.explanation import explain
from ratings.engine.matches import MatchChange, match_nets
from ratings.engine.outcomes import Rated
from ratings.engine.rules import NoRuleInForce, Rules
from ratings.engine.section import rate_section as rate_card
from ratings.engine.standard import winning_expectancy
from ratings.engine.systems import System
from ratings.engine.time_controls import parse_time_control
from ratings.floors.queries.floors import FloorStanding, floor_now, numbers_of
from ratings.ledger.queries.published import published_change
from ratings.ledger.services.cards import PersonGame, SectionFacts, card_for, rules_for
from ratings.ledger.services.lines import rules_of
from ratings.ledger.services.previews import facts_reported
from ratings.ledger.services.states import PlayerState, load_states
from ratings.matches.queries import (
    Allowance,
    EarlierMatch,
    Eligibility,
    allowance,
    allowance_of,
    earlier_matches,
    eligibility,
)

# A time control that is rated in the one system only, for matches still to be played.
TIME_CONTROLS = {
    System.OTBR: "G/90;d5",
    System.OTBQ: "G/25;d5",
    System.OTBB: "G/5;d0",
    System.OLR: "G/90;d5",
    System.OLQ: "G/25;d5",
    System.OLB: "G/5;d0",
}
# So many results around the expected one are shown.
MOST_RESULTS = 13


# --- Before a match ---


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two players, and what the match may do to the rating."""

    player: Player
    rating: float | None
    is_established: bool
    floor: FloorStanding | None
    allowance: Allowance


@dataclass(frozen=True, slots=True)
class ExpectedRating:
    """A rating after one result, in points, and what held it."""

    before: float
    after: float
    is_limited: bool
    floor: float | None
    ceiling: float | None
    asks_for_lower_floor: bool

    @property
    def change(self) -> int | None:
        """The change in whole numbers."""
        return published_change(self.before, self.after)


@dataclass(frozen=True, slots=True)
class PossibleResult:
    """A score of the first player in half points, and both ratings after it."""

    score: int
    other_score: int
    first: ExpectedRating
    second: ExpectedRating


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a match may do, before it is played.

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
    results: tuple[PossibleResult, ...]


def match_outlook(
    first: Player, second: Player, *, system: System, day: date, games: int
) -> Outlook:
    """Return what a match of *games* games that ends on *day* may do to two members.

    It is rated from present ratings, as a match is that is reported at once; from the
    published ones, since anyone may ask.
    """
    rules = rules_of(day)
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
    return Outlook(
        system=system,
        day=day,
        games=games,
        rules=rules,
        sides=tuple(
            _side(player, states[player.pk], earlier[player.pk], system, day, rules)
            for player in players
        ),
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
    return Side(
        player=player,
        rating=standing.rating if standing else None,
        is_established=bool(standing and standing.games > rules.established_after),
        floor=floor_now(player, system),
        allowance=allowance(earlier, day, rules),
    )


def _results(
    states: dict[int, PlayerState], system: System, day: date, games: int
) -> tuple[float | None, tuple[PossibleResult, ...]]:
    """Return the expected score and the results around it, if both are rated."""
    first, second = states
    ratings = [
        state.standings[system].rating
        for state in states.values()
        if system in state.standings
    ]
    if len(ratings) < len(states):
        return None, ()
    try:
        rules = rules_of(day)
        expected = games * winning_expectancy(*ratings, rules.expectancy_scale)
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
    if most < MOST_RESULTS:
        return range(most, -1, -1)
    middle = min(int(2 * expected), most)
    lowest = min(max(0, middle - MOST_RESULTS // 2), most - MOST_RESULTS + 1)
    return range(lowest + MOST_RESULTS - 1, lowest - 1, -1)


def _facts(
    first: int, second: int, system: System, day: date, score: int, games: int
) -> SectionFacts:
    """Return a match with this score; which games are drawn makes no difference."""
    wins, draws = divmod(score, 2)
    scores = [2] * wins + [1] * draws + [0] * (games - wins - draws)
    return SectionFacts(
        kind=Kind.MATCH,
        time_control=parse_time_control(TIME_CONTROLS[system]),
        is_online=system.is_online,
        starts=day,
        ends=day,
        persons=(first, second),
        games=tuple(PersonGame(first, second, one, 2 - one) for one in scores),
    )


def _result(
    states: dict[int, PlayerState], facts: SectionFacts, system: System
) -> PossibleResult:
    rules = rules_for(facts)
    card = card_for(facts, states, system=system, rules=rules)
    one, other = rate_card(card, rules)
    return PossibleResult(
        score=one.score,
        other_score=other.score,
        first=_expected_rating(one),
        second=_expected_rating(other),
    )


def _expected_rating(result: Rated) -> ExpectedRating:
    is_held = result.floor is not None or result.ceiling is not None
    return ExpectedRating(
        before=result.initial,
        after=result.post,
        is_limited=not is_held and result.post != result.before_floor,
        floor=result.floor,
        ceiling=result.ceiling,
        asks_for_lower_floor=result.floor_request,
    )


# --- A reported match ---


@dataclass(frozen=True, slots=True)
class LimitedResult:
    """A reported result that the limits on matches cut, in points.

    *computed* is the change by the formula, *allowed* what the limits leave of it.
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

    Raises what says that its time control cannot be read or rated.
    """
    players = [members.get(entry.member_id) for entry in section.entries]
    starts, ends = reported.dates_of(section)
    if section.kind_letter != "M" or starts is None or ends is None or ends < starts:
        return None
    if len(players) != 2 or None in players or players[0] == players[1]:
        return None
    return facts_reported(section, members, starts, ends), players


def limited_results(
    facts: SectionFacts, players: Iterable[Player]
) -> Iterator[LimitedResult]:
    """Yield what the limits cut of a reported match, from present ratings."""
    people = {player.pk: player for player in players}
    states = load_states(list(people), day=facts.ends, is_match=True)
    rules = rules_for(facts)
    for system in facts.systems:
        card = card_for(facts, states, system=system, rules=rules)
        for player in people.values():
            limited = _limited(card, rules, player)
            if limited is not None:
                yield limited


def _limited(card: SectionCard, rules: Rules, player: Player) -> LimitedResult | None:
    explanation = explain(card, rules, player.pk)
    competitor = next(one for one in card.competitors if one.id == player.pk)
    if explanation.match_limited is None:
        return None
    nets = match_nets(card.end_date, competitor.match_changes)
    return LimitedResult(
        name=player.name,
        member_id=player.member_id,
        system=card.system,
        computed=explanation.final.computed - competitor.rating,
        allowed=explanation.match_limited - competitor.rating,
        allowance=allowance_of(nets, (), card.end_date, rules),
    )
