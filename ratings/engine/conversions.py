"""Ratings of other federations on the US Chess scale (2025 paper, 2.1, 2.2, 6)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LinearConversion:
    """One piece of a conversion: intercept + slope × rating, up to a rating.

    `up_to` None means no upper end; `includes_end` says which piece includes `up_to`.
    """

    intercept: float
    slope: float
    up_to: float | None = None
    includes_end: bool = True

    def covers(self, rating: float) -> bool:
        if self.up_to is None or rating < self.up_to:
            return True
        return self.includes_end and rating == self.up_to


@dataclass(frozen=True)
class Conversion:
    """A conversion in straight pieces, lowest ratings first, the last without end."""

    lines: tuple[LinearConversion, ...]

    def us_rating(self, rating: float) -> float:
        """Return *rating* in US Chess rating points, not rounded.

        >>> low = LinearConversion(-1073, 1.5667, up_to=2000)
        >>> fide = Conversion((low, LinearConversion(20, 1.02)))
        >>> round(fide.us_rating(2000), 4), round(fide.us_rating(2001), 4)
        (2060.4, 2061.02)
        """
        for line in self.lines:
            if line.covers(rating):
                return line.intercept + line.slope * rating
        raise ValueError("The last piece of a conversion must be without end.")
