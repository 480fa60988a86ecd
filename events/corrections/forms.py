"""Forms for corrections to an accepted section.

Each form returns a change for ``events.corrections.changes``, which decides whether it
is possible. The TD and the office decide whether it is true.
"""

from typing import Any, cast

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.corrections.changes import Change
from events.formats.dbf.layout_2c import MAX_ROUNDS
from events.formats.places import with_parsed_place_fields
from events.formats.result_codes import DOUBLE, SINGLE
from events.models import CorrectionRequest, Section
from events.models.documents import ROLE_WORDS, OfficialLine, RoundCell, SectionDocument
from events.records.exports import DOUBLE_CODES
from events.reports.forms.edits import PairingNumberField
from events.reports.forms.time_controls import TimeControlField
from players.members.forms import MemberIdField
from ratings_site.common.approvals.forms import ReasonField
from ratings_site.common.ui.fields import (
    DayField,
    NumberField,
    ShortNumberField,
    StateField,
)

NOTHING = "none"
UNPLAYED = "BHXFZ"
COLORS = [("", _("Not reported")), ("W", _("White")), ("B", _("Black"))]


class StatusFilter(forms.Form):
    """Which requests to show."""

    status = forms.ChoiceField(
        label=_("Status"),
        required=False,
        choices=[("", _("All")), *CorrectionRequest.State.choices],
        error_messages={"invalid_choice": _("Choose a status from the list.")},
    )

    def narrowed(
        self, requests: QuerySet[CorrectionRequest]
    ) -> QuerySet[CorrectionRequest]:
        status = self.cleaned_data.get("status")
        return requests.filter(state=status) if status else requests


class ChangeForm(forms.Form):
    """The common fields: the version that was shown, and the source."""

    version = NumberField(widget=forms.HiddenInput)
    text = ReasonField(
        label=_("How do you know?"),
        rows=3,
        help_text=_(
            "For example, what the score sheet shows. Only the tournament director "
            "and the office see this."
        ),
        missing=_("Tell us how you know."),
    )

    # The fields that show the section's values of the same names.
    shown: tuple[str, ...] = ()

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

    def require_staff_reason(self) -> None:
        """Require a reason from staff who restate a request as another change."""
        why = self.fields["text"]
        why.label = gettext("Why are you changing it?")
        why.help_text = gettext("Saved in the history of this request.")
        why.error_messages["required"] = gettext("Enter a reason.")

    def present(self) -> dict[str, Any]:
        """Return the section's current values at the given place."""
        return {name: getattr(self.document, name) for name in self.shown}

    def change(self) -> Change:
        """Return the values of the fields of this kind of change."""
        return {
            name: value
            for name, value in self.cleaned_data.items()
            if name not in ChangeForm.base_fields
        }


class ResultForm(ChangeForm):
    round_number = ShortNumberField(label=_("Round"), min_value=1, max_value=MAX_ROUNDS)
    number = PairingNumberField(label=_("Pairing number"))
    result = forms.ChoiceField(label=_("Correct result"))
    opponent = PairingNumberField(label=_("Opponent’s pairing number"), required=False)
    color = forms.ChoiceField(label=_("Color"), required=False, choices=COLORS)
    theirs = forms.ChoiceField(
        label=_("Opponent’s result"),
        required=False,
        choices=[
            ("", _("The opposite result")),
            ("W", _("Win")),
            ("D", _("Draw")),
            ("L", _("Loss")),
        ],
        help_text=_(
            "Rarely needed: only if the game has a different result for each player."
        ),
    )
    second_number = PairingNumberField(
        label=_("Other player: pairing number"),
        required=False,
        help_text=_(
            "If opponents were mixed up, enter another player’s result in the same "
            "round here."
        ),
    )
    second_result = forms.ChoiceField(label=_("Other player: result"), required=False)
    second_opponent = PairingNumberField(
        label=_("Other player: opponent"), required=False
    )
    second_color = forms.ChoiceField(
        label=_("Other player: color"), required=False, choices=COLORS
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [("", gettext("Choose …")), *_result_choices(self.document)]
        for name in ("result", "second_result"):
            cast(forms.ChoiceField, self.fields[name]).choices = choices
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
            self.add_error(
                "second_result", gettext("Choose the other player’s result.")
            )
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
        if (code.is_game and not code.is_asymmetric) or code.code in UNPLAYED
    ]
    return [*choices, (NOTHING, gettext("No game, no bye"))]


class MemberForm(ChangeForm):
    number = PairingNumberField(label=_("Pairing number"))
    member_id = MemberIdField(label=_("Correct member ID"))

    def present(self) -> dict[str, Any]:
        entry = self.document.entry(self.place.get("row", 0))
        if entry is None:
            return {}
        return {"number": entry.number, "member_id": entry.member_id}


class PlayerForm(ChangeForm):
    number = PairingNumberField(label=_("Pairing number"))
    other = PairingNumberField(
        label=_("Switched with pairing number"),
        help_text=_("The two players trade member IDs. The results don’t move."),
    )

    def present(self) -> dict[str, Any]:
        return {"number": self.place.get("row")}


class MissingForm(ChangeForm):
    member_id = MemberIdField(label=_("Member ID of the missing player"))
    name = forms.CharField(
        label=_("Name"),
        max_length=60,
        help_text=_(
            "The player gets the next pairing number. After this is approved, request "
            "each result separately."
        ),
    )


class DatesForm(ChangeForm):
    starts = DayField(label=_("First day"))
    ends = DayField(label=_("Last day"))

    shown = ("starts", "ends")

    def change(self) -> Change:
        return {name: day.isoformat() for name, day in super().change().items()}


class TimeControlForm(ChangeForm):
    time_control = TimeControlField(
        help_text=_(
            "For example, G/60;d5 or 40/90,SD/30;+30. It determines the rating system."
        )
    )
    is_online = forms.BooleanField(label=_("Played online"), required=False)

    shown = ("time_control", "is_online")


class TypeForm(ChangeForm):
    kind = forms.ChoiceField(label=_("Type"), choices=Section.Kind.choices)

    shown = ("kind",)


class NameForm(ChangeForm):
    name = forms.CharField(label=_("Section name"), max_length=60)

    shown = ("name",)


class EventForm(ChangeForm):
    name = forms.CharField(label=_("Event name"), max_length=80)
    city = forms.CharField(label=_("City"), max_length=40, required=False)
    state = StateField(label=_("State"))

    shown = ("city", "state")

    def present(self) -> dict[str, Any]:
        return {"name": self.document.event_name, **super().present()}

    def change(self) -> Change:
        said = with_parsed_place_fields(self.cleaned_data)
        return {name: said[name] for name in ("name", "city", "state")}


class OfficialForm(ChangeForm):
    official = forms.ChoiceField(label=_("Who"))
    member_id = MemberIdField(
        label=_("Correct member ID"),
        required=False,
        help_text=_("Leave blank to remove the director."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = _official_choices(self.document)
        cast(forms.ChoiceField, self.fields["official"]).choices = choices

    def change(self) -> Change:
        scope, role, old = self.cleaned_data["official"].split(":")
        new = self.cleaned_data["member_id"]
        return {"scope": scope, "role": role, "old": old, "new": new}


def _official_choices(document: SectionDocument) -> list[tuple[str, str]]:
    """Return the current officials, and every role that is vacant."""
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
    words = {
        ("event", True): gettext("Event: {role}, {member_id}"),
        ("event", False): gettext("Event: {role}, none yet"),
        ("section", True): gettext("Section: {role}, {member_id}"),
        ("section", False): gettext("Section: {role}, none yet"),
    }[line.scope, bool(line.member_id)]
    return words.format(role=ROLE_WORDS[line.role], member_id=line.member_id)


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
        label=_("Your answer"),
        choices=[
            ("confirm", _("The request is correct")),
            ("object", _("Keep the section as reported")),
        ],
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose one of the two.")},
    )
    note = ReasonField(
        label=_("Note"),
        required=False,
        rows=3,
        help_text=_("Required if you object. Tell us what your records show."),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("answer") == "object" and not cleaned.get("note"):
            self.add_error(
                "note", gettext("Explain why the section is correct as reported.")
            )
        return cleaned


class ApproveForm(forms.Form):
    version = NumberField(widget=forms.HiddenInput)
    public_note = ReasonField(
        label=_("Public reason"),
        help_text=_(
            "Shown on the event page with the change, for example: “The score sheet "
            "shows a draw.” Don’t say who requested it or include anything private."
        ),
        missing=_("Enter a reason. It will be public."),
    )
    reason = ReasonField(
        label=_("Reason for the office"),
        required=False,
        help_text=_("Required if the TD hasn’t confirmed the request."),
    )

    def __init__(self, *args: Any, is_confirmed: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = not is_confirmed
        self.fields["reason"].error_messages["required"] = gettext(
            "The TD hasn’t confirmed this request. Explain why you’re approving it "
            "anyway."
        )


class RefuseForm(forms.Form):
    reason = ReasonField(
        label=_("Reason for declining"),
        help_text=_("The person who asked and the TD will see it."),
        missing=_("Enter why you’re declining the request."),
    )
