"""The steps of a derivation as plain records; each names the template that words it.

All figures are as the reader may see them: None is hidden, and what has to be rounded
is a whole number. So a template cannot show more than was decided here; of its own it
adds constants of the rules only.
"""

from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from ratings.engine.numbers import official
from ratings.engine.rules import Rules
from ratings_site.common.looks.figures import decimal_rating, plain

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
    """Where a rating went: rises, falls, stays, with _slightly or _rounded."""

    way: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened to whom; without a name, to the reader. *score* is in half points.

    *kind* is none (no rated game), newcomer, standard, special, shut or abroad. Limits
    hold the result where they are not empty.
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
    """A rating in another system; the paper's letters, if they may be seen."""

    name: str
    day: date
    rating: str
    weighed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Blend:
    """A start from other systems; *games* is None if its figures are hidden."""

    sources: tuple[Source, ...]
    products: tuple[str, ...] = ()
    weights: tuple[str, ...] = ()
    average: str = ""
    rounded: str = ""
    games: int | None = None
    total_weight: str = ""
    most_games: int = 0


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

    *is_estimate* says that no age takes part.
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
    is_rounded: bool = False
    is_most: bool = False


@dataclass(frozen=True, slots=True)
class WhichFormula(Step):
    """*reason* is one of the engine's, newcomer or hidden."""

    template = "ratings/why/which_formula.html"
    is_special: bool
    reason: str
    games: int | None = None


@dataclass(frozen=True, slots=True)
class GameRow:
    opponent: Person
    score: int
    rating: str | None = None
    origin: str = ""
    expected: str | None = None


@dataclass(frozen=True, slots=True)
class Prior:
    """The rating before, which counts beside the games of the special formula."""

    rating: str
    worth: str
    score: str
    adjusted_score: str
    expectancy: str


@dataclass(frozen=True, slots=True)
class Special:
    """The special formula: what may be seen of it, *shares* if its equation may.

    *low* and *high* are empty if a range has no such end.
    """

    prior: Prior | None
    says_expectancy: bool
    cap: str
    shares: tuple[str, ...] = ()
    score: str = ""
    nearest: str = ""
    has_range: bool = False
    low: str = ""
    high: str = ""
    taken: str = ""


@dataclass(frozen=True, slots=True)
class K:
    """K with its numerator in letters and in numbers."""

    is_rounded: bool
    is_lower: bool
    in_letters: str
    in_numbers: str
    worth: str
    games: int
    k: str


@dataclass(frozen=True, slots=True)
class Standard:
    """The standard formula. Without *expected* only *result* may be seen, rounded."""

    is_rounded: bool
    result: str
    k_step: K | None = None
    shares: tuple[str, ...] = ()
    rating: str = ""
    k: str = ""
    score: str = ""
    expected: str = ""
    bonus: str = ""


@dataclass(frozen=True, slots=True)
class Pass(Step):
    """One of the three times a player is rated: *number* is the step of the rules.

    *score* is in half points. *is_shut* says that the start takes part in every
    figure, *has_gaps* and *has_rounded* that ratings in the table are hidden or whole.
    """

    template = "ratings/why/pass.html"
    number: int
    is_special: bool
    result: str | None
    games: tuple[GameRow, ...] = ()
    score: int = 0
    is_shut: bool = False
    has_gaps: bool = False
    has_rounded: bool = False
    special: Special | None = None
    standard: Standard | None = None
    lowest: str = ""

    @property
    def title(self) -> Promise:
        return PASSES[self.number]


@dataclass(frozen=True, slots=True)
class Bonus(Step):
    """*bonus* is empty if there is none; *reason* is the engine's, if none may be.

    *is_hidden* says only that there was one.
    """

    template = "ratings/why/bonus.html"
    is_rounded: bool
    is_abroad: bool = False
    is_hidden: bool = False
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
    """*exact* is empty where decimals are hidden, *change* is None for newcomers.

    *games_before* is None where it is hidden.
    """

    template = "ratings/why/result.html"
    new: str
    exact: str
    change: int | None
    games_before: int | None
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


class Figures:
    """Writes figures: rounded, ratings and bonus are whole; else two decimals."""

    rules: Rules
    is_rounded: bool

    def rating(self, rating: float) -> str:
        return str(official(rating)) if self.is_rounded else decimal_rating(rating)

    def points(self, value: float, places: int = 2) -> str:
        """Write a bonus or a change."""
        return str(official(value)) if self.is_rounded else plain(value, places)

    def expected(self, expected: float, half: int) -> str:
        return plain(expected) if self.is_rounded else unlike_score(expected, half)

    def share(self, expectancy: float) -> str:
        return plain(expectancy, 2 if self.is_rounded else 3)

    def move(self, before: float, after: float) -> Move:
        old, new = official(before), official(after)
        way = "rises" if after > before else "falls"
        if old != new:
            return Move(way, str(old), str(new))
        if before == after:
            return Move("stays", str(old), str(new))
        if self.is_rounded:
            return Move("stays_rounded", str(old), str(new))
        return Move(f"{way}_slightly", decimal_rating(before), decimal_rating(after))

    def games_worth(
        self, rating: float, games: int, most: float, worth: float
    ) -> GamesWorth:
        return GamesWorth(
            worth=plain(worth),
            games=games,
            rating=self.rating(rating),
            most=plain(most),
            is_rounded=self.is_rounded,
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
            is_rounded=self.is_rounded,
            is_abroad=is_abroad,
            bonus=self.points(bonus) if bonus else "",
            change=self.points(change),
            counted_games=counted_games,
            threshold=plain(threshold),
        )
