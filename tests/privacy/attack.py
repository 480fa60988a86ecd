"""The attack on a birth date: which ones agree with all that is public?

It knows everything else exactly: the games, the rules, floors, the other newcomers'
birth dates. Of those who came with a rating it knows what is public, the whole number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from ratings.engine.inputs import PlayerId, RatingInput
from ratings.engine.rules import Rules
from ratings.engine.section import rate_section

DAYS_EACH_WAY = 730
# The rating before is public as a whole number, and so is the one after.
UNKNOWN = 0.5

Cards = Sequence[tuple[RatingInput, Rules]]


@dataclass(frozen=True, slots=True)
class Disclosure:
    """A public number: after which section whose rating lies from *low* to *high*."""

    section: int
    player: PlayerId
    low: float
    high: float
    source: str
    printed: float


def possible_birth_dates(
    cards: Cards,
    target: PlayerId,
    born: date,
    disclosures: Sequence[Disclosure],
    step: int = 1,
) -> int:
    """Return the number of birth dates that agree with all published values.

    Only every *step* days is tried, which limits the precision.
    """
    agreeing = [
        day
        for day in _candidates(born, step)
        if _agrees(_rated(cards, target, day), disclosures)
    ]
    assert born in agreeing, "the attack does not know what was rated"
    return len(agreeing) * step


def _candidates(born: date, step: int) -> Iterator[date]:
    most = DAYS_EACH_WAY // step
    return (born + timedelta(number * step) for number in range(-most, most + 1))


def _agrees(
    rated: dict[tuple[int, PlayerId], float], disclosures: Sequence[Disclosure]
) -> bool:
    return all(
        one.low <= rated[one.section, one.player] < one.high
        for one in disclosures
        if (one.section, one.player) in rated
    )


def _rated(
    cards: Cards, target: PlayerId, born: date
) -> dict[tuple[int, PlayerId], float]:
    """Rate the sections one after the other as if the target were born on a day."""
    now: dict[PlayerId, float] = {}
    after: dict[tuple[int, PlayerId], float] = {}
    for number, (rating_input, rules) in enumerate(cards):
        competitors = tuple(
            replace(
                one,
                birth_date=born if one.id == target else one.birth_date,
                rating=None if one.rating is None else now.get(one.id, one.rating),
            )
            for one in rating_input.competitors
        )
        for one in rate_section(replace(rating_input, competitors=competitors), rules):
            if one.post is not None and one.games:
                now[one.id] = after[number, one.id] = one.post
    return after
