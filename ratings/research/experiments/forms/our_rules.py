"""The form for an experiment on our own rules: variations and days."""

from collections.abc import Iterator
from itertools import islice, product
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from ratings.engine.variation.variables import CATALOG, GROUPS
from ratings.laboratory.training import WhiteAdvantageMode
from ratings.models import Experiment
from ratings.research.experiments.forms.experiments import ExperimentForm
from ratings.research.experiments.forms.fields import RuleValuesField
from ratings.research.experiments.plans import (
    MAX_VARIANTS,
    GameSelection,
    RulesVariant,
    RunOptions,
)
from ratings_site.common.ui.fields import DayField


class OurRulesForm(ExperimentForm):
    """The actual rules, and every combination of the variations."""

    kind = Experiment.Kind.OUR_RULES

    def add_variant_fields(self) -> None:
        for name in ("games", "file", "state", "low", "high", "newcomers", "months"):
            del self.fields[name]
        for name in ("white", "training"):
            del self.fields[name]
        self.fields["least_games"].help_text = gettext_lazy(
            "A game is part of the results only if both players’ ratings are "
            "based on this many games. Games before the replay are included."
        )
        self.fields["first_day"].help_text = gettext_lazy(
            "The replay starts from the ratings on record before this day. Leave "
            "it empty to replay all history."
        )
        for name, label in (
            ("varied_from", gettext_lazy("Changed from")),
            ("varied_until", gettext_lazy("Changed until")),
        ):
            self.fields[name] = DayField(
                label=label,
                required=False,
                help_text=gettext_lazy(
                    "Leave it empty to change all days of the replay."
                ),
            )
        for name, one in CATALOG.items():
            self.fields[f"rule-{name}"] = RuleValuesField(one)

    def ledger_fields(self) -> list[forms.BoundField]:
        return self._bound("system", "first_day", "last_day")

    def run_fields(self) -> list[forms.BoundField]:
        return self._bound("varied_from", "varied_until", "least_games")

    def groups(self) -> Iterator[tuple[str, list[forms.BoundField], bool]]:
        names = list(CATALOG)
        starts = [names.index(first) for _label, first in GROUPS]
        for (label, _first), begin, end in zip(
            GROUPS, starts, [*starts[1:], len(names)], strict=True
        ):
            fields = self._bound(*(f"rule-{name}" for name in names[begin:end]))
            is_open = begin == 0 or any(field.errors for field in fields)
            yield gettext(label), fields, is_open

    def _clean_games(self, said: dict[str, Any]) -> None:
        if not said.get("system"):
            self.add_error("system", gettext("Choose one of our six rating systems."))
        first, last = said.get("varied_from"), said.get("varied_until")
        if first and last and first > last:
            self.add_error("varied_until", gettext("This is before the first day."))

    def clean(self) -> dict[str, Any]:
        said = super().clean()
        if not self.errors and not any(self._asked().values()):
            self.add_error(None, gettext("Change at least one rule or the edition."))
        return said

    def _asked(self) -> dict[str, list[Any]]:
        return {name: self.cleaned_data[f"rule-{name}"] for name in CATALOG}

    def variants(self) -> list[RulesVariant]:  # type: ignore[override]
        days = [
            day.isoformat() if day else None
            for day in (
                self.cleaned_data.get("varied_from"),
                self.cleaned_data.get("varied_until"),
            )
        ]
        asked = {name: values for name, values in self._asked().items() if values}
        combinations = product(*asked.values()) if asked else ()
        return [
            RulesVariant(),
            *(
                RulesVariant(
                    tuple(
                        (name, value, *days)
                        for name, value in zip(asked, values, strict=True)
                    )
                )
                for values in islice(combinations, MAX_VARIANTS)
            ),
        ]

    def uploaded_file(self) -> None:
        return None

    def asked(self) -> RunOptions:
        said = self.cleaned_data
        chosen = GameSelection(
            system=said["system"],
            first_day=said["first_day"],
            last_day=said["last_day"],
        )
        return RunOptions(
            chosen=chosen,
            warm_up_days=0,
            least_games=said["least_games"],
            white=WhiteAdvantageMode.NONE.value,
        )
