"""The form field for time controls."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.importers.time_controls import office_control, read_control
from ratings_site.common.looks.figures import listed


class TimeControlField(forms.CharField):
    """A time control in any spelling; unclear ones are refused with their readings."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            **{
                "label": gettext_lazy("Time control"),
                "max_length": 60,
                **kwargs,
            }
        )

    def to_python(self, value: Any) -> str:
        text = super().to_python(value)
        if may_mean := read_control(text).may_mean:
            raise ValidationError(
                _(
                    "“{written}” has no unit. Possible readings: {controls}. "
                    "Enter the one that was played."
                ).format(written=text, controls=listed(may_mean))
            )
        return office_control(text)
