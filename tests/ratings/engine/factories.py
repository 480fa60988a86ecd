"""Short ways to write rating inputs in tests."""

from __future__ import annotations

from datetime import date

from ratings.engine.inputs import Competitor, Game, Kind, PlayerId, RatingInput
from ratings.engine.results import RatingResult
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.section import rate_section
from ratings.engine.systems import System
from ratings.engine.time_controls import parse_time_control

MAY_2024 = date(2024, 5, 4)


def rating_input(
    competitors: list[Competitor],
    games: list[tuple[PlayerId, PlayerId, float]],
    *,
    system: System = System.OTBR,
    kind: Kind = Kind.SWISS,
    time_control: str = "G/90;d5",
    day: date = MAY_2024,
) -> RatingInput:
    """A one-day section; scores of the first player are in points."""
    return RatingInput(
        system=system,
        kind=kind,
        time_control=parse_time_control(time_control),
        start_date=day,
        end_date=day,
        competitors=tuple(competitors),
        games=tuple(
            Game(a, b, round(2 * score), 2 - round(2 * score)) for a, b, score in games
        ),
    )


def rated(
    section: RatingInput, rules: Rules | None = None
) -> dict[PlayerId, RatingResult]:
    rules = rules or rules_in_force(section.start_date)
    return {result.id: result for result in rate_section(section, rules)}
