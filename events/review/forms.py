"""Forms of the review: assign, accept, return."""

import re
from datetime import date
from typing import Any, cast

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.models import OfficeTask
from events.records.exceptions import NotPossible
from events.reports.forms.edits import _FOREIGN_ID
from players.formats.member_ids import MEMBER_ID
from players.models import Player
from players.models.player import member_id_sentence
from ratings_site.common.approvals.forms import ReasonField, ReasonForm
from ratings_site.common.models import Office, User
from ratings_site.common.ui.fields import DayField, NumberField, ShortNumberField

_KEY = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_SHOWN = re.compile(r"([1-9][0-9]{0,8}):([1-9][0-9]{0,8})", re.ASCII)
_NUMBER_FIELD = re.compile(r"number-([1-9][0-9]{0,8})", re.ASCII)


class ClaimForm(forms.Form):
    """The clerk to whom the report was assigned as shown; blank for none."""

    holder = NumberField(
        required=False, min_value=1, max_value=2**31, widget=forms.HiddenInput
    )


class NoteForm(forms.Form):
    note = forms.CharField(
        label=_("Note to the TD"),
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 5, "autofocus": True}),
        help_text=_(
            "The TD sees this at the top of the report. Say what needs to be "
            "fixed and where."
        ),
        error_messages={"required": _("Enter what the TD needs to fix.")},
    )


class ColleagueForm(ReasonForm):
    """The person to invite to the office, and the groups."""

    email = forms.EmailField(label=_("Email"), max_length=254)
    username = forms.CharField(
        label=_("Username"),
        max_length=User._meta.get_field("username").max_length,
        help_text=_("For the new account. Use letters, digits, and @ . + - _"),
    )
    groups = forms.MultipleChoiceField(
        label=_("Groups"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("You can only give permissions that you have."),
        error_messages={"required": _("Choose at least one group.")},
    )
    field_order = ("email", "username", "groups", "reason")

    def __init__(self, *args: Any, groups: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = cast(forms.MultipleChoiceField, self.fields["groups"])
        field.choices = [(name, name) for name in groups]


class AcceptForm(forms.Form):
    reason = ReasonField(
        label=_("Note"), required=False, help_text=_("Saved in the report’s history.")
    )


class FideApprovalForm(ReasonForm):
    day = DayField(
        label=_("Approved on"),
        required=False,
        help_text=_("Leave blank to remove the mark."),
    )
    field_order = ("day", "reason")


# Selected reports are sent by number or as "number:version".


def selected_reports(data: QueryDict, field: str) -> list[int]:
    """Return the reports in a field, without the excluded one."""
    numbers = (one.partition(":")[0] for one in data.getlist(field))
    left_out = [one.partition(":")[0] for one in data.getlist("leave_out")]
    return [
        int(one)
        for one in dict.fromkeys(numbers)
        if _KEY.fullmatch(one) and one not in left_out
    ]


def selected_versions(data: QueryDict) -> dict[int, int]:
    """Return the version of each report that was shown."""
    found = map(_SHOWN.fullmatch, data.getlist("report"))
    return {int(one[1]): int(one[2]) for one in found if one}


class TaskForm(forms.Form):
    decision = forms.ChoiceField(
        label=_("Decision"),
        choices=[("enter", _("Add the rating")), ("decline", _("Decline"))],
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose whether to add the rating or decline.")},
    )
    rating = ShortNumberField(
        label=_("Rating on the list"), required=False, min_value=1, max_value=3500
    )
    list_date = DayField(
        label=_("Date of the list"),
        required=False,
        help_text=_("The first day this rating was in effect."),
    )
    body_id = forms.CharField(
        label=_("FIDE or CFC ID"),
        max_length=10,
        required=False,
        validators=[_FOREIGN_ID],
        widget=forms.TextInput(attrs={"class": "short"}),
    )
    reason = forms.CharField(
        label=_("Source or reason"),
        max_length=200,
        help_text=_("Where you found the rating, or why you’re declining it."),
        error_messages={
            "required": _("Enter the source, or the reason for declining.")
        },
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
                self.add_error(name, gettext("This is required to add the rating."))
        list_date = cleaned.get("list_date")
        if list_date and list_date > self.today:
            self.add_error(
                "list_date",
                gettext(
                    "This date is in the future. Enter the date of a published list."
                ),
            )
        self._check_fide_id(cleaned.get("body_id"))
        return cleaned

    def _check_fide_id(self, fide_id: str | None) -> None:
        if self.task.body != "FIDE" or not fide_id:
            return
        other = Player.objects.filter(fide_id=fide_id).exclude(pk=self.task.player_id)
        if holder := other.first():
            self.add_error(
                "body_id",
                gettext("{holder} already has this FIDE ID.").format(holder=holder),
            )


# The table of new members, with checkboxes and member ID fields


def typed_member_ids(data: QueryDict) -> dict[int, str]:
    """Return the typed member IDs of all rows, to show them again."""
    return {
        int(match[1]): str(value).strip()[:8]
        for name, value in data.items()
        if (match := _NUMBER_FIELD.fullmatch(name))
    }


def ticked_newcomers(data: QueryDict) -> list[int]:
    return [int(one) for one in data.getlist("newcomer") if _KEY.fullmatch(one)]


def chosen_newcomers(data: QueryDict) -> dict[int, str]:
    """Return the member ID of each selected new member; blank is the next free."""
    typed = typed_member_ids(data)
    if _KEY.fullmatch(only := data.get("only", "")):
        typed = {int(only): typed.get(int(only), "")}
        data = QueryDict(f"newcomer={only}")
    if Office.assigns_member_ids():
        chosen = {one: typed.get(one, "") for one in ticked_newcomers(data)}
        nobody = gettext("Choose at least one new member.")
    else:
        chosen = {one: number for one, number in typed.items() if number}
        nobody = gettext("Enter the member ID from the membership system.")
    if not chosen:
        raise NotPossible(nobody)
    for number in filter(None, chosen.values()):
        _require_member_id(number)
    return chosen


def chosen_link(data: QueryDict) -> tuple[int, str]:
    """Return a new member, and the ID of the likely member or the typed one."""
    newcomer, _colon, member_id = str(data["link"]).partition(":")
    if not _KEY.fullmatch(newcomer):
        raise NotPossible(gettext("Choose a new member from the table."))
    member_id = member_id or typed_member_ids(data).get(int(newcomer), "")
    _require_member_id(member_id)
    return int(newcomer), member_id


def not_a_member_id(text: str) -> str:
    sentence = gettext("“{member_id}” isn’t a member ID. Enter eight digits.")
    return str(member_id_sentence(sentence.format(member_id=text)))


def _require_member_id(text: str) -> None:
    if not MEMBER_ID.whole.fullmatch(text):
        raise NotPossible(not_a_member_id(text))
