"""The forms of the TD's desk and of the office's queue.

They take what people type and say what is wrong with it; whether it is true is for
the findings.
"""

import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.importers.checks.report import NO_MEMBER_ID
from events.importers.dbf.layout_2c import KINDS, MAX_ROUNDS
from events.importers.outcomes import (
    DOUBLE,
    DOUBLE_GAME_KIND,
    SINGLE,
    ResultCode,
    result_code,
)
from events.importers.records import (
    BLANK,
    HIGHEST_PAIRING_NUMBER,
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    is_temporary_number,
)
from events.reports.forms.time_controls import TimeControlField
from players.models import Player
from ratings_site.common.looks.fields import (
    DayField,
    MemberIdField,
    NumberField,
    StateField,
)

MEMBER_ID = re.compile(r"[1-9][0-9]{7}", re.ASCII)


def _digits(pattern: str, message: str) -> RegexValidator:
    return RegexValidator(re.compile(pattern, re.ASCII), message)


class EditForm(forms.Form):
    """A form over part of a report, good for the version that was shown."""

    version = NumberField(widget=forms.HiddenInput)

    def changes(self) -> dict[str, Any]:
        """Return what differs from the report as it stands."""
        return {
            name: self.cleaned_data[name]
            for name in self.changed_data
            if name in self.fields and name != "version"
        }


class _DatedForm(EditForm):
    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        starts, ends = cleaned.get("starts"), cleaned.get("ends")
        if starts and ends and ends < starts:
            self.add_error("ends", gettext("The last day is before the first."))
        return cleaned


class EventForm(_DatedForm):
    name = forms.CharField(label=_("Name"), max_length=80)
    starts = DayField(label=_("First day"))
    ends = DayField(label=_("Last day"))
    affiliate_id = forms.CharField(
        label=_("Affiliate ID"),
        max_length=8,
        validators=[
            _digits(r"^[AH][0-9]{7}\Z", _("An affiliate ID is A and 7 digits."))
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
        help_text=_("Separated by commas."),
    )
    city = forms.CharField(label=_("City"), max_length=40, required=False)
    state = StateField(label=_("State"))
    zip_code = forms.CharField(
        label=_("ZIP code"),
        max_length=10,
        required=False,
        widget=forms.TextInput(attrs={"class": "short"}),
    )
    total_sections = NumberField(
        label=_("Number of sections"),
        min_value=1,
        max_value=99,
        widget=forms.NumberInput(attrs={"class": "short"}),
    )

    def clean_other_td_ids(self) -> tuple[str, ...]:
        ids = tuple(self.cleaned_data["other_td_ids"].replace(",", " ").split())
        for member_id in ids:
            if not MEMBER_ID.fullmatch(member_id):
                raise ValidationError(
                    gettext("“{member_id}” is not a member ID of eight digits.").format(
                        member_id=member_id
                    )
                )
        return ids

    @staticmethod
    def present(reported: ReportedEvent) -> dict[str, Any]:
        values = _values(EventForm, reported)
        return {**values, "other_td_ids": ", ".join(reported.other_td_ids)}


KIND_CHOICES = [("", _("Choose …"))] + [
    (letter, capfirst(_(kind))) for letter, kind in KINDS.items()
]


class SectionForm(_DatedForm):
    name = forms.CharField(label=_("Name"), max_length=60)
    time_control = TimeControlField(
        help_text=_(
            "Such as G/60;d5 or 40/90,SD/30;+30. It decides the rating system."
        ),
    )
    online = forms.BooleanField(label=_("Played online"), required=False)
    kind_letter = forms.ChoiceField(label=_("Type"), choices=KIND_CHOICES)
    starts = DayField(
        label=_("First day"),
        required=False,
        help_text=_("Blank means the event’s first day."),
    )
    ends = DayField(
        label=_("Last day"),
        required=False,
        help_text=_("Blank means the event’s last day."),
    )
    rounds = NumberField(
        label=_("Rounds"),
        min_value=1,
        max_value=MAX_ROUNDS,
        widget=forms.NumberInput(attrs={"class": "short"}),
    )
    last_pairing_number = NumberField(
        label=_("Highest pairing number"),
        min_value=1,
        max_value=HIGHEST_PAIRING_NUMBER,
        widget=forms.NumberInput(attrs={"class": "short"}),
        help_text=_("As in the section’s file; it shows whether an entry is missing."),
    )
    chief_td_id = MemberIdField(label=_("Section’s chief TD"), required=False)
    assistant_td_id = MemberIdField(label=_("Section’s assistant TD"), required=False)

    @staticmethod
    def present(section: ReportedSection) -> dict[str, Any]:
        return _values(SectionForm, section)


def _values(form: type[EditForm], record: Any) -> dict[str, Any]:
    names = [name for name in form.base_fields if name != "version"]
    values = {name: getattr(record, name) for name in names}
    # Files spell an unknown ID with zeros; nobody should have to delete them. Nor does
    # anybody type a temporary number.
    return {
        name: "" if value == NO_MEMBER_ID or _is_temporary(value) else value
        for name, value in values.items()
    }


def _is_temporary(value: Any) -> bool:
    return isinstance(value, str) and is_temporary_number(value)


_FOREIGN_ID = _digits(
    r"^[0-9]{1,10}\Z", _("The ID has up to ten digits and no letters.")
)
_FOREIGN_RATING = _digits(
    r"^[1-9][0-9]{2,3}\Z", _("A rating has three or four digits.")
)
_OFFICE_CHECKS = _("For a player without a rating here. The office checks it.")


class EntryForm(EditForm):
    member_id = MemberIdField(label=_("Member ID"), required=False)
    name = forms.CharField(label=_("Name"), max_length=60)
    state = StateField(label=_("State"))
    pairing_number = NumberField(
        label=_("Pairing number"),
        min_value=1,
        max_value=HIGHEST_PAIRING_NUMBER,
        widget=forms.NumberInput(attrs={"class": "short"}),
        help_text=_("The opponents’ cells do not follow; change them too."),
    )
    fide_id = forms.CharField(
        label=_("FIDE ID"),
        max_length=10,
        required=False,
        validators=[_FOREIGN_ID],
        help_text=_OFFICE_CHECKS,
        widget=forms.TextInput(attrs={"class": "short"}),
    )
    fide_rating = forms.CharField(
        label=_("FIDE rating"),
        max_length=4,
        required=False,
        validators=[_FOREIGN_RATING],
        widget=forms.TextInput(attrs={"class": "short"}),
    )
    cfc_id = forms.CharField(
        label=_("CFC ID"),
        max_length=10,
        required=False,
        validators=[_FOREIGN_ID],
        help_text=_OFFICE_CHECKS,
        widget=forms.TextInput(attrs={"class": "short"}),
    )
    cfc_rating = forms.CharField(
        label=_("CFC rating"),
        max_length=4,
        required=False,
        validators=[_FOREIGN_RATING],
        widget=forms.TextInput(attrs={"class": "short"}),
    )

    def __init__(self, *args: Any, taken: Sequence[int] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.taken = taken

    def clean_member_id(self) -> str:
        member_id = self.cleaned_data["member_id"]
        is_new = member_id and member_id != self.initial.get("member_id")
        if is_new and not Player.objects.filter(member_id=member_id).exists():
            raise ValidationError(
                gettext(
                    "No member has the ID {member_id}. Look the member up by name."
                ).format(member_id=member_id)
            )
        return member_id

    def clean_pairing_number(self) -> int:
        number = self.cleaned_data["pairing_number"]
        if number != self.initial.get("pairing_number") and number in self.taken:
            raise ValidationError(
                gettext("The pairing number {number} is taken.").format(number=number)
            )
        return number

    @staticmethod
    def present(entry: ReportedEntry) -> dict[str, Any]:
        return _values(EntryForm, entry)


# A blank cell is a choice like others; an empty value would be a missing answer.
NO_RESULT = "blank"


class CellForm(EditForm):
    code = forms.ChoiceField(
        label=_("Result"),
        error_messages={"required": _("Choose a result.")},
    )
    opponent = NumberField(
        label=_("Opponent’s pairing number"),
        required=False,
        min_value=1,
        max_value=HIGHEST_PAIRING_NUMBER,
        widget=forms.NumberInput(attrs={"class": "short"}),
    )
    color = forms.ChoiceField(
        label=_("Color"),
        required=False,
        choices=[
            ("", _("Not reported")),
            ("W", _("White")),
            ("B", _("Black")),
        ],
    )
    both_sides = forms.BooleanField(
        label=_("Also set the opponent’s side to match"),
        required=False,
        initial=True,
        help_text=_("Only where the result says what the opponent’s must be."),
    )

    def __init__(
        self, *args: Any, section: ReportedSection, pairing_number: int, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.section, self.pairing_number = section, pairing_number
        self.kind = section.codes_kind
        self.fields["code"].choices = _code_choices(self.kind, self.initial.get("code"))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        code, opponent = cleaned.get("code"), cleaned.get("opponent")
        if "code" not in cleaned or "opponent" in self.errors:
            return cleaned  # what was typed there is named already
        result = result_code(code, self.kind)
        problem = self._opponent_problem(result, opponent)
        if problem:
            self.add_error("opponent", problem)
        return cleaned

    def _opponent_problem(self, result: ResultCode | None, opponent: int | None) -> str:
        if opponent is None:
            if result is not None and result.needs_opponent:
                return gettext("A game needs the opponent’s pairing number.")
            return ""
        if result is None:
            return gettext("Choose a result, or take the opponent out.")
        if not result.is_game and not result.mirrors:
            return gettext("There is no opponent in such a round. Take the number out.")
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

    @staticmethod
    def present(cell: Cell) -> dict[str, Any]:
        code = cell.code or NO_RESULT
        return {"code": code, "opponent": cell.opponent, "color": cell.color}


def _code_choices(kind: str, present: str | None) -> list[tuple[str, Any]]:
    codes = DOUBLE if kind == DOUBLE_GAME_KIND else SINGLE
    groups: dict[str, list[tuple[str, str]]] = {
        "Played": [],
        "Not played": [],
        "Seldom": [],
    }
    for result in codes.values():
        groups[_group(result)].append((result.code, _in_words(result)))
    known = {code for group in groups.values() for code, _ in group}
    if present and present not in (*known, NO_RESULT):
        groups["Seldom"].append(
            (present, gettext("Code {present}, unusual here").format(present=present))
        )
    return [(NO_RESULT, gettext("No result (blank)"))] + [
        (name, group) for name, group in groups.items() if group
    ]


def _group(result: ResultCode) -> str:
    if result.asymmetric or result.code == "I":
        return "Seldom"
    return "Played" if result.is_game else "Not played"


def _in_words(result: ResultCode) -> str:
    meaning = result.meaning[:1].upper() + result.meaning[1:]
    return f"{meaning} ({result.code})"
