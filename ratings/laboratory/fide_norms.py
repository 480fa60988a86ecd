"""Norms toward FIDE's titles from a section's results (Handbook B.01).

A norm of a title is a performance of its level, against opponents strong enough, of
whom enough have titles and enough come from other federations. Each check has the value
found and the value needed. Where a fact about an opponent is unknown, a check may stay
undecided.

The rules are those of the Title Regulations of 1 January 2024, section 1.4. Rules that
results do not show, such as registration, arbiters and the hours of a day (1.1), are
not checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final, NamedTuple

from ratings.engine.norms import FIDE_NORM_GAMES
from ratings.engine.numbers import TOLERANCE, exact_sum, official
from ratings.engine.rule_history import DatedValue, RuleHistory

from .tables import difference_for

EDITION: Final = "2024-01-01"
UNRATED: Final = RuleHistory(
    "rating of an unrated opponent for FIDE norms",
    DatedValue(date(2024, 1, 1), 1400, "B.01 of 2024, 1.4.6d"),
)
"""Earlier regulations are not here, so that an earlier day raises `NoRuleInForce`."""

MAX_GAMES: Final = 13
MIN_PERCENT: Final = 35
OTHER_FEDERATIONS: Final = 2
NO_FEDERATION: Final = "FID"
"""Players under FIDE's flag: they count as opponents and as no federation (1.4.2a)."""

HOLDERS: Final = frozenset({"GM", "IM", "FM", "WGM", "WIM", "WFM"})
"""Titles that make a title-holder: all but those of candidate masters (1.4.5a)."""

_HIGHEST: Final = 2900
"""No player is rated higher; stands in for a rating that is not known."""

_FOREIGNERS, _THEIR_FEDERATIONS, _THEIR_TITLES = 20, 3, 10


@dataclass(frozen=True, slots=True)
class Norm:
    """A title and the requirements of its norm (0.5, 1.4.5, 1.4.6b and 1.4.8).

    *performance* and *average* are the least, *floor* what the lowest opponent is
    raised to, *titles* those of which a third of the opponents has one.
    """

    title: str
    performance: int
    average: int
    floor: int
    titles: frozenset[str]
    for_women: bool = False


NORMS: Final[Mapping[str, Norm]] = {
    one.title: one
    for one in (
        Norm("GM", 2600, 2380, 2200, frozenset({"GM"})),
        Norm("IM", 2450, 2230, 2050, frozenset({"GM", "IM"})),
        Norm("WGM", 2400, 2180, 2000, frozenset({"GM", "IM", "WGM"}), True),
        Norm("WIM", 2250, 2030, 1850, frozenset({"GM", "IM", "WGM", "WIM"}), True),
    )
}
"""By title, the highest first."""


class FidePlayer(NamedTuple):
    """A player's entry on FIDE's list; *is_known* is False if there is none.

    A known player without a *rating* is unrated, without a *title* has none.
    """

    rating: int | None = None
    title: str = ""
    federation: str = ""
    is_known: bool = True


UNKNOWN_PLAYER: Final = FidePlayer(is_known=False)


class NormGame(NamedTuple):
    """A game over the board: the opponent, their FIDE entry, and the score."""

    opponent: Hashable
    player: FidePlayer
    score: float


class Format(StrEnum):
    """How a tournament pairs: where it is set beforehand no round may be left out."""

    SWISS = "swiss"
    ROUND_ROBIN = "round_robin"
    DOUBLE_ROUND_ROBIN = "double_round_robin"


class Rule(StrEnum):
    """A requirement of a norm, in display order."""

    GAMES = "games"
    FEDERATIONS = "federations"
    OWN_FEDERATION = "own_federation"
    ONE_FEDERATION = "one_federation"
    HOLDERS = "holders"
    TITLES = "titles"
    AVERAGE = "average"
    SCORE = "score"
    PERFORMANCE = "performance"


@dataclass(frozen=True, slots=True)
class Check:
    """One requirement of a norm: *holds* is None where it is unknown.

    *found* and *needed* are counts, whole rating points, or points of score; for the
    rules of one's own and of one federation *needed* is the most.
    """

    rule: Rule
    found: float
    needed: float
    holds: bool | None


@dataclass(frozen=True)
class Assessment:
    """Whether games are a norm, with the checks; *games* are those that were counted.

    *raised* is the opponent whose rating counted as the floor, or None.
    """

    norm: Norm
    games: Sequence[NormGame]
    checks: tuple[Check, ...]
    average: int
    percent: int
    performance: int
    raised: Hashable | None

    @property
    def holds(self) -> bool | None:
        """Return True for a norm, False for none, None if unknown."""
        answers = [check.holds for check in self.checks]
        if False in answers:
            return False
        return None if None in answers else True

    @property
    def score(self) -> float:
        return exact_sum([game.score for game in self.games])


@dataclass(frozen=True, slots=True)
class Conditions:
    """The facts about a tournament and the player, apart from the games.

    *day* is its first; *federation* the player's, empty where unknown. *is_excused*
    means that one of nine rounds was not played because of a forfeit win or an allotted
    bye, which still makes nine (1.4.1c); *is_open* that enough foreigners play for the
    rules of federations to be waived (1.4.3d).
    """

    day: date
    federation: str = ""
    format: Format = Format.SWISS
    is_excused: bool = False
    is_open: bool = False


# --- The arithmetic ---


def title_performance(
    norm: Norm, ratings: Sequence[int | None], score: float, unrated: int = 1400
) -> tuple[int, int, int]:
    """Return average, percentage and performance for a norm (1.4.6 to 1.4.9).

    The lowest opponent below the floor counts as the floor, others as they are rated;
    None is unrated. Averages and percentages are rounded, halves up.

    >>> nine = [2500, 2480, 2450, 2430, 2410, 2400, 2380, 2350, 2100]
    >>> title_performance(NORMS["GM"], nine, 7.0)
    (2400, 78, 2620)
    """
    known = sorted(unrated if rating is None else rating for rating in ratings)
    known[0] = max(known[0], norm.floor)
    average = official(exact_sum([float(one) for one in known]) / len(known))
    percent = official(100.0 * score / len(known))
    return average, percent, average + difference_for(percent)


def min_title_holders(games: int) -> int:
    """Return how many opponents need a title (1.4.5a): half of them, rounded up.

    >>> [min_title_holders(games) for games in (9, 10, 11)]
    [5, 5, 6]
    """
    return (games + 1) // 2


def min_titles(games: int, format: Format = Format.SWISS) -> int:
    """Return how many need the title or a higher one (1.4.5b to f).

    A third, at least three; in a double round robin half of the opponents, rounded up.

    >>> [min_titles(games) for games in (8, 9, 10)]
    [3, 3, 4]
    >>> min_titles(5, Format.DOUBLE_ROUND_ROBIN)
    3
    """
    if format is Format.DOUBLE_ROUND_ROBIN:
        return (games + 1) // 2
    return max(3, (games + 2) // 3)


def max_own_federation(games: int) -> int:
    """Return how many opponents may be of the own federation (1.4.4): three fifths.

    >>> [max_own_federation(games) for games in (9, 10, 11)]
    [5, 6, 6]
    """
    return 3 * games // 5


def max_one_federation(games: int) -> int:
    """Return how many may be of any one federation (1.4.4): two thirds.

    >>> [max_one_federation(games) for games in (9, 10, 11)]
    [6, 6, 7]
    """
    return 2 * games // 3


def is_federation_rule_waived(field: Sequence[FidePlayer], host: str) -> bool:
    """Return whether a Swiss waives the rules of federations (1.4.3d).

    At least 20 rated players who are not of the *host* federation, of at least 3
    federations, 10 of them with a title of GM, IM, WGM or WIM. Players who missed more
    than one round must not be in *field*.
    """
    foreigners = [
        one
        for one in field
        if one.is_known
        and one.rating is not None
        and one.federation not in ("", NO_FEDERATION, host)
    ]
    titled = [one for one in foreigners if one.title in NORMS]
    federations = {one.federation for one in foreigners}
    return (
        len(foreigners) >= _FOREIGNERS
        and len(federations) >= _THEIR_FEDERATIONS
        and len(titled) >= _THEIR_TITLES
    )


# --- The verdict ---


def assess(
    norm: Norm, games: Sequence[NormGame], conditions: Conditions
) -> Assessment | None:
    """Return whether *games*, in the order of the rounds, make a norm; None for none.

    A player may leave out games they won, and in a Swiss all games after a norm was
    reached, as long as nine remain; in a round robin only where all opponents together
    have the titles and federations of a norm (1.4.1e and f). The first way that is a
    norm is returned, else one that may be one, else all games. Of the games won those
    against the lowest rated are left out. Raises NoRuleInForce before 2024.
    """
    if not games:
        return None
    UNRATED.on(conditions.day, EDITION)
    may_choose = conditions.format is Format.SWISS or _can_meet_requirements(
        norm, games, conditions
    )
    choices = _game_subsets(games, conditions) if may_choose else [games]
    tried = [_assess(norm, chosen, conditions) for chosen in choices]
    for answer in (True, None):
        for one in tried:
            if one.holds is answer:
                return one
    return tried[0]


def _can_meet_requirements(
    norm: Norm, games: Sequence[NormGame], conditions: Conditions
) -> bool:
    """Return whether titles and federations of these opponents may be enough."""
    checks = (
        *_federation_checks(games, conditions),
        *_title_checks(norm, games, conditions.format),
    )
    return all(check.holds is not False for check in checks)


def _game_subsets(
    games: Sequence[NormGame], conditions: Conditions
) -> Iterator[Sequence[NormGame]]:
    """Yield all games, then each choice that leaves nine of them."""
    yield games
    stops = [len(games)]
    if conditions.format is Format.SWISS:
        stops += range(len(games) - 1, FIDE_NORM_GAMES - 1, -1)
    for stop in stops:
        kept = list(games[:stop])
        if stop < len(games):
            yield tuple(kept)
        while len(kept) > FIDE_NORM_GAMES:
            won = [game for game in kept if game.score == 1.0]
            if not won:
                break
            kept.remove(min(won, key=lambda game: game.player.rating or 0))
            yield tuple(kept)


def _assess(
    norm: Norm, games: Sequence[NormGame], conditions: Conditions
) -> Assessment:
    unrated = UNRATED.on(conditions.day, EDITION)
    ratings = [game.player.rating for game in games]
    score = exact_sum([game.score for game in games])
    average, percent, performance = title_performance(norm, ratings, score, unrated)
    lowest = min(games, key=lambda game: game.player.rating or unrated)
    is_raised = (lowest.player.rating or unrated) < norm.floor
    best_ratings = [
        one.player.rating if one.player.is_known else _HIGHEST for one in games
    ]
    best_average, _percent, best = title_performance(norm, best_ratings, score, unrated)
    checks = (
        _games_check(len(games), conditions),
        *_federation_checks(games, conditions),
        *_title_checks(norm, games, conditions.format),
        _rating_check(Rule.AVERAGE, average, best_average, norm.average),
        Check(
            Rule.SCORE,
            score,
            MIN_PERCENT * len(games) / 100.0,
            100.0 * score >= MIN_PERCENT * len(games) - TOLERANCE,
        ),
        _rating_check(Rule.PERFORMANCE, performance, best, norm.performance),
    )
    raised = lowest.opponent if is_raised else None
    return Assessment(norm, games, checks, average, percent, performance, raised)


def _rating_check(rule: Rule, found: float, best: float, needed: float) -> Check:
    """Return a check of ratings: an opponent who is not known counts as unrated.

    A level reached this way is reached; one that is not may be, up to *best*, if they
    are rated as high as any player.
    """
    holds = True if found >= needed else None if best >= needed else False
    return Check(rule, found, needed, holds)


def _games_check(games: int, conditions: Conditions) -> Check:
    counted = games + (conditions.is_excused and games == FIDE_NORM_GAMES - 1)
    return Check(Rule.GAMES, games, FIDE_NORM_GAMES, counted >= FIDE_NORM_GAMES)


def _federation_checks(
    games: Sequence[NormGame], conditions: Conditions
) -> Iterator[Check]:
    """Yield the federation checks (1.4.3 and 1.4.4); none if they are waived."""
    if conditions.is_open:
        return
    own = conditions.federation
    met = Counter(
        game.player.federation
        for game in games
        if game.player.federation not in ("", NO_FEDERATION)
    )
    unknown = sum(not game.player.federation for game in games)
    others = len(met.keys() - {own})
    # If the player's own is unknown, any federation met may be theirs.
    certain, possible = others - (not own), others + unknown
    holds = True if certain >= OTHER_FEDERATIONS else None
    if possible < OTHER_FEDERATIONS:
        holds = False
    yield Check(Rule.FEDERATIONS, others, OTHER_FEDERATIONS, holds)
    if own and own != NO_FEDERATION:
        most = max_own_federation(len(games))
        yield Check(
            Rule.OWN_FEDERATION, met[own], most, _at_most(met[own], most, unknown)
        )
    largest, most = max(met.values(), default=0), max_one_federation(len(games))
    yield Check(Rule.ONE_FEDERATION, largest, most, _at_most(largest, most, unknown))


def _title_checks(
    norm: Norm, games: Sequence[NormGame], format: Format
) -> Iterator[Check]:
    """Yield the title checks (1.4.5): in a double round robin by opponent."""
    players = [game.player for game in games]
    if format is Format.DOUBLE_ROUND_ROBIN:
        players = list({game.opponent: game.player for game in games}.values())
    unknown = sum(not one.is_known for one in players)
    for rule, titles, needed in (
        (Rule.HOLDERS, HOLDERS, min_title_holders(len(players))),
        (Rule.TITLES, norm.titles, min_titles(len(players), format)),
    ):
        found = sum(one.title in titles for one in players)
        yield Check(rule, found, needed, _at_least(found, needed, unknown))


def _at_least(found: int, needed: int, unknown: int) -> bool | None:
    if found >= needed:
        return True
    return None if found + unknown >= needed else False


def _at_most(found: int, most: int, unknown: int) -> bool | None:
    if found > most:
        return False
    return None if found + unknown > most else True
