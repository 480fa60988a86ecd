"""Asking for an experiment of systems and their parameters, and publishing one."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.forms.boundfield import BoundWidget
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy

from events.models import Event
from ratings.experiments.forms.fields import (
    OneValueField,
    ValuesField,
    parameter_field,
)
from ratings.experiments.plans import (
    EVIDENCE,
    OUR_SYSTEM,
    OUR_SYSTEMS,
    TRAINING,
    Asked,
    BadVariant,
    Chosen,
    Variant,
    refuse_bad,
    variants_of,
)
from ratings.laboratory.experiment import COMMON_START, Newcomers
from ratings.laboratory.parameters import Parameter
from ratings.laboratory.protocol import STATUSES, System
from ratings.laboratory.registry import RUNNABLE, SYSTEMS
from ratings.laboratory.training import White
from ratings.laboratory.white_advantage import parameters_to_vary
from ratings.models import SYSTEM_CHOICES, Experiment
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.looks.fields import DayField, NumberField

MAX_FILE_BYTES = 20_000_000
LONGEST_REASON = 500
BOOKS, FILE = "books", "file"
FIRST_CHOICE = (OUR_SYSTEM, "elo.logistic", "glicko")


class ExperimentForm(forms.Form):
    """What every experiment is asked: its games, and how it is run."""

    kind = Experiment.Kind.COMPARISON

    title = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=120,
        help_text=gettext_lazy("What the committee calls it."),
    )
    games = forms.ChoiceField(
        label=gettext_lazy("Games"),
        choices=[
            (BOOKS, gettext_lazy("from the federation’s books")),
            (FILE, gettext_lazy("from a file of mine")),
        ],
        initial=BOOKS,
        widget=forms.RadioSelect,
    )
    system = forms.ChoiceField(
        label=gettext_lazy("Rated as"), choices=SYSTEM_CHOICES, required=False
    )
    first_day = DayField(
        label=gettext_lazy("From"),
        required=False,
        help_text=gettext_lazy("By the day on which a section ends."),
    )
    last_day = DayField(label=gettext_lazy("Until"), required=False)
    state = forms.ChoiceField(
        label=gettext_lazy("State"),
        required=False,
        help_text=gettext_lazy("Where the event was held."),
    )
    low = NumberField(
        label=gettext_lazy("Both players rated at least"),
        required=False,
        min_value=100,
        max_value=3500,
    )
    high = NumberField(
        label=gettext_lazy("And at most"),
        required=False,
        min_value=100,
        max_value=3500,
        help_text=gettext_lazy("By their ratings before the section."),
    )
    file = forms.FileField(
        label=gettext_lazy("File"),
        required=False,
        max_length=200,
        allow_empty_file=True,
        help_text=gettext_lazy(
            "CSV with a row for each game, a TRF report, or PGN; at most 20 MB. It is "
            "kept as it comes."
        ),
    )
    newcomers = forms.ChoiceField(
        label=gettext_lazy("Newcomers begin"),
        choices=[
            (
                Newcomers.OURS.value,
                gettext_lazy("all with the initial ratings of our own rules"),
            ),
            (
                Newcomers.COMMON.value,
                format_lazy(
                    gettext_lazy("all with a rating of {rating}"),
                    rating=f"{COMMON_START:.0f}",
                ),
            ),
            (Newcomers.OWN.value, gettext_lazy("as each system’s own rule says")),
        ],
        initial=Newcomers.OURS.value,
        widget=forms.RadioSelect,
        help_text=gettext_lazy(
            "With each system’s own rule the comparison measures that rule too."
        ),
    )
    white = forms.ChoiceField(
        label=gettext_lazy("Advantage of White"),
        choices=[
            (
                White.FITTED.value,
                gettext_lazy("fitted once on the training, the same for all systems"),
            ),
            (White.NONE.value, gettext_lazy("none, for no system")),
        ],
        initial=White.FITTED.value,
        widget=forms.RadioSelect,
        help_text=gettext_lazy(
            "A system’s own is used where you vary that parameter. Games of unknown "
            "color have none."
        ),
    )
    months = forms.TypedChoiceField(
        label=gettext_lazy("Length of a period"),
        coerce=int,
        choices=[
            (1, gettext_lazy("a month")),
            *(
                (months, format_lazy(gettext_lazy("{number} months"), number=months))
                for months in (2, 3, 6, 12)
            ),
        ],
        initial=1,
        help_text=gettext_lazy(
            "All games of a period are predicted from what was known before it."
        ),
    )
    training = NumberField(
        label=gettext_lazy("Training, in percent of the games"),
        min_value=0,
        max_value=90,
        initial=TRAINING,
        help_text=gettext_lazy(
            "The first games are learned from and not counted; White’s advantage is "
            "fitted on them."
        ),
    )
    least_games = NumberField(
        label=gettext_lazy("Games that both players must have had"),
        min_value=0,
        max_value=1000,
        initial=EVIDENCE,
        help_text=gettext_lazy(
            "Only then is there evidence of both, and the game is counted."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        states = (
            Event.objects.exclude(state="")
            .order_by("state")
            .values_list("state", flat=True)
            .distinct()
        )
        self.fields["state"].choices = [
            ("", gettext_lazy("all")),
            *((state, state) for state in states),
        ]
        self.add_variant_fields()
        self.fields["reason"] = forms.CharField(
            label=gettext_lazy("Reason"),
            max_length=LONGEST_REASON,
            widget=forms.Textarea(attrs={"rows": 2}),
            help_text=gettext_lazy("Why the committee wants to know."),
        )

    def add_variant_fields(self) -> None:
        """Add the fields in which systems and parameters are chosen."""
        raise NotImplementedError

    def variants(self) -> list[Variant]:
        """Return what is to be run."""
        raise NotImplementedError

    # --- What the page shows in groups ---

    def head(self) -> list[forms.BoundField]:
        return self._bound("title")

    def of_books(self) -> list[forms.BoundField]:
        return self._bound("system", "first_day", "last_day", "state", "low", "high")

    def of_running(self) -> list[forms.BoundField]:
        return self._bound("newcomers", "white", "months", "training", "least_games")

    def _bound(self, *names: str) -> list[forms.BoundField]:
        return [self[name] for name in names]

    # --- What was said ---

    def clean(self) -> dict[str, Any]:
        said = super().clean() or self.cleaned_data
        self._clean_games(said)
        low, high = said.get("low"), said.get("high")
        if low is not None and high is not None and low > high:
            self.add_error("high", gettext("This is less than the least rating."))
        first, last = said.get("first_day"), said.get("last_day")
        if first and last and first > last:
            self.add_error("last_day", gettext("This is before the first day."))
        if not self.errors:
            try:
                refuse_bad(self.variants())
            except BadVariant as bad:
                self.add_error(None, str(bad))
        return said

    def _clean_games(self, said: dict[str, Any]) -> None:
        file = said.get("file")
        if said.get("games") == FILE and not file:
            self.add_error("file", gettext("Choose the file with the games."))
        elif file and file.size > MAX_FILE_BYTES:
            self.add_error(
                "file",
                gettext(
                    "The file is larger than 20 MB. Larger ones can be run from the "
                    "command line."
                ),
            )
        elif said.get("games") == BOOKS and not said.get("system"):
            self.add_error("system", gettext("Choose one of our six systems."))

    def sent_file(self) -> tuple[str, bytes] | None:
        """Return name and content of the file, None if the games are in the books."""
        if self.cleaned_data["games"] == BOOKS:
            return None
        file = self.cleaned_data["file"]
        name = "".join(char for char in file.name if char.isprintable())
        return name or "games", file.read()

    def asked(self) -> Asked:
        """Return how the experiment is to be run."""
        said = self.cleaned_data
        chosen = None
        if said["games"] == BOOKS:
            chosen = Chosen(
                system=said["system"],
                first_day=said["first_day"],
                last_day=said["last_day"],
                state=said["state"],
                low=said["low"],
                high=said["high"],
            )
        return Asked(
            chosen=chosen,
            months=said["months"],
            training=said["training"],
            newcomers=said["newcomers"],
            least_games=said["least_games"],
            white=said["white"],
        )


class ComparisonForm(ExperimentForm):
    """Several systems, each with its parameters."""

    def add_variant_fields(self) -> None:
        self.systems = RUNNABLE
        self.fields["systems"] = forms.MultipleChoiceField(
            label=gettext_lazy("Systems"),
            choices=[(key, _named(one)) for key, one in self.systems.items()],
            widget=forms.CheckboxSelectMultiple,
            initial=[key for key in FIRST_CHOICE if key in self.systems],
            error_messages={"required": gettext_lazy("Choose at least one system.")},
        )
        for key, system in self.systems.items():
            for one in parameters_to_vary(system):
                self.fields[_name(key, one)] = parameter_field(
                    one, ValuesField, one.default
                )

    def of_systems(
        self,
    ) -> Iterator[tuple[BoundWidget, list[forms.BoundField], bool]]:
        """Yield each system's box, its parameters, and whether one is faulty."""
        for box, (key, system) in zip(
            self["systems"], self.systems.items(), strict=True
        ):
            fields = [self[_name(key, one)] for one in parameters_to_vary(system)]
            yield box, fields, any(field.errors for field in fields)

    def variants(self) -> list[Variant]:
        return [
            variant
            for key in self.systems
            if key in self.cleaned_data["systems"]
            for variant in variants_of(key, _values(self.cleaned_data, key))
        ]


class SearchForm(ExperimentForm):
    """One system, and several values of its parameters."""

    kind = Experiment.Kind.SEARCH

    def __init__(self, *args: Any, key: str, **kwargs: Any) -> None:
        self.key = key
        super().__init__(*args, **kwargs)

    def add_variant_fields(self) -> None:
        for one in parameters_to_vary(RUNNABLE[self.key]):
            self.fields[_name(self.key, one)] = parameter_field(
                one, ValuesField, one.default
            )

    def groups(self) -> Iterator[tuple[str, list[forms.BoundField], bool]]:
        system = RUNNABLE[self.key]
        fields = [self[_name(self.key, one)] for one in parameters_to_vary(system)]
        yield gettext(system.about.label), fields, True

    def variants(self) -> list[Variant]:
        found = variants_of(self.key, _values(self.cleaned_data, self.key))
        usual = Variant(self.key)  # what the choice is measured against
        return found if usual in found else [usual, *found]


class RuleChangeForm(ExperimentForm):
    """Our own rules twice: as they are and as they might be."""

    kind = Experiment.Kind.RULE_CHANGE
    sides = (
        ("before", gettext_lazy("Before the change")),
        ("after", gettext_lazy("After the change")),
    )

    def add_variant_fields(self) -> None:
        self.parameters = parameters_to_vary(RUNNABLE[OUR_SYSTEM])
        # Where newcomers begin is one of the rules that may change.
        self.fields["newcomers"].initial = Newcomers.OWN.value
        for side, _label in self.sides:
            self.fields[f"{side}-edition"] = forms.ChoiceField(
                label=gettext_lazy("Text of the rules"),
                choices=[
                    (key, gettext(SYSTEMS[key].about.label)) for key in OUR_SYSTEMS
                ],
                initial=OUR_SYSTEM,
            )
            for one in self.parameters:
                self.fields[_name(side, one)] = parameter_field(
                    one, OneValueField, one.default
                )

    def groups(self) -> Iterator[tuple[str, list[forms.BoundField], bool]]:
        for side, label in self.sides:
            fields = [
                self[f"{side}-edition"],
                *(self[_name(side, one)] for one in self.parameters),
            ]
            yield str(label), fields, True

    def variants(self) -> list[Variant]:
        found = []
        for side, _label in self.sides:
            values = _values(self.cleaned_data, side)
            edition = values.pop("edition")[0]
            found.extend(variants_of(edition, values))
        return found


class PublishExperimentForm(ReasonForm):
    """Under which title everybody sees it, and why."""

    field_order = ("public_title", "reason")

    public_title = forms.CharField(
        label=gettext_lazy("Title"),
        max_length=120,
        help_text=gettext_lazy("What everybody reads above the plots."),
    )


def _named(system: System) -> str:
    status = gettext(STATUSES[system.about.status])
    return f"{gettext(system.about.label)} · {status}"


def _name(prefix: str, parameter: Parameter) -> str:
    return f"{prefix.replace('.', '_')}-{parameter.name}"


def _values(cleaned: dict[str, Any], prefix: str) -> dict[str, list[Any]]:
    """Return the values of each parameter whose fields begin with *prefix*."""
    start = f"{prefix.replace('.', '_')}-"
    return {
        name.removeprefix(start): value if isinstance(value, list) else [value]
        for name, value in cleaned.items()
        if name.startswith(start)
    }
