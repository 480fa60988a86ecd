"""The form for comparing two editions of our rules, or two sets of values."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.functional import lazy
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_lazy

from ratings.engine.rules import EDITIONS
from ratings.engine.variation.variables import CATALOG, EDITION
from ratings.engine.variation.variations import (
    BadVariation,
    Change,
    Variation,
    read_change,
)
from ratings.laboratory.training import WhiteAdvantageMode
from ratings.models import SYSTEM_CHOICES
from ratings.rerates.services.sources import rules_to_json
from ratings.research.experiments.forms.fields import MAX_VALUES_LENGTH
from ratings.research.experiments.plans import GameSelection, RulesVariant, RunOptions
from ratings.research.experiments.variant_names import variant_name
from ratings_site.common.ui.fields import DayField
from ratings_site.common.ui.formatting import long_day


def edition_label(edition: str) -> str:
    return gettext("the rules of {day}").format(day=_day(edition))


def _day(edition: str) -> str:
    return long_day(date.fromisoformat(edition))


class _EditionField(forms.ChoiceField):
    def __init__(self, label: Any) -> None:
        choices = [(one, lazy(_day, str)(one)) for one in reversed(EDITIONS)]
        super().__init__(choices=choices, label=label)


class _ChangesField(forms.CharField):
    """Changes of values, as the command takes them: “bonus=12, lower_k=off”."""

    def __init__(self, label: Any) -> None:
        super().__init__(label=label, required=False, max_length=MAX_VALUES_LENGTH)

    def clean(self, value: object) -> tuple[Change, ...]:
        texts = re.split(r"[,\s]+", super().clean(value))
        try:
            changes = tuple(read_change(one) for one in texts if one)
        except BadVariation as bad:
            words = gettext(bad.sentence).format(**bad.values)
            raise ValidationError(words) from bad
        if any(CATALOG[one.name].changes is None for one in changes):
            raise ValidationError(
                gettext("Enter values of rules only. Choose the edition above.")
            )
        return changes


def form_defaults() -> dict[str, str]:
    """Return the newest two editions."""
    *_older, before, after = EDITIONS
    return {"before": before, "after": after, "system": "OTBR"}


class RuleComparisonForm(forms.Form):
    """Two sides, each an edition and values that differ from it."""

    before = _EditionField(gettext_lazy("Before"))
    before_values = _ChangesField(gettext_lazy("Before: other values"))
    after = _EditionField(gettext_lazy("After"))
    after_values = _ChangesField(gettext_lazy("After: other values"))
    system = forms.ChoiceField(
        label=gettext_lazy("Rated as"), choices=SYSTEM_CHOICES, initial="OTBR"
    )
    first_day = DayField(
        label=gettext_lazy("From"),
        required=False,
        help_text=gettext_lazy("Leave blank for all history."),
    )

    def query(self) -> str:
        """Return what was sent, for an address."""
        return urlencode({name: self.data.get(name, "") for name in self.fields})

    def sides(self) -> tuple[Variation, Variation]:
        """Return both sides as variations of the office's edition."""
        before, after = (self._changes(side) for side in ("before", "after"))
        return Variation(before), Variation(after)

    def _changes(self, side: str) -> tuple[Change, ...]:
        edition = self.cleaned_data[side]
        is_ours = edition == settings.RATING_EDITION
        own = () if is_ours else (Change(EDITION, edition),)
        changes: tuple[Change, ...] = self.cleaned_data[f"{side}_values"]
        return (*own, *changes)

    def labels(self) -> tuple[str, str]:
        return self._label("before"), self._label("after")

    def _label(self, side: str) -> str:
        said = self.cleaned_data
        changes = said[f"{side}_values"]
        edition = edition_label(said[side])
        if not changes:
            return edition
        name = variant_name(_variant(changes))
        if said["before"] == said["after"]:
            return name
        return gettext("{edition} with {changes}").format(edition=edition, changes=name)

    def variants(self) -> list[RulesVariant]:
        """Return the check and both sides; the check is the side without changes."""
        before, after = self.sides()
        ours = (Change(EDITION, settings.RATING_EDITION),)
        return [
            RulesVariant(),
            *([_variant(before.changes)] if before else []),
            _variant(after.changes or ours),
        ]

    def asked(self) -> RunOptions:
        said = self.cleaned_data
        return RunOptions(
            chosen=GameSelection(system=said["system"], first_day=said["first_day"]),
            warm_up_days=0,
            white=WhiteAdvantageMode.NONE.value,
        )


def _variant(changes: Sequence[Change]) -> RulesVariant:
    return RulesVariant(tuple(map(tuple, rules_to_json(Variation(tuple(changes))))))
