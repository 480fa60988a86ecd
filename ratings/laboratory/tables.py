"""The two tables of Elo and FIDE: score to difference, and difference to expectation.

Stored as data, because no curve gives them: the normal curve of σ = 2000/7 misses six
rows. Source: FIDE Handbook B.02, 8.1.1 and 8.1.2; the regulations of the FIDE Online
Arena have the same as 4.1 and 4.2.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import Any, Final

from ratings.engine.numbers import official

from .cases import Case, each

_DIFFERENCES: Final[tuple[int, ...]] = (
    *(0, 7, 14, 21, 29, 36, 43, 50, 57, 65),
    *(72, 80, 87, 95, 102, 110, 117, 125, 133, 141),
    *(149, 158, 166, 175, 184, 193, 202, 211, 220, 230),
    *(240, 251, 262, 273, 284, 296, 309, 322, 336, 351),
    *(366, 383, 401, 422, 444, 470, 501, 538, 589, 677),
    800,
)
"""The difference for 50, 51 ... 100 percent."""

_LAST_DIFFERENCES: Final[tuple[int, ...]] = (
    *(3, 10, 17, 25, 32, 39, 46, 53, 61, 68),
    *(76, 83, 91, 98, 106, 113, 121, 129, 137, 145),
    *(153, 162, 170, 179, 188, 197, 206, 215, 225, 235),
    *(245, 256, 267, 278, 290, 302, 315, 328, 344, 357),
    *(374, 391, 411, 432, 456, 484, 517, 559, 619, 735),
)
"""The last difference for which the higher rated expects 50, 51 ... 99 percent."""

_EXPECTATIONS: Final = tuple(
    50 + bisect_left(_LAST_DIFFERENCES, difference) for difference in range(737)
)


def difference_for(percent: int) -> int:
    """Return by how much a performance of *percent*, 0 to 100, differs (dp, 8.1.1).

    >>> difference_for(57), difference_for(43), difference_for(100)
    (50, -50, 800)
    """
    if percent < 50:
        return -_DIFFERENCES[50 - percent]
    return _DIFFERENCES[percent - 50]


def expectation(difference: int) -> int:
    """Return the expected score in hundredths (PD, 8.1.2).

    *difference* is the own rating less the opponent's, in whole rating points.

    >>> expectation(35), expectation(-344), expectation(-345), expectation(736)
    (55, 12, 11, 100)
    """
    if difference < 0:
        return 100 - expectation(-difference)
    return _EXPECTATIONS[difference] if difference < 737 else 100


MAX_DIFFERENCE: Final = 736
"""From this difference on the table says 0 or 100 percent."""
PERCENT: Final = tuple(
    expectation(gap) for gap in range(-MAX_DIFFERENCE, MAX_DIFFERENCE + 1)
)
"""The expectation for every difference from -REACH to REACH, at gap + REACH."""
SHARES: Final = tuple(percent / 100 for percent in PERCENT)
"""The same in shares of a point."""


def _differences(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"dp": each(_difference_for_share, inputs["p"])}


def _difference_for_share(share: float) -> int:
    return difference_for(official(100 * share))


def _expectations(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    differences = each(official, inputs["D"])
    return {
        "PD": each(_expected_score, differences),
        "PD_higher": each(_expected_score, each(abs, differences)),
    }


def _expected_score(difference: int) -> float:
    return expectation(difference) / 100


CASES: Mapping[str, Case] = {
    "fide.table_8_1_1": _differences,
    "fide.table_8_1_2": _expectations,
}
