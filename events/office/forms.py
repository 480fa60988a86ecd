"""What the office says of a report: taking, accepting, returning it."""

from datetime import date
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.models import OfficeTask
from events.reports.forms.edits import _FOREIGN_ID
from players.models import Player
from ratings_site.common.acts.forms import LONGEST_REASON
from ratings_site.common.looks.fields import DayField, NumberField


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
