"""What the office says of a report: taking, accepting, returning it."""

import re
from datetime import date
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.books.refusals import NotPossible
from events.models import OfficeTask
from events.reports.forms.edits import _FOREIGN_ID, MEMBER_ID
from players.models import Player
from ratings_site.common.acts.forms import LONGEST_REASON, ReasonForm
from ratings_site.common.looks.fields import DayField, NumberField
from ratings_site.common.models import Office, User

_KEY = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_SHOWN = re.compile(r"([1-9][0-9]{0,8}):([1-9][0-9]{0,8})", re.ASCII)
_NUMBER_FIELD = re.compile(r"number-([1-9][0-9]{0,8})", re.ASCII)


class ClaimForm(forms.Form):
    """Who had the report when the page was shown; blank if nobody did."""

    holder = NumberField(
        required=False, min_value=1, max_value=2**31, widget=forms.HiddenInput
    )


class NoteForm(forms.Form):
    note = forms.CharField(
        label=_("Note to the TD"),
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 5, "autofocus": True}),
        help_text=_("The TD reads it above the report. Say what is missing and where."),
        error_messages={"required": _("Say what the TD has to put right.")},
    )


class ColleagueForm(ReasonForm):
    """Whom somebody invites to work in the office, and as what."""

    email = forms.EmailField(label=_("E-mail"), max_length=254)
    username = forms.CharField(
        label=_("User name"),
        max_length=User._meta.get_field("username").max_length,
        help_text=_("Of the new account. Letters, digits and @ . + - _"),
    )
    groups = forms.MultipleChoiceField(
        label=_("Groups"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("You can give what your own account may."),
        error_messages={"required": _("Choose a group at least.")},
    )
    field_order = ("email", "username", "groups", "reason")

    def __init__(self, *args: Any, groups: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["groups"].choices = [(name, name) for name in groups]


class AcceptForm(forms.Form):
    reason = forms.CharField(
        label=_("Note"),
        max_length=LONGEST_REASON,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Kept in the report’s history."),
    )


class ReportsChosen:
    """Which reports are ticked, or were listed as "number:version"."""

    @staticmethod
    def numbers(data: QueryDict, field: str) -> list[int]:
        """Return the reports sent in a field, without one that is to be left out."""
        numbers = (one.partition(":")[0] for one in data.getlist(field))
        left_out = [one.partition(":")[0] for one in data.getlist("leave_out")]
        return [
            int(one)
            for one in dict.fromkeys(numbers)
            if _KEY.fullmatch(one) and one not in left_out
        ]

    @staticmethod
    def versions(data: QueryDict) -> dict[int, int]:
        """Return the version that was shown of each report."""
        found = map(_SHOWN.fullmatch, data.getlist("report"))
        return {int(one[1]): int(one[2]) for one in found if one}


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


class NumbersForm:
    """A table of newcomers: some are ticked, and beside each there may be a number."""

    @staticmethod
    def typed(data: QueryDict) -> dict[int, str]:
        """Return what stands in the fields, ticked or not, to be shown again."""
        found = {}
        for name, value in data.items():
            match = _NUMBER_FIELD.fullmatch(name)
            if match:
                found[int(match[1])] = value.strip()[:8]
        return found

    @staticmethod
    def ticked(data: QueryDict) -> list[int]:
        return [int(one) for one in data.getlist("newcomer") if _KEY.fullmatch(one)]

    @classmethod
    def chosen(cls, data: QueryDict) -> dict[int, str]:
        """Return the number typed for each newcomer ticked; blank is the next free.

        Where numbers come from elsewhere, those are chosen for whom one is typed. The
        button beside one newcomer chooses that one alone.
        """
        typed = cls.typed(data)
        if _KEY.fullmatch(only := data.get("only", "")):
            typed = {int(only): typed.get(int(only), "")}
            data = QueryDict(f"newcomer={only}")
        if Office.gives_member_ids():
            chosen = {one: typed.get(one, "") for one in cls.ticked(data)}
            nobody = gettext("Choose who gets a number.")
        else:
            chosen = {one: number for one, number in typed.items() if number}
            nobody = gettext("Type the number that the membership system gave.")
        if not chosen:
            raise NotPossible(nobody)
        for number in filter(None, chosen.values()):
            _require_member_id(number)
        return chosen


class LinkForm:
    """Says that a newcomer is a member: a likely one, or the one whose ID is typed."""

    @staticmethod
    def read(data: QueryDict) -> dict[str, Any]:
        newcomer, _colon, member_id = data["link"].partition(":")
        if not _KEY.fullmatch(newcomer):
            raise NotPossible(gettext("Choose a new member of the table."))
        member_id = member_id or NumbersForm.typed(data).get(int(newcomer), "")
        _require_member_id(member_id)
        return {"newcomer_id": int(newcomer), "member_id": member_id}


def _require_member_id(text: str) -> None:
    if not MEMBER_ID.fullmatch(text):
        raise NotPossible(
            gettext("“{member_id}” is not a member ID of eight digits.").format(
                member_id=text
            )
        )
