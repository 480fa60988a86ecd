"""Forms to edit a report.

They validate what people type; whether it is true is checked by the findings.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.checks.messages import translated
from events.formats.checks.report import is_missing_id
from events.formats.dbf.layout_2c import MAX_ROUNDS, SECTION_TYPES
from events.formats.places import with_parsed_place_fields
from events.formats.report import (
    BLANK,
    MAX_PAIRING_NUMBER,
    Cell,
    ReportedEvent,
    ReportedSection,
    is_temporary_id,
)
from events.formats.result_codes import (
    DOUBLE,
    DOUBLE_GAME_KIND,
    SINGLE,
    ResultCode,
    result_code,
)
from events.reports.forms.time_controls import TimeControlField
from players.formats.member_ids import MEMBER_ID
from players.members.forms import MemberIdField
from players.models import Player
from players.models.player import member_id_sentence
from ratings_site.common.ui.fields import (
    DayField,
    NumberField,
    ShortNumberField,
    StateField,
)

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise


def _digits(pattern: str, message: "_StrOrPromise") -> RegexValidator:
    return RegexValidator(re.compile(pattern, re.ASCII), message)


class PairingNumberField(ShortNumberField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=1, max_value=MAX_PAIRING_NUMBER, **kwargs)


class EditForm(forms.Form):
    """A form for part of a report, valid for the version that was shown."""

    MORE: ClassVar[tuple[str, ...]] = ()

    version = NumberField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, also: str = "", **kwargs: Any) -> None:
        """Ask whether other places change too; *also* names them."""
        super().__init__(*args, **kwargs)
        if also:
            self.fields["everywhere"] = forms.BooleanField(
                label=gettext("Also change {places}").format(places=also),
                required=False,
                initial=True,
            )

    @classmethod
    def present(cls, record: Any) -> dict[str, Any]:
        """Return the initial values for a part of a report."""
        names = [name for name in cls.base_fields if name != "version"]
        values = {name: getattr(record, name) for name in names}
        # Files have zeros for an unknown ID, and the temporary ID of a new member is
        # not typed: the field is blank for both.
        return {
            name: "" if is_missing_id(value) or _is_temporary(value) else value
            for name, value in values.items()
        }

    def changes(self) -> dict[str, Any]:
        """Return the differences from the report."""
        return {
            name: self.cleaned_data[name]
            for name in self.changed_data
            if name in self.base_fields and name in self.fields and name != "version"
        }

    @property
    def more(self) -> list[forms.BoundField]:
        """Return the fields that few entries need."""
        return [self[name] for name in self.MORE if name in self.fields]

    @property
    def main(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in self.MORE]


class DatedForm(forms.Form):
    """A form with a first and a last day, which must be in order."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        starts, ends = cleaned.get("starts"), cleaned.get("ends")
        if starts and ends and ends < starts:
            self.add_error("ends", gettext("The last day is before the first day."))
        return cleaned


class EventForm(DatedForm, EditForm):
    name = forms.CharField(label=_("Name"), max_length=80)
    starts = DayField(label=_("First day"))
    ends = DayField(label=_("Last day"))
    affiliate_id = forms.CharField(
        label=_("Affiliate ID"),
        max_length=8,
        validators=[
            _digits(
                r"^[AH][0-9]{7}\Z", _("An affiliate ID is the letter A and 7 digits.")
            )
        ],
        widget=forms.TextInput(attrs={"class": "short"}),
    )
    chief_td_id = MemberIdField(label=_("Chief TD’s member ID"))
    assistant_td_id = MemberIdField(
        label=_("Assistant chief TD’s member ID"), required=False
    )
    other_td_ids = forms.CharField(
        label=_("Other TDs’ member IDs"),
        required=False,
        max_length=255,
        help_text=_("Separate IDs with commas."),
    )
    city = forms.CharField(label=_("City"), max_length=40, required=False)
    state = StateField(label=_("State"))
    zip_code = forms.CharField(
        label=_("ZIP code"),
        max_length=10,
        required=False,
        widget=forms.TextInput(attrs={"class": "short"}),
    )
    total_sections = ShortNumberField(
        label=_("Number of sections"), min_value=1, max_value=99
    )

    def clean(self) -> dict[str, Any]:
        return with_parsed_place_fields(super().clean())

    def changes(self) -> dict[str, Any]:
        """Return the differences; the city field may have state and ZIP code."""
        changes = super().changes()
        if "city" in changes:
            changes |= {name: self.cleaned_data[name] for name in ("state", "zip_code")}
        return changes

    def clean_other_td_ids(self) -> tuple[str, ...]:
        ids = tuple(self.cleaned_data["other_td_ids"].replace(",", " ").split())
        for member_id in ids:
            if not MEMBER_ID.whole.fullmatch(member_id):
                sentence = gettext(
                    "“{member_id}” is not a member ID. A member ID has 8 digits."
                ).format(member_id=member_id)
                raise ValidationError(member_id_sentence(sentence))
        return ids

    @classmethod
    def present(cls, record: ReportedEvent) -> dict[str, Any]:
        values = super().present(record)
        return {**values, "other_td_ids": ", ".join(record.other_td_ids)}


KIND_CHOICES = [("", _("Choose…"))] + [
    (letter, capfirst(_(kind))) for letter, kind in SECTION_TYPES.items()
]


class SectionForm(DatedForm, EditForm):
    name = forms.CharField(label=_("Name"), max_length=60)
    time_control = TimeControlField(
        help_text=_(
            "Such as G/60;d5 or 40/90,SD/30;+30. The time control decides the "
            "rating system."
        )
    )
    online = forms.BooleanField(label=_("Played online"), required=False)
    kind_letter = forms.ChoiceField(label=_("Type"), choices=KIND_CHOICES)
    starts = DayField(
        label=_("First day"),
        required=False,
        help_text=_("Leave blank to use the event’s first day."),
    )
    ends = DayField(
        label=_("Last day"),
        required=False,
        help_text=_("Leave blank to use the event’s last day."),
    )
    rounds = ShortNumberField(label=_("Rounds"), min_value=1, max_value=MAX_ROUNDS)
    last_pairing_number = PairingNumberField(
        label=_("Highest pairing number"),
        help_text=_("As in the section’s file. It shows if an entry is missing."),
    )
    chief_td_id = MemberIdField(label=_("Section’s chief TD"), required=False)
    assistant_td_id = MemberIdField(label=_("Section’s assistant TD"), required=False)


def _is_temporary(value: Any) -> bool:
    return isinstance(value, str) and is_temporary_id(value)


_FOREIGN_ID = _digits(r"^[0-9]{1,10}\Z", _("Enter up to 10 digits, no letters."))
_FOREIGN_RATING = _digits(r"^[1-9][0-9]{2,3}\Z", _("Enter a rating of 3 or 4 digits."))
_OFFICE_CHECKS = _("For a player without a rating here. The office will check it.")


def _foreign_field(
    label: Any, validator: RegexValidator, length: int, help_text: Any = ""
) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=length,
        required=False,
        validators=[validator],
        help_text=help_text,
        widget=forms.TextInput(attrs={"class": "short"}),
    )


class EntryForm(EditForm):
    MORE = ("fide_id", "fide_rating", "cfc_id", "cfc_rating")

    member_id = MemberIdField(label=_("Member ID"), required=False)
    name = forms.CharField(label=_("Name"), max_length=60)
    state = StateField(label=_("State"))
    pairing_number = PairingNumberField(
        label=_("Pairing number"),
        help_text=_("The opponents’ results don’t change with it. Edit those too."),
    )
    fide_id = _foreign_field(_("FIDE ID"), _FOREIGN_ID, 10, _OFFICE_CHECKS)
    fide_rating = _foreign_field(_("FIDE rating"), _FOREIGN_RATING, 4)
    cfc_id = _foreign_field(_("CFC ID"), _FOREIGN_ID, 10, _OFFICE_CHECKS)
    cfc_rating = _foreign_field(_("CFC rating"), _FOREIGN_RATING, 4)

    def __init__(self, *args: Any, taken: Sequence[int] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.taken = taken

    def clean_member_id(self) -> str:
        member_id: str = self.cleaned_data["member_id"]
        is_new = member_id and member_id != self.initial.get("member_id")
        if is_new and not Player.objects.filter(member_id=member_id).exists():
            raise ValidationError(
                gettext(
                    "No member has the ID {member_id}. Look up the member by name."
                ).format(member_id=member_id)
            )
        return member_id

    def clean_pairing_number(self) -> int:
        number: int = self.cleaned_data["pairing_number"]
        if number != self.initial.get("pairing_number") and number in self.taken:
            raise ValidationError(
                gettext(
                    "Pairing number {number} is already used in this section."
                ).format(number=number)
            )
        return number


# A blank cell is a valid choice; an empty value would be a missing answer.
NO_RESULT = "blank"


class CellForm(EditForm):
    code = forms.ChoiceField(
        label=_("Result"), error_messages={"required": _("Choose a result.")}
    )
    opponent = PairingNumberField(label=_("Opponent’s pairing number"), required=False)
    color = forms.ChoiceField(
        label=_("Color"),
        required=False,
        choices=[("", _("Not reported")), ("W", _("White")), ("B", _("Black"))],
    )
    both_sides = forms.BooleanField(
        label=_("Also update the opponent’s result to match"),
        required=False,
        initial=True,
        help_text=_("Used only if this result decides the opponent’s result."),
    )

    def __init__(
        self, *args: Any, section: ReportedSection, pairing_number: int, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.section, self.pairing_number = section, pairing_number
        self.kind = section.codes_kind
        choices = _code_choices(self.kind, self.initial.get("code"))
        cast(forms.ChoiceField, self.fields["code"]).choices = choices

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if "code" not in cleaned or "opponent" in self.errors:
            return cleaned  # these fields have errors of their own
        result = result_code(cleaned["code"], self.kind)
        problem = self._opponent_problem(result, cleaned.get("opponent"))
        if problem:
            self.add_error("opponent", problem)
        return cleaned

    def _opponent_problem(self, result: ResultCode | None, opponent: int | None) -> str:
        if opponent is None:
            if result is not None and result.needs_opponent:
                return gettext("A game needs the opponent’s pairing number.")
            return ""
        if result is None:
            return gettext("Choose a result or clear the opponent’s number.")
        if not result.is_game and not result.mirrors:
            return gettext("This result has no opponent. Clear the opponent’s number.")
        if opponent == self.pairing_number:
            return gettext("That is the player’s own pairing number.")
        if self.section.entry(opponent) is None:
            return gettext("Pairing number {opponent} is not in this section.").format(
                opponent=opponent
            )
        return ""

    def cell(self) -> Cell:
        code = self.cleaned_data["code"]
        result = result_code(code, self.kind)
        if result is None:
            return BLANK
        color = self.cleaned_data["color"] if result.is_game else ""
        return Cell(code, self.cleaned_data["opponent"], color)

    @classmethod
    def present(cls, record: Cell) -> dict[str, Any]:
        code = record.code or NO_RESULT
        return {"code": code, "opponent": record.opponent, "color": record.color}


_GROUPS = {"played": _("Played"), "unplayed": _("Not played"), "rare": _("Rare")}


def _code_choices(kind: str, present: str | None) -> list[tuple[str, Any]]:
    codes = DOUBLE if kind == DOUBLE_GAME_KIND else SINGLE
    groups: dict[str, list[tuple[str, str]]] = {name: [] for name in _GROUPS}
    for result in codes.values():
        groups[_group(result)].append((result.code, _in_words(result)))
    known = {code for group in groups.values() for code, _ in group}
    if present and present not in (*known, NO_RESULT):
        groups["rare"].append(
            (present, gettext("Code {present} (unusual here)").format(present=present))
        )
    return [
        (NO_RESULT, gettext("No result (blank)")),
        *((str(_GROUPS[name]), group) for name, group in groups.items() if group),
    ]


def _group(result: ResultCode) -> str:
    if result.is_asymmetric or result.code == "I":
        return "rare"
    return "played" if result.is_game else "unplayed"


def _in_words(result: ResultCode) -> str:
    return f"{capfirst(translated(result.meaning))} ({result.code})"
