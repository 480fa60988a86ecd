"""What a report says of a new member."""

from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.newcomers.services import Details
from events.reports.forms.edits import EditForm
from ratings_site.common.looks.fields import NumberField, StateField

EARLIEST_YEAR = 1900


class BirthDateField(forms.DateField):
    """A day on which somebody who plays now may have been born."""

    widget = forms.DateInput(
        format="%Y-%m-%d", attrs={"type": "date", "autocomplete": "off"}
    )
    input_formats = ["%Y-%m-%d", "%d %B %Y", "%m/%d/%Y"]

    def __init__(self, **kwargs: Any) -> None:
        invalid = _("Enter a day such as 2016-05-04.")
        super().__init__(error_messages={"invalid": invalid}, **kwargs)


class NewMemberForm(EditForm):
    given_name = forms.CharField(label=_("Given name"), max_length=60)
    family_name = forms.CharField(label=_("Family name"), max_length=60)
    birth_date = BirthDateField(
        label=_("Birth date"),
        required=False,
        help_text=_(
            "Seen by you and the office only. The first rating rests on the age."
        ),
    )
    birth_year = NumberField(
        label=_("Or the year of birth"),
        required=False,
        help_text=_("If that is all you know."),
        widget=forms.NumberInput(attrs={"class": "short", "autocomplete": "off"}),
    )
    state = StateField(label=_("State"))
    email = forms.EmailField(
        label=_("E-mail of the member, or of a parent or guardian"),
        required=False,
        help_text=_("For a child, the parent’s or guardian’s. For the office only."),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    reason = forms.CharField(
        label=_("Why it is nobody of the same name"),
        required=False,
        max_length=500,
        help_text=_("Needed only where a member has the very same name."),
    )

    def __init__(self, *args: Any, event_day: date, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.event_day = event_day

    def clean_birth_date(self) -> date | None:
        day = self.cleaned_data["birth_date"]
        if day is not None and not day.year >= EARLIEST_YEAR:
            raise ValidationError(self._too_early())
        if day is not None and day >= self.event_day:
            raise ValidationError(gettext("Nobody plays before being born."))
        return day

    def clean_birth_year(self) -> int | None:
        year = self.cleaned_data["birth_year"]
        if year is not None and year < EARLIEST_YEAR:
            raise ValidationError(self._too_early())
        if year is not None and year > self.event_day.year:
            raise ValidationError(gettext("Nobody plays before being born."))
        return year

    def _too_early(self) -> str:
        return gettext("Nobody born before {year} plays any more.").format(
            year=EARLIEST_YEAR
        )

    def clean(self) -> dict[str, Any]:
        said = super().clean() or self.cleaned_data
        given = [name for name in ("birth_date", "birth_year") if said.get(name)]
        if not given and not self.errors:
            self.add_error(
                "birth_date",
                gettext("Enter the birth date, or the year if that is all you know."),
            )
        if said.get("birth_date") and said.get("birth_year"):
            said["birth_year"] = None  # the date says it
        return said

    def details(self) -> Details:
        said = self.cleaned_data
        return Details(**{name: said[name] for name in Details.__slots__})
