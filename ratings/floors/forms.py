"""The forms of the office for floors, ceilings, adjustments and titles, and of matches.

They take what people type; whether the rules allow it, the services say.
"""

from django import forms
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_lazy as _

from ratings.engine.systems import System
from ratings.ledger.forms import SystemField
from ratings.models import Adjustment
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.looks.fields import DayField, NumberField

LONGEST_EVIDENCE = 2_000
HIGHEST_LEVEL = 3_500
MOST_DOLLARS = 10_000_000


def short_text() -> forms.TextInput:
    return forms.TextInput(attrs={"inputmode": "numeric", "class": "short"})


class LevelField(NumberField):
    def __init__(self, **kwargs: object) -> None:
        super().__init__(
            label=_("Level"),
            min_value=100,
            max_value=HIGHEST_LEVEL,
            widget=short_text(),
            **kwargs,
        )


class EvidenceField(forms.CharField):
    def __init__(self) -> None:
        super().__init__(
            label=_("Evidence"),
            max_length=LONGEST_EVIDENCE,
            required=False,
            widget=forms.Textarea(attrs={"rows": 3}),
            help_text=_("What the decision rests on. Only the office sees it."),
        )


class _DatedForm(ReasonForm):
    """Something that holds from a day on, perhaps to a day."""

    starts = DayField(
        label=gettext_lazy("First day"), help_text=gettext_lazy("Today or earlier.")
    )
    ends = DayField(
        label=gettext_lazy("Last day"),
        required=False,
        help_text=gettext_lazy("Leave it empty to have no end."),
    )

    def clean(self) -> dict:
        said = super().clean()
        starts, ends = said.get("starts"), said.get("ends")
        if starts and ends and ends < starts:
            self.add_error("ends", _("The last day is before the first."))
        return said


class FloorForm(_DatedForm):
    system = SystemField()
    level = LevelField(
        help_text=gettext_lazy("A 100-point level such as 1200, at most 2200.")
    )
    evidence = EvidenceField()
    field_order = ["system", "level", "starts", "ends", "reason", "evidence"]

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].help_text = _("Shown publicly with the floor.")


class CeilingForm(_DatedForm):
    system = SystemField()
    level = LevelField(help_text=gettext_lazy("The rating may not rise above it."))
    field_order = ["system", "level", "starts", "ends", "reason"]


class EndForm(ReasonForm):
    ends = DayField(
        label=gettext_lazy("Last day"),
        help_text=gettext_lazy("The last day on which it holds."),
    )
    field_order = ["ends", "reason"]


class PrizeForm(forms.Form):
    """A prize, from which the rules make a floor."""

    event_id = forms.RegexField(
        r"\A[0-9]{12}\Z",
        label=gettext_lazy("Event ID"),
        error_messages={"invalid": gettext_lazy("An event ID has twelve digits.")},
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )
    number = NumberField(
        label=gettext_lazy("Section"), min_value=1, max_value=999, widget=short_text()
    )
    prize = NumberField(
        label=gettext_lazy("Prize in dollars"),
        min_value=1,
        max_value=MOST_DOLLARS,
        widget=short_text(),
    )
    limit = NumberField(
        label=gettext_lazy("Rating limit"),
        min_value=100,
        max_value=HIGHEST_LEVEL,
        widget=short_text(),
        help_text=gettext_lazy(
            "The number in “under 1800”: of the section, or of the prize in a "
            "section that is open to all."
        ),
    )


class MoneyForm(ReasonForm):
    """The decision on a floor that the rules have made of a prize."""

    evidence = EvidenceField()

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].help_text = _("Shown publicly with the floor.")


class DecisionForm(ReasonForm):
    """Grant or refuse a request."""

    decision = forms.ChoiceField(
        label=gettext_lazy("Decision"),
        choices=[
            ("grant", gettext_lazy("Lower the floor")),
            ("refuse", gettext_lazy("Keep the floor")),
        ],
        widget=forms.RadioSelect,
        error_messages={"required": gettext_lazy("Choose one of the two.")},
    )
    field_order = ["decision", "reason"]


class LifeMasterForm(ReasonForm):
    decision = forms.ChoiceField(
        label=gettext_lazy("Decision"),
        choices=[
            ("confirm", gettext_lazy("Confirm the title and its floor of 2200")),
            ("set_aside", gettext_lazy("Set the candidate aside")),
        ],
        widget=forms.RadioSelect,
        error_messages={"required": gettext_lazy("Choose one of the two.")},
    )
    field_order = ["decision", "reason"]


class LoweringForm(ReasonForm):
    """A member's wish to have a floor lowered."""

    system = SystemField()
    field_order = ["system", "reason"]

    def __init__(self, *args: object, systems: list[System], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["system"].choices = [
            (one.value, gettext_lazy(one.label)) for one in systems
        ]


class AdjustmentForm(ReasonForm):
    system = SystemField()
    kind = forms.ChoiceField(
        label=gettext_lazy("Kind"), choices=Adjustment.Kind.choices
    )
    day = DayField(
        label=gettext_lazy("As of"),
        help_text=gettext_lazy(
            "The rating counts from this day on, before the sections of the day."
        ),
    )
    rating = forms.DecimalField(
        label=gettext_lazy("Rating"),
        min_value=100,
        max_value=3500,
        max_digits=12,
        decimal_places=8,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "class": "short"}),
    )
    games = NumberField(
        label=gettext_lazy("Games it rests on"),
        min_value=1,
        max_value=99_999,
        widget=short_text(),
    )
    field_order = ["system", "kind", "day", "rating", "games", "reason"]
