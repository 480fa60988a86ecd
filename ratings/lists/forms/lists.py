"""The forms of the official lists and the rankings."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from players.members.queries import find_players
from ratings.lists.forms.rankings import ListsForm
from ratings.lists.queries.rankings import Difference
from ratings.models import OfficialRating
from ratings.models.systems import SYSTEM_CHOICES
from ratings_site.common.ui.fields import MonthField

MAX_REASON_LENGTH = 500


class PublishForm(forms.Form):
    """Publish a draft. *digest* identifies the list that was reviewed."""

    digest = forms.CharField(max_length=64, widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=MAX_REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("It is kept with the list permanently."),
        error_messages={"required": _("For example: monthly list.")},
    )


class MonthForm(forms.Form):
    """Choose the month of a list to prepare."""

    month = MonthField(
        label=_("Month"),
        help_text=_("The list takes effect on the first of this month."),
        error_messages={"required": MonthField.example},
    )


class ListFilter(ListsForm):
    """Find members on a list; invalid fields are ignored."""

    q = forms.CharField(label=_("Name or member ID"), required=False, max_length=80)
    state = forms.ChoiceField(label=_("State"), required=False)

    @property
    def is_filtered(self) -> bool:
        return any(self.cleaned_data.values())

    def narrowed(self, rows: QuerySet[OfficialRating]) -> QuerySet[OfficialRating]:
        if text := self.cleaned_data.get("q"):
            found = find_players(text).order_by()
            rows = rows.filter(player__in=found.values("pk"))
        if state := self.cleaned_data.get("state"):
            rows = rows.filter(state=state)
        return rows


class CompareForm(ListsForm):
    """Choose two lists and the differences to show."""

    choosing = {"a": None, "b": None}
    a = forms.ChoiceField(label=_("Earlier list"))
    b = forms.ChoiceField(label=_("Later list"))
    system = forms.ChoiceField(label=_("System"), choices=SYSTEM_CHOICES)
    state = forms.ChoiceField(label=_("State"), required=False)
    show = forms.ChoiceField(
        label=_("Show"), required=False, choices=Difference.choices
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        earlier, later = (self.lists.get(cleaned.get(name, "")) for name in "ab")
        if earlier and later and earlier.month >= later.month:
            raise ValidationError(
                _("The earlier list must be older than the later one.")
            )
        return cleaned
