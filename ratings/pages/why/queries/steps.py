"""The steps of a derivation as dataclasses, each with its template.

All figures are formatted as the reader may see them, None if hidden. So templates
cannot show more than is allowed here; they add constants of the rules only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from ratings.engine.age_based_start import remaining_age_start
from ratings.engine.inputs import PlayerId
from ratings.engine.numbers import official
from ratings.engine.rules import Rules
from ratings.ledger.queries.published_ratings import published_change, published_number
from ratings.pages.why.mathml import operand
from ratings_site.common.ui.formatting import (
    ApproximateRating,
    decimal_rating,
    format_decimal,
    format_rating,
)

# The titles of the three passes, by step of the rules.
PASSES = {
    3: gettext_lazy("First estimate"),
    4: gettext_lazy("First pass"),
    5: gettext_lazy("Second pass"),
}


@dataclass(frozen=True, slots=True)
class Person:
    """An opponent's name, and the URL of the profile if it is a member."""

    name: str
    url: str = ""


# --- The summary ---


@dataclass(frozen=True, slots=True)
class Move:
    """The direction of a rating: rises, falls, stays, with _slightly or _rounded.

    It is "hidden" if a number is only "about": then only *after* is shown. *points* is
    the change in whole numbers, without its sign.
    """

    direction: str
    before: str
    after: str
    points: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome; without a name, it is the reader's. *score* is in half points.

    *kind* is none (no rated game), newcomer, standard, special or abroad. Limits that
    are not empty apply to the result.
    """

    kind: str
    name: str
    score: int = 0
    games: int = 0
    expected: str = ""
    expected_short: str = ""
    move: Move | None = None
    post: str = ""
    bonus: str = ""
    match_limited: str = ""
    floor: str = ""
    ceiling: str = ""


# --- The steps ---


@dataclass(frozen=True, slots=True)
class Step:
    """A numbered, collapsible step."""

    template: ClassVar[str]


@dataclass(frozen=True, slots=True)
class RatingBefore(Step):
    """The state before. *rating* is None for a newcomer."""

    template = "ratings/pages/why/known.html"
    rating: str | None
    games: int
    record: str | Promise
    floor: str
    ceiling: str
    played: int
    system: str
    time_control: str
    kind: str | Promise
    starts: date
    ends: date


@dataclass(frozen=True, slots=True)
class Source:
    """A rating in another system, with the figures of its table row."""

    name: str
    day: date
    rating: str
    weighed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Blend:
    """An initial rating from other systems.

    *has_ages*: the columns include the rating by age (P) and its dependents (Z, S).
    Ratings in *products* and *average* are operands of a formula.
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
    """The initial rating. Without a blend or a start by age, it was entered manually.

    A hidden start by age has neither *rating* nor *age*. *is_estimate*: ages are not
    used.
    """

    template = "ratings/pages/why/initial.html"
    rating: str | None
    is_by_age: bool
    is_estimate: bool
    blend: Blend | None
    age: AgeStart | None


@dataclass(frozen=True, slots=True)
class EffectiveGamesStep(Step):
    """N′; if *is_at_maximum*, N* is a constant."""

    template = "ratings/pages/why/games_worth.html"
    worth: str
    games: int = 0
    rating: str = ""
    most: str = ""
    is_at_maximum: bool = False


@dataclass(frozen=True, slots=True)
class FormulaChoice(Step):
    """*reason* is one of the engine's, or newcomer."""

    template = "ratings/pages/why/which_formula.html"
    is_special: bool
    reason: str
    games: int = 0


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game; *rating* is None if it is a hidden start by age.

    *expected* is None if it would reveal the rating.
    """

    opponent: Person
    score: int
    rating: str | None
    origin: str | Promise
    expected: str | None


@dataclass(frozen=True, slots=True)
class Prior:
    """The rating before, which counts with the games in the special formula.

    *rating* is None if it is a hidden start by age.
    """

    rating: str | None
    worth: str
    score: str
    adjusted_score: str
    expectancy: str | None


@dataclass(frozen=True, slots=True)
class Special:
    """The special formula; *shares* are empty if one of them is hidden.

    *low* and *high* are empty if the range is open.
    """

    prior: Prior | None
    shows_expectancy: bool
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

    *result* and *rating* are operands of a formula, *shares* the terms of *expected*.
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
    """One of the three passes of the rating: *number* is the step of the rules.

    *score* is in half points.
    """

    template = "ratings/pages/why/pass.html"
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
    """*bonus* is empty if there is none; *reason* says why none is possible."""

    template = "ratings/pages/why/bonus.html"
    is_foreign: bool = False
    reason: str = ""
    bonus: str = ""
    change: str = ""
    counted_games: int = 0
    threshold: str = ""


@dataclass(frozen=True, slots=True)
class EarlierChange:
    """The change by an earlier match; *url* is empty if it is no longer on record."""

    title: str
    url: str
    day: date
    change: str


@dataclass(frozen=True, slots=True)
class MatchLimits:
    """The remaining match limits; *opens* and *remaining* are of the two windows."""

    earlier: tuple[EarlierChange, ...]
    wins: bool
    opens: tuple[date, date]
    remaining: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Limits(Step):
    """Match limits, floor and ceiling; *match_limited* is empty if none applied."""

    template = "ratings/pages/why/limits.html"
    computed: str
    floor: str
    is_at_floor: bool
    ceiling: str
    is_at_ceiling: bool
    is_foreign: bool = False
    is_floor_request: bool = False
    match: MatchLimits | None = None
    match_limited: str = ""


@dataclass(frozen=True, slots=True)
class Result(Step):
    """*new* is the published number; *exact* is empty if decimals are hidden.

    *change* is None for newcomers, and if a number is only "about".
    """

    template = "ratings/pages/why/result.html"
    new: str
    exact: str
    change: int | None
    games_before: int
    played: int
    games: int
    is_established: bool
    is_foreign: bool = False


# --- Shared by sections and foreign events ---


def distinct_from_score(expected: float, half: int) -> str:
    """Format an expected score so that it does not look like the score itself."""
    for places in (2, 3, 4):
        text = format_decimal(expected, places)
        if text != format_decimal(half / 2, places):
            break
    return text


@dataclass(frozen=True, slots=True)
class Rights:
    """The figures that a reader may see in addition to the published ones.

    *is_exact*: all decimals; *is_own*: those of the player's rating before and after,
    and the player's start by age; *can_see_age_starts*: the starts by age of all.
    """

    is_exact: bool = True
    is_own: bool = False
    can_see_age_starts: bool = True

    @property
    def can_see_start(self) -> bool:
        return self.is_own or self.can_see_age_starts


class FigureFormatter:
    """Formats the figures of one player's derivation as the reader may see them.

    To the public, ratings, bonus and changes are whole numbers, K and N′ have one
    decimal and expected scores two. *age_starts* are, by player, the starts by age that
    a rating on the page may still have: such a rating is only "about" a number.
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
        """Return a rating as published; *player* defaults to the one of the page."""
        starts = self.age_starts.get(self.player if player is None else player, ())
        number = published_number(rating, remaining_age_start(rating, starts))
        self.has_about |= isinstance(number, ApproximateRating)
        return number

    def rating(self, rating: float, player: PlayerId | None = None) -> str:
        if self.rights.is_exact:
            return decimal_rating(rating)
        return format_rating(self.published(rating, player))

    @property
    def has_own_decimals(self) -> bool:
        return self.rights.is_exact or self.rights.is_own

    def own_rating(self, rating: float) -> str:
        """Format the player's rating before or after."""
        if self.has_own_decimals:
            return decimal_rating(rating)
        return self.rating(rating)

    def whole(self, rating: float) -> float:
        """Return the player's rating without decimals as the reader may see it."""
        if self.has_own_decimals:
            return float(official(rating))
        return self.published(rating)

    def points(self, value: float, places: int = 2) -> str:
        """Format a bonus or a change."""
        if self.rights.is_exact:
            return format_decimal(value, places)
        return format_decimal(official(value), 0)

    def expected(self, expected: float, half: int) -> str:
        exact = self.rights.is_exact
        return (
            distinct_from_score(expected, half) if exact else format_decimal(expected)
        )

    def expected_short(self, expected: float, half: int) -> str:
        """Format an expected score for the summary, if possible with one decimal."""
        brief = format_decimal(expected, 1)
        looks_like_score = brief == format_decimal(half / 2, 1)
        return self.expected(expected, half) if looks_like_score else brief

    def share(self, expectancy: float) -> str:
        return format_decimal(expectancy, 3 if self.rights.is_exact else 2)

    def k(self, k: float) -> str:
        return format_decimal(k, 3 if self.rights.is_exact else 1)

    def worth(self, games: float) -> str:
        """Format effective games, or a weight in games."""
        return format_decimal(games, 2 if self.rights.is_exact else 1)

    def move(self, before: float, after: float) -> Move:
        old, new = self.whole(before), self.whole(after)
        old_words, new_words = format_rating(old), format_rating(new)
        direction = "rises" if after > before else "falls"
        if isinstance(old, ApproximateRating) or isinstance(new, ApproximateRating):
            return Move("hidden", "", new_words)
        if old != new:
            return Move(
                direction, old_words, new_words, format_decimal(abs(new - old), 0)
            )
        if before == after:
            return Move("stays", old_words, new_words)
        if not self.has_own_decimals:
            return Move("stays_rounded", old_words, new_words)
        return Move(
            f"{direction}_slightly", decimal_rating(before), decimal_rating(after)
        )

    def effective_games_step(
        self, rating: float, games: int, most: float, worth: float
    ) -> EffectiveGamesStep:
        return EffectiveGamesStep(
            worth=self.worth(worth),
            games=games,
            rating=operand(self.own_rating(rating)),
            most=self.worth(most),
            is_at_maximum=rating > self.rules.effective_games.full_above,
        )

    def bonus(
        self,
        bonus: float,
        change: float,
        counted_games: int,
        threshold: float,
        *,
        is_foreign: bool = False,
    ) -> Bonus:
        return Bonus(
            is_foreign=is_foreign,
            bonus=self.points(bonus) if bonus else "",
            change=self.points(change),
            counted_games=counted_games,
            threshold=format_decimal(threshold),
        )

    def result(
        self,
        before: float | None,
        post: float,
        games_before: int,
        played: int,
        games: int,
        *,
        is_foreign: bool = False,
    ) -> Result:
        old = None if before is None else self.published(before)
        new = self.published(post)
        return Result(
            new=format_rating(new),
            exact=decimal_rating(post) if self.has_own_decimals else "",
            change=published_change(old, new),
            games_before=games_before,
            played=played,
            games=games,
            is_established=games > self.rules.established_after,
            is_foreign=is_foreign,
        )
