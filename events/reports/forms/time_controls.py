"""The form field for time controls."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.formats.time_controls import normalize_time_control, read_time_control
from ratings_site.common.ui.formatting import join_names


class TimeControlField(forms.CharField):
    """A time control in any spelling; ambiguous ones are rejected."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            **{"label": gettext_lazy("Time control"), "max_length": 60, **kwargs}
        )

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        if candidates := read_time_control(text).candidates:
            raise ValidationError(
                _(
                    "“{written}” is not clear. It could mean {controls}. "
                    "Enter the one that was played."
                ).format(written=text, controls=join_names(candidates))
            )
        return normalize_time_control(text)
