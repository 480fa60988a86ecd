"""Forms for foreign events."""

from collections.abc import Iterable
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from events.foreign.services.results import Facts
from events.formats.foreign.reader import MAX_FILE_BYTES
from events.formats.foreign.report import (
    MAX_ROUNDS,
    ReportedForeignGame,
    ReportedUnplayedRound,
)
from events.formats.parsing import MAX_RATING, clean_text, parse_fide_id
from events.models import ForeignEvent, ForeignResult
from players.members.forms import MemberIdField
from players.models import Player
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.approvals.kinds import shown_digest
from ratings_site.common.ui.fields import (
    DayField,
    MonthField,
    NumberField,
)

# A round robin of 14 has 13 rounds; each save adds blank rows.
INITIAL_ROWS = 11
BLANK_ROWS = 3

RESULTS = [
    ("", ""),
    ("2", "1"),
    ("1", "½"),
    ("0", "0"),
    ("bye", "bye"),
    ("won by forfeit", _("+ (forfeit)")),
    ("lost by forfeit", _("− (forfeit)")),
]
COLORS = [("", ""), ("W", _("White")), ("B", _("Black"))]

# The fields of a game that the form has under the same names.
GAME_FIELDS = (
    *("round_number", "color", "opponent_name"),
    *("opponent_fide_id", "opponent_federation"),
)
_SHORT = {"class": "short"}


class FederationField(forms.RegexField):
    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.TextInput(attrs={**_SHORT, "maxlength": 3}))
        super().__init__(
            r"^[A-Z]{3}\Z",
            error_messages={
                "invalid": _("Enter a federation as three letters, for example FRA.")
            },
            **kwargs,
        )

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").upper()


class FideIdField(forms.CharField):
    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault(
            "widget", forms.TextInput(attrs={**_SHORT, "inputmode": "numeric"})
        )
        super().__init__(max_length=12, **kwargs)

    def to_python(self, value: Any) -> str:
        try:
            return parse_fide_id(super().to_python(value) or "")
        except ValueError:
            raise ValidationError(_("Enter a FIDE ID of up to ten digits.")) from None


class ForeignEventForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=120)
    starts = DayField(label=_("First day"))
    ends = DayField(label=_("Last day"))
    federation = FederationField(
        label=_("Federation"),
        help_text=_("Where it was played, for example FRA."),
    )
    city = forms.CharField(label=_("City"), max_length=60, required=False)
    fide_code = forms.RegexField(
        r"^[A-Z0-9]{1,12}\Z",
        label=_("FIDE event code"),
        required=False,
        error_messages={"invalid": _("Use only digits and capital letters.")},
        widget=forms.TextInput(attrs=_SHORT),
        help_text=_("The number in the web address of the event’s FIDE page."),
    )
    rated_list = MonthField(
        label=_("FIDE list that includes it"),
        required=False,
        help_text=_("Leave blank for the first list after the last day."),
    )
    is_youth = forms.BooleanField(
        label=_("Youth event"),
        required=False,
        help_text=_(
            "For example, a World Youth Championship. All opponents’ ratings are "
            "converted with the youth formula."
        ),
    )

    def clean_name(self) -> str:
        return clean_text(self.cleaned_data["name"], 120)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        starts, ends = cleaned.get("starts"), cleaned.get("ends")
        if starts and ends and ends < starts:
            self.add_error(
                "ends", _("The last day is before the first day. Correct one of them.")
            )
        held_by = cleaned.get("rated_list")
        if ends and held_by and held_by <= ends:
            self.add_error(
                "rated_list",
                _(
                    "This list was published before the event ended. "
                    "Choose a later one."
                ),
            )
        return cleaned

    def facts(self) -> Facts:
        names = Facts.__dataclass_fields__
        return Facts(**{name: self.cleaned_data[name] for name in names})

    @staticmethod
    def of(event: ForeignEvent) -> dict[str, Any]:
        return {name: getattr(event, name) for name in Facts.__dataclass_fields__}


class ChangeForeignEventForm(ReasonForm, ForeignEventForm):
    was = forms.CharField(required=False, widget=forms.HiddenInput)
    field_order = [*ForeignEventForm.base_fields, "reason"]


class ForeignUploadForm(forms.Form):
    file = forms.FileField(
        label=_("File"),
        max_length=200,
        help_text=_("The TRF file sent to FIDE, or a table (CSV or XLSX)."),
        error_messages={
            "required": _("Choose a file."),
            "empty": _("The file is empty."),
        },
    )
    member_id = MemberIdField(
        label=_("Member"),
        required=False,
        help_text=_(
            "Needed only for a table without the columns member_id and fide_id."
        ),
    )
    fide_code = ForeignEventForm.base_fields["fide_code"]
    is_youth = ForeignEventForm.base_fields["is_youth"]

    def __init__(self, *args: Any, has_event: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("fide_code", "is_youth") if has_event else ("member_id",):
            del self.fields[name]

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MAX_FILE_BYTES:
            raise ValidationError(
                _("The file is larger than {max_file_bytes} MB.").format(
                    max_file_bytes=MAX_FILE_BYTES // 1000000
                )
            )
        return file

    def clean_member_id(self) -> Player | None:
        return member_of(self.cleaned_data["member_id"])


def member_of(member_id: str) -> Player | None:
    """Return the member, or the one it was merged into; else raise ValidationError."""
    if not member_id:
        return None
    players = Player.objects.select_related("merged_into")
    player = players.filter(member_id=member_id).first()
    if player is None:
        raise ValidationError(_("No member has this ID."))
    return player.canonical


class MemberForm(forms.Form):
    member_id = MemberIdField(label=_("Member ID"))

    def clean_member_id(self) -> Player | None:
        return member_of(self.cleaned_data["member_id"])


class RoundForm(forms.Form):
    """One round. A row without a result is blank."""

    round_number = NumberField(
        label=_("Round"),
        required=False,
        min_value=1,
        max_value=MAX_ROUNDS,
        widget=forms.NumberInput(attrs=_SHORT),
    )
    result = forms.ChoiceField(label=_("Result"), required=False, choices=RESULTS)
    color = forms.ChoiceField(label=_("Color"), required=False, choices=COLORS)
    opponent_fide_id = FideIdField(label=_("Opponent’s FIDE ID"), required=False)
    opponent_name = forms.CharField(
        label=_("Opponent"),
        required=False,
        max_length=80,
        widget=forms.TextInput(attrs={"size": 24}),
    )
    opponent_federation = FederationField(label=_("Federation"), required=False)
    rating = NumberField(
        label=_("FIDE rating"),
        required=False,
        min_value=1,
        max_value=MAX_RATING,
        widget=forms.NumberInput(attrs=_SHORT),
    )

    def clean_opponent_name(self) -> str:
        return clean_text(self.cleaned_data["opponent_name"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.errors or not self.is_filled:
            return cleaned
        if not cleaned.get("round_number"):
            self.add_error("round_number", _("Enter the round number."))
        if not cleaned.get("result"):
            self.add_error("result", _("Choose the result."))
        elif self.is_game and not (
            cleaned.get("opponent_fide_id") or cleaned.get("opponent_name")
        ):
            self.add_error(
                "opponent_fide_id", _("Enter the opponent’s name or FIDE ID.")
            )
        return cleaned

    @property
    def is_filled(self) -> bool:
        return any(
            self.cleaned_data.get(name)
            for name in self.fields
            if name != "round_number"
        )

    @property
    def is_game(self) -> bool:
        return self.cleaned_data.get("result") in ("0", "1", "2")

    def game(self) -> ReportedForeignGame:
        said = self.cleaned_data
        return ReportedForeignGame(
            stated_rating=said["rating"],
            half_points=int(said["result"]),
            **{name: said[name] for name in GAME_FIELDS},
        )

    def round_off(self) -> ReportedUnplayedRound:
        return ReportedUnplayedRound(
            self.cleaned_data["round_number"], self.cleaned_data["result"]
        )


class BaseRoundsFormSet(forms.BaseFormSet):  # type: ignore[type-arg]
    def clean(self) -> None:
        numbers = [
            form.cleaned_data.get("round_number")
            for form in self.forms
            if form.is_valid() and form.is_filled
        ]
        if not any(self.errors) and not numbers:
            raise ValidationError(_("Enter at least one game."))
        if twice := {one for one in numbers if one and numbers.count(one) > 1}:
            raise ValidationError(
                _(
                    "Round {round_number} is entered twice. Give each game its own "
                    "round number."
                ).format(round_number=min(twice))
            )

    def games(self) -> list[ReportedForeignGame]:
        return [form.game() for form in self._filled() if form.is_game]

    def digest(self) -> str:
        """Return a digest of the games, to compare a preview with the submission."""
        return shown_digest([form.cleaned_data for form in self._filled()])

    def rounds_off(self) -> list[ReportedUnplayedRound]:
        return [form.round_off() for form in self._filled() if not form.is_game]

    def _filled(self) -> Iterable[RoundForm]:
        return (form for form in self.forms if form.is_filled)


RoundsFormSet = cast(
    type[BaseRoundsFormSet],
    forms.formset_factory(
        RoundForm,
        formset=BaseRoundsFormSet,
        extra=0,
        max_num=MAX_ROUNDS,
        absolute_max=MAX_ROUNDS + BLANK_ROWS,
    ),
)


def initial_rounds(result: ForeignResult | None) -> list[dict[str, Any]]:
    """Return the initial rows: the entered games and some blank rows."""
    rows: list[dict[str, Any]] = []
    if result is not None:
        rows = [
            {
                "result": str(game.half_points),
                "rating": game.stated_rating,
                **{name: getattr(game, name) for name in GAME_FIELDS},
            }
            for game in result.games.all()
        ]
        rows += [
            {
                "round_number": one["round"],
                "result": one["what"] if one["what"] in dict(RESULTS) else "bye",
            }
            for one in result.unplayed
        ]
        rows.sort(key=lambda row: row["round_number"])
    used = max((row["round_number"] for row in rows), default=0)
    blank = max(INITIAL_ROWS - len(rows), BLANK_ROWS)
    rows += [{"round_number": used + number} for number in range(1, blank + 1)]
    return [row for row in rows if row["round_number"] <= MAX_ROUNDS]
