"""A section in which half a point more lowers a rating."""

from datetime import date

from ratings.engine.inputs import Competitor, Game, Kind, RatingInput, Record
from ratings.engine.results import RatingResult
from ratings.engine.rules import rules_in_force
from ratings.engine.section import rate_section
from ratings.engine.systems import System
from ratings.engine.time_controls import parse_time_control

COUNTER_EXAMPLE_DAY = date(2025, 8, 2)
COUNTER_EXAMPLE_INTRODUCTION = """\
## Can half a point more lower a rating?

For fixed opponents, no: in both formulas one more half point never lowers the result.
For a whole section, yes. The half point is taken from an opponent, whose intermediate
rating falls, and the last step reads the score against a weaker opponent. When
opponents have few games, that can be worth more than the half point.

As calculated by this program: a round robin over the board at G/90;+30 that starts on
August 2, 2025. A has 1300 on 40 games, C has 1900 on 4 games, B and D are unrated
without a birth date (750). A beats C and D; B draws with C and beats D; D beats C.
Only the game between A and B changes.
"""


def counter_example(half_points: int) -> tuple[RatingResult, ...]:
    """Rate the section of the document with A scoring *half_points* against B.

    A draw (1) leaves A a higher rating than a win (2).

    >>> from ratings.engine.numbers import official
    >>> [official(counter_example(half_points)[0].post) for half_points in (1, 2)]
    [1430, 1418]
    """
    rating_input = RatingInput(
        system=System.OTBR,
        kind=Kind.ROUND_ROBIN,
        time_control=parse_time_control("G/90;+30"),
        start_date=COUNTER_EXAMPLE_DAY,
        end_date=COUNTER_EXAMPLE_DAY,
        competitors=(
            Competitor("A", 1300.0, 40),
            Competitor("B", None, record=Record.NONE),
            Competitor("C", 1900.0, 4),
            Competitor("D", None, record=Record.NONE),
        ),
        games=(
            Game("A", "B", half_points, 2 - half_points),
            Game("A", "C", 2, 0),
            Game("A", "D", 2, 0),
            Game("B", "C", 1, 1),
            Game("B", "D", 2, 0),
            Game("D", "C", 2, 0),
        ),
    )
    return rate_section(rating_input, rules_in_force(COUNTER_EXAMPLE_DAY))
