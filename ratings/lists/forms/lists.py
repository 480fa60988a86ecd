"""The forms of the official lists and the rankings."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from ratings.lists.forms.rankings import named, optional
from ratings.lists.queries.rankings import (
    Difference,
    states_on,
)
from ratings.models import OfficialList
from ratings.models.systems import SYSTEM_CHOICES
from ratings_site.common.looks.fields import MonthField

LONGEST_REASON = 500


class PublishForm(forms.Form):
    """Publish a draft. *digest* names the list that was looked at."""

    digest = forms.CharField(max_length=64, widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("It stays with the list permanently."),
        error_messages={"required": _("Say why, such as: the list of the month.")},
    )


class MonthForm(forms.Form):
    """Choose the month of a list to prepare."""

    month = MonthField(
        label=_("Month"),
        help_text=_("The list is in force from the first of this month."),
        error_messages={"required": MonthField.example},
    )


class CompareForm(forms.Form):
    """Choose two lists, and what of them to compare."""

    a = forms.ChoiceField(label=_("Earlier list"))
    b = forms.ChoiceField(label=_("Later list"))
    system = forms.ChoiceField(label=_("System"), choices=SYSTEM_CHOICES)
    state = forms.ChoiceField(label=_("State"), required=False)
    show = forms.ChoiceField(
        label=_("Show"),
        required=False,
        choices=[
            (Difference.CHANGED.value, _("all changes")),
            (Difference.UP.value, "gains"),
            (Difference.DOWN.value, "losses"),
            (Difference.NEW.value, _("new on the list")),
            (Difference.DROPPED.value, _("no longer on the list")),
        ],
    )

    def __init__(
        self, *args: Any, lists: Sequence[OfficialList], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.lists = {one.slug: one for one in lists}
        self.fields["a"].choices = self.fields["b"].choices = named(lists)
        self.fields["state"].choices = optional(_("any"), states_on(lists[0]))

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        earlier, later = self.lists.get(said.get("a")), self.lists.get(said.get("b"))
        if earlier and later and earlier.month >= later.month:
            raise ValidationError(_("The earlier list has to be the earlier one."))
        return said
