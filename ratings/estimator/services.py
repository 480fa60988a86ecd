"""Ratings estimated by the engine, from what anybody may know; written nowhere.

Members bring what their profiles show: published ratings, games, record, floors.
Ages take no part, nor where a member lives: anyone who makes up a section could
otherwise compute them from what it does to the opponents.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from players.models import Player
from ratings.engine.cards import Kind, Record
from ratings.engine.floors import peak_floor
from ratings.engine.numbers import official
from ratings.engine.outcomes import Rated
from ratings.engine.rules import Rules
from ratings.engine.section import rate_section as rate_card
from ratings.engine.systems import Body, System
from ratings.engine.time_controls import TimeControl
from ratings.estimator.text import TypedRating, Who
from ratings.ledger.queries.published import published_change
from ratings.ledger.services.cards import (
    PersonGame,
    SectionFacts,
    Tally,
    card_for,
    floor_of,
    rules_for,
)
from ratings.ledger.services.computing import RatedSystem
from ratings.ledger.services.states import LedgerStanding, PlayerState, load_states

ME = "you"
# More events than a career has tell nobody anything.
MOST_EVENTS = 50


# --- Who plays ---


def members_named(member_ids: Iterable[str]) -> dict[str, Player]:
    """Return the members by the ID typed; a merged number is that of its owner."""
    players = Player.objects.filter(member_id__in=set(member_ids))
    return {
        player.member_id: player.canonical
        for player in players.select_related("merged_into")
    }


def public_states(
    members: Iterable[Player], *, day: date
) -> dict[Hashable, PlayerState]:
    """Return what anybody may know of these members, by their keys."""
    states: dict[Hashable, PlayerState] = {}
    for pk, state in load_states({one.pk for one in members}, day=day).items():
        state.birth_date = None
        state.is_adult = False
        state.external = [one for one in state.external if one.source is Body.FIDE]
        state.publish()
        states[pk] = state
    return states


def typed_state(who: Who, systems: Sequence[System], day: date) -> PlayerState:
    """Return the state of somebody who is not named as a member.

    One rating counts in every system of the section, a second one in the second.
    """
    state = PlayerState(is_adult=who.is_adult)
    if who.ratings:
        for place, system in enumerate(systems):
            typed = who.ratings[min(place, len(who.ratings) - 1)]
            enter_rating(state, system, typed, Record.MIXED, day)
    return state


def enter_rating(
    state: PlayerState, system: System, typed: TypedRating, record: Record, day: date
) -> None:
    """Put a typed rating, and its floor, in the place of what is known."""
    state.standings[system] = LedgerStanding(
        rating=typed.rating,
        games=typed.games,
        record=record,
        wins=0,
        draws=0,
        losses=0,
        three_game_events=0,
        peak=None,
        age_start=None,
        rated_on=day,
    )
    state.floors[system] = [] if typed.floor is None else [typed.floor]


def known_rating(
    state: PlayerState, system: System, rules: Rules
) -> tuple[TypedRating, Record] | None:
    """Return a member's rating, floor and record as one would type them."""
    standing = state.standings.get(system)
    if standing is None:
        return None
    floor = floor_of(state, standing, Tally(), system=system, rules=rules)
    return TypedRating(standing.rating, standing.games, int(floor)), standing.record


# --- One player's event ---


@dataclass(frozen=True, slots=True)
class Meeting:
    """A game of the player; *score* is in half points, None if it is still to come."""

    opponent: Hashable
    score: int | None


@dataclass(frozen=True, slots=True)
class OwnEvent:
    """What is known of one player's event: nothing of the opponents' other games."""

    system: System
    time_control: TimeControl
    day: date
    me: Hashable
    states: dict[Hashable, PlayerState]
    meetings: tuple[Meeting, ...]

    @property
    def played(self) -> tuple[Meeting, ...]:
        return tuple(one for one in self.meetings if one.score is not None)

    @property
    def to_come(self) -> tuple[Meeting, ...]:
        return tuple(one for one in self.meetings if one.score is None)

    @property
    def meets_unrated(self) -> bool:
        """Tell whether an opponent is unrated, and so rated by these games alone."""
        return any(
            self.system not in self.states[one.opponent].standings
            for one in self.meetings
        )

    @property
    def rating(self) -> float | None:
        standing = self.states[self.me].standings.get(self.system)
        return standing.rating if standing else None


def rate_own(event: OwnEvent, meetings: Iterable[Meeting]) -> RatedSystem:
    """Rate these games, all of which have a score."""
    games = tuple(
        PersonGame(event.me, one.opponent, one.score, 2 - one.score)
        for one in meetings
        if one.score is not None
    )
    facts = SectionFacts(
        kind=Kind.SWISS,
        time_control=event.time_control,
        is_online=event.system.is_online,
        starts=event.day,
        ends=event.day,
        persons=tuple(dict.fromkeys([event.me, *(game.b for game in games)])),
        games=games,
    )
    return rate_in(facts, event.states, event.system)


def rate_in(
    facts: SectionFacts, states: dict[Hashable, PlayerState], system: System
) -> RatedSystem:
    """Rate a section in one of its systems only."""
    rules = rules_for(facts)
    card = card_for(facts, states, system=system, rules=rules)
    return RatedSystem(system, card, rules, rate_card(card, rules))


def own_result(rated: RatedSystem) -> Rated:
    return rated.results[0]


@dataclass(frozen=True, slots=True)
class AfterGame:
    """The rating if the event ended after so many games; none before a first game."""

    number: int
    meeting: Meeting | None
    before: float | None
    after: float | None

    @property
    def change(self) -> int | None:
        """The change by this game, in whole numbers."""
        return published_change(self.before, self.after)


def after_each_game(event: OwnEvent) -> list[AfterGame]:
    """Return the rating now and after each game that has been played."""
    lines = [AfterGame(0, None, None, event.rating)]
    for number, meeting in enumerate(event.played, start=1):
        post = own_result(rate_own(event, event.played[:number])).post
        lines.append(AfterGame(number, meeting, lines[-1].after, post))
    return lines


# --- What one needs ---


@dataclass(frozen=True, slots=True)
class PossibleScore:
    """A score in the games to come, in half points, and the ratings it leads to.

    *against_weak* is the rating if the points are won against the lowest-rated first,
    *against_strong* if against the highest-rated first.
    """

    score: int
    against_weak: RatedSystem
    against_strong: RatedSystem

    @property
    def low(self) -> float:
        return min(self._posts)

    @property
    def high(self) -> float:
        return max(self._posts)

    @property
    def _posts(self) -> list[float]:
        both = (self.against_weak, self.against_strong)
        return [post for one in both if (post := own_result(one).post) is not None]


@dataclass(frozen=True, slots=True)
class Need:
    """What a target takes. *needed* is None if no score reaches it.

    Then *events* are how many events like this one, all games to come won in each,
    reach it; None where they would be too many to tell.
    """

    target: int
    scores: tuple[PossibleScore, ...]
    needed: PossibleScore | None
    events: int | None = None

    @property
    def best(self) -> PossibleScore:
        return self.scores[-1]

    @property
    def is_safe(self) -> bool:
        """Tell whether the target is reached without another point."""
        return self.needed is self.scores[0]


def need(event: OwnEvent, target: int) -> Need:
    """Find the lowest score in the games to come from which on *target* is reached.

    It is judged in whole numbers, as floors and classes are.
    """
    scores = possible_scores(event)
    needed = None
    for one in reversed(scores):
        if official(one.low) < target:
            break
        needed = one
    return Need(target, scores, needed, None if needed else _events(event, target))


def _events(event: OwnEvent, target: int) -> int | None:
    """Count the events like this one that reach a target, if all to come is won.

    The opponents are as strong each time; the rating goes on from the event before.
    """
    won = [replace(one, score=2) for one in event.to_come]
    games = [*event.played, *won]
    for number in range(1, MOST_EVENTS + 1):
        post = own_result(rate_own(event, games)).post
        if post is None:
            return None
        if official(post) >= target:
            return number
        event = _after(event, games, post)
    return None


def _after(event: OwnEvent, games: Sequence[Meeting], post: float) -> OwnEvent:
    """Return the same event for the player with the rating that it left."""
    standing = event.states[event.me].standings.get(event.system)
    played = len(games) + (standing.games if standing else 0)
    only_wins = all(one.score == 2 for one in games) and (
        standing is None or standing.record == Record.ALL_WINS
    )
    record = Record.ALL_WINS if only_wins else Record.MIXED
    floors = event.states[event.me].floors.get(event.system, [])
    state = PlayerState(is_adult=event.states[event.me].is_adult)
    typed = TypedRating(post, played, max(map(int, floors), default=None))
    enter_rating(state, event.system, typed, record, event.day)
    return replace(event, states={**event.states, event.me: state})


def possible_scores(event: OwnEvent) -> tuple[PossibleScore, ...]:
    """Rate every score in the games to come, the lowest first."""
    weakest_first = sorted(
        range(len(event.to_come)),
        key=lambda place: _strength(event, event.to_come[place].opponent),
    )
    return tuple(
        PossibleScore(
            score,
            _with_score(event, score, weakest_first),
            _with_score(event, score, weakest_first[::-1]),
        )
        for score in range(2 * len(event.to_come) + 1)
    )


def _strength(event: OwnEvent, opponent: Hashable) -> float:
    """Return a rating to sort by; the unrated are taken for the weakest."""
    standing = event.states[opponent].standings.get(event.system)
    return standing.rating if standing else 0.0


def _with_score(event: OwnEvent, score: int, order: Sequence[int]) -> RatedSystem:
    """Rate the event with this score, its points won in *order* of the games."""
    scores = dict.fromkeys(order, 0)
    for place in order:
        scores[place] = min(2, score)
        score -= scores[place]
    to_come = [
        replace(one, score=scores[place]) for place, one in enumerate(event.to_come)
    ]
    return rate_own(event, [*event.played, *to_come])


def next_floor(floor: float, rules: Rules) -> tuple[int, int] | None:
    """Return the next level of a floor by results and the rating that brings it.

    >>> from ratings.engine.rules import rules_in_force
    >>> rules = rules_in_force(date(2025, 2, 10))
    >>> next_floor(1700, rules), next_floor(150, rules), next_floor(2100, rules)
    ((1800, 2000), (1200, 1400), None)
    """
    step = rules.peak_floor_step
    level = max(rules.lowest_peak_floor, (int(floor) // step + 1) * step)
    rating = level + rules.peak_floor_drop
    return (level, rating) if peak_floor(rating, rules) == level else None
