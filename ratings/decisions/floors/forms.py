"""Forms of the office for floors, ceilings, adjustments, titles and matches.

They validate input; the services check the rules.
"""

from typing import Any, cast

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ratings.engine.systems import System
from ratings.ledger.forms import SystemField
from ratings.models import Adjustment
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.ui.fields import DayField, NumberField

MAX_EVIDENCE_LENGTH = 2_000
MAX_LEVEL = 3_500
MAX_DOLLARS = 10_000_000


def number_field(label: Any, least: int, most: int, help_text: Any = "") -> NumberField:
    """Return a field of a whole number of a few digits."""
    return NumberField(
        label=label,
        min_value=least,
        max_value=most,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "class": "short"}),
        help_text=help_text,
    )


class EvidenceField(forms.CharField):
    def __init__(self) -> None:
        super().__init__(
            label=_("Evidence"),
            max_length=MAX_EVIDENCE_LENGTH,
            required=False,
            widget=forms.Textarea(attrs={"rows": 3}),
            help_text=_("Evidence for the decision. Only the office can see it."),
        )


class _DatedForm(ReasonForm):
    """A record with a first day and an optional last day."""

    starts = DayField(label=_("First day"), help_text=_("Today or earlier."))
    ends = DayField(
        label=_("Last day"), required=False, help_text=_("Leave blank for no end date.")
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        starts, ends = cleaned.get("starts"), cleaned.get("ends")
        if starts and ends and ends < starts:
            self.add_error(
                "ends", _("The last day is before the first day. Correct one of them.")
            )
        return cleaned


class FloorForm(_DatedForm):
    system = SystemField()
    level = number_field(
        _("Level"), 100, MAX_LEVEL, _("A multiple of 100, such as 1200, up to 2200.")
    )
    evidence = EvidenceField()
    field_order = ["system", "level", "starts", "ends", "reason", "evidence"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].help_text = _("Shown to the public with the floor.")


class CeilingForm(_DatedForm):
    system = SystemField()
    level = number_field(
        _("Level"), 100, MAX_LEVEL, _("The rating can’t go above this.")
    )
    field_order = ["system", "level", "starts", "ends", "reason"]


class EndForm(ReasonForm):
    ends = DayField(label=_("Last day"), help_text=_("The last day it applies."))
    field_order = ["ends", "reason"]


class PrizeForm(forms.Form):
    """A prize, from which the rules derive a floor."""

    event_id = forms.RegexField(
        r"\A[0-9]{12}\Z",
        label=_("Event ID"),
        error_messages={"invalid": _("An event ID has twelve digits.")},
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )
    number = number_field(_("Section"), 1, 999)
    prize = number_field(_("Prize in dollars"), 1, MAX_DOLLARS)
    limit = number_field(
        _("Rating limit"),
        100,
        MAX_LEVEL,
        _("The limit of the section or the prize, such as 1800 for “Under 1800”."),
    )


class MoneyForm(ReasonForm):
    """The decision on a floor derived from a prize."""

    evidence = EvidenceField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].help_text = _("Shown to the public with the floor.")


class DecisionField(forms.ChoiceField):
    def __init__(self, *choices: tuple[str, Promise]) -> None:
        super().__init__(
            label=_("Decision"),
            choices=choices,
            widget=forms.RadioSelect,
            error_messages={"required": _("Choose one option.")},
        )


class DecisionForm(ReasonForm):
    """Grant or refuse a request."""

    decision = DecisionField(
        ("grant", _("Lower the floor")), ("refuse", _("Keep the floor"))
    )
    field_order = ["decision", "reason"]


class LifeMasterForm(ReasonForm):
    decision = DecisionField(
        ("confirm", _("Confirm the title and its floor of 2200")),
        ("set_aside", _("Decline the candidate")),
    )
    field_order = ["decision", "reason"]


class LoweringForm(ReasonForm):
    """A member's request to lower a floor."""

    system = SystemField()
    field_order = ["system", "reason"]

    def __init__(self, *args: Any, systems: list[System], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast(SystemField, self.fields["system"]).choices = [
            (one.value, _(one.label)) for one in systems
        ]


class AdjustmentForm(ReasonForm):
    system = SystemField()
    kind = forms.ChoiceField(label=_("Kind"), choices=Adjustment.Kind.choices)
    day = DayField(
        label=_("Effective date"),
        help_text=_(
            "The rating applies from this day, before any sections on the same day."
        ),
    )
    rating = forms.DecimalField(
        label=_("Rating"),
        min_value=100,
        max_value=3500,
        max_digits=12,
        decimal_places=8,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "class": "short"}),
    )
    games = number_field(_("Games"), 1, 99_999)
    field_order = ["system", "kind", "day", "rating", "games", "reason"]
