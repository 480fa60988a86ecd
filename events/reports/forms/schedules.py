"""The form of the schedules that merge into one section of a report."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_lazy as _

from events.importers.dbf.layout_2c import MAX_ROUNDS
from events.importers.records import ReportedSchedule
from events.importers.schedule_texts import LONGEST_NAME, read_numbers, write_numbers
from events.reports.forms.time_controls import TimeControlField
from ratings_site.common.looks.fields import DayField, NumberField

# Festivals have had five; more is a mistake.
MOST_SCHEDULES = 20
# So many blank ones wait to be filled in: two schedules merge into a third.
BLANK_SCHEDULES = 2
LONGEST_NUMBERS = 2_000


class NumbersField(forms.CharField):
    """Pairing numbers such as 1-4, 9."""

    def to_python(self, value: Any) -> tuple[int, ...]:
        text = super().to_python(value)
        if len(text) > LONGEST_NUMBERS:
            raise ValidationError(_("Write this shorter, such as 1-4, 9."))
        try:
            return read_numbers(text)
        except ValueError:
            raise ValidationError(
                _("Write pairing numbers such as 1-4, 9, the lower one first.")
            ) from None

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str) else write_numbers(value or ())

    def has_changed(self, initial: Any, data: Any) -> bool:
        return self.prepare_value(initial) != (data or "")


class ScheduleForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        required=False,
        max_length=LONGEST_NAME,
        help_text=gettext_lazy("Such as 2-day."),
    )
    time_control = TimeControlField(
        help_text=gettext_lazy("Of its own rounds, such as G/60;d5."),
    )
    first_round = NumberField(
        label=gettext_lazy("First round"), min_value=1, max_value=MAX_ROUNDS
    )
    last_round = NumberField(
        label=gettext_lazy("Last round"),
        min_value=1,
        max_value=MAX_ROUNDS,
        help_text=gettext_lazy("The last one before the schedules merge."),
    )
    starts = DayField(label=gettext_lazy("First day"), required=False)
    ends = DayField(label=gettext_lazy("Last day"), required=False)
    entries = NumbersField(
        label=gettext_lazy("Pairing numbers"),
        required=False,
        help_text=gettext_lazy("Such as 1-4, 9. Blank means everybody."),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        first, last = cleaned.get("first_round"), cleaned.get("last_round")
        if first and last and last < first:
            self.add_error("last_round", _("The last round comes before the first."))
        starts, ends = cleaned.get("starts"), cleaned.get("ends")
        if starts and ends and ends < starts:
            self.add_error("ends", _("The last day is before the first."))
        return cleaned

    def schedule(self) -> ReportedSchedule:
        names = ScheduleForm.base_fields
        return ReportedSchedule(**{name: self.cleaned_data[name] for name in names})


class VersionForm(forms.Form):
    """The version of the report that was shown."""

    version = NumberField(widget=forms.HiddenInput)


class _Schedules(forms.BaseFormSet):
    def schedules(self) -> list[ReportedSchedule]:
        """Return what was filled in and is not to be removed."""
        return [
            form.schedule()
            for form in self.forms
            if form.has_changed() and form not in self.deleted_forms
        ]


SchedulesForm = forms.formset_factory(
    ScheduleForm,
    formset=_Schedules,
    extra=BLANK_SCHEDULES,
    max_num=MOST_SCHEDULES,
    absolute_max=MOST_SCHEDULES + BLANK_SCHEDULES,
    validate_max=True,
    can_delete=True,
    can_delete_extra=False,
)


def present_of(schedules: tuple[ReportedSchedule, ...]) -> list[dict[str, Any]]:
    names = ScheduleForm.base_fields
    return [{name: getattr(one, name) for name in names} for one in schedules]
