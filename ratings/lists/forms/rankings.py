"""Choosing whom a ranking or the distribution shows."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from ratings.engine.classes import CLASSES
from ratings.engine.systems import System
from ratings.lists.queries.classes import class_by_slug
from ratings.lists.queries.rankings import (
    BANDS,
    Wanted,
    band_by_slug,
    states_on,
)
from ratings.lists.queries.spreads import Activity, Asked, RatingsCounted
from ratings.models import OfficialList

Choices = list[tuple[str, str]]


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
        self.fields["list"].choices = named(lists, first=("", _("the newest")))
        self.fields["state"].choices = optional(_("any"), states_on(lists[0]))

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
        self.fields["list"].choices = named(lists, first=("", _("the newest")))
        self.fields["since"].choices = named(lists, first=("", _("a year before")))
        self.fields["state"].choices = optional(_("any"), states_on(lists[0]))


class DistributionForm(forms.Form):
    """Choose whose ratings a distribution counts."""

    state = forms.ChoiceField(label=_("State"), required=False)
    standing = forms.ChoiceField(
        label=_("Ratings"),
        required=False,
        choices=[
            (RatingsCounted.ALL.value, _("all")),
            (RatingsCounted.ESTABLISHED.value, _("established only")),
            (RatingsCounted.PROVISIONAL.value, _("provisional only")),
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
        self.fields["state"].choices = optional(str(_("all")), states)

    def asked(self, system: System) -> Asked:
        """Return whom the address asks for; what is not understood is left out."""
        said = self.cleaned_data
        return Asked(
            system=system,
            state=said.get("state", ""),
            standing=RatingsCounted(said.get("standing", "")),
            activity=Activity(said.get("activity", "")),
        )


def named(
    lists: Sequence[OfficialList], *, first: tuple[str, str] | None = None
) -> Choices:
    named = [(one.slug, one.name) for one in lists]
    return [first, *named] if first else named


def optional(nothing: str, values: list[str]) -> Choices:
    return [("", nothing), *((value, value) for value in values)]
