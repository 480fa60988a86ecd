"""The forms of the estimator. They are sent by GET, so an address is the whole answer.

They take what people type; who the members are and what the rules say of it, the
services know.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import zip_longest
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _

from events.calendar.queries.calendar import place_of
from events.checks import saying
from events.models import EventRegistration
from events.reports.forms.time_controls import TimeControlField
from players.models import Player
from ratings.engine.cards import Record
from ratings.engine.systems import System
from ratings.engine.time_controls import (
    BadTimeControl,
    NotRatable,
    TimeControl,
    parse_time_control,
    systems_for,
)
from ratings.estimator.queries.next_event import (
    CHOSEN,
    ELSEWHERE,
    PLAYED_THERE,
    SAME_STATE,
)
from ratings.estimator.text import (
    HALF_POINTS,
    HIGHEST_RATING,
    LONGEST_SECTION,
    LOWEST_RATING,
    MOST_OPPONENTS,
    TypedRating,
    TypedSection,
    Unreadable,
    Who,
    is_name,
    read_section,
    read_who,
)
from ratings.ledger.forms import SystemField
from ratings.ledger.queries.refusals import refusal
from ratings.matches.services import TIME_CONTROLS
from ratings_site.common.looks.fields import DayField, MemberIdField, NumberField
from ratings_site.common.looks.figures import days, listed

MOST_GAMES = 99_999
LONGEST_PLAYER = 40
FEWEST_ROWS, SPARE_ROWS = 6, 2
RECORDS = [
    (Record.MIXED.value, gettext_lazy("wins and losses or draws")),
    (Record.ALL_WINS.value, gettext_lazy("only wins")),
    (Record.ALL_LOSSES.value, gettext_lazy("only losses")),
]
RESULTS = [
    ("", gettext_lazy("to come")),
    ("W", gettext_lazy("won")),
    ("D", gettext_lazy("drawn")),
    ("L", gettext_lazy("lost")),
]
CLASS, FLOOR, NUMBER = "class", "floor", "number"
EVENT = "event"
# Why an event stands where it does among those to choose from.
NEARNESS = {
    CHOSEN: gettext_lazy("Chosen"),
    PLAYED_THERE: gettext_lazy("Where you have played"),
    SAME_STATE: gettext_lazy("In your state"),
    ELSEWHERE: gettext_lazy("In the calendar"),
}
WHO_IS_IT = gettext_lazy("Choose who is meant, or enter the member ID.")
# What of the player is folded, because the member's record says it.
FOLDED = ("games", "record", "floor", "control", "day")


def _short(mode: str = "numeric") -> forms.TextInput:
    return forms.TextInput(
        attrs={"inputmode": mode, "class": "short", "autocomplete": "off"}
    )


class _EventForm(forms.Form):
    """When and at which time control is played; the address may leave out both."""

    control = TimeControlField(
        max_length=100,
        required=False,
        widget=forms.TextInput(attrs={"class": "short", "autocomplete": "off"}),
        help_text=gettext_lazy("G/90;d5 if left empty."),
    )
    day = DayField(
        label=gettext_lazy("Last day"),
        required=False,
        help_text=gettext_lazy("Its rules count. Today if left empty."),
    )

    def clean_day(self) -> date:
        return self.cleaned_data["day"] or timezone.localdate()

    def _check_control(self, said: dict[str, Any], *, is_online: bool) -> None:
        """Put the parsed time control and its systems in the place of the text."""
        if said.get("control") is None or said.get("day") is None:
            return
        try:
            control = parse_time_control(said["control"])
            said["systems"] = systems_for(control, online=is_online, day=said["day"])
        except (BadTimeControl, NotRatable) as problem:
            self.add_error("control", saying.said(refusal(problem)))
        else:
            said["control"] = control


class MemberNameField(MemberIdField):
    """A member's ID, in the place of which a name may stand that is nobody's yet."""

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"autocomplete": "off", "spellcheck": "false"}
        super().__init__(widget=forms.TextInput(attrs=attrs), **kwargs)

    def run_validators(self, value: str) -> None:
        if not is_name(value):
            super().run_validators(value)


class OwnEventForm(_EventForm):
    """One player and what is known of the rating."""

    member = MemberNameField(
        label=gettext_lazy("Name or member ID"),
        max_length=LONGEST_PLAYER,
        required=False,
        help_text=gettext_lazy("Leave the rating empty to take the member’s record."),
    )
    event = forms.ChoiceField(
        label=gettext_lazy("Event"),
        required=False,
        help_text=gettext_lazy(
            "From the calendar: it brings its time control and likely opponents."
        ),
        error_messages={
            "invalid_choice": gettext_lazy(
                "This event is over, canceled or not in the calendar. Choose another."
            )
        },
    )
    system = SystemField()
    rating = forms.DecimalField(
        label=gettext_lazy("Rating before"),
        min_value=LOWEST_RATING,
        max_value=HIGHEST_RATING,
        max_digits=6,
        decimal_places=2,
        required=False,
        widget=_short("decimal"),
        help_text=gettext_lazy("Leave it empty if unrated."),
    )
    games = NumberField(
        label=gettext_lazy("Games it rests on"),
        min_value=1,
        max_value=MOST_GAMES,
        required=False,
        widget=_short(),
        help_text=gettext_lazy("50 if left empty."),
    )
    record = forms.ChoiceField(
        label=gettext_lazy("Record so far"), choices=RECORDS, required=False
    )
    floor = NumberField(
        label=gettext_lazy("Floor"),
        min_value=LOWEST_RATING,
        max_value=HIGHEST_RATING,
        required=False,
        widget=_short(),
        help_text=gettext_lazy("100 if left empty."),
    )
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
        self.likely: Sequence[Player] = ()
        self.from_record = ""
        self.from_event = self.mark = ""
        self.fields["event"].choices = _choices(planned)
        help_text = _("Such as G/60;d5. It matters where two systems rate the event.")
        self.fields["control"].help_text = help_text

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        rating, floor = said.get("rating"), said.get("floor")
        if rating is not None and floor is not None and floor > rating:
            self.add_error("floor", _("The floor is above the rating. Check both."))
        if "system" in said:
            system = said["system"] = System(said["system"])
            said["control"] = said.get("control") or (
                TIME_CONTROLS[system] if "control" in said else None
            )
            self._check_control(said, is_online=system.is_online)
            self._check_system(said)
        return said

    def _check_system(self, said: dict[str, Any]) -> None:
        system, control = said["system"], said.get("control")
        if isinstance(control, TimeControl) and system not in said["systems"]:
            given = listed(gettext(one.label) for one in said["systems"])
            self.add_error(
                "control",
                _(
                    "{control} is rated in {given}, not in {system}. Correct "
                    "the system or the time control."
                ).format(
                    control=control.text, given=given, system=gettext(system.label)
                ),
            )

    def clean_member(self) -> str:
        name = self.cleaned_data["member"]
        if is_name(name):
            nobody = _("Nobody is called “{name}”. Enter the member ID.")
            said = WHO_IS_IT if self.likely else nobody.format(name=name)
            raise ValidationError(said)
        return name

    @property
    def shown(self) -> list[forms.BoundField]:
        aside = (*FOLDED, EVENT)
        return [field for field in self if field.name not in aside]

    @property
    def has_events(self) -> bool:
        """Tell whether there is an event to choose, or to say that it is none."""
        return bool(len(self.fields[EVENT].choices) > 1 or self[EVENT].value())

    @property
    def folded(self) -> list[forms.BoundField]:
        return [field for field in self if field.name in FOLDED]

    @property
    def is_unfolded(self) -> bool:
        """Tell whether what is folded needs a look: something is wrong there."""
        return any(field.errors for field in self.folded)

    @property
    def typed(self) -> TypedRating | None:
        """What was typed of the player, None for a rating that was left empty."""
        said = self.cleaned_data
        if said["rating"] is None:
            return None
        games = {"games": said["games"]} if said["games"] else {}
        return TypedRating(float(said["rating"]), floor=said["floor"], **games)

    @property
    def typed_record(self) -> Record:
        return Record(self.cleaned_data["record"] or Record.MIXED)


def _choices(planned: Sequence[EventRegistration]) -> list[tuple[str, Any]]:
    """Return the events to choose from, grouped by how near they are."""
    groups: dict[int, list[tuple[str, str]]] = {}
    for one in planned:
        place = place_of(one)
        where = f" ({place})" if place else ""
        name = f"{one.name}, {days(one.starts, one.ends)}{where}"
        groups.setdefault(one.distance, []).append((str(one.pk), name))
    return [("", _("none chosen")), *((NEARNESS[n], groups[n]) for n in sorted(groups))]


class TargetForm(OwnEventForm):
    """The same, and where the rating shall get."""

    target = forms.ChoiceField(
        label=gettext_lazy("Target"),
        choices=[
            (CLASS, gettext_lazy("The next class")),
            (FLOOR, gettext_lazy("The next floor level")),
            (NUMBER, gettext_lazy("This rating:")),
        ],
        required=False,
    )
    goal = NumberField(
        label=gettext_lazy("Rating to reach"),
        min_value=LOWEST_RATING,
        max_value=HIGHEST_RATING,
        required=False,
        widget=_short(),
        help_text=gettext_lazy("Such as 2000. Counts if the target is “this rating”."),
    )
    field_order = ["target", "goal", *OwnEventForm.field_order]

    def clean_target(self) -> str:
        return self.cleaned_data["target"] or CLASS

    def clean(self) -> dict[str, Any]:
        said = super().clean()
        if said.get("target") == NUMBER and "goal" in said and said["goal"] is None:
            self.add_error("goal", _("Enter the rating you want to reach."))
        return said


@dataclass(slots=True)
class EstimatorOpponent:
    """A line of the table of opponents: what was typed, and what is wrong with it."""

    number: int
    text: str = ""
    result: str = ""
    who: Who | None = None
    error: str = ""
    name: str = ""
    likely: Sequence[Player] = ()

    @property
    def score(self) -> int | None:
        return HALF_POINTS.get(self.result)


class Opponents:
    """Up to 20 opponents with results: repeated names `o` and `r` of an address."""

    results = RESULTS

    def __init__(self, data: QueryDict, likely: Mapping[str, Sequence[Player]]) -> None:
        pairs = zip_longest(data.getlist("o"), data.getlist("r"), fillvalue="")
        given = [(text.strip(), result.strip()) for text, result in pairs]
        self._given = [pair for pair in given if any(pair)]
        self.rows = [
            _opponent(number, text, result, likely.get(text, ()))
            for number, (text, result) in enumerate(self._given[:MOST_OPPONENTS], 1)
        ]

    @property
    def lines(self) -> list[EstimatorOpponent]:
        """The rows to show: those filled in, and empty ones to go on with."""
        wanted = max(FEWEST_ROWS, len(self.rows) + SPARE_ROWS)
        empty = range(len(self.rows) + 1, min(wanted, MOST_OPPONENTS) + 1)
        return [*self.rows, *(EstimatorOpponent(number) for number in empty)]

    @property
    def errors(self) -> list[str]:
        """Return the sentences for the top of the page."""
        errors = [
            _("Opponent {number}: {error}").format(number=row.number, error=row.error)
            for row in self.rows
            if row.error
        ]
        if len(self._given) > MOST_OPPONENTS:
            errors.append(
                _(
                    "These are {given} opponents; at most {most_opponents} count."
                ).format(given=len(self._given), most_opponents=MOST_OPPONENTS)
            )
        return errors

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Return what the address of these opponents is made of."""
        return [
            pair for row in self.rows for pair in (("o", row.text), ("r", row.result))
        ]


def _opponent(
    number: int, text: str, result: str, likely: Sequence[Player]
) -> EstimatorOpponent:
    row = EstimatorOpponent(number, text[:LONGEST_PLAYER], result, likely=likely)
    try:
        row.who = read_who(row.text)
    except Unreadable as unreadable:
        row.error = str(unreadable)
    if likely:
        row.error = str(WHO_IS_IT)
    elif not row.text:
        row.error = _("Who was it? Enter a rating or a member ID, or clear the result.")
    elif len(row.who.ratings if row.who else ()) > 1:
        row.error = _("One rating is enough: that in the system of the estimate.")
    elif not row.error and result not in dict(RESULTS):
        row.error = _("Choose won, drawn, lost or to come.")
    return row


class SectionForm(_EventForm):
    """A whole section, one player per line."""

    rows = forms.CharField(
        label=gettext_lazy("Players"),
        max_length=LONGEST_SECTION,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 12, "spellcheck": "false", "class": "rows"}
        ),
        error_messages={
            "required": gettext_lazy("Enter the players, one per line."),
            "max_length": gettext_lazy(
                "This is too long for an address: at most "
                "{longest_section:,} characters fit. Leave the names out."
            ).format(longest_section=LONGEST_SECTION),
        },
    )
    online = forms.BooleanField(label=gettext_lazy("Played online"), required=False)
    field_order = ["rows", "control", "online", "day"]

    def clean_control(self) -> str:
        return self.cleaned_data["control"] or TIME_CONTROLS[System.OTBR]

    def clean_rows(self) -> TypedSection:
        section = read_section(self.cleaned_data["rows"])
        if section.faults:
            raise ValidationError(section.faults)
        return section

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        self._check_control(said, is_online=said.get("online", False))
        return said
