"""The forms of the TD's desk and of the office's queue.

They take what people type and say what is wrong with it; whether it is true is for
the findings.
"""

import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.html import escape
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.importers.checks import NO_MEMBER_ID
from events.importers.headings import COLUMN_WORDS
from events.importers.layout_2c import KINDS, MAX_ROUNDS
from events.importers.outcomes import (
    DOUBLE,
    DOUBLE_GAME_KIND,
    SINGLE,
    ResultCode,
    result_code,
)
from events.importers.read_report import MAX_UPLOAD_BYTES
from events.importers.read_tables import (
    PASTED,
    ColumnAnswer,
    ColumnQuestion,
    answer_problem,
)
from events.importers.records import (
    BLANK,
    HIGHEST_PAIRING_NUMBER,
    Cell,
    EntryReport,
    EventReport,
    SectionReport,
)
from events.models import OfficeTask
from players.models import Player
from ratings_site.common.looks.fields import DayField, MemberIdField, NumberField

LONGEST_REASON = 500
# A chart of a thousand players; more is better sent as a file.
LONGEST_PASTE = 500_000
# A busy affiliate sends a few dozen after a weekend.
MAX_REPORTS_PER_DAY = 200
MEMBER_ID = re.compile(r"[1-9][0-9]{7}", re.ASCII)


def _digits(pattern: str, message: str) -> RegexValidator:
    return RegexValidator(re.compile(pattern, re.ASCII), message)


class StateField(forms.CharField):
    default_validators = [
        _digits(r"^[A-Z]{2}\Z", _("A state has two letters, such as IL."))
    ]

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.TextInput(attrs={"class": "short"}))
        super().__init__(required=False, **kwargs)

    def to_python(self, value: Any) -> str:
        return super().to_python(value).upper()


class ManyFilesInput(forms.FileInput):
    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """Several files in one field, empty ones too: the readers say what is wrong."""

    def clean(self, data: Any, initial: Any = None) -> list:
        files = data or ([None] if self.required else [])
        return [super(ManyFilesField, self).clean(file, initial) for file in files]


class UploadForm(forms.Form):
    files = ManyFilesField(
        label=_("Report files"),
        required=False,
        allow_empty_file=True,
        max_length=200,
        widget=ManyFilesInput(
            attrs={
                "multiple": True,
                "accept": ".dbf,.zip,.trf,.txt,.csv,.tsv,.xlsx,.json",
            }
        ),
        help_text=_(
            "THEXPORT.DBF, TSEXPORT.DBF and TDEXPORT.DBF, or FIDE's report files "
            "(TRF16 or TRF26), one for each section, or a table (CSV or XLSX), or a "
            "JSON document; as they are or in a ZIP archive. Choose them together, or "
            "drop them here."
        ),
    )
    pasted = forms.CharField(
        label=_("Or paste a wall chart"),
        required=False,
        strip=False,
        max_length=LONGEST_PASTE,
        widget=forms.Textarea(
            attrs={"rows": 8, "class": "rows", "spellcheck": "false", "wrap": "off"}
        ),
        help_text=_(
            "As your pairing program prints it: a line for each player with "
            "number, name or member ID, and results such as W 12, L3, H--."
        ),
    )

    def clean_files(self) -> list:
        files = self.cleaned_data["files"]
        if sum(file.size for file in files) > MAX_UPLOAD_BYTES:
            raise ValidationError(
                gettext(
                    "The files together are larger than {max_upload_bytes} "
                    "MB. Upload the three files of one report only."
                ).format(max_upload_bytes=MAX_UPLOAD_BYTES // 1000000)
            )
        return files

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        sent = cleaned.get("files") or cleaned.get("pasted", "").strip()
        if not sent and not self.errors:
            self.add_error(
                "files",
                gettext(
                    "Choose the three files of a report, its ZIP, or a table; or paste "
                    "a wall chart."
                ),
            )
        return cleaned

    def sent(self) -> list[tuple[str, bytes]]:
        """Return name and content of each file, the pasted text as one of them."""
        files = [(file.name, file.read()) for file in self.cleaned_data["files"]]
        pasted = self.cleaned_data["pasted"]
        return [*files, (PASTED, pasted.encode())] if pasted.strip() else files


# Leaving a column out is a choice like others.
LEFT_OUT = "-"


class ColumnsForm(forms.Form):
    """Which column of a table is which, where its headings do not tell."""

    version = NumberField(widget=forms.HiddenInput)
    headed = forms.BooleanField(
        label=_("The first row shown is a heading"),
        required=False,
        help_text=_("Take the mark away if a player or a game stands there already."),
    )

    def __init__(self, *args: Any, question: ColumnQuestion, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.columns = [f"column_{index}" for index in range(len(question.headings))]
        for index, name in enumerate(self.columns):
            samples = [row[index] for row in question.samples if row[index]]
            self.fields[name] = forms.ChoiceField(
                label=gettext("Column {index}: {heading}").format(
                    index=index + 1,
                    heading=question.headings[index] or gettext("(no heading)"),
                ),
                choices=[(LEFT_OUT, gettext("Leave out")), *COLUMN_WORDS.items()],
                initial=question.guesses[index] or LEFT_OUT,
                help_text=escape(" · ".join(sample[:30] for sample in samples)),
            )
        self.fields["headed"].initial = question.headed
        self.order_fields([*self.columns, "headed"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and (problem := answer_problem(self.answer())):
            self.add_error(None, problem)
        return cleaned

    def answer(self) -> ColumnAnswer:
        said = (self.cleaned_data[name] for name in self.columns)
        meanings = tuple("" if meaning == LEFT_OUT else meaning for meaning in said)
        return ColumnAnswer(meanings, headed=self.cleaned_data["headed"])


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": _("Say why. The reason is kept with the report.")},
    )


class ManyField(forms.Field):
    """Values that are sent under one name, each read by *read*."""

    widget = forms.MultipleHiddenInput

    def __init__(self, *, read: Callable[[str], Any] = str, **kwargs: Any) -> None:
        self.read = read
        super().__init__(**kwargs)

    def to_python(self, value: Any) -> list[Any]:
        try:
            return [self.read(text) for text in value or ()]
        except ValueError as error:
            raise ValidationError(_("This names nothing on the page.")) from error


class OverrideForm(ReasonForm):
    finding = ManyField(
        error_messages={"required": _("Choose what you confirm, then say why.")}
    )


def _read_spot(text: str) -> tuple[int, int]:
    """Return section and pairing number of "2-14"."""
    if not re.fullmatch(r"-?[0-9]{1,4}-[0-9]{1,4}", text, re.ASCII):
        raise ValueError(text)
    section, _dash, number = text.rpartition("-")
    return int(section), int(number)


class RecordForm(forms.Form):
    """Which entries are set from their members' records."""

    version = NumberField(widget=forms.HiddenInput)
    spot = ManyField(read=_read_spot)


class MemberForm(forms.Form):
    """Which member an entry is, of those that are likely."""

    version = NumberField(widget=forms.HiddenInput)
    member_id = MemberIdField(widget=forms.HiddenInput)


class ClaimForm(forms.Form):
    """Who had the report when the page was shown; blank if nobody did."""

    holder = NumberField(
        required=False, min_value=1, max_value=2**31, widget=forms.HiddenInput
    )


class NoteForm(forms.Form):
    note = forms.CharField(
        label=_("Note to the TD"),
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("The TD reads it above the report. Say what is missing and where."),
        error_messages={"required": _("Say what the TD has to put right.")},
    )


class AcceptForm(forms.Form):
    reason = forms.CharField(
        label=_("Note"),
        max_length=LONGEST_REASON,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Kept in the report’s history."),
    )


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
            self.add_error("ends", gettext("The last day lies before the first."))
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
    def present(report: EventReport) -> dict[str, Any]:
        values = _values(EventForm, report)
        return {**values, "other_td_ids": ", ".join(report.other_td_ids)}


KIND_CHOICES = [("", _("Choose …"))] + [
    (letter, capfirst(_(kind))) for letter, kind in KINDS.items()
]


class SectionForm(_DatedForm):
    name = forms.CharField(label=_("Name"), max_length=60)
    time_control = forms.CharField(
        label=_("Time control"),
        max_length=60,
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
    def present(section: SectionReport) -> dict[str, Any]:
        return _values(SectionForm, section)


def _values(form: type[EditForm], record: Any) -> dict[str, Any]:
    names = [name for name in form.base_fields if name != "version"]
    values = {name: getattr(record, name) for name in names}
    # Files spell an unknown ID with zeros; nobody should have to delete them.
    return {
        name: "" if value == NO_MEMBER_ID else value for name, value in values.items()
    }


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
    def present(entry: EntryReport) -> dict[str, Any]:
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
    colour = forms.ChoiceField(
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
        self, *args: Any, section: SectionReport, pairing_number: int, **kwargs: Any
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
        colour = self.cleaned_data["colour"] if result.is_game else ""
        return Cell(code, self.cleaned_data["opponent"], colour)

    @staticmethod
    def present(cell: Cell) -> dict[str, Any]:
        code = cell.code or NO_RESULT
        return {"code": code, "opponent": cell.opponent, "colour": cell.colour}


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


class TaskForm(forms.Form):
    decision = forms.ChoiceField(
        label=_("Decision"),
        choices=[
            ("enter", _("Enter the rating")),
            ("decline", _("Decline")),
        ],
        widget=forms.RadioSelect,
        error_messages={
            "required": _("Choose whether to enter the rating or decline.")
        },
    )
    rating = NumberField(
        label=_("Rating on the list"),
        required=False,
        min_value=1,
        max_value=3500,
        widget=forms.NumberInput(attrs={"class": "short"}),
    )
    list_date = DayField(
        label=_("Date of the list"),
        required=False,
        help_text=_("The day from which this value was in force."),
    )
    body_id = forms.CharField(
        label=_("ID there"),
        max_length=10,
        required=False,
        validators=[_FOREIGN_ID],
        widget=forms.TextInput(attrs={"class": "short"}),
    )
    reason = forms.CharField(
        label=_("Source, or reason"),
        max_length=200,
        help_text=_("Where the rating was looked up, or why it is declined."),
        error_messages={"required": _("Name the source, or say why it is declined.")},
    )

    def __init__(self, *args: Any, task: OfficeTask, today: date, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.task, self.today = task, today

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("decision") != "enter":
            return cleaned
        for name in ("rating", "list_date"):
            if cleaned.get(name) is None and name not in self.errors:
                self.add_error(name, gettext("This is needed to enter the rating."))
        list_date = cleaned.get("list_date")
        if list_date and list_date > self.today:
            self.add_error("list_date", gettext("This list is still to come."))
        self._check_fide_id(cleaned.get("body_id"))
        return cleaned

    def _check_fide_id(self, fide_id: str | None) -> None:
        if self.task.body != "FIDE" or not fide_id:
            return
        other = Player.objects.filter(fide_id=fide_id).exclude(pk=self.task.player_id)
        if holder := other.first():
            self.add_error(
                "body_id",
                gettext("{holder} has this FIDE ID already.").format(holder=holder),
            )
