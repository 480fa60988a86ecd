"""What the steps of a derivation share: how their figures are shown to a reader.

A step is the context of its template, which it names. Its figures are formatted as the
reader may see them, None if hidden. So templates cannot show more than is allowed here;
they add constants of the rules only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ratings.engine.age_based_start import remaining_age_start
from ratings.engine.inputs import PlayerId
from ratings.engine.numbers import official
from ratings.engine.rules import Rules
from ratings.ledger.queries.published_ratings import published_change, published_number
from ratings.models import RatingChange
from ratings.pages.why.mathml import operand
from ratings_site.common.ui.formatting import (
    ApproximateRating,
    decimal_rating,
    format_constant,
    format_decimal,
    format_rating,
)

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Person:
    """An opponent's name, and the URL of the profile if it is a member."""

    name: str
    url: str = ""
    is_name_hidden: bool = False


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
    and the player's start by age; *can_see_age_starts*: the starts by age of all;
    *can_see_sources*: ratings of other federations, which lead to the player's name.
    """

    is_exact: bool = True
    is_own: bool = False
    can_see_age_starts: bool = True
    can_see_sources: bool = True

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

    def limit(self, level: float | None) -> str:
        """Format a floor or a ceiling, empty if there is none."""
        return "" if level is None else format_constant(level)

    def move(self, before: float, after: float) -> Figures:
        """Return the direction of a rating: rises, falls, stays, and its ends.

        The direction may be with _slightly or _rounded. It is "hidden" if a number is
        only "about": then only *after* is shown. *points* is the change in whole
        numbers, without its sign.
        """
        old, new = self.whole(before), self.whole(after)
        direction = "rises" if after > before else "falls"
        shown = {"before": format_rating(old), "after": format_rating(new)}
        if isinstance(old, ApproximateRating) or isinstance(new, ApproximateRating):
            return {"direction": "hidden", "after": shown["after"]}
        if old != new:
            points = format_decimal(abs(new - old), 0)
            return {"direction": direction, **shown, "points": points}
        if before == after:
            return {"direction": "stays", **shown}
        if not self.has_own_decimals:
            return {"direction": "stays_rounded", **shown}
        return {
            "direction": f"{direction}_slightly",
            "before": decimal_rating(before),
            "after": decimal_rating(after),
        }

    def effective_games_step(
        self, rating: float, games: int, most: float, worth: float
    ) -> Figures:
        """Return the step of N′; if *is_at_maximum*, N* is a constant."""
        return {
            "template": "ratings/pages/why/games_worth.html",
            "worth": self.worth(worth),
            "games": games,
            "rating": operand(self.own_rating(rating)),
            "most": self.worth(most),
            "is_at_maximum": rating > self.rules.effective_games.full_above,
        }

    def bonus(
        self, bonus: float, change: float, counted_games: int, threshold: float
    ) -> Figures:
        """Return the figures of a bonus, which is empty if there is none."""
        return {
            "bonus": self.points(bonus) if bonus else "",
            "change": self.points(change),
            "counted_games": counted_games,
            "threshold": format_decimal(threshold),
        }

    def result(
        self,
        before: float | None,
        post: float,
        games_before: int,
        played: int,
        games: int,
    ) -> Figures:
        """Return the last step. *new* is the published number.

        *exact* is empty if decimals are hidden. *change* is None for newcomers, and if
        a number is only "about".
        """
        old = None if before is None else self.published(before)
        new = self.published(post)
        return {
            "template": "ratings/pages/why/result.html",
            "new": format_rating(new),
            "exact": decimal_rating(post) if self.has_own_decimals else "",
            "change": published_change(old, new),
            "games_before": games_before,
            "played": played,
            "games": games,
            "is_established": games > self.rules.established_after,
        }


def headline_of(line: RatingChange, rules: Rules) -> Figures:
    """Return the outcome of a stored line as the member sees it, in one sentence."""
    figures = FigureFormatter(rules, Rights(is_exact=False, is_own=True), line.pk, {})
    before, score, expected = line.pre_rating, line.half_points, line.expected
    return {
        "kind": "newcomer" if before is None else "standard",
        "score": score,
        "games": line.games,
        "post": format_rating(figures.whole(line.post_rating)),
        "move": None if before is None else figures.move(before, line.post_rating),
        "expected_short": expected and figures.expected_short(expected, score),
    }
