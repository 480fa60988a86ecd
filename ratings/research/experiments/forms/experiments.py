"""Forms to request an experiment of systems and to publish one."""

from collections.abc import Iterable, Iterator
from typing import Any, cast

from django import forms
from django.forms.boundfield import BoundWidget
from django.utils.functional import lazy
from django.utils.translation import gettext, gettext_lazy

from events.models import Event
from ratings.laboratory.experiment import Newcomers
from ratings.laboratory.parameters import Parameter
from ratings.laboratory.protocol import STATUSES, System
from ratings.laboratory.registry import RUNNABLE, SYSTEMS
from ratings.laboratory.training import WhiteAdvantageMode
from ratings.laboratory.white_advantage import parameters_to_vary
from ratings.models import SYSTEM_CHOICES, Experiment
from ratings.research.experiments.forms.fields import (
    OneValueField,
    ValuesField,
    parameter_field,
)
from ratings.research.experiments.plans import (
    EVIDENCE,
    NEWCOMERS,
    OUR_SYSTEM,
    OUR_SYSTEMS,
    TRAINING,
    GameSelection,
    InvalidVariant,
    RunOptions,
    Variant,
    months_label,
    validate_variants,
    variants_of,
)
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.ui.fields import DayField, NumberField

MAX_FILE_BYTES = 20_000_000
MAX_REASON_LENGTH = 500
BOOKS, FILE = "books", "file"
LEDGER_FIELDS = ("system", "first_day", "last_day", "state", "low", "high")
RUN_FIELDS = ("newcomers", "white", "months", "training", "least_games")
FIRST_CHOICE = (OUR_SYSTEM, "elo.logistic", "glicko")


class ExperimentForm(forms.Form):
    """The fields of every experiment: its games, and how it is run."""

    kind = Experiment.Kind.COMPARISON

    title = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=120,
        help_text=gettext_lazy("The committee’s name for this experiment."),
    )
    games = forms.ChoiceField(
        label=gettext_lazy("Games"),
        choices=[
            (BOOKS, gettext_lazy("the federation’s rated games")),
            (FILE, gettext_lazy("a file I upload")),
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
        help_text=gettext_lazy("Uses the last day of each section."),
    )
    last_day = DayField(label=gettext_lazy("To"), required=False)
    state = forms.ChoiceField(
        label=gettext_lazy("State"),
        required=False,
        help_text=gettext_lazy("The state where the event was held."),
    )
    low = NumberField(
        label=gettext_lazy("Both players rated at least"),
        required=False,
        min_value=100,
        max_value=3500,
    )
    high = NumberField(
        label=gettext_lazy("Both players rated at most"),
        required=False,
        min_value=100,
        max_value=3500,
        help_text=gettext_lazy("Uses ratings before the section."),
    )
    file = forms.FileField(
        label=gettext_lazy("File"),
        required=False,
        max_length=200,
        allow_empty_file=True,
        help_text=gettext_lazy(
            "CSV with one row per game, a TRF report, or PGN. Up to 20 MB. We "
            "keep your original file."
        ),
    )
    newcomers = forms.ChoiceField(
        label=gettext_lazy("Starting rating of new players"),
        choices=list(NEWCOMERS.items()),
        initial=Newcomers.OURS.value,
        widget=forms.RadioSelect,
        help_text=gettext_lazy(
            "With each system’s own rule, the comparison also measures that rule."
        ),
    )
    white = forms.ChoiceField(
        label=gettext_lazy("White’s advantage"),
        choices=[
            (
                WhiteAdvantageMode.FITTED.value,
                gettext_lazy(
                    "estimated from the training games, the same for all systems"
                ),
            ),
            (WhiteAdvantageMode.NONE.value, gettext_lazy("none")),
        ],
        initial=WhiteAdvantageMode.FITTED.value,
        widget=forms.RadioSelect,
        help_text=gettext_lazy(
            "If you change this parameter of a system, that system uses your "
            "value. Games with unknown colors get no advantage."
        ),
    )
    months = forms.TypedChoiceField(
        label=gettext_lazy("Rating period"),
        coerce=int,
        choices=[
            (months, lazy(months_label, str)(months)) for months in (1, 2, 3, 6, 12)
        ],
        initial=1,
        help_text=gettext_lazy(
            "Games in a period are predicted from what was known before it."
        ),
    )
    training = NumberField(
        label=gettext_lazy("Training games (%)"),
        min_value=0,
        max_value=90,
        initial=TRAINING,
        help_text=gettext_lazy(
            "The systems learn from the first games, which are not part of the "
            "results. White’s advantage is estimated from them."
        ),
    )
    least_games = NumberField(
        label=gettext_lazy("Minimum games of both players"),
        min_value=0,
        max_value=1000,
        initial=EVIDENCE,
        help_text=gettext_lazy(
            "A game is part of the results only if both players have this many "
            "games before it."
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
        cast(forms.ChoiceField, self.fields["state"]).choices = [
            ("", gettext_lazy("all")),
            *((state, state) for state in states),
        ]
        self.add_variant_fields()
        self.fields["reason"] = forms.CharField(
            label=gettext_lazy("Reason"),
            max_length=MAX_REASON_LENGTH,
            widget=forms.Textarea(attrs={"rows": 2}),
            help_text=gettext_lazy("Why the committee is asking."),
        )

    def add_variant_fields(self) -> None:
        """Add the fields in which systems and parameters are chosen."""
        raise NotImplementedError

    def variants(self) -> list[Variant]:
        """Return the variants to run."""
        raise NotImplementedError

    # --- Groups of fields ---

    def add_parameters(
        self,
        prefix: str,
        parameters: Iterable[Parameter],
        numbers: type[ValuesField] = ValuesField,
    ) -> None:
        for one in parameters:
            field = parameter_field(one, numbers, one.default)
            self.fields[_name(prefix, one)] = field

    def parameter_fields(
        self, prefix: str, parameters: Iterable[Parameter]
    ) -> list[forms.BoundField]:
        return [self[_name(prefix, one)] for one in parameters]

    def head(self) -> list[forms.BoundField]:
        return self._bound("title")

    def ledger_fields(self) -> list[forms.BoundField]:
        return self._bound(*LEDGER_FIELDS)

    def run_fields(self) -> list[forms.BoundField]:
        return self._bound(*RUN_FIELDS)

    def _bound(self, *names: str) -> list[forms.BoundField]:
        return [self[name] for name in names]

    # --- Cleaned values ---

    def clean(self) -> dict[str, Any]:
        said = super().clean() or self.cleaned_data
        self._clean_games(said)
        low, high = said.get("low"), said.get("high")
        if low is not None and high is not None and low > high:
            self.add_error("high", gettext("This is less than the minimum rating."))
        first, last = said.get("first_day"), said.get("last_day")
        if first and last and first > last:
            self.add_error("last_day", gettext("This is before the first day."))
        if not self.errors:
            try:
                validate_variants(self.variants())
            except InvalidVariant as bad:
                self.add_error(None, str(bad))
        return said

    def _clean_games(self, said: dict[str, Any]) -> None:
        file = said.get("file")
        if said.get("games") == FILE and not file:
            self.add_error("file", gettext("Choose a file with games."))
        elif file and file.size > MAX_FILE_BYTES:
            self.add_error(
                "file",
                gettext(
                    "The file is larger than 20 MB. Run larger files from the "
                    "command line."
                ),
            )
        elif said.get("games") == BOOKS and not said.get("system"):
            self.add_error("system", gettext("Choose one of our six rating systems."))

    def uploaded_file(self) -> tuple[str, bytes] | None:
        """Return name and content of the file, None if the games are rated ones."""
        if self.cleaned_data["games"] == BOOKS:
            return None
        file = self.cleaned_data["file"]
        name = "".join(char for char in file.name if char.isprintable())
        return name or "games", file.read()

    def asked(self) -> RunOptions:
        """Return how the experiment is to be run."""
        said = self.cleaned_data
        chosen = None
        if said["games"] == BOOKS:
            chosen = GameSelection(**{name: said[name] for name in LEDGER_FIELDS})
        return RunOptions(chosen=chosen, **{name: said[name] for name in RUN_FIELDS})


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
            self.add_parameters(key, parameters_to_vary(system))

    def system_fields(
        self,
    ) -> Iterator[tuple[BoundWidget, list[forms.BoundField], bool]]:
        """Yield each system's box, its parameters, and whether one is faulty."""
        for box, (key, system) in zip(
            self["systems"], self.systems.items(), strict=True
        ):
            fields = self.parameter_fields(key, parameters_to_vary(system))
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
        self.add_parameters(self.key, parameters_to_vary(RUNNABLE[self.key]))

    def groups(self) -> Iterator[tuple[str, list[forms.BoundField], bool]]:
        system = RUNNABLE[self.key]
        fields = self.parameter_fields(self.key, parameters_to_vary(system))
        yield gettext(system.about.label), fields, True

    def variants(self) -> list[Variant]:
        found = variants_of(self.key, _values(self.cleaned_data, self.key))
        usual = Variant(self.key)  # the reference of the search
        return found if usual in found else [usual, *found]


class RuleChangeForm(ExperimentForm):
    """Our own rules twice: as they are, and changed."""

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
                label=gettext_lazy("Edition of the rules"),
                choices=[
                    (key, gettext(SYSTEMS[key].about.label)) for key in OUR_SYSTEMS
                ],
                initial=OUR_SYSTEM,
            )
            self.add_parameters(side, self.parameters, OneValueField)

    def groups(self) -> Iterator[tuple[str, list[forms.BoundField], bool]]:
        for side, label in self.sides:
            fields = [
                self[f"{side}-edition"],
                *self.parameter_fields(side, self.parameters),
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
    """The public title, and the reason to publish."""

    field_order = ("public_title", "reason")

    public_title = forms.CharField(
        label=gettext_lazy("Title"),
        max_length=120,
        help_text=gettext_lazy("The public title of the page."),
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
