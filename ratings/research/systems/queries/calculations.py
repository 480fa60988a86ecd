"""A system's calculator and its worked example: inputs and results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cache
from typing import Any, Final

from django.utils.translation import gettext

from ratings.laboratory.calculator import GameCalculation, PlayerCalculation, calculate
from ratings.laboratory.protocol import Standing, System
from ratings.laboratory.registry import SYSTEMS
from ratings.research.systems.queries.catalog import REFUSALS, is_runnable
from ratings_site.common.ui.formatting import MINUS

# --- Inputs of a system ---

# Possible inputs about a player other than the rating, with two distant values.
_TRIALS: Final[Mapping[str, tuple[Any, Any]]] = {
    "games": (3, 60),
    "deviation": (50.0, 250.0),
    "volatility": (0.03, 0.3),
    "evaluations": (2, 60),
}
_USUAL: Final[dict[str, Any]] = {
    "games": 60,
    "deviation": 80.0,
    "volatility": 0.06,
    "evaluations": 60,
}
# One day in each decade or edition of rules; the last is the usual one.
_DAYS = tuple(
    date(year, 12, 15).toordinal() for year in (2005, 2010, 2013, 2022, 2023, 2025)
)
_MOMENTS: Final[Mapping[str, Sequence[int]]] = {
    "birth_year": (1970, 2012),
    "day": _DAYS,
}


@cache
def player_inputs(key: str) -> frozenset[str]:
    """Return the inputs that matter in a system, apart from the player's rating.

    Some of games, deviation, volatility, evaluations, birth_year and day. They are
    found by trial: the same event is calculated with different values of each.
    """
    return _asked(SYSTEMS[key], "player", (*_TRIALS, *_MOMENTS))


@cache
def opponent_inputs(key: str) -> frozenset[str]:
    """Return the inputs that matter in a system, apart from opponents' ratings."""
    return _asked(SYSTEMS[key], "opponent", ("games", "deviation"))


def _asked(system: System, side: str, inputs: Sequence[str]) -> frozenset[str]:
    if not is_runnable(system):
        return frozenset()
    return frozenset(
        one
        for one in inputs
        if any(len(found) > 1 for found in _outcomes(system, side, one))
    )


def _outcomes(system: System, side: str, asked: str) -> Iterator[set[float | None]]:
    """Yield for some events the new ratings that different values of *asked* lead to.

    The value is that of a *side*, "player" or "opponent", or of the event.
    """
    for own, other, scores in _trial_events(system):
        usual = {
            "player": Standing(own, **_USUAL),
            "opponent": Standing(other, **_USUAL),
        }
        trials: list[dict[str, Any]] = [
            {side: usual[side]._replace(**{asked: value})}
            for value in _TRIALS.get(asked, ())
        ] or [{asked: value} for value in _MOMENTS[asked]]
        yield {_new(system, scores, **{**usual, **trial}) for trial in trials}


def _trial_events(system: System) -> Iterator[tuple[float, float, Sequence[float]]]:
    """Yield own rating, opponents' rating and scores; some rules need a large gap."""
    for own, other in ((1000, 1000), (1600, 1700), (2700, 2200)):
        for scores in ((1.0, 1.0, 0.5), (0.0, 0.0, 0.5)):
            yield system.from_elo_scale(own), system.from_elo_scale(other), scores


def _new(
    system: System,
    scores: Sequence[float],
    *,
    player: Standing,
    opponent: Standing,
    birth_year: int = _MOMENTS["birth_year"][0],
    day: int = _DAYS[-1],
) -> float | None:
    games = [(opponent, score) for score in scores]
    try:
        worked = calculate(system, player, games, birth_year=birth_year, day=day)
    except REFUSALS:
        return None
    return worked.after.rating if worked.after else None


# --- Results ---


def plain(figure: float | None, places: int = 9) -> str:
    """Format a number without trailing zeros: 1500, 62.5, nothing for None.

    >>> plain(1500.0), plain(62.5), plain(None), plain(1464.10646, 2)
    ('1500', '62.5', '', '1464.11')
    """
    if figure is None:
        return ""
    text = f"{figure:.{places}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def typeset(figure: float | None, places: int) -> str:
    """Format a number for people, with a true minus."""
    return plain(figure, places).replace("-", MINUS)


@dataclass(frozen=True, slots=True)
class GameDisplay:
    """A game of a calculation, formatted; unknown values are empty."""

    opponent: dict[str, str] | None
    score: float
    expected: str
    change: str


@dataclass(frozen=True, slots=True)
class CalculationDisplay:
    """A calculation ready to show."""

    before: str
    after: str
    score: str
    expected: str
    lines: list[GameDisplay]
    on_elo_scale: str

    @property
    def has_changes(self) -> bool:
        return any(line.change for line in self.lines)


def display_calculation(
    system: System, worked: PlayerCalculation
) -> CalculationDisplay:
    after = worked.after
    on_elo_scale = (
        "" if after is None else typeset(system.on_elo_scale(after.rating), 0)
    )
    in_own_units = "" if after is None else typeset(after.rating, 0)
    return CalculationDisplay(
        before=_in_full(worked.before),
        after=_in_full(after),
        score=typeset(worked.score, 1),
        expected=_hundredths(worked.expected),
        lines=[_line(line) for line in worked.lines],
        on_elo_scale="" if on_elo_scale == in_own_units else on_elo_scale,
    )


def _line(line: GameCalculation) -> GameDisplay:
    opponent = None
    if line.opponent is not None:
        opponent = {
            "rating": typeset(line.opponent.rating, 2),
            "deviation": typeset(line.opponent.deviation, 2),
        }
    change = "" if line.change is None else _signed(line.change)
    return GameDisplay(opponent, line.score, _hundredths(line.expected), change)


def _hundredths(figure: float | None) -> str:
    return "" if figure is None else f"{figure:.2f}".replace("-", MINUS)


def _signed(figure: float) -> str:
    text = f"{figure:+.2f}"
    return "±0" if text in ("+0.00", "-0.00") else text.replace("-", MINUS)


def _in_full(standing: Standing | None) -> str:
    """Format a standing with its decimals, and its deviation if it has one."""
    if standing is None:
        return gettext("unrated")
    text = typeset(standing.rating, 2)
    if standing.deviation is not None:
        deviation = typeset(standing.deviation, 2)
        text = gettext("{rating}, deviation {deviation}").format(
            rating=text, deviation=deviation
        )
    if standing.volatility is not None:
        volatility = typeset(standing.volatility, 6)
        text = gettext("{standing}, volatility {volatility}").format(
            standing=text, volatility=volatility
        )
    return text


# --- The worked example ---


class Agreement(StrEnum):
    """How well a calculation agrees with the printed value."""

    FULL = "full"
    ROUNDED = "rounded"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """A system's own example as it was run for the page."""

    work: CalculationDisplay
    shown: str
    exact: str
    printed: str
    source: str
    agreement: Agreement


def worked_example(system: System, *, day: int) -> WorkedExample | None:
    """Run a system's own example; None for one that has none or cannot be run."""
    example = system.example
    if example is None or not is_runnable(system):
        return None
    worked = calculate(
        system,
        example.player,
        example.games,
        parameters=system.parameters(**example.parameters),
        birth_year=example.birth_year,
        day=day,
        is_white=True,
    )
    if worked.after is None:
        return None
    rating = worked.after.rating
    shown = system.display(rating)
    return WorkedExample(
        work=display_calculation(system, worked),
        shown=shown,
        exact=typeset(rating, 2),
        printed=example.printed,
        source=gettext(example.source.title),
        agreement=_agreement(rating, shown, example.printed),
    )


def _agreement(rating: float, shown: str, printed: str) -> Agreement:
    return Agreement.FULL if shown == printed else agreement_with(rating, printed)


def agreement_with(rating: float, printed: str) -> Agreement:
    """Return how well *rating* agrees with the *printed* value.

    Authors who calculate by hand round on the way, so the last decimal may be off by 1.

    >>> agreement_with(1464.4, "1464"), agreement_with(1464.6, "1464")
    (<Agreement.FULL: 'full'>, <Agreement.NONE: 'none'>)
    >>> agreement_with(1464.051, "1464.06"), agreement_with(1464.0, "a draw")
    (<Agreement.ROUNDED: 'rounded'>, <Agreement.NONE: 'none'>)
    """
    try:
        figure = float(printed.replace(MINUS, "-"))
    except ValueError:
        return Agreement.NONE
    places = len(printed.partition(".")[2])
    distance = abs(rating - figure) * 10.0**places
    if distance <= 0.5 + 1e-6:
        return Agreement.FULL
    return Agreement.ROUNDED if places and distance <= 1.0 else Agreement.NONE
