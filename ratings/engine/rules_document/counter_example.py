"""A section in which half a point more lowers a rating."""

from datetime import date

from ratings.engine.inputs import Competitor, Game, Kind, RatingInput, Record
from ratings.engine.results import RatingResult
from ratings.engine.rules import rules_in_force
from ratings.engine.section import rate_section
from ratings.engine.systems import System
from ratings.engine.time_controls import parse_time_control

_DAY = date(2025, 8, 2)


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
        start_date=_DAY,
        end_date=_DAY,
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
    return rate_section(rating_input, rules_in_force(_DAY))
