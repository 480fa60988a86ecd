"""The form for schedules that merge into one section of a report."""

from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from events.formats.dbf.layout_2c import MAX_ROUNDS
from events.formats.report import ReportedSchedule
from events.formats.schedule_text import MAX_NAME_LENGTH, format_numbers, parse_numbers
from events.reports.forms.edits import DatedForm
from events.reports.forms.time_controls import TimeControlField
from ratings_site.common.ui.fields import DayField, NumberField

# Real festivals have had five.
MAX_SCHEDULES = 20
# Blank forms on the page: usually two schedules merge into a third.
BLANK_SCHEDULES = 2
LONGEST_NUMBERS = 2_000


class NumbersField(forms.CharField):
    """Pairing numbers such as 1-4, 9."""

    def to_python(self, value: Any) -> tuple[int, ...]:  # type: ignore[override]
        text = super().to_python(value) or ""
        if len(text) > LONGEST_NUMBERS:
            raise ValidationError(
                _("This list is too long. Use ranges, such as 1-4, 9.")
            )
        try:
            return parse_numbers(text)
        except ValueError:
            raise ValidationError(
                _("Enter pairing numbers such as 1-4, 9, with the lower number first.")
            ) from None

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str) else format_numbers(value or ())

    def has_changed(self, initial: Any, data: Any) -> bool:
        shown: str = self.prepare_value(initial)
        return shown != (data or "")


class ScheduleForm(DatedForm):
    name = forms.CharField(
        label=_("Name"),
        required=False,
        max_length=MAX_NAME_LENGTH,
        help_text=_("For example, 2-day."),
    )
    time_control = TimeControlField(
        help_text=_("For this schedule’s own rounds, such as G/60;d5.")
    )
    first_round = NumberField(label=_("First round"), min_value=1, max_value=MAX_ROUNDS)
    last_round = NumberField(
        label=_("Last round"),
        min_value=1,
        max_value=MAX_ROUNDS,
        help_text=_("The last round before the schedules merge."),
    )
    starts = DayField(label=_("First day"), required=False)
    ends = DayField(label=_("Last day"), required=False)
    entries = NumbersField(
        label=_("Pairing numbers"),
        required=False,
        help_text=_("Such as 1-4, 9. Leave blank for all players."),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        first, last = cleaned.get("first_round"), cleaned.get("last_round")
        if first and last and last < first:
            self.add_error("last_round", _("The last round is before the first round."))
        return cleaned

    def schedule(self) -> ReportedSchedule:
        names = ScheduleForm.base_fields
        return ReportedSchedule(**{name: self.cleaned_data[name] for name in names})


class BaseSchedulesFormSet(forms.BaseFormSet):  # type: ignore[type-arg]
    def schedules(self) -> list[ReportedSchedule]:
        """Return the schedules that were filled in and not marked for deletion."""
        return [
            form.schedule()
            for form in self.forms
            if form.has_changed() and form not in self.deleted_forms
        ]


SchedulesForm = cast(
    type[BaseSchedulesFormSet],
    forms.formset_factory(
        ScheduleForm,
        formset=BaseSchedulesFormSet,
        extra=BLANK_SCHEDULES,
        max_num=MAX_SCHEDULES,
        absolute_max=MAX_SCHEDULES + BLANK_SCHEDULES,
        validate_max=True,
        can_delete=True,
        can_delete_extra=False,
    ),
)


def present_of(schedules: tuple[ReportedSchedule, ...]) -> list[dict[str, Any]]:
    names = ScheduleForm.base_fields
    return [{name: getattr(one, name) for name in names} for one in schedules]
