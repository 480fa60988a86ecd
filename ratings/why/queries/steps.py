"""The steps of a derivation as plain records; each names the template that words it.

All figures are written as the reader may see them, None where they are not shown. So a
template cannot show more than was decided here; of its own it adds constants of the
rules only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from ratings.engine.age_starts import remaining_age_start
from ratings.engine.cards import PlayerId
from ratings.engine.numbers import official
from ratings.engine.rules import Rules
from ratings.ledger.queries.published import published_change, published_number
from ratings.why.mathml import operand
from ratings_site.common.looks.figures import About, decimal_rating, in_words, plain

# The titles of the three passes, by their step of the rules.
PASSES = {
    3: gettext_lazy("First estimate"),
    4: gettext_lazy("First pass"),
    5: gettext_lazy("Second pass"),
}


@dataclass(frozen=True, slots=True)
class Person:
    """An opponent by name and address, which somebody who is no member has not."""

    name: str
    url: str = ""


# --- The sentences that come first ---


@dataclass(frozen=True, slots=True)
class Move:
    """Where a rating went: rises, falls, stays, with _slightly or _rounded.

    It is "hidden" where a number is only "about": then only *after* is told.
    """

    way: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened to whom; without a name, to the reader. *score* is in half points.

    *kind* is none (no rated game), newcomer, standard, special or abroad. Limits hold
    the result where they are not empty.
    """

    kind: str
    name: str
    score: int = 0
    games: int = 0
    expected: str = ""
    move: Move | None = None
    post: str = ""
    bonus: str = ""
    match_limited: str = ""
    floor: str = ""
    ceiling: str = ""


# --- The steps ---


@dataclass(frozen=True, slots=True)
class Step:
    """A numbered step that folds."""

    template: ClassVar[str]


@dataclass(frozen=True, slots=True)
class Known(Step):
    """What was known. *rating* is None for a newcomer."""

    template = "ratings/why/known.html"
    rating: str | None
    games: int
    record: str
    floor: str
    ceiling: str
    played: int
    system: str
    time_control: str
    kind: str
    starts: date
    ends: date


@dataclass(frozen=True, slots=True)
class Source:
    """A rating in another system, and the figures of its columns in the table."""

    name: str
    day: date
    rating: str
    weighed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Blend:
    """A start from other systems.

    *has_ages* says that the columns have the rating by age (P) and what depends on it
    (Z, S). Ratings in *products* and *average* are operands of a formula.
    """

    sources: tuple[Source, ...]
    has_ages: bool
    products: tuple[str, ...]
    weights: tuple[str, ...]
    average: str
    rounded: str
    games: int
    total_weight: str


@dataclass(frozen=True, slots=True)
class AgeStart:
    """A start by age. *basis* is age, adult or child; *end* is lowest or highest."""

    basis: str
    rating: str
    end: str
    points_per_year: str
    years: str


@dataclass(frozen=True, slots=True)
class Initial(Step):
    """The initial rating. Without a blend or a start by age it was given by hand.

    A start by age has neither *rating* nor *age* where it is not shown. *is_estimate*
    says that no age takes part.
    """

    template = "ratings/why/initial.html"
    rating: str | None
    is_by_age: bool
    is_estimate: bool
    blend: Blend | None
    age: AgeStart | None


@dataclass(frozen=True, slots=True)
class GamesWorth(Step):
    """N′; *is_most* says that N* is a constant."""

    template = "ratings/why/games_worth.html"
    worth: str
    games: int = 0
    rating: str = ""
    most: str = ""
    is_most: bool = False


@dataclass(frozen=True, slots=True)
class WhichFormula(Step):
    """*reason* is one of the engine's, or newcomer."""

    template = "ratings/why/which_formula.html"
    is_special: bool
    reason: str
    games: int = 0


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game; *rating* is None if it is a start by age that is not shown.

    *expected* is None where the rating beside it could be read from it.
    """

    opponent: Person
    score: int
    rating: str | None
    origin: str
    expected: str | None


@dataclass(frozen=True, slots=True)
class Prior:
    """The rating before, which counts beside the games of the special formula.

    *rating* is None if it is a start by age that is not shown.
    """

    rating: str | None
    worth: str
    score: str
    adjusted_score: str
    expectancy: str | None


@dataclass(frozen=True, slots=True)
class Special:
    """The special formula; *shares* are empty where one of them is not shown.

    *low* and *high* are empty if a range has no such end.
    """

    prior: Prior | None
    says_expectancy: bool
    cap: str
    shares: tuple[str, ...]
    score: str
    nearest: str
    has_range: bool
    low: str
    high: str
    taken: str


@dataclass(frozen=True, slots=True)
class K:
    """K with its numerator in letters and in numbers."""

    is_lower: bool
    in_letters: str
    in_numbers: str
    worth: str
    games: int
    k: str


@dataclass(frozen=True, slots=True)
class Standard:
    """The standard formula with its numbers; *bonus* is empty if there is none.

    *result* and *rating* are operands of a formula, *shares* what makes *expected*.
    """

    result: str
    rating: str
    k: str
    score: str
    expected: str
    bonus: str
    shares: tuple[str, ...] = ()
    k_step: K | None = None


@dataclass(frozen=True, slots=True)
class Pass(Step):
    """One of the three times a player is rated: *number* is the step of the rules.

    *score* is in half points.
    """

    template = "ratings/why/pass.html"
    number: int
    result: str
    games: tuple[GameRow, ...]
    score: int
    special: Special | None = None
    standard: Standard | None = None
    lowest: str = ""

    @property
    def title(self) -> Promise:
        return PASSES[self.number]


@dataclass(frozen=True, slots=True)
class Bonus(Step):
    """*bonus* is empty if there is none; *reason* is the engine's, if none may be."""

    template = "ratings/why/bonus.html"
    is_abroad: bool = False
    reason: str = ""
    bonus: str = ""
    change: str = ""
    counted_games: int = 0
    threshold: str = ""


@dataclass(frozen=True, slots=True)
class EarlierChange:
    """What an earlier match did; *url* is empty if it is not in the books any more."""

    title: str
    url: str
    day: date
    change: str


@dataclass(frozen=True, slots=True)
class MatchLimits:
    """What the limits on matches leave; *opens* and *rooms* are of the two windows."""

    earlier: tuple[EarlierChange, ...]
    wins: bool
    opens: tuple[date, date]
    rooms: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Limits(Step):
    """Match limits, floor and ceiling; *match_limited* is empty if they left room."""

    template = "ratings/why/limits.html"
    computed: str
    floor: str
    is_floor_acting: bool
    ceiling: str
    is_ceiling_acting: bool
    is_abroad: bool = False
    is_floor_request: bool = False
    match: MatchLimits | None = None
    match_limited: str = ""


@dataclass(frozen=True, slots=True)
class Result(Step):
    """*new* is the published number, *exact* empty where decimals are not shown.

    *change* is None for newcomers, and where a number is only "about".
    """

    template = "ratings/why/result.html"
    new: str
    exact: str
    change: int | None
    games_before: int
    played: int
    games: int
    is_established: bool
    is_abroad: bool = False


# --- What derivations at home and abroad have in common ---


def unlike_score(expected: float, half: int) -> str:
    """Write an expected score so that it does not look like the score itself."""
    for places in (2, 3, 4):
        text = plain(expected, places)
        if text != plain(half / 2, places):
            break
    return text


@dataclass(frozen=True, slots=True)
class Rights:
    """Which figures a reader sees besides the published ones.

    *is_exact* are all decimals, *is_own* those of the player's rating before and after,
    and the player's start by age; *sees_starts* are the starts by age of all.
    """

    is_exact: bool = True
    is_own: bool = False
    sees_starts: bool = True

    @property
    def sees_start(self) -> bool:
        return self.is_own or self.sees_starts


class Figures:
    """Writes the figures of one player's working as the reader may see them.

    To the public, ratings, bonus and changes are whole numbers, K and N′ have one
    decimal and expected scores two. *age_starts* are the starts by age that a rating
    on the page may still be, by player: such a rating is only "about" a number.
    """

    def __init__(
        self,
        rules: Rules,
        rights: Rights,
        player: PlayerId,
        age_starts: Mapping[PlayerId, Sequence[float]],
    ) -> None:
        self.rules, self.rights, self.player = rules, rights, player
        self.age_starts = age_starts
        self.has_about = False

    def published(self, rating: float, player: PlayerId | None = None) -> float:
        """Return a rating as published; without a *player* it is that of the page."""
        starts = self.age_starts.get(self.player if player is None else player, ())
        number = published_number(rating, remaining_age_start(rating, starts))
        self.has_about |= isinstance(number, About)
        return number

    def rating(self, rating: float, player: PlayerId | None = None) -> str:
        if self.rights.is_exact:
            return decimal_rating(rating)
        return in_words(self.published(rating, player))

    @property
    def has_own_decimals(self) -> bool:
        return self.rights.is_exact or self.rights.is_own

    def own_rating(self, rating: float) -> str:
        """Write the player's rating before or after."""
        if self.has_own_decimals:
            return decimal_rating(rating)
        return self.rating(rating)

    def whole(self, rating: float) -> float:
        """Return the player's rating without decimals as the reader may see it."""
        if self.has_own_decimals:
            return float(official(rating))
        return self.published(rating)

    def points(self, value: float, places: int = 2) -> str:
        """Write a bonus or a change."""
        if self.rights.is_exact:
            return plain(value, places)
        return plain(official(value), 0)

    def expected(self, expected: float, half: int) -> str:
        exact = self.rights.is_exact
        return unlike_score(expected, half) if exact else plain(expected)

    def share(self, expectancy: float) -> str:
        return plain(expectancy, 3 if self.rights.is_exact else 2)

    def k(self, k: float) -> str:
        return plain(k, 3 if self.rights.is_exact else 1)

    def worth(self, games: float) -> str:
        """Write effective games or a weight, which counts games, too."""
        return plain(games, 2 if self.rights.is_exact else 1)

    def move(self, before: float, after: float) -> Move:
        old, new = self.whole(before), self.whole(after)
        old_words, new_words = in_words(old), in_words(new)
        way = "rises" if after > before else "falls"
        if isinstance(old, About) or isinstance(new, About):
            return Move("hidden", "", new_words)
        if old != new:
            return Move(way, old_words, new_words)
        if before == after:
            return Move("stays", old_words, new_words)
        if not self.has_own_decimals:
            return Move("stays_rounded", old_words, new_words)
        return Move(f"{way}_slightly", decimal_rating(before), decimal_rating(after))

    def games_worth(
        self, rating: float, games: int, most: float, worth: float
    ) -> GamesWorth:
        return GamesWorth(
            worth=self.worth(worth),
            games=games,
            rating=operand(self.own_rating(rating)),
            most=self.worth(most),
            is_most=rating > self.rules.effective_games.full_above,
        )

    def bonus(
        self,
        bonus: float,
        change: float,
        counted_games: int,
        threshold: float,
        *,
        is_abroad: bool = False,
    ) -> Bonus:
        return Bonus(
            is_abroad=is_abroad,
            bonus=self.points(bonus) if bonus else "",
            change=self.points(change),
            counted_games=counted_games,
            threshold=plain(threshold),
        )

    def result(
        self,
        before: float | None,
        post: float,
        games_before: int,
        played: int,
        games: int,
        *,
        is_abroad: bool = False,
    ) -> Result:
        old = None if before is None else self.published(before)
        new = self.published(post)
        return Result(
            new=in_words(new),
            exact=decimal_rating(post) if self.has_own_decimals else "",
            change=published_change(old, new),
            games_before=games_before,
            played=played,
            games=games,
            is_established=games > self.rules.established_after,
            is_abroad=is_abroad,
        )
