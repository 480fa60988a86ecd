"""The US Chess rating system: rate a section, without a database or a network.

The code and the numbers are those of the ratings office, to the last bit.
"""

from __future__ import annotations

from typing import Any

from ._version import __version__
from .json_fields import Fault
from .rules import DEFAULT_EDITION, EDITIONS
from .section_json import rate_json, rate_text

__all__ = [
    "DEFAULT_EDITION",
    "EDITIONS",
    "BadSection",
    "Fault",
    "__version__",
    "rate_section",
    "rate_text",
]


class BadSection(ValueError):
    """A section that cannot be rated. *faults* has each place and sentence."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("\n".join(map(str, faults)))
        self.faults = faults


def rate_section(
    section: dict[str, Any], edition: str = DEFAULT_EDITION
) -> dict[str, Any]:
    """Rate one section: the JSON object of the office's `rate_section`, decoded.

    Ratings are rating points, unrounded; scores are points; days are ISO dates. Raise
    BadSection with all faults. *edition* is the text of the rules to use where the
    section names none.

    >>> section = {
    ...     "system": "OTBR",
    ...     "time_control": "G/60;d5",
    ...     "start_date": "2026-05-02",
    ...     "end_date": "2026-05-02",
    ...     "players": [
    ...         {"id": "Ann", "rating": 1500, "games": 40},
    ...         {"id": "Bob", "rating": 1500, "games": 40},
    ...     ],
    ...     "games": [{"a": "Ann", "b": "Bob", "score_a": 0.5}],
    ... }
    >>> [player["post"] for player in rate_section(section)["players"]]
    [1500.0, 1500.0]
    >>> rate_section({**section, "system": "OTB"})
    Traceback (most recent call last):
    chess_rating_engine.BadSection: system: "OTB" is none of OTBR, OTBQ, OTBB, ...
    """
    answer, faults = rate_json(section, edition)
    if answer is None:
        raise BadSection(faults)
    return answer
