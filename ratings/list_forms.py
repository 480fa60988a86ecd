"""The forms of the official lists and the rankings."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import slugify

from ratings.engine.classes import CLASSES
from ratings.engine.systems import System
from ratings.models import OfficialList
from ratings.queries.classes import class_by_slug
from ratings.queries.rankings import (
    BANDS,
    Difference,
    Wanted,
    band_by_slug,
    states_on,
)
from ratings_site.common.fields import MonthField

LONGEST_REASON = 500

Choices = list[tuple[str, str]]


class PublishForm(forms.Form):
    """Publish a draft. *digest* names the list that was looked at."""

    digest = forms.CharField(max_length=64, widget=forms.HiddenInput)
    reason = forms.CharField(
        label="Reason",
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="It stands with the list for good.",
        error_messages={"required": "Say why, such as: the list of the month."},
    )


class MonthForm(forms.Form):
    """Choose the month of a list to prepare."""

    month = MonthField(
        label="Month",
        help_text="The list is in force from the first of this month.",
        error_messages={"required": MonthField.example},
    )


class CompareForm(forms.Form):
    """Choose two lists, and what of them to compare."""

    a = forms.ChoiceField(label="Earlier list")
    b = forms.ChoiceField(label="Later list")
    system = forms.ChoiceField(
        label="System", choices=[(one.value, one.label) for one in System]
    )
    state = forms.ChoiceField(label="State", required=False)
    show = forms.ChoiceField(
        label="Show",
        required=False,
        choices=[
            (Difference.CHANGED.value, "all changes"),
            (Difference.UP.value, "gains"),
            (Difference.DOWN.value, "losses"),
            (Difference.NEW.value, "new on the list"),
            (Difference.DROPPED.value, "no longer on the list"),
        ],
    )

    def __init__(
        self, *args: Any, lists: Sequence[OfficialList], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.lists = {one.slug: one for one in lists}
        self.fields["a"].choices = self.fields["b"].choices = _named(lists)
        self.fields["state"].choices = _optional("any", states_on(lists[0]))

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        earlier, later = self.lists.get(said.get("a")), self.lists.get(said.get("b"))
        if earlier and later and earlier.month >= later.month:
            raise ValidationError("The earlier list has to be the earlier one.")
        return said


class RankingForm(forms.Form):
    """Choose whom a ranking compares, on which list."""

    list = forms.ChoiceField(label="List", required=False)
    state = forms.ChoiceField(label="State", required=False)
    band = forms.ChoiceField(
        label="Age",
        required=False,
        choices=[("", "any"), *((band.slug, band.name) for band in BANDS)],
    )
    rating_class = forms.ChoiceField(
        label="Class",
        required=False,
        choices=[("", "any"), *((slugify(one.name), one.name) for one in CLASSES)],
    )
    standing = forms.ChoiceField(
        label="Ratings",
        required=False,
        choices=[("", "4 games or more"), ("established", "established only")],
    )
    women = forms.BooleanField(label="Women only", required=False)

    def __init__(
        self, *args: Any, lists: Sequence[OfficialList], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.lists = {one.slug: one for one in lists}
        self.fields["list"].choices = _named(lists, first=("", "the newest"))
        self.fields["state"].choices = _optional("any", states_on(lists[0]))

    def wanted(self, system: System, *, established: bool, top: bool) -> Wanted:
        """Return whom the address asks for; what is not understood is left out."""
        said = self.cleaned_data
        return Wanted(
            system=system,
            state=said.get("state", ""),
            band=band_by_slug(said.get("band", "")),
            women=said.get("women", False),
            rating_class=class_by_slug(said.get("rating_class", "")),
            established=established or said.get("standing") == "established",
            top=top,
        )


class ImproversForm(forms.Form):
    """Choose between which lists points were gained."""

    list = forms.ChoiceField(label="List", required=False)
    since = forms.ChoiceField(label="Since the list of", required=False)
    state = forms.ChoiceField(label="State", required=False)

    def __init__(
        self, *args: Any, lists: Sequence[OfficialList], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["list"].choices = _named(lists, first=("", "the newest"))
        self.fields["since"].choices = _named(lists, first=("", "a year before"))
        self.fields["state"].choices = _optional("any", states_on(lists[0]))


def _named(
    lists: Sequence[OfficialList], *, first: tuple[str, str] | None = None
) -> Choices:
    named = [(one.slug, one.name) for one in lists]
    return [first, *named] if first else named


def _optional(nothing: str, values: list[str]) -> Choices:
    return [("", nothing), *((value, value) for value in values)]
