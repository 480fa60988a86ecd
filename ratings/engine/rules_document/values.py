"""The value of a rule in words or as a formula, for any type of value."""

from typing import Any

from ratings.engine.conversions import Conversion, LinearConversion
from ratings.engine.parameters import (
    OLM_ABOVE_BEFORE,
    OLM_FROM_AFTER,
    OLM_FROM_BEFORE,
    AbsoluteFloor,
    AgeStart,
    Blend,
    EffectiveGames,
    FideGameFactor,
    LowerK,
    TimeControlRange,
)

_READINGS = {
    OLM_ABOVE_BEFORE: "sections begun with an established rating above the floor",
    OLM_FROM_BEFORE: "sections begun with an established rating at the floor or above",
    OLM_FROM_AFTER: "sections that left an established rating at the floor or above, "
    "without the help of a floor",
}


def _number(number: float) -> str:
    """Format a number as the papers do: no needless zeros, a true minus sign."""
    return f"{number:.10f}".rstrip("0").rstrip(".").replace("-", "−")


def describe_value(value: Any) -> str:
    """Describe a value in words or as a formula, for any type of value."""
    match value:
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return _number(value)
        case str():
            return _READINGS[value]
        case EffectiveGames():
            return (
                f"N* = {_number(value.limit)} ÷ √({_number(value.base)} + "
                f"{_number(value.slope)} × ({_number(value.pivot)} − R)²); "
                f"{_number(value.limit)} if R > {_number(value.full_above)}"
            )
        case LowerK():
            return (
                f"K × ({_number(value.intercept)} − {_number(value.slope)} × R) if R > "
                f"{_number(value.above)}; {_number(value.flat)} ÷ (N′ + m) if R ≥ "
                f"{_number(value.flat_from)}"
            )
        case AgeStart():
            return _age_start(value)
        case Blend():
            return _blend(value)
        case FideGameFactor():
            return (
                f"{value.higher} above {_number(value.above)}, "
                f"{value.lower} up to {_number(value.above)}"
            )
        case AbsoluteFloor():
            return (
                f"{value.base} + {value.per_win} per win + {value.per_draw} per draw + "
                f"{value.per_event} per event that counts, at most {value.highest}"
            )
        case Conversion():
            return "; ".join(_line(line) for line in value.lines)
        case tuple():
            return "; ".join(_range(time_range) for time_range in value)
    raise TypeError(f"{value!r} has no words for the document of the rules.")


def _age_start(start: AgeStart) -> str:
    return (
        f"{_number(start.points_per_year)} × age (days ÷ "
        f"{_number(start.days_per_year)}); {_number(start.lowest)} below age "
        f"{_number(start.lowest_below)}, {_number(start.highest)} above age "
        f"{_number(start.highest_above)}; without a birth date or below age "
        f"{_number(start.mistaken_below)} an adult counts as "
        f"{_number(start.adult_age)}, anyone else as {_number(start.child_age)}"
    )


def _blend(blend: Blend) -> str:
    pairs = ", ".join(f"{target} from {source}" for source, target in blend.same_speed)
    return (
        f"Game Factor {blend.main_factor} for {blend.main_source} and for {pairs}, "
        f"else {blend.other_factor}, at most the games credited; Z = min("
        f"{_number(blend.strength_limit)}, (X − P) ÷ {_number(blend.strength_scale)}); "
        f"staleness factor e^({_number(blend.decay)} × (Z − "
        f"{_number(blend.strength_limit)}) × days ÷ {_number(blend.days_per_year)}); N "
        f"at most {blend.most_games}"
    )


def _line(line: LinearConversion) -> str:
    formula = f"{_number(line.intercept)} + {_number(line.slope)} × rating"
    if line.up_to is None:
        return f"{formula} beyond"
    word = "up to" if line.includes_end else "below"
    return f"{formula} {word} {_number(line.up_to)}"


def _range(time_range: TimeControlRange) -> str:
    systems = " and ".join(time_range.systems)
    most = "or more" if time_range.most is None else f"to {time_range.most}"
    return (
        f"{systems} {time_range.least} {most} "
        f"(first control at least {time_range.first_control})"
    )
