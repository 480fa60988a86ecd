"""Estimate ratings with the engine from public data; nothing is saved.

Members have the data of their profiles: published ratings, games, record, floors. Age
and residence are not used: otherwise anyone could derive them from the effect of a
made-up section on the opponents.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from players.models import Player
from ratings.engine.floors import peak_floor
from ratings.engine.inputs import Game, Kind, PlayerId, Record
from ratings.engine.numbers import official
from ratings.engine.results import RatingResult
from ratings.engine.rules import Rules
from ratings.engine.section import rate_section as rate_card
from ratings.engine.systems import Body, System
from ratings.engine.time_controls import TimeControl
from ratings.ledger.queries.published_ratings import published_change
from ratings.ledger.services.ledger_lines import RatedSystem
from ratings.ledger.services.player_states import PlayerState, RatingState, load_states
from ratings.ledger.services.rating_inputs import (
    SectionFacts,
    Tally,
    build_rating_input,
    highest_floor,
    rules_for,
)
from ratings.pages.estimator.parsing import PlayerSpec, TypedRating
from ratings.pages.why.queries.steps import Person

ME = "you"
# More events than this are of no use to a reader.
MAX_EVENTS = 50


# --- The players ---


def members_by_id(member_ids: Iterable[str]) -> dict[str, Player]:
    """Return the members by typed ID; a merged ID gives the current member."""
    players = Player.objects.filter(member_id__in=set(member_ids))
    return {
        player.member_id: player.canonical
        for player in players.select_related("merged_into")
    }


def public_states(
    members: Iterable[Player], *, day: date
) -> dict[PlayerId, PlayerState]:
    """Return the public part of these members' states, by primary key."""
    states: dict[PlayerId, PlayerState] = {}
    hidden = {one.pk: one.is_name_hidden for one in members}
    for pk, state in load_states(set(hidden), day=day).items():
        state.birth_date = None
        state.is_adult = False
        shown = () if hidden[pk] else (Body.FIDE,)
        state.external = [one for one in state.external if one.source in shown]
        state.publish()
        states[pk] = state
    return states


def typed_state(spec: PlayerSpec, systems: Sequence[System], day: date) -> PlayerState:
    """Return the state of a player who is not given as a member.

    One rating is used in every system of the section, a second one in the second.
    """
    state = PlayerState(is_adult=spec.is_adult)
    if spec.ratings:
        for place, system in enumerate(systems):
            typed = spec.ratings[min(place, len(spec.ratings) - 1)]
            set_rating(state, system, typed, Record.MIXED, day)
    return state


def set_rating(
    state: PlayerState, system: System, typed: TypedRating, record: Record, day: date
) -> None:
    """Replace the known rating and floor of a state with typed ones."""
    state.standings[system] = RatingState(
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
    """Return a member's rating, floor and record in typed form."""
    standing = state.standings.get(system)
    if standing is None:
        return None
    floor = highest_floor(state, standing, Tally(), system=system, rules=rules)
    return TypedRating(standing.rating, standing.games, int(floor)), standing.record


# --- One player's event ---


@dataclass(frozen=True, slots=True)
class Meeting:
    """A game of the player; *score* is in half points, None if not played yet."""

    opponent: PlayerId
    score: int | None
    person: Person


@dataclass(frozen=True, slots=True)
class PlayerEvent:
    """One player's event, without the opponents' other games."""

    system: System
    time_control: TimeControl
    day: date
    member: Player | None
    states: dict[PlayerId, PlayerState]
    meetings: tuple[Meeting, ...]

    @property
    def me(self) -> PlayerId:
        return self.member.pk if self.member else ME

    @property
    def score(self) -> int:
        """The score so far, in half points."""
        return sum(one.score or 0 for one in self.meetings)

    @property
    def played(self) -> tuple[Meeting, ...]:
        return tuple(one for one in self.meetings if one.score is not None)

    @property
    def remaining_games(self) -> tuple[Meeting, ...]:
        return tuple(one for one in self.meetings if one.score is None)

    @property
    def has_unrated_opponents(self) -> bool:
        """Return whether an opponent is unrated, and so rated by these games alone."""
        return any(
            self.system not in self.states[one.opponent].standings
            for one in self.meetings
        )

    @property
    def rating(self) -> float | None:
        standing = self.states[self.me].standings.get(self.system)
        return standing.rating if standing else None


def rate_player_event(event: PlayerEvent, meetings: Iterable[Meeting]) -> RatedSystem:
    """Rate these games, all of which have a score."""
    games = tuple(
        Game(event.me, one.opponent, one.score, 2 - one.score)
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
    system, rules = event.system, rules_for(facts)
    rating_input = build_rating_input(facts, event.states, system=system, rules=rules)
    return RatedSystem(system, rating_input, rules, rate_card(rating_input, rules))


def player_result(rated: RatedSystem) -> RatingResult:
    return rated.results[0]


@dataclass(frozen=True, slots=True)
class AfterGame:
    """The rating if the event ended after this game; *number* 0 is before the first."""

    number: int
    meeting: Meeting | None
    before: float | None
    after: float | None

    @property
    def change(self) -> int | None:
        """The change by this game, in whole numbers."""
        return published_change(self.before, self.after)


def after_each_game(event: PlayerEvent) -> list[AfterGame]:
    """Return the rating now and after each game that has been played."""
    lines = [AfterGame(0, None, None, event.rating)]
    for number, meeting in enumerate(event.played, start=1):
        post = player_result(rate_player_event(event, event.played[:number])).post
        lines.append(AfterGame(number, meeting, lines[-1].after, post))
    return lines


# --- The score needed ---


@dataclass(frozen=True, slots=True)
class PossibleScore:
    """A score in the remaining games, in half points, and the resulting ratings.

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
        return [post for one in both if (post := player_result(one).post) is not None]


@dataclass(frozen=True, slots=True)
class TargetRequirement:
    """The requirement of a target. *needed* is None if no score reaches it.

    Then *events* is the number of events like this one that reach it if all remaining
    games are won; None if there would be too many.
    """

    target: int
    scores: tuple[PossibleScore, ...]
    needed: PossibleScore | None
    events: int | None = None

    @property
    def best(self) -> PossibleScore:
        return self.scores[-1]

    @property
    def is_already_reached(self) -> bool:
        """Return whether the target is reached without another point."""
        return self.needed is self.scores[0]


def need(event: PlayerEvent, target: int) -> TargetRequirement:
    """Find the lowest score in the remaining games from which on *target* is reached.

    It is compared in whole numbers, like floors and classes.
    """
    scores = possible_scores(event)
    needed = None
    for one in reversed(scores):
        if official(one.low) < target:
            break
        needed = one
    return TargetRequirement(
        target, scores, needed, None if needed else _events(event, target)
    )


def _events(event: PlayerEvent, target: int) -> int | None:
    """Count the events like this one that reach a target if all games left are won.

    The opponents are the same each time; the rating continues from the event before.
    """
    won = [replace(one, score=2) for one in event.remaining_games]
    games = [*event.played, *won]
    for number in range(1, MAX_EVENTS + 1):
        post = player_result(rate_player_event(event, games)).post
        if post is None:
            return None
        if official(post) >= target:
            return number
        event = _after(event, games, post)
    return None


def _after(event: PlayerEvent, games: Sequence[Meeting], post: float) -> PlayerEvent:
    """Return the same event again, for the player with the new rating."""
    standing = event.states[event.me].standings.get(event.system)
    played = len(games) + (standing.games if standing else 0)
    only_wins = all(one.score == 2 for one in games) and (
        standing is None or standing.record == Record.ALL_WINS
    )
    record = Record.ALL_WINS if only_wins else Record.MIXED
    floors = event.states[event.me].floors.get(event.system, [])
    state = PlayerState(is_adult=event.states[event.me].is_adult)
    typed = TypedRating(post, played, max(map(int, floors), default=None))
    set_rating(state, event.system, typed, record, event.day)
    return replace(event, states={**event.states, event.me: state})


def possible_scores(event: PlayerEvent) -> tuple[PossibleScore, ...]:
    """Rate every score in the remaining games, the lowest first."""
    weakest_first = sorted(
        range(len(event.remaining_games)),
        key=lambda place: _strength(event, event.remaining_games[place].opponent),
    )
    return tuple(
        PossibleScore(
            score,
            _with_score(event, score, weakest_first),
            _with_score(event, score, weakest_first[::-1]),
        )
        for score in range(2 * len(event.remaining_games) + 1)
    )


def _strength(event: PlayerEvent, opponent: PlayerId) -> float:
    """Return a rating to sort by; unrated players are treated as the weakest."""
    standing = event.states[opponent].standings.get(event.system)
    return standing.rating if standing else 0.0


def _with_score(event: PlayerEvent, score: int, order: Sequence[int]) -> RatedSystem:
    """Rate the event with this score, its points won in *order* of the games."""
    scores = dict.fromkeys(order, 0)
    for place in order:
        scores[place] = min(2, score)
        score -= scores[place]
    remaining_games = [
        replace(one, score=scores[place])
        for place, one in enumerate(event.remaining_games)
    ]
    return rate_player_event(event, [*event.played, *remaining_games])


def next_floor(floor: float, rules: Rules) -> tuple[int, int] | None:
    """Return the next peak-based floor and the rating that it takes.

    >>> from ratings.engine.rules import rules_in_force
    >>> rules = rules_in_force(date(2025, 2, 10))
    >>> next_floor(1700, rules), next_floor(150, rules), next_floor(2100, rules)
    ((1800, 2000), (1200, 1400), None)
    """
    step = rules.peak_floor_step
    level = max(rules.lowest_peak_floor, (int(floor) // step + 1) * step)
    rating = level + rules.peak_floor_drop
    return (level, rating) if peak_floor(rating, rules) == level else None
