"""Asking for an experiment on our own rules: what is varied, and on which days."""

from collections.abc import Iterator
from itertools import islice, product
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from ratings.engine.variation.variables import CATALOG, GROUPS
from ratings.experiments.forms.experiments import ExperimentForm
from ratings.experiments.forms.fields import VariedField
from ratings.experiments.plans import (
    MOST_VARIANTS,
    Asked,
    Chosen,
    VariedRules,
)
from ratings.laboratory.training import White
from ratings.models import Experiment
from ratings_site.common.looks.fields import DayField


class OurRulesForm(ExperimentForm):
    """The rules as they were, and every combination of what is varied."""

    kind = Experiment.Kind.OUR_RULES

    def add_variant_fields(self) -> None:
        for name in ("games", "file", "state", "low", "high", "newcomers", "months"):
            del self.fields[name]
        for name in ("white", "training"):
            del self.fields[name]
        self.fields["least_games"].help_text = gettext_lazy(
            "Only then is there evidence of both, and the game is counted. Here they "
            "are the games that a rating rests on, before the replay as well."
        )
        self.fields["first_day"].help_text = gettext_lazy(
            "The replay goes on from the ledger’s ratings before this day; empty: from "
            "nothing."
        )
        for name, label in (
            ("varied_from", gettext_lazy("Varied from")),
            ("varied_until", gettext_lazy("Varied until")),
        ):
            self.fields[name] = DayField(
                label=label,
                required=False,
                help_text=gettext_lazy("Empty: on all days of the replay."),
            )
        for name, one in CATALOG.items():
            self.fields[f"rule-{name}"] = VariedField(one)

    def of_books(self) -> list[forms.BoundField]:
        return self._bound("system", "first_day", "last_day")

    def of_running(self) -> list[forms.BoundField]:
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
            self.add_error("system", gettext("Choose one of our six systems."))
        first, last = said.get("varied_from"), said.get("varied_until")
        if first and last and first > last:
            self.add_error("varied_until", gettext("This is before the first day."))

    def clean(self) -> dict[str, Any]:
        said = super().clean()
        if not self.errors and not any(self._asked().values()):
            self.add_error(
                None, gettext("Vary something: a value, a switch, an edition.")
            )
        return said

    def _asked(self) -> dict[str, list[Any]]:
        return {name: self.cleaned_data[f"rule-{name}"] for name in CATALOG}

    def variants(self) -> list[VariedRules]:  # type: ignore[override]
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
            VariedRules(),
            *(
                VariedRules(
                    tuple(
                        (name, value, *days)
                        for name, value in zip(asked, values, strict=True)
                    )
                )
                for values in islice(combinations, MOST_VARIANTS)
            ),
        ]

    def sent_file(self) -> None:
        return None

    def asked(self) -> Asked:
        said = self.cleaned_data
        chosen = Chosen(
            system=said["system"],
            first_day=said["first_day"],
            last_day=said["last_day"],
        )
        return Asked(
            chosen=chosen,
            warm_up_days=0,
            least_games=said["least_games"],
            white=White.NONE.value,
        )
