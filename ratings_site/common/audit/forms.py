"""The search form of the audit log."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _

from ratings_site.common.audit.log import AuditSearch, subject_types

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

LARGEST_ID = 2**63 - 1


def day_field(label: _StrOrPromise) -> forms.DateField:
    """Return an optional date field for a filter form."""
    sentence = _("Enter a date between 1900 and 2999, such as 2024-05-04.")
    return forms.DateField(
        label=label,
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        validators=[
            MinValueValidator(date(1900, 1, 1), sentence),
            MaxValueValidator(date(2999, 12, 31), sentence),
        ],
        error_messages={"invalid": sentence},
    )


class AuditFilter(forms.Form):
    """Filters audit entries. Every field is optional."""

    action = forms.CharField(
        label=_("Action starts with"),
        required=False,
        max_length=60,
        widget=forms.TextInput(attrs={"placeholder": "correction", "size": 16}),
    )
    person = forms.CharField(label=_("Person"), required=False, max_length=80)
    subject_type = forms.ChoiceField(
        label=_("Record type"),
        required=False,
        choices=lambda: [("", _("Any")), *subject_types()],
    )
    subject_id = forms.CharField(
        label=_("Record ID"),
        required=False,
        max_length=40,
        widget=forms.TextInput(attrs={"size": 8}),
    )
    subject_name = forms.CharField(
        label=_("Record name contains"), required=False, max_length=80
    )
    reason = forms.CharField(label=_("Reason contains"), required=False, max_length=80)
    since = day_field(_("From"))
    until = day_field(_("Until"))
    own_tasks = forms.BooleanField(label=_("System actions only"), required=False)
    before = forms.IntegerField(
        required=False, min_value=1, max_value=LARGEST_ID, widget=forms.HiddenInput
    )

    def wanted(self) -> AuditSearch:
        """Return the search; invalid fields are ignored."""
        given = {
            name: value
            for name, value in self.cleaned_data.items()
            if name != "before" and value
        }
        return AuditSearch(**given)
