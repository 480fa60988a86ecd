"""The forms of the official lists and the rankings."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from ratings.engine.classes import CLASSES
from ratings.engine.systems import System
from ratings.models import OfficialList
from ratings.models.systems import SYSTEM_CHOICES
from ratings.queries.classes import Standing, class_by_slug
from ratings.queries.distribution import Activity, Asked
from ratings.queries.rankings import (
    BANDS,
    Difference,
    Wanted,
    band_by_slug,
    states_on,
)
from ratings_site.common.looks.fields import MonthField

LONGEST_REASON = 500

Choices = list[tuple[str, str]]


class PublishForm(forms.Form):
    """Publish a draft. *digest* names the list that was looked at."""

    digest = forms.CharField(max_length=64, widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("It stands with the list for good."),
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
        self.fields["a"].choices = self.fields["b"].choices = _named(lists)
        self.fields["state"].choices = _optional(_("any"), states_on(lists[0]))

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        earlier, later = self.lists.get(said.get("a")), self.lists.get(said.get("b"))
        if earlier and later and earlier.month >= later.month:
            raise ValidationError(_("The earlier list has to be the earlier one."))
        return said


class RankingForm(forms.Form):
    """Choose whom a ranking compares, on which list."""

    list = forms.ChoiceField(label=_("List"), required=False)
    state = forms.ChoiceField(label=_("State"), required=False)
    band = forms.ChoiceField(
        label=_("Age"),
        required=False,
        choices=[("", _("any")), *((band.slug, _(band.name)) for band in BANDS)],
    )
    rating_class = forms.ChoiceField(
        label=_("Class"),
        required=False,
        choices=[
            ("", _("any")),
            *((slugify(one.name), _(one.name)) for one in CLASSES),
        ],
    )
    standing = forms.ChoiceField(
        label=_("Ratings"),
        required=False,
        choices=[
            ("", _("4 games or more")),
            ("established", _("established only")),
        ],
    )
    women = forms.BooleanField(label=_("Women only"), required=False)

    def __init__(
        self, *args: Any, lists: Sequence[OfficialList], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.lists = {one.slug: one for one in lists}
        self.fields["list"].choices = _named(lists, first=("", _("the newest")))
        self.fields["state"].choices = _optional(_("any"), states_on(lists[0]))

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

    list = forms.ChoiceField(label=_("List"), required=False)
    since = forms.ChoiceField(label=_("Since the list of"), required=False)
    state = forms.ChoiceField(label=_("State"), required=False)

    def __init__(
        self, *args: Any, lists: Sequence[OfficialList], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["list"].choices = _named(lists, first=("", _("the newest")))
        self.fields["since"].choices = _named(lists, first=("", _("a year before")))
        self.fields["state"].choices = _optional(_("any"), states_on(lists[0]))


class DistributionForm(forms.Form):
    """Choose whose ratings a distribution counts."""

    state = forms.ChoiceField(label=_("State"), required=False)
    standing = forms.ChoiceField(
        label=_("Ratings"),
        required=False,
        choices=[
            (Standing.ALL.value, _("all")),
            (Standing.ESTABLISHED.value, _("established only")),
            (Standing.PROVISIONAL.value, _("provisional only")),
        ],
    )
    activity = forms.ChoiceField(
        label=_("Played"),
        required=False,
        choices=[
            (Activity.ALL.value, _("ever")),
            (Activity.YEAR.value, _("in the last twelve months")),
        ],
    )

    def __init__(self, *args: Any, states: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["state"].choices = _optional(str(_("all")), states)

    def asked(self, system: System) -> Asked:
        """Return whom the address asks for; what is not understood is left out."""
        said = self.cleaned_data
        return Asked(
            system=system,
            state=said.get("state", ""),
            standing=Standing(said.get("standing", "")),
            activity=Activity(said.get("activity", "")),
        )


def _named(
    lists: Sequence[OfficialList], *, first: tuple[str, str] | None = None
) -> Choices:
    named = [(one.slug, one.name) for one in lists]
    return [first, *named] if first else named


def _optional(nothing: str, values: list[str]) -> Choices:
    return [("", nothing), *((value, value) for value in values)]
