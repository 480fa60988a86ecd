"""A generated federation with known true strengths, which never change.

Ten years, 2015 to 2024, all over the board and slow, so that all rules are known. What
a member can do is drawn around the initial rating of that age, once and for all; games
are drawn from it. So no bonus is deserved: it lifts who was lucky, and the lower the
bonus multiplier, the worse ratings predict and the higher all of them stand.
"""

import random
from dataclasses import dataclass
from datetime import date

from tests.federation import Federation, Region

FIRST, LAST = date(2015, 1, 1), date(2024, 12, 31)
SPREAD = 150


@dataclass
class GroundTruthFederation(Federation):
    """The generator; ``build`` writes it and returns how many games it has."""

    controls = (("G/90;d5", False, 1.0),)

    @property
    def years(self) -> int:
        return 10

    @property
    def last_day(self) -> date:
        return LAST

    def _join(
        self, chance: random.Random, region: Region, year: int, *, at_school: bool
    ) -> int:
        member = super()._join(chance, region, year, at_school=at_school)
        age = year - date.fromordinal(self.births[-1]).year
        self.strengths[-1] = max(100.0, chance.gauss(50 * min(age, 26), SPREAD))
        return member

    def _score(self, chance: random.Random, one: int, other: int) -> int:
        """Draw a result whose expectation is that of the formula."""
        gap = self.strengths[one - 1] - self.strengths[other - 1]
        expected = 1 / (1 + 10 ** (-gap / 400))
        drawn = 0.2 * min(expected, 1 - expected)
        lot = chance.random()
        if lot < drawn:
            return 1
        return 2 if lot < drawn + expected - drawn / 2 else 0


def truly_expected(federation: Federation, one: int, other: int) -> float:
    """Return what the first of two members (primary keys) truly scores in a game."""
    gap = federation.strengths[one - 1] - federation.strengths[other - 1]
    return 1 / (1 + 10 ** (-gap / 400))
