"""Class categories: the names of bands of official ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ratings.engine.i18n import _


@dataclass(frozen=True, slots=True)
class RatingClass:
    """A band of official ratings from `lowest` up to the next band."""

    name: str
    short: str
    lowest: int


CLASSES: Final = (
    RatingClass(_("Senior Master"), "SM", 2400),
    RatingClass(_("National Master"), "M", 2200),
    RatingClass(_("Expert"), "X", 2000),
    RatingClass(_("Class A"), "A", 1800),
    RatingClass(_("Class B"), "B", 1600),
    RatingClass(_("Class C"), "C", 1400),
    RatingClass(_("Class D"), "D", 1200),
    RatingClass(_("Class E"), "E", 1000),
    RatingClass(_("Class F"), "F", 800),
    RatingClass(_("Class G"), "G", 600),
    RatingClass(_("Class H"), "H", 400),
    RatingClass(_("Class I"), "I", 200),
    RatingClass(_("Class J"), "J", 100),
)
"""Highest first."""


def rating_class_for(official_rating: int) -> RatingClass:
    """Return the class of an official (whole) rating.

    Raises ValueError below 100, the lowest rating there is.

    >>> [rating_class_for(rating).name for rating in (1999, 2000, 100)]
    ['Class A', 'Expert', 'Class J']
    """
    for rating_class in CLASSES:
        if official_rating >= rating_class.lowest:
            return rating_class
    raise ValueError(f"{official_rating} is below 100, the lowest rating there is.")
