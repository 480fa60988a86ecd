"""The calculator of a rating system, and the forms of the scales.

They are sent by GET, so a URL has all inputs. The fields of a calculator depend on the
system: it has only those that make a difference.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _

from ratings.laboratory.calculator import PlayerCalculation, calculate
from ratings.laboratory.parameters import Parameter, parameters_of
from ratings.laboratory.protocol import Example, Standing, System
from ratings.laboratory.systems.online_arena import (
    TIME_CONTROLS,
    Arena,
    Category,
    after_list,
    first_rating_from_lists,
    hundredths,
)
from ratings.research.systems.queries.calculations import (
    CalculationDisplay,
    display_calculation,
    opponent_inputs,
    plain,
    player_inputs,
)
from ratings.research.systems.queries.catalog import REFUSALS
from ratings.research.systems.queries.scales import SCALE_CHOICES
from ratings_site.common.ui.fields import DayField, NumberField

LOWEST_RATING, HIGHEST_RATING = -500.0, 5_000.0
MAX_GAMES = 99_999
MAX_OPPONENTS = 30
MIN_ROWS, SPARE_ROWS = 5, 2
MAX_FIGURE = 1_000_000.0
MAX_FIGURE_LENGTH = 20
# The prefix of parameter names in a URL.
PREFIX = "p"
RESULTS = [
    ("W", gettext_lazy("won")),
    ("D", gettext_lazy("drawn")),
    ("L", gettext_lazy("lost")),
]
SCORES = {"W": 1.0, "D": 0.5, "L": 0.0}
LETTERS = {score: letter for letter, score in SCORES.items()}
# In FIDE Online Arena, whatever the position was.
DISCONNECTIONS = [
    ("X", gettext_lazy("lost: disconnected over 60 seconds")),
    ("Y", gettext_lazy("won: opponent disconnected over 60 seconds")),
]
SCORES |= {"X": 0.0, "Y": 1.0}
UNRATED = frozenset({"unr", "unrated", "-"})
_FIGURE = re.compile(r"\s*[-−]?[0-9]{1,9}(\.[0-9]{1,9})?\s*", re.ASCII)


def _short(mode: str = "decimal") -> forms.TextInput:
    return forms.TextInput(
        attrs={"inputmode": mode, "class": "short", "autocomplete": "off"}
    )


def read_figure(text: str) -> float:
    """Return a number as people type it; raises ValidationError for anything else."""
    if not _FIGURE.fullmatch(text):
        raise ValidationError(_("Enter a number such as 1654 or 0.06."))
    return float(text.replace("−", "-"))


class FigureField(forms.FloatField):
    """A number in the digits 0 to 9, with a point if it has decimals."""

    def __init__(self, *, is_whole: bool = False, **kwargs: Any) -> None:
        kwargs.setdefault("widget", _short("numeric" if is_whole else "decimal"))
        super().__init__(**kwargs)
        self.is_whole = is_whole

    def to_python(self, value: Any) -> float | None:  # type: ignore[override]
        if value in self.empty_values:
            return None
        figure = read_figure(str(value)[: MAX_FIGURE_LENGTH + 1])
        if not self.is_whole:
            return figure
        if not figure.is_integer():
            raise ValidationError(_("Enter a whole number in the digits 0 to 9."))
        return int(figure)

    def prepare_value(self, value: Any) -> Any:
        return plain(value) if isinstance(value, float) else value


# --- Parameters of a system ---


def _field(one: Parameter) -> forms.Field:
    said: dict[str, Any] = {
        "label": gettext_lazy(one.label),
        "help_text": gettext_lazy(one.help) if one.help else "",
        "required": False,
        "initial": _typed(one.default),
    }
    if isinstance(one.default, bool):
        choices = [("yes", gettext_lazy("yes")), ("no", gettext_lazy("no"))]
        return forms.ChoiceField(choices=choices, **said)
    if one.choices:
        choices = [(choice, gettext_lazy(choice)) for choice in one.choices]
        return forms.ChoiceField(choices=choices, **said)
    return FigureField(
        is_whole=isinstance(one.default, int),
        min_value=-MAX_FIGURE if one.low is None else one.low,
        max_value=MAX_FIGURE if one.high is None else one.high,
        **said,
    )


def with_defaults(data: QueryDict, system: System) -> QueryDict:
    """Fill in the parameters that a URL leaves out, so that the form shows them."""
    filled = data.copy()
    for one in parameters_of(system.parameters):
        filled.setdefault(f"{PREFIX}-{one.name}", _typed(one.default))
    return filled


def _typed(value: Any) -> str:
    """Format a parameter's value for its field."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return plain(value) if isinstance(value, float) else str(value)


class ParameterForm(forms.Form):
    """The parameters of a system."""

    prefix = PREFIX

    def __init__(self, *args: Any, system: System, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.parameters = parameters_of(system.parameters)
        self.fields.update({one.name: _field(one) for one in self.parameters})

    @property
    def changed(self) -> dict[str, Any]:
        """The changed parameters; empty ones are left out."""
        changed = {}
        for one in self.parameters:
            value = self.cleaned_data.get(one.name)
            if isinstance(one.default, bool) and value:
                value = value == "yes"
            if value not in (None, "", one.default):
                changed[one.name] = value
        return changed

    @property
    def is_touched(self) -> bool:
        """Whether a parameter was changed or is invalid."""
        if not self.is_bound:
            return False
        return not self.is_valid() or bool(self.changed)


# --- The player ---


def _fide_rating(label: Any) -> FigureField:
    return FigureField(
        label=label,
        min_value=0,
        max_value=HIGHEST_RATING,
        required=False,
        help_text=gettext_lazy("Used as the first rating of a new member."),
    )


def _control(control: tuple[int, int]) -> str:
    """Return a time control as people write it.

    >>> _control((15, 0)), _control((5, 3))
    ('15', '5+3')
    """
    minutes, seconds = control
    return f"{minutes}+{seconds}" if seconds else str(minutes)


def _controls() -> list[str]:
    """Return the rated time controls of all categories, the fastest first."""
    return [_control(one) for one in sorted(itertools.chain(*TIME_CONTROLS.values()))]


ARENA_INPUTS = frozenset(
    ("fide_standard", "fide_rapid", "fide_blitz", "list_change", "control")
)


class PlayerForm(forms.Form):
    """The player of a calculator, in the system's own units."""

    rating = FigureField(
        label=gettext_lazy("Rating before"),
        min_value=LOWEST_RATING,
        max_value=HIGHEST_RATING,
        required=False,
        help_text=gettext_lazy("Leave it empty if unrated."),
    )
    games = NumberField(
        label=gettext_lazy("Games it is based on"),
        max_value=MAX_GAMES,
        required=False,
        widget=_short("numeric"),
    )
    deviation = FigureField(
        label=gettext_lazy("Deviation (RD)"),
        min_value=1,
        max_value=1000,
        required=False,
    )
    volatility = FigureField(
        label=gettext_lazy("Volatility"),
        min_value=0.0001,
        max_value=1,
        required=False,
        help_text=gettext_lazy("Usually 0.06."),
    )
    evaluations = NumberField(
        label=gettext_lazy("Events or lists it is based on"),
        max_value=MAX_GAMES,
        required=False,
        widget=_short("numeric"),
    )
    birth_year = NumberField(
        label=gettext_lazy("Birth year"),
        min_value=1850,
        max_value=2100,
        required=False,
        widget=_short("numeric"),
        help_text=gettext_lazy(
            "The rating change depends on age. If you share the link, it includes "
            "the birth year."
        ),
    )
    day = DayField(
        label=gettext_lazy("Last day"),
        required=False,
        help_text=gettext_lazy(
            "The calculator uses the rules of this day. Leave it empty for today."
        ),
    )

    # --- For FIDE Online Arena ---

    fide_standard = _fide_rating(gettext_lazy("FIDE standard rating"))
    fide_rapid = _fide_rating(gettext_lazy("FIDE rapid rating"))
    fide_blitz = _fide_rating(gettext_lazy("FIDE blitz rating"))
    list_change = FigureField(
        label=gettext_lazy("Change from FIDE’s monthly list"),
        min_value=-1000,
        max_value=1000,
        required=False,
        help_text=gettext_lazy("Over-the-board points to add before the games."),
    )
    control = forms.ChoiceField(
        label=gettext_lazy("Time control"),
        required=False,
        choices=[
            ("", gettext_lazy("Any rated time control")),
            *((text, text) for text in _controls()),
            ("other", gettext_lazy("Other")),
        ],
        help_text=gettext_lazy("Minutes, and seconds added for each move."),
    )

    def __init__(self, *args: Any, system: System, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        asked = player_inputs(system.about.key)
        self.arena = system if isinstance(system, Arena) else None
        if self.arena:
            asked |= ARENA_INPUTS
        for name in [*self.fields]:
            if name != "rating" and name not in asked:
                del self.fields[name]
        newcomer = getattr(system.parameters, "first_deviation", None)
        if newcomer and "deviation" in self.fields:
            told = gettext("A new player’s is {deviation}.")
            figure = plain(newcomer, 2)
            self.fields["deviation"].help_text = told.format(deviation=figure)

    def standing(self, parameters: Any) -> Standing | None:
        """Return the player, None if unrated; empty fields take the defaults."""
        said = self.cleaned_data
        rating = said["rating"]
        if self.arena:
            rating = self._arena_rating(self.arena.category, parameters.floor)
        if rating is None:
            return None
        return Standing(
            rating,
            games=said.get("games") or 0,
            deviation=said.get("deviation"),
            volatility=said.get("volatility"),
            evaluations=said.get("evaluations") or 0,
        )

    def _arena_rating(self, category: Category, floor: int) -> float | None:
        """Return the rating before the games, from FIDE's lists if it is needed."""
        said = self.cleaned_data
        rating: float | None = said["rating"]
        if rating is None:
            lists = [said[f"fide_{name}"] for name in ("standard", "rapid", "blitz")]
            rating = first_rating_from_lists(category, lists)
        if rating is None:
            return None
        after = after_list(hundredths(rating), said["list_change"] or 0.0, floor)
        return after / 100 if after else None

    def clean_control(self) -> str:
        control: str = self.cleaned_data["control"]
        if self.arena and control:
            rated = TIME_CONTROLS[self.arena.category]
            if control not in map(_control, rated):
                words = _(
                    "Games at this time control aren’t rated here. Rated: {rated}."
                )
                text = ", ".join(map(_control, rated))
                raise ValidationError(words.format(rated=text))
        return control


def initial_of(example: Example | None) -> dict[str, Any]:
    """Return the initial values of a calculator's fields: the worked example."""
    if example is None or example.player is None:
        return {}
    player = example.player
    return {
        "rating": player.rating,
        "games": player.games or None,
        "deviation": player.deviation,
        "volatility": player.volatility,
        "evaluations": player.evaluations or None,
        "birth_year": example.birth_year,
    }


# --- The opponents ---


@dataclass(slots=True)
class CalculatorOpponent:
    """A line of the table of opponents: its input and its errors."""

    number: int
    text: str = ""
    result: str = ""
    deviation: str = ""
    games: str = ""
    standing: Standing | None = None
    error: str = ""


class Opponents:
    """Up to 30 opponents: repeated names `o`, `r`, `d` and `g` of a URL."""

    def __init__(self, rows: Sequence[Sequence[str]], system: System) -> None:
        is_arena = isinstance(system, Arena)
        self.results = [*RESULTS, *DISCONNECTIONS] if is_arena else RESULTS
        asked = opponent_inputs(system.about.key)
        self.asks_deviation = "deviation" in asked
        self.asks_games = "games" in asked
        self.given = len(rows)
        self.rows = [
            _opponent(number, *row)
            for number, row in enumerate(rows[:MAX_OPPONENTS], start=1)
        ]

    @classmethod
    def from_query(cls, data: QueryDict, system: System) -> Opponents:
        columns = [
            [text.strip()[: MAX_FIGURE_LENGTH + 1] for text in data.getlist(name)]
            for name in ("o", "r", "d", "g")
        ]
        rows = list(zip_longest(*columns, fillvalue=""))
        # A line with only a result has no opponent.
        return cls([row for row in rows if any((row[0], *row[2:]))], system)

    @classmethod
    def from_example(cls, system: System) -> Opponents:
        games = system.example.games if system.example else ()
        rows = [
            (
                plain(opponent.rating),
                LETTERS[score],
                plain(opponent.deviation),
                str(opponent.games or ""),
            )
            for opponent, score in games
        ]
        return cls(rows, system)

    @property
    def lines(self) -> list[CalculatorOpponent]:
        """The rows to show: those filled in, and empty ones."""
        wanted = max(MIN_ROWS, len(self.rows) + SPARE_ROWS)
        empty = range(len(self.rows) + 1, min(wanted, MAX_OPPONENTS) + 1)
        return [*self.rows, *(CalculatorOpponent(number) for number in empty)]

    @property
    def errors(self) -> list[str]:
        """Return the sentences for the top of the form."""
        errors = [
            _("Opponent {number}: {error}").format(number=row.number, error=row.error)
            for row in self.rows
            if row.error
        ]
        if self.given > MAX_OPPONENTS:
            words = _("You entered {given} opponents. The limit is {most_opponents}.")
            errors.append(words.format(given=self.given, most_opponents=MAX_OPPONENTS))
        return errors

    @property
    def games(self) -> list[tuple[Standing | None, float]]:
        return [(row.standing, SCORES[row.result]) for row in self.rows]


def _opponent(
    number: int, text: str, result: str, deviation: str, games: str
) -> CalculatorOpponent:
    row = CalculatorOpponent(number, text, result, deviation, games)
    if result not in SCORES:
        row.error = _("Choose won, drawn, or lost.")
    elif not text:
        row.error = _("Enter a rating, or “unr” for an unrated player.")
    elif text.lower() not in UNRATED:
        try:
            row.standing = Standing(
                _within(text, LOWEST_RATING, HIGHEST_RATING),
                games=_whole_within(games, 0, MAX_GAMES) if games else 0,
                deviation=_within(deviation, 1, 1000) if deviation else None,
            )
        except ValidationError as problem:
            row.error = " ".join(problem.messages)
    return row


def _within(text: str, low: float, high: float) -> float:
    figure = read_figure(text)
    if not low <= figure <= high:
        words = _("{figure} is not between {low} and {high}.")
        raise ValidationError(
            words.format(figure=text, low=plain(low), high=plain(high))
        )
    return figure


def _whole_within(text: str, low: int, high: int) -> int:
    figure = _within(text, low, high)
    if not figure.is_integer():
        raise ValidationError(_("Enter a whole number in the digits 0 to 9."))
    return int(figure)


# --- The calculator ---


class Calculator:
    """One system's calculator: inputs, errors and the result."""

    def __init__(self, system: System, data: QueryDict) -> None:
        self.system = system
        self.errors: list[str] = []
        self.worked: PlayerCalculation | None = None
        if data:
            self.player = PlayerForm(data, system=system)
            self.parameters = ParameterForm(with_defaults(data, system), system=system)
            self.opponents = Opponents.from_query(data, system)
            self._calculate()
        else:
            example = system.example
            changed = {
                name: _typed(value)
                for name, value in (example.parameters if example else {}).items()
            }
            self.player = PlayerForm(initial=initial_of(example), system=system)
            self.parameters = ParameterForm(initial=changed, system=system)
            self.opponents = Opponents.from_example(system)

    def _calculate(self) -> None:
        are_valid = [self.player.is_valid(), self.parameters.is_valid()]
        self.errors = self.opponents.errors
        if not all(are_valid) or self.errors:
            return
        if not self.opponents.games:
            self.errors = [_("Enter at least one opponent, with the result.")]
            return
        try:
            worked = self._answer()
        except REFUSALS as problem:
            words = _("This system can’t calculate this: {problem}")
            self.errors = [words.format(problem=problem)]
            return
        if worked.after is not None and not math.isfinite(worked.after.rating):
            self.errors = [
                _("This system gives no rating for these numbers. Check the results.")
            ]
            return
        self.worked = worked

    def _answer(self) -> PlayerCalculation:
        said = self.player.cleaned_data
        day = said.get("day") or timezone.localdate()
        parameters = self.system.parameters(**self.parameters.changed)
        return calculate(
            self.system,
            self.player.standing(parameters),
            self.opponents.games,
            parameters=parameters,
            birth_year=said.get("birth_year"),
            day=day.toordinal(),
        )

    @property
    def is_faulty(self) -> bool:
        """Whether an input must be corrected."""
        return bool(self.errors or self.player.errors or self.parameters.errors)

    @property
    def all_errors(self) -> list[str]:
        """All error messages, each with its field."""
        fields = [
            f"{form.fields[name].label}: {error}"
            for form in (self.player, self.parameters)
            for name, errors in form.errors.items()
            for error in errors
        ]
        return [*fields, *self.errors]

    @property
    def answer(self) -> CalculationDisplay | None:
        return display_calculation(self.system, self.worked) if self.worked else None

    @property
    def shown(self) -> str:
        """The new rating as the system publishes it."""
        if self.worked is None or self.worked.after is None:
            return gettext("unrated")
        return self.system.display(self.worked.after.rating)


# --- Scales ---


class ConversionForm(forms.Form):
    """A number and the scale it is on."""

    figure = FigureField(
        label=gettext_lazy("Rating or grade"),
        min_value=LOWEST_RATING,
        max_value=HIGHEST_RATING,
    )
    scale = forms.ChoiceField(label=gettext_lazy("Scale"), choices=SCALE_CHOICES)


class CategoryForm(forms.Form):
    """The average rating of a round robin."""

    average = FigureField(
        label=gettext_lazy("Average rating"),
        min_value=0,
        max_value=HIGHEST_RATING,
    )
    women = forms.BooleanField(label=gettext_lazy("Women’s event"), required=False)
