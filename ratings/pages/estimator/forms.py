"""The forms of the estimator. They are sent by GET, so a URL holds all input.

They parse input; members and rules are looked up by the services.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import zip_longest
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.checks import messages
from events.models import EventRegistration
from events.reports.forms.time_controls import TimeControlField
from players.members.forms import MemberIdField
from players.models import Player
from ratings.decisions.matches.services import TIME_CONTROLS
from ratings.engine.inputs import Record
from ratings.engine.systems import System
from ratings.engine.time_controls import (
    BadTimeControl,
    NotRatable,
    TimeControl,
    parse_time_control,
    systems_for,
)
from ratings.ledger.forms import SystemField
from ratings.ledger.queries.engine_errors import refusal
from ratings.pages.estimator.parsing import (
    HALF_POINTS,
    HIGHEST_RATING,
    LOWEST_RATING,
    MAX_OPPONENTS,
    MAX_SECTION_LENGTH,
    ParseError,
    PlayerSpec,
    TypedRating,
    TypedSection,
    is_name,
    parse_player_spec,
    parse_section,
)
from ratings.pages.estimator.queries import (
    CHOSEN,
    OTHER_PLACE,
    PLAYED_BEFORE,
    SAME_STATE,
)
from ratings_site.common.ui.fields import DayField, NumberField
from ratings_site.common.ui.formatting import days, join_names

MAX_GAMES = 99_999
MAX_PLAYER_LENGTH = 40
MIN_ROWS, SPARE_ROWS = 6, 2
RECORDS = [
    (Record.MIXED.value, _("wins and losses or draws")),
    (Record.ALL_WINS.value, _("only wins")),
    (Record.ALL_LOSSES.value, _("only losses")),
]
RESULTS = [("", _("to play")), ("W", _("won")), ("D", _("drawn")), ("L", _("lost"))]
CLASS, FLOOR, NUMBER = "class", "floor", "number"
EVENT = "event"
# The labels of the groups of planned events.
DISTANCE_LABELS = {
    CHOSEN: _("Chosen"),
    PLAYED_BEFORE: _("Affiliates where you have played"),
    SAME_STATE: _("In your state"),
    OTHER_PLACE: _("In the calendar"),
}
CHOOSE_PLAYER = _("Choose a player, or enter the member ID.")
# The player's fields that are collapsed, because the member's record has them.
COLLAPSED_FIELDS = ("games", "record", "floor", "control", "day")


def _short(mode: str = "numeric") -> forms.TextInput:
    return forms.TextInput(
        attrs={"inputmode": mode, "class": "short", "autocomplete": "off"}
    )


def _number(label: Any, least: int, most: int, help_text: Any) -> NumberField:
    return NumberField(
        label=label,
        min_value=least,
        max_value=most,
        required=False,
        widget=_short(),
        help_text=help_text,
    )


class _EventForm(forms.Form):
    """The day and the time control, both optional in the URL."""

    control = TimeControlField(
        max_length=100,
        required=False,
        widget=forms.TextInput(attrs={"class": "short", "autocomplete": "off"}),
        help_text=_("G/90;d5 if blank."),
    )
    day = DayField(
        label=_("Last day"),
        required=False,
        help_text=_("Decides which rules apply. Today if blank."),
    )

    def clean_day(self) -> date:
        return self.cleaned_data["day"] or timezone.localdate()

    def _check_control(self, cleaned: dict[str, Any], *, is_online: bool) -> None:
        """Replace the text of the time control by the parsed one; add its systems."""
        if cleaned.get("control") is None or cleaned.get("day") is None:
            return
        try:
            control = parse_time_control(cleaned["control"])
            cleaned["systems"] = systems_for(
                control, online=is_online, day=cleaned["day"]
            )
        except (BadTimeControl, NotRatable) as problem:
            self.add_error("control", messages.translated(refusal(problem)))
        else:
            cleaned["control"] = control


class MemberNameField(MemberIdField):
    """A member ID, or a name that is not resolved to a member yet."""

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"autocomplete": "off", "spellcheck": "false"}
        super().__init__(widget=forms.TextInput(attrs=attrs), **kwargs)

    def run_validators(self, value: str) -> None:
        if not is_name(value):
            super().run_validators(value)


class PlayerEventForm(_EventForm):
    """One player, with the rating if it is known."""

    member = MemberNameField(
        label=_("Name or member ID"),
        max_length=MAX_PLAYER_LENGTH,
        required=False,
        help_text=_("Leave the rating blank to use the member’s record."),
    )
    event = forms.ChoiceField(
        label=_("Event"),
        required=False,
        help_text=_("Fills in the time control and likely opponents."),
        error_messages={
            "invalid_choice": _(
                "This event is over, canceled, or not in the calendar. Choose another."
            )
        },
    )
    system = SystemField()
    rating = forms.DecimalField(
        label=_("Rating before"),
        min_value=LOWEST_RATING,
        max_value=HIGHEST_RATING,
        max_digits=6,
        decimal_places=2,
        required=False,
        widget=_short("decimal"),
        help_text=_("Leave blank if unrated."),
    )
    games = _number(_("Games it is based on"), 1, MAX_GAMES, _("50 if blank."))
    record = forms.ChoiceField(label=_("Record"), choices=RECORDS, required=False)
    floor = _number(_("Floor"), LOWEST_RATING, HIGHEST_RATING, _("100 if blank."))
    field_order = [
        "member",
        "event",
        "system",
        "rating",
        "games",
        "record",
        "floor",
        "control",
        "day",
    ]

    def __init__(
        self, *args: Any, planned: Sequence[EventRegistration] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.candidates: Sequence[Player] = ()
        self.from_record = ""
        self.from_event = self.prefill_state = ""
        self.planned = planned
        cast(forms.ChoiceField, self.fields["event"]).choices = _choices(planned)
        help_text = gettext("For example G/60;d5. It matters for a dual-rated event.")
        self.fields["control"].help_text = help_text

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        rating, floor = cleaned.get("rating"), cleaned.get("floor")
        if rating is not None and floor is not None and floor > rating:
            self.add_error(
                "floor", gettext("The floor is above the rating. Check both.")
            )
        if "system" in cleaned:
            system = cleaned["system"] = System(cleaned["system"])
            cleaned["control"] = cleaned.get("control") or (
                TIME_CONTROLS[system] if "control" in cleaned else None
            )
            self._check_control(cleaned, is_online=system.is_online)
            self._check_system(cleaned)
        return cleaned

    def _check_system(self, cleaned: dict[str, Any]) -> None:
        system, control = cleaned["system"], cleaned.get("control")
        if isinstance(control, TimeControl) and system not in cleaned["systems"]:
            given = join_names(gettext(one.label) for one in cleaned["systems"])
            self.add_error(
                "control",
                gettext(
                    "{control} is rated in {given}, not in {system}. Correct "
                    "the system or the time control."
                ).format(
                    control=control.text, given=given, system=gettext(system.label)
                ),
            )

    def clean_member(self) -> str:
        name: str = self.cleaned_data["member"]
        if is_name(name):
            not_found = gettext("No player named “{name}” found. Enter the member ID.")
            message = not_found.format(name=name)
            raise ValidationError(CHOOSE_PLAYER if self.candidates else message)
        return name

    @property
    def main_fields(self) -> list[forms.BoundField]:
        aside = (*COLLAPSED_FIELDS, EVENT)
        return [field for field in self if field.name not in aside]

    @property
    def has_events(self) -> bool:
        """Return whether there are events to choose from, or one was chosen."""
        return bool(self.planned or self[EVENT].value())

    @property
    def collapsed_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name in COLLAPSED_FIELDS]

    @property
    def is_expanded(self) -> bool:
        """Return whether the collapsed fields have errors and have to be shown."""
        return any(field.errors for field in self.collapsed_fields)

    @property
    def typed(self) -> TypedRating | None:
        """The rating entered for the player, None if it is blank."""
        cleaned = self.cleaned_data
        if cleaned["rating"] is None:
            return None
        games = {"games": cleaned["games"]} if cleaned["games"] else {}
        return TypedRating(float(cleaned["rating"]), floor=cleaned["floor"], **games)

    @property
    def typed_record(self) -> Record:
        return Record(self.cleaned_data["record"] or Record.MIXED)


def _choices(planned: Sequence[EventRegistration]) -> list[tuple[str | Promise, Any]]:
    """Return the choices of events, grouped by distance."""
    groups: dict[int, list[tuple[str, str]]] = {}
    for one in planned:
        place = one.place
        where = f" ({place})" if place else ""
        name = f"{one.name}, {days(one.starts, one.ends)}{where}"
        distance = one.distance  # type: ignore[attr-defined]
        groups.setdefault(distance, []).append((str(one.pk), name))
    return [
        ("", gettext("None")),
        *((DISTANCE_LABELS[n], groups[n]) for n in sorted(groups)),
    ]


class TargetForm(PlayerEventForm):
    """The same form with a target rating."""

    target = forms.ChoiceField(
        label=_("Target"),
        choices=[
            (CLASS, _("The next class")),
            (FLOOR, _("The next floor level")),
            (NUMBER, _("This rating:")),
        ],
        required=False,
    )
    goal = _number(
        _("Target rating"),
        LOWEST_RATING,
        HIGHEST_RATING,
        _("For example 2000. Used if the target is “this rating”."),
    )
    field_order = ["target", "goal", *PlayerEventForm.field_order]

    def clean_target(self) -> str:
        return self.cleaned_data["target"] or CLASS

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if cleaned.get("target") == NUMBER and cleaned.get("goal", "") is None:
            self.add_error("goal", gettext("Enter the rating you want to reach."))
        return cleaned


@dataclass(slots=True)
class EstimatorOpponent:
    """A row of the opponents table: the input and its error."""

    number: int
    text: str = ""
    result: str = ""
    spec: PlayerSpec | None = None
    error: str = ""
    name: str = ""
    candidates: Sequence[Player] = ()

    @property
    def score(self) -> int | None:
        return HALF_POINTS.get(self.result)


class Opponents:
    """Up to 20 opponents with results: repeated names `o` and `r` of an address."""

    results = RESULTS

    def __init__(
        self, data: QueryDict, candidates: Mapping[str, Sequence[Player]]
    ) -> None:
        pairs = zip_longest(data.getlist("o"), data.getlist("r"), fillvalue="")
        given = [(text.strip(), result.strip()) for text, result in pairs]
        self._given = [pair for pair in given if any(pair)]
        self.rows = [
            _opponent(number, text, result, candidates.get(text, ()))
            for number, (text, result) in enumerate(self._given[:MAX_OPPONENTS], 1)
        ]

    @property
    def lines(self) -> list[EstimatorOpponent]:
        """The rows to show: those filled in, and empty ones to add more."""
        wanted = max(MIN_ROWS, len(self.rows) + SPARE_ROWS)
        empty = range(len(self.rows) + 1, min(wanted, MAX_OPPONENTS) + 1)
        return [*self.rows, *(EstimatorOpponent(number) for number in empty)]

    @property
    def errors(self) -> list[str]:
        """The error messages for the top of the page."""
        errors = [
            gettext("Opponent {number}: {error}").format(
                number=row.number, error=row.error
            )
            for row in self.rows
            if row.error
        ]
        if len(self._given) > MAX_OPPONENTS:
            errors.append(
                gettext(
                    "You entered {given} opponents; the limit is {most_opponents}."
                ).format(given=len(self._given), most_opponents=MAX_OPPONENTS)
            )
        return errors

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The URL parameters of these opponents."""
        return [
            pair for row in self.rows for pair in (("o", row.text), ("r", row.result))
        ]


def _opponent(
    number: int, text: str, result: str, candidates: Sequence[Player]
) -> EstimatorOpponent:
    row = EstimatorOpponent(
        number, text[:MAX_PLAYER_LENGTH], result, candidates=candidates
    )
    try:
        row.spec = parse_player_spec(row.text)
    except ParseError as unreadable:
        row.error = str(unreadable)
    if candidates:
        row.error = str(CHOOSE_PLAYER)
    elif not row.text:
        row.error = gettext(
            "Opponent missing. Enter a rating or a member ID, or clear the result."
        )
    elif len(row.spec.ratings if row.spec else ()) > 1:
        row.error = gettext("Enter one rating only, in the system you estimate.")
    elif not row.error and result not in dict(RESULTS):
        row.error = gettext("Choose won, drawn, lost, or to play.")
    return row


class SectionForm(_EventForm):
    """A whole section, one player per line."""

    rows = forms.CharField(
        label=_("Players"),
        max_length=MAX_SECTION_LENGTH,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 12, "spellcheck": "false", "class": "rows"}
        ),
        error_messages={
            "required": _("Enter the players, one per line."),
            "max_length": _(
                "This is too long for a link: the limit is {longest_section:,} "
                "characters. Leave out the names."
            ).format(longest_section=MAX_SECTION_LENGTH),
        },
    )
    online = forms.BooleanField(label=_("Played online"), required=False)
    field_order = ["rows", "control", "online", "day"]

    def clean_control(self) -> str:
        return self.cleaned_data["control"] or TIME_CONTROLS[System.OTBR]

    def clean_rows(self) -> TypedSection:
        section = parse_section(self.cleaned_data["rows"])
        if section.faults:
            raise ValidationError(section.faults)
        return section

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        self._check_control(cleaned, is_online=cleaned.get("online", False))
        return cleaned
