"""The filters of the rankings and the distribution."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ratings.engine.classes import CLASSES
from ratings.engine.systems import System
from ratings.lists.queries.classes import class_by_slug, slug_of
from ratings.lists.queries.histograms import Activity, RatingFilter, RatingsCounted
from ratings.lists.queries.rankings import BANDS, RankingFilter, band_by_slug, states_on
from ratings.models import OfficialList

Choices = list[tuple[str, str | Promise]]


class ListsForm(forms.Form):
    """A form about published lists: fields that choose one of them, or a state.

    *choosing* has those fields, each with what its blank choice means, if any.
    """

    choosing: dict[str, str | Promise | None] = {}

    def __init__(
        self, *args: Any, lists: Sequence[OfficialList], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.lists = {one.slug: one for one in lists}
        named = [(one.slug, one.name) for one in lists]
        for name, blank in self.choosing.items():
            set_choices(self, name, [*([("", blank)] if blank else ()), *named])
        set_choices(self, "state", optional(_("Any"), states_on(lists[0])))


class RankingForm(ListsForm):
    """Filter a ranking, and choose its list."""

    choosing = {"list": _("Latest")}
    list = forms.ChoiceField(label=_("List"), required=False)
    state = forms.ChoiceField(label=_("State"), required=False)
    band = forms.ChoiceField(
        label=_("Age"),
        required=False,
        choices=[("", _("Any")), *((band.slug, band.name) for band in BANDS)],
    )
    rating_class = forms.ChoiceField(
        label=_("Class"),
        required=False,
        choices=[
            ("", _("Any")),
            *((slug_of(one), _(one.name)) for one in CLASSES),
        ],
    )
    standing = forms.ChoiceField(
        label=_("Ratings"),
        required=False,
        choices=[("", _("4 games or more")), ("established", _("Established only"))],
    )
    women = forms.BooleanField(label=_("Women only"), required=False)

    def ranking_filter(
        self, system: System, *, established: bool, **kind: bool
    ) -> RankingFilter:
        """Return the filter of the URL, without invalid values."""
        cleaned = self.cleaned_data
        return RankingFilter(
            system=system,
            state=cleaned.get("state", ""),
            band=band_by_slug(cleaned.get("band", "")),
            women=cleaned.get("women", False),
            rating_class=class_by_slug(cleaned.get("rating_class", "")),
            established=established or cleaned.get("standing") == "established",
            **kind,
        )


class ScholasticForm(ListsForm):
    """Choose the list and the state of the scholastic rankings."""

    choosing = {"list": _("Latest")}
    list = forms.ChoiceField(label=_("List"), required=False)
    state = forms.ChoiceField(label=_("State"), required=False)


class ImproversForm(ListsForm):
    """Choose the two lists to compare."""

    choosing = {"list": _("Latest"), "since": _("A year earlier")}
    list = forms.ChoiceField(label=_("List"), required=False)
    since = forms.ChoiceField(label=_("Since the list of"), required=False)
    state = forms.ChoiceField(label=_("State"), required=False)


class DistributionForm(forms.Form):
    """Filter a distribution."""

    state = forms.ChoiceField(label=_("State"), required=False)
    standing = forms.ChoiceField(
        label=_("Ratings"),
        required=False,
        choices=[
            (RatingsCounted.ALL.value, _("All")),
            (RatingsCounted.ESTABLISHED.value, _("Established only")),
            (RatingsCounted.PROVISIONAL.value, _("Provisional only")),
        ],
    )
    activity = forms.ChoiceField(
        label=_("Played"), required=False, choices=Activity.choices
    )

    def __init__(self, *args: Any, states: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "state", optional(_("All"), states))

    def rating_filter(self, system: System) -> RatingFilter:
        """Return the filter of the URL, without invalid values."""
        cleaned = self.cleaned_data
        return RatingFilter(
            system=system,
            state=cleaned.get("state", ""),
            standing=RatingsCounted(cleaned.get("standing", "")),
            activity=Activity(cleaned.get("activity", "")),
        )


def set_choices(form: forms.Form, name: str, choices: Choices) -> None:
    cast(forms.ChoiceField, form.fields[name]).choices = choices


def optional(nothing: str | Promise, values: Sequence[str]) -> Choices:
    return [("", nothing), *((value, value) for value in values)]
