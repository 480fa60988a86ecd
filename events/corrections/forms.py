"""The forms in which people say how a section in the books should read.

Each makes the plain change that ``events.corrections.changes`` understands. Whether it
can be made is said there, whether it is true is for the TD and the office.
"""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.books.exports import DOUBLE_CODES
from events.corrections.changes import Change
from events.importers.dbf.layout_2c import MAX_ROUNDS
from events.importers.outcomes import DOUBLE, SINGLE
from events.importers.records import HIGHEST_PAIRING_NUMBER
from events.models import CorrectionRequest, Section
from events.models.documents import ROLE_WORDS, OfficialLine, RoundCell, SectionDocument
from events.reports.forms.time_controls import TimeControlField
from ratings_site.common.acts.forms import LONGEST_REASON
from ratings_site.common.looks.fields import (
    DayField,
    MemberIdField,
    NumberField,
    StateField,
)

NOTHING = "none"
UNPLAYED = "BHXFZ"
COLORS = [
    ("", gettext_lazy("Not reported")),
    ("W", gettext_lazy("White")),
    ("B", gettext_lazy("Black")),
]


class ChangeForm(forms.Form):
    """What is common: the version that was shown, and how one knows."""

    version = NumberField(widget=forms.HiddenInput)
    text = forms.CharField(
        label=gettext_lazy("How do you know?"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy(
            "Such as: the score sheet says so. The tournament director and the "
            "office read it; it is not shown in public."
        ),
        error_messages={"required": gettext_lazy("Say how you know.")},
    )

    def __init__(
        self,
        *args: Any,
        document: SectionDocument,
        place: dict[str, int],
        **kwargs: Any,
    ) -> None:
        self.document, self.place = document, place
        kwargs["initial"] = {**self.present(), **kwargs.get("initial", {})}
        super().__init__(*args, **kwargs)
        self.order_fields([name for name in self.fields if name != "text"])

    def ask_why_anew(self) -> None:
        """Ask staff, who put somebody's request as another change, for their reason."""
        why = self.fields["text"]
        why.label = _("Why do you change it?")
        why.help_text = _("Kept in the history of the request.")
        why.error_messages["required"] = _("Say why.")

    def present(self) -> dict[str, Any]:
        """Return what the section says now, at the place that was pointed at."""
        return {}

    def change(self) -> Change:
        return {}


def _pairing_number(
    label: str, *, required: bool = True, help_text: str = ""
) -> NumberField:
    return NumberField(
        label=label,
        required=required,
        min_value=1,
        max_value=HIGHEST_PAIRING_NUMBER,
        widget=forms.NumberInput(attrs={"class": "short"}),
        help_text=help_text,
    )


class ResultForm(ChangeForm):
    round_number = NumberField(
        label=gettext_lazy("Round"),
        min_value=1,
        max_value=MAX_ROUNDS,
        widget=forms.NumberInput(attrs={"class": "short"}),
    )
    number = _pairing_number(gettext_lazy("Pairing number"))
    result = forms.ChoiceField(label=gettext_lazy("Right result"))
    opponent = _pairing_number(
        gettext_lazy("Opponent’s pairing number"), required=False
    )
    color = forms.ChoiceField(
        label=gettext_lazy("Color"), required=False, choices=COLORS
    )
    theirs = forms.ChoiceField(
        label=gettext_lazy("Opponent’s result"),
        required=False,
        choices=[
            ("", gettext_lazy("The mirror of it")),
            ("W", gettext_lazy("Win all the same")),
            ("D", gettext_lazy("Draw all the same")),
            ("L", gettext_lazy("Loss all the same")),
        ],
        help_text=gettext_lazy(
            "Seldom: only where the game counts differently for the two sides."
        ),
    )
    second_number = _pairing_number(
        gettext_lazy("Second cell: pairing number"),
        required=False,
        help_text=gettext_lazy(
            "If opponents were mixed up, say here what another player did in "
            "the same round."
        ),
    )
    second_result = forms.ChoiceField(
        label=gettext_lazy("Second cell: result"), required=False
    )
    second_opponent = _pairing_number(
        gettext_lazy("Second cell: opponent"), required=False
    )
    second_color = forms.ChoiceField(
        label=gettext_lazy("Second cell: color"), required=False, choices=COLORS
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = _result_choices(self.document)
        self.fields["result"].choices = [("", _("Choose …")), *choices]
        self.fields["second_result"].choices = [("", _("Choose …")), *choices]
        if self.document.is_double:
            del self.fields["theirs"]

    def present(self) -> dict[str, Any]:
        number, round_number = self.place.get("row"), self.place.get("round")
        if number is None or round_number is None:
            return {"number": number, "round_number": round_number}
        cell = self.document.cell(number, round_number)
        return {
            "number": number,
            "round_number": round_number,
            "result": _code(cell),
            "opponent": cell.opponent,
            "color": cell.color,
            "theirs": "" if cell.is_mirrored else cell.theirs,
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("second_number") and not cleaned.get("second_result"):
            self.add_error("second_result", _("Choose the result of the second cell."))
        return cleaned

    def change(self) -> Change:
        said = self.cleaned_data
        cells = [self._cell("", said)]
        if said["second_number"] is not None:
            cells.append(self._cell("second_", said))
        return {"cells": cells}

    @staticmethod
    def _cell(prefix: str, said: dict[str, Any]) -> dict[str, Any]:
        result = said[f"{prefix}result"]
        is_game = result not in (NOTHING, *UNPLAYED)
        return {
            "number": said[f"{prefix}number"],
            "round_number": said["round_number"],
            "result": "" if result == NOTHING else result,
            "opponent": said[f"{prefix}opponent"],
            "color": said[f"{prefix}color"] if is_game else "",
            "theirs": said.get("theirs", "") if is_game and not prefix else "",
        }


def _code(cell: RoundCell) -> str:
    if cell.unplayed:
        return cell.unplayed
    if len(cell.outcomes) > 1:
        return DOUBLE_CODES[cell.outcomes]
    return cell.outcomes or NOTHING


def _result_choices(document: SectionDocument) -> list[tuple[str, str]]:
    codes = DOUBLE if document.is_double else SINGLE
    choices = [
        (code.code, code.meaning[:1].upper() + code.meaning[1:])
        for code in codes.values()
        if (code.is_game and not code.asymmetric) or code.code in UNPLAYED
    ]
    return [*choices, (NOTHING, _("No game, no bye"))]


class MemberForm(ChangeForm):
    number = _pairing_number(gettext_lazy("Pairing number"))
    member_id = MemberIdField(label=gettext_lazy("Right member ID"))

    def present(self) -> dict[str, Any]:
        entry = self.document.entry(self.place.get("row", 0))
        if entry is None:
            return {}
        return {"number": entry.number, "member_id": entry.member_id}

    def change(self) -> Change:
        said = self.cleaned_data
        return {"number": said["number"], "member_id": said["member_id"]}


class PlayerForm(ChangeForm):
    number = _pairing_number(gettext_lazy("Pairing number"))
    other = _pairing_number(
        gettext_lazy("Exchanged with pairing number"),
        help_text=gettext_lazy(
            "Each of the two gets the member ID of the other. The results stay "
            "where they are."
        ),
    )

    def present(self) -> dict[str, Any]:
        return {"number": self.place.get("row")}

    def change(self) -> Change:
        said = self.cleaned_data
        return {"number": said["number"], "other": said["other"]}


class MissingForm(ChangeForm):
    member_id = MemberIdField(
        label=gettext_lazy("Member ID of the player who is missing")
    )
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=60,
        help_text=gettext_lazy(
            "The player gets the next pairing number. Once this is decided, ask "
            "for each result by itself."
        ),
    )

    def change(self) -> Change:
        said = self.cleaned_data
        return {name: said[name] for name in ("member_id", "name")}


class DatesForm(ChangeForm):
    starts = DayField(label=gettext_lazy("First day"))
    ends = DayField(label=gettext_lazy("Last day"))

    def present(self) -> dict[str, Any]:
        return {"starts": self.document.starts, "ends": self.document.ends}

    def change(self) -> Change:
        said = self.cleaned_data
        return {name: said[name].isoformat() for name in ("starts", "ends")}


class TimeControlForm(ChangeForm):
    time_control = TimeControlField(
        help_text=gettext_lazy(
            "Such as G/60;d5 or 40/90,SD/30;+30. It decides the rating system."
        ),
    )
    is_online = forms.BooleanField(label=gettext_lazy("Played online"), required=False)

    def present(self) -> dict[str, Any]:
        return {
            "time_control": self.document.time_control,
            "is_online": self.document.is_online,
        }

    def change(self) -> Change:
        said = self.cleaned_data
        return {name: said[name] for name in ("time_control", "is_online")}


class TypeForm(ChangeForm):
    kind = forms.ChoiceField(label=gettext_lazy("Type"), choices=Section.Kind.choices)

    def present(self) -> dict[str, Any]:
        return {"kind": self.document.kind}

    def change(self) -> Change:
        return {"kind": self.cleaned_data["kind"]}


class NameForm(ChangeForm):
    name = forms.CharField(label=gettext_lazy("Name of the section"), max_length=60)

    def present(self) -> dict[str, Any]:
        return {"name": self.document.name}

    def change(self) -> Change:
        return {"name": self.cleaned_data["name"]}


class EventForm(ChangeForm):
    name = forms.CharField(label=gettext_lazy("Name of the event"), max_length=80)
    city = forms.CharField(label=gettext_lazy("City"), max_length=40, required=False)
    state = StateField(label=gettext_lazy("State"))

    def present(self) -> dict[str, Any]:
        return {
            "name": self.document.event_name,
            "city": self.document.city,
            "state": self.document.state,
        }

    def change(self) -> Change:
        said = self.cleaned_data
        return {name: said[name] for name in ("name", "city", "state")}


class OfficialForm(ChangeForm):
    official = forms.ChoiceField(label=gettext_lazy("Who"))
    member_id = MemberIdField(
        label=gettext_lazy("Right member ID"),
        required=False,
        help_text=gettext_lazy("Blank takes the director out."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["official"].choices = _official_choices(self.document)

    def change(self) -> Change:
        scope, role, old = self.cleaned_data["official"].split(":")
        new = self.cleaned_data["member_id"]
        return {"scope": scope, "role": role, "old": old, "new": new}


def _official_choices(document: SectionDocument) -> list[tuple[str, str]]:
    """Offer everybody who directs now, and every place where somebody is missing."""
    present = list(document.officials)
    taken = {line[:2] for line in present if line.role != "other"}
    missing = [
        OfficialLine(scope, role, "")
        for scope in ("event", "section")
        for role in ROLE_WORDS
        if (scope, role) not in taken and (scope, role) != ("section", "other")
    ]
    return [(":".join(line), _official_in_words(line)) for line in (*present, *missing)]


def _official_in_words(line: OfficialLine) -> str:
    words = _("{capitalize} of the {scope}").format(
        capitalize=ROLE_WORDS[line.role].capitalize(), scope=line.scope
    )
    words = words.replace("td", "TD")
    return f"{words}: {line.member_id or 'add one'}"


Kind = CorrectionRequest.Kind
FORMS: dict[str, type[ChangeForm]] = {
    Kind.RESULT: ResultForm,
    Kind.MEMBER_ID: MemberForm,
    Kind.PLAYER: PlayerForm,
    Kind.MISSING: MissingForm,
    Kind.DATES: DatesForm,
    Kind.TIME_CONTROL: TimeControlForm,
    Kind.TYPE: TypeForm,
    Kind.NAME: NameForm,
    Kind.EVENT: EventForm,
    Kind.OFFICIAL: OfficialForm,
    Kind.OTHER: ChangeForm,
}


class AnswerForm(forms.Form):
    answer = forms.ChoiceField(
        label=gettext_lazy("Your answer"),
        choices=[
            ("confirm", gettext_lazy("It is as the request says")),
            ("object", gettext_lazy("The section is right as it stands")),
        ],
        widget=forms.RadioSelect,
        error_messages={"required": gettext_lazy("Choose one of the two.")},
    )
    note = forms.CharField(
        label=gettext_lazy("Note"),
        required=False,
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("Needed if you object: say what your papers show."),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("answer") == "object" and not cleaned.get("note"):
            self.add_error("note", _("Say why the section is right as it stands."))
        return cleaned


class ApproveForm(forms.Form):
    version = NumberField(widget=forms.HiddenInput)
    public_note = forms.CharField(
        label=gettext_lazy("Why, for everybody to read"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy(
            "Stands on the event’s page with what changed: “The score sheet "
            "shows a draw.” No names of who asked, nothing private."
        ),
        error_messages={"required": gettext_lazy("Say why; everybody can read it.")},
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason, for the office"),
        required=False,
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("Needed where the TD has not confirmed."),
    )

    def __init__(self, *args: Any, is_confirmed: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = not is_confirmed
        self.fields["reason"].error_messages["required"] = _(
            "The TD has not confirmed this. Say why the office decides all the same."
        )


class RefuseForm(forms.Form):
    reason = forms.CharField(
        label=gettext_lazy("Why the section stays as it is"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("Who asked and the TD read it."),
        error_messages={
            "required": gettext_lazy("Say why the section stays as it is.")
        },
    )
